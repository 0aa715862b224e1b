"""Cases of operators that go through a sequence."""
import itertools

import numpy as np

from node_case import case


def data(seed, *shape):
    return (np.random.default_rng(seed).normal(size=shape)*0.5).astype(np.float32)


GATES = {'LSTM': 4, 'GRU': 3, 'RNN': 1}
ACTIVATIONS = {'LSTM': 3, 'GRU': 2, 'RNN': 1}


def words(op, directions=1, steps=3, batch=2, size=4, hidden=3, bias=True, lens=None, state=False, peephole=False):
    g = GATES[op]
    inputs = [data(1, steps, batch, size), data(2, directions, g*hidden, size), data(3, directions, g*hidden, hidden),
              data(4, directions, 2*g*hidden) if bias else None, None if lens is None else np.array(lens, np.int32), data(5, directions, batch, hidden) if state else None]
    if op == 'LSTM':
        inputs += [data(6, directions, batch, hidden) if state else None, data(7, directions, 3*hidden) if peephole else None]
    while inputs[-1] is None:
        inputs.pop()
    return inputs


def of_bytes(direction, steps=3, batch=1, lens=None, state=False, peephole=False, signed=True, per_gate=False, **attrs):
    """An LSTM whose weights are numbers of 8 bits, [inputs, gates], with a scale and a zero point for each direction or each gate's column."""
    n = 2 if direction == 'bidirectional' else 1
    x, _, _, b, lens, h, c, p = (words('LSTM', n, steps=steps, batch=batch, lens=lens, state=state, peephole=peephole) + [None]*5)[:8]
    whole = np.int8 if signed else np.uint8
    w, r = [np.random.default_rng(seed).integers(-90, 90, (n, k, 12)) for seed, k in ((2, 4), (3, 3))]
    zero = np.zeros((n, 12) if per_gate else n, whole) + (0 if signed else 128)
    scales = [np.abs(data(seed, *zero.shape))*0.02 + np.float32(0.01) for seed in (8, 9)]
    w, r = [(v + (0 if signed else 128)).astype(whole) for v in (w, r)]
    return case('DynamicQuantizeLSTM', x, w, r, b, lens, h, c, p, scales[0], zero, scales[1], zero, outputs=3, hidden_size=3, direction=direction, domain='com.microsoft', judge='onnxruntime',
                const=(1, 2, 8, 9, 10, 11), **attrs)


def dynamic():
    for direction in ('forward', 'reverse', 'bidirectional'):
        for state, signed in itertools.product((False, True), (True, False)):
            yield of_bytes(direction, state=state, signed=signed)
        yield of_bytes(direction, per_gate=True)
    yield of_bytes('forward', lens=[3], batch=1)
    yield of_bytes('forward', state=True, peephole=True)
    yield of_bytes('forward', activations=['HardSigmoid', 'Relu', 'Softsign'])
    yield of_bytes('forward', clip=0.4)


def cases():
    yield from dynamic()
    for op in GATES:
        results = 3 if op == 'LSTM' else 2
        for direction in ('forward', 'reverse', 'bidirectional'):
            n = 2 if direction == 'bidirectional' else 1
            for bias, state, lens in itertools.product((False, True), (False, True), (None, [3, 1], [2, 2])):
                judge = 'onnxruntime'
                yield case(op, *words(op, n, bias=bias, state=state, lens=lens), outputs=results, hidden_size=3, direction=direction, opset=14, judge=judge)
            names = {'LSTM': ['HardSigmoid', 'Relu', 'Softsign'], 'GRU': ['HardSigmoid', 'LeakyRelu'], 'RNN': ['Relu']}[op]*n
            yield case(op, *words(op, n), outputs=results, hidden_size=3, direction=direction, activations=names, opset=14, judge='onnxruntime')
            yield case(op, *words(op, n), outputs=results, hidden_size=3, direction=direction, clip=0.4, opset=14, judge='onnxruntime')
        for name, alpha, beta in (('Affine', 0.5, 0.1), ('ScaledTanh', 0.7, 0.9), ('LeakyRelu', 0.2, None), ('Elu', 0.6, None), ('Softplus', None, None), ('ThresholdedRelu', 0.3, None)):
            k = ACTIVATIONS[op]
            attrs = {'activations': ['Sigmoid']*(k - 1) + [name]}
            attrs.update({} if alpha is None else {'activation_alpha': [alpha]}, **({} if beta is None else {'activation_beta': [beta]}))
            yield case(op, *words(op), outputs=results, hidden_size=3, opset=14, judge='onnxruntime', **attrs)
        layout = words(op, 1)
        yield case(op, np.swapaxes(layout[0], 0, 1), *layout[1:], outputs=results, hidden_size=3, layout=1, opset=14, judge='reference')
        constant = words(op, 1)
        yield case(op, *constant, outputs=results, hidden_size=3, opset=7, const=tuple(range(1, len(constant))), judge='onnxruntime')
    for direction, lens in itertools.product(('forward', 'reverse'), (None, [3, 2])):
        for bias in (False, True):
            yield case('GRU', *words('GRU', bias=bias, lens=lens), outputs=2, hidden_size=3, linear_before_reset=1, direction=direction, opset=14, judge='onnxruntime')
        yield case('LSTM', *words('LSTM', state=True, peephole=True, lens=lens), outputs=3, hidden_size=3, direction=direction, opset=14, judge='onnxruntime')
    yield case('LSTM', *words('LSTM'), outputs=3, hidden_size=3, input_forget=1, opset=14, judge='onnxruntime')
    yield case('LSTM', *words('LSTM', steps=1), outputs=1, hidden_size=3, opset=14)
    reverse = np.array([3, 1], np.int32)
    for batch_axis in (0, 1):
        yield case('ReverseSequence', data(1, 2, 4) if batch_axis == 0 else data(1, 4, 2), reverse.astype(np.int64), batch_axis=batch_axis, time_axis=1 - batch_axis)
