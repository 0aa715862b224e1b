"""A model of one ONNX operator with its inputs, what the standard's own evaluator says it gives, and the comparison of two answers."""
from dataclasses import dataclass, field

import ml_dtypes
import numpy as np
import onnx
from onnx import helper, numpy_helper

OPSET = 22
ML_ROUNDING = {'bfloat16': 2.0 ** -6, 'float16': 3e-3}          # relative error of an answer that was rounded more than once


@dataclass
class NodeCase:
    """One operator: `inputs` are arrays or None where the input is left out, those numbered in `const` are initialisers."""
    op: str
    inputs: list
    attrs: dict = field(default_factory=dict)
    outputs: int = 1
    opset: int = OPSET
    domain: str = ''
    const: tuple = ()
    domain_opset: int = 1
    judge: str = 'reference'                                    # or 'onnxruntime', where the evaluator is known to be wrong or silent

    @property
    def name(self):
        """Says what the case is: the operator, its opset, inputs as dtype[shape], attributes."""
        def text(k, value):
            if value is None:
                return '-'
            shape = ','.join(map(str, np.shape(value)))
            return f'{np.asarray(value).dtype}[{shape}]' + ('=' + spelled(np.asarray(value).ravel().tolist()) if k in self.const else '')

        def spelled(value):
            if isinstance(value, onnx.TensorProto):
                array = numpy_helper.to_array(value)
                return f'{array.dtype}{spelled(array.tolist())}'
            if isinstance(value, list) and len(value) > 8:
                return f'[{len(value)}]'
            return str([round(v, 3) if isinstance(v, float) else v for v in value] if isinstance(value, list) else value).replace(' ', '')
        attrs = ' '.join(f'{k}={spelled(v)}' for k, v in self.attrs.items())
        inputs = ' '.join(text(k, x) for k, x in enumerate(self.inputs))
        version = f'{self.opset}' if not self.domain else f'{self.domain}/{self.domain_opset}'
        return f'{self.op}@{version} ({inputs}) {attrs} -> {self.outputs}'

    @property
    def imports(self):
        """Domains and opsets, as a key that models of several cases share."""
        return (('', self.opset),) + (((self.domain, self.domain_opset),) if self.domain else ())


def case(op, *inputs, outputs=1, opset=OPSET, domain='', const=(), domain_opset=1, judge='reference', **attrs):
    """A NodeCase; inputs that are no arrays become arrays."""
    arrays = [None if x is None else np.asarray(x) for x in inputs]
    return NodeCase(op, arrays, attrs, outputs, opset, domain, tuple(const), domain_opset, judge)


def element_type(dtype):
    return helper.np_dtype_to_tensor_dtype(np.dtype(dtype))


def model_of(cases, expected=None):
    """One model with the nodes of all cases, which must agree in `imports`; where answers are given their types and shapes are stated."""
    nodes, ins, outs, constants = [], [], [], []
    for n, one in enumerate(cases):
        names = ['' if x is None else f'c{n}_x{k}' for k, x in enumerate(one.inputs)]
        results = [f'c{n}_y{k}' for k in range(one.outputs)]
        nodes.append(helper.make_node(one.op, names, results, domain=one.domain, **one.attrs))
        for k, x in enumerate(one.inputs):
            if x is None:
                continue
            if k in one.const:
                constants.append(numpy_helper.from_array(x, names[k]))
            else:
                ins.append(helper.make_tensor_value_info(names[k], element_type(x.dtype), x.shape))
        for k, name in enumerate(results):
            known = expected[n][k] if expected else None
            outs.append(helper.make_empty_tensor_value_info(name) if known is None else
                        helper.make_tensor_value_info(name, element_type(known.dtype), known.shape))
    graph = helper.make_graph(nodes, 'nodes', ins, outs, constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid(*pair) for pair in cases[0].imports])
    model.ir_version = min(model.ir_version, 10)
    return model


def feeds_of(cases):
    """name → array of all that are not constant, in graph order."""
    return {f'c{n}_x{k}': x for n, one in enumerate(cases) for k, x in enumerate(one.inputs) if x is not None and k not in one.const}


def answers(one):
    """What the case's judge says, or the other one where it cannot; raises what the second raises."""
    first, second = (by_reference, by_onnxruntime) if one.judge == 'reference' else (by_onnxruntime, by_reference)
    try:
        return first(one)
    except Exception:
        return second(one)


def by_reference(one):
    from onnx.reference import ReferenceEvaluator
    with np.errstate(all='ignore'):
        return [np.asarray(y) for y in ReferenceEvaluator(model_of([one])).run(None, feeds_of([one]))]


def by_onnxruntime(one):
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(model_of([one]).SerializeToString(), options, providers=['CPUExecutionProvider'])
    return [np.asarray(y) for y in session.run(None, feeds_of([one]))]


def difference(got, want):
    """Why `got` is not `want`, or None. Relative to the maximum element too: sums cancel."""
    if got.shape != want.shape:
        return f'shape {got.shape} instead of {want.shape}'
    if got.dtype != want.dtype:
        return f'dtype {got.dtype} instead of {want.dtype}'
    rounding = ML_ROUNDING.get(want.dtype.name, 1e-3)
    small = 1e-6 if rounding == 1e-3 else rounding/4
    if want.dtype.kind in 'fcV':
        wide = np.complex128 if want.dtype.kind == 'c' else np.float64
        got, want = got.astype(wide), want.astype(wide)
    with np.errstate(all='ignore'):
        equal = (got == want) | ((got != got) & (want != want))
        if want.dtype.kind in 'fc':
            finite = np.abs(want[np.isfinite(want)])
            largest = finite.max() if finite.size else 0
            equal |= np.abs(got - want) <= rounding*np.abs(want) + small*largest + 1e-7
            equal &= ~np.isinf(want) | (got == want)
    if equal.all():
        return None
    at = tuple(int(i) for i in np.argwhere(~equal)[0])
    return f'{(~equal).sum()} of {equal.size} elements differ, first {got[at]} instead of {want[at]} at {at}'


def is_small(dtype):
    """bfloat16, float8 and types below a byte, which .npy does not know."""
    return np.dtype(dtype).type.__module__.startswith('ml_dtypes')


def save_npy(path, array):
    array = np.ascontiguousarray(array).reshape(array.shape)
    if is_small(array.dtype):
        array = array.view('V2' if array.dtype == ml_dtypes.bfloat16 else np.uint8).reshape(array.shape)
    np.save(path, array, allow_pickle=False)


def load_npy(path, dtype):
    array = np.load(path, allow_pickle=False)
    if is_small(dtype) and array.dtype != dtype and array.dtype.itemsize == np.dtype(dtype).itemsize:
        array = np.ascontiguousarray(array).view(np.uint16 if np.dtype(dtype).itemsize == 2 else np.uint8).view(dtype).reshape(array.shape)
    return array
