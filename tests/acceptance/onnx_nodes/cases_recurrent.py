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


def cases():
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
