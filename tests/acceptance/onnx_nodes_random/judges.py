"""What one ONNX operator gives on given inputs, by ONNX Runtime and by the standard's evaluator, and how far rounding may move it."""
import ml_dtypes
import numpy as np
import onnx
from onnx import helper, numpy_helper
from onnx.reference import ReferenceEvaluator

# Relative error of one operator that computes in the type, or in f32 and rounds once; sums are the reason for more than one unit.
# The judges compute some operators of f64 in f32.
ROUNDING = {'float64': 1e-6, 'float32': 1e-5, 'float16': 2.0 ** -9, 'bfloat16': 2.0 ** -6}

HALVES = ('float16', 'bfloat16')       # the judges may sum in the type itself, we in f32


# 1 + tanh(x) and 1 + erf(x) where x is far below 0: the judges keep as many digits as 1 has, and multiply by x.
CANCELLING = {'Gelu': {'float64': 2.0 ** -22, 'float32': 2.0 ** -22, 'float16': 2.0 ** -9, 'bfloat16': 2.0 ** -6}}


class NoAnswer(Exception):
    """Neither judge computes the node: it is not valid, or not known to them."""


def element_type(dtype):
    return helper.np_dtype_to_tensor_dtype(np.dtype(dtype))


def is_float(array):
    return array.dtype.name in ROUNDING


def opsets(opset, node):
    return [helper.make_opsetid('', opset)] + ([helper.make_opsetid(node.domain, 1)] if node.domain else [])


def model_of(node, opset, inputs, constant):
    """A model of the node alone; `inputs` are its arrays by name, those in `constant` are initialisers."""
    ins = [helper.make_tensor_value_info(name, element_type(x.dtype), x.shape) for name, x in inputs.items() if name not in constant]
    outs = [helper.make_empty_tensor_value_info(name) for name in node.output if name]
    graph = helper.make_graph([node], 'node', ins, outs, [numpy_helper.from_array(x, name) for name, x in inputs.items() if name in constant])
    model = helper.make_model(graph, opset_imports=opsets(opset, node))
    model.ir_version = 10
    return model


def context_of(model):
    context = onnx.checker.C.CheckerContext()
    context.ir_version, context.opset_imports = model.ir_version, {one.domain: one.version for one in model.opset_import}
    return context


class ByRuntime:
    name = 'onnxruntime'

    def __init__(self, model):
        import onnxruntime
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        options.intra_op_num_threads = 1
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        self.session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=['CPUExecutionProvider'])

    def run(self, feeds):
        return [np.asarray(y) for y in self.session.run(None, feeds)]


def inferred_outputs(model):
    """The outputs with their types; without types where inference fails on the function that defines the operator (MeanVarianceNormalization)."""
    try:
        return onnx.shape_inference.infer_shapes(model, strict_mode=True).graph.output
    except onnx.shape_inference.InferenceError:
        node = model.graph.node[0]
        if not onnx.defs.get_schema(node.op_type, model.opset_import[0].version, node.domain).has_function:
            raise
        return onnx.shape_inference.infer_shapes(model).graph.output


class ByStandard:
    name = 'evaluator'

    def __init__(self, model):
        self.evaluator = ReferenceEvaluator(model)
        inferred = inferred_outputs(model)
        self.dtypes = [helper.tensor_dtype_to_np_dtype(one.type.tensor_type.elem_type) if one.type.tensor_type.elem_type else None for one in inferred]
        self.shapes = [[d.dim_value if d.HasField('dim_value') else None for d in one.type.tensor_type.shape.dim] if one.type.tensor_type.HasField('shape') else None for one in inferred]

    def run(self, feeds):
        """In the types that the standard infers: NumPy's sums of small integers are wider."""
        with np.errstate(all='ignore'):
            outputs = [np.asarray(y) if t is None else np.asarray(y).astype(t) for y, t in zip(self.evaluator.run(None, feeds), self.dtypes)]
        if any(s is not None and (len(s) != y.ndim or any(d not in (None, e) for d, e in zip(s, y.shape))) for s, y in zip(self.shapes, outputs)):
            raise NoAnswer('the evaluator gives another shape than the standard infers')
        return outputs


def answers(node, opset, inputs, constant):
    """[(judge, outputs)] of the judges that compute the node: ONNX Runtime first."""
    model, found = model_of(node, opset, inputs, constant), []
    feeds = {name: x for name, x in inputs.items() if name not in constant}
    onnx.checker.check_node(node, context_of(model))
    for kind in (ByRuntime, ByStandard):
        try:
            judge = kind(model)
            found.append((judge, judge.run(feeds)))
        except Exception as problem:
            reason = problem
    if not found:
        raise NoAnswer(str(reason))
    return found


def moved_inputs(inputs, errors, constant, draw):
    """Inputs as wrong as they may be: all up, all down, at random."""
    for way in (1, -1, None):
        yield {name: x if errors.get(name) is None else np.asarray(x.astype(np.float64) + errors[name]*(draw.choice([-1, 1], x.shape) if way is None else way)).astype(x.dtype)
               for name, x in inputs.items() if name not in constant}


def errors_of(judge, outputs, inputs, errors, constant, draw):
    """By how much each element of the outputs may be wrong, None for integers; raises NoAnswer where rounding decides about them."""
    result = [own_error(y) if is_float(y) else None for y in outputs]
    exact = all(e is None for e in errors.values())
    errors = {name: ROUNDING[x.dtype.name]*np.abs(x.astype(np.float64)) if exact and x.dtype.name in HALVES else errors[name] for name, x in inputs.items()}
    if all(e is None for e in errors.values()):
        return result
    for feeds in moved_inputs(inputs, errors, constant, draw):
        for k, y in enumerate(judge.run(feeds)):
            if not exact and (y.shape != outputs[k].shape or result[k] is None and not np.array_equal(y, outputs[k])):
                raise NoAnswer('rounding decides')
            if result[k] is not None and y.shape == outputs[k].shape:
                result[k] += spread(y, outputs[k])
    return result


def cancelled(node, inputs, errors):
    """The errors of the node's outputs with what its judges lose where they take the difference of numbers near 1."""
    x = inputs[node.input[0]] if node.input else None
    unit = CANCELLING.get(node.op_type, {}).get(x.dtype.name) if x is not None else None
    if unit is None:
        return errors
    wide = np.abs(x.astype(np.float64))
    return [e if e is None else e + unit*np.where(np.isfinite(wide), wide, 0) for e in errors]


def spread(a, b):
    with np.errstate(all='ignore'):
        apart = np.abs(a.astype(np.float64) - b.astype(np.float64))
    return np.where(np.isnan(apart), 0 if (np.isnan(a.astype(np.float64)) == np.isnan(b.astype(np.float64))).all() else np.inf, 2*apart)


def own_error(y):
    wide = np.abs(y.astype(np.float64))
    finite = wide[np.isfinite(wide)]
    unit = ROUNDING[y.dtype.name]
    return np.where(np.isfinite(wide), unit*wide, 0) + unit/8*(finite.max() if finite.size else 0) + (1e-38 if y.dtype == np.float64 else 1e-7)


def difference(got, want, error):
    """Why `got` is not `want` within `error`, '' where it is."""
    if got.shape != want.shape:
        return f'shape {got.shape} instead of {want.shape}'
    if got.dtype != want.dtype:
        return f'dtype {got.dtype} instead of {want.dtype}'
    if want.dtype.kind in 'fV' or want.dtype.type.__module__.startswith('ml_dtypes'):
        got, want = got.astype(np.float64), want.astype(np.float64)
    with np.errstate(all='ignore'):
        equal = (got == want) | ((got != got) & (want != want))
        if error is not None:
            equal |= np.abs(got - want) <= np.where(np.isfinite(want), error, 0)
            equal |= error == np.inf
            equal |= np.isinf(want) & (np.abs(got) > 6e4) & (np.sign(got) == np.sign(want)) if np.max(np.abs(want[np.isfinite(want)]), initial=0) > 6e4 else False
    if equal.all():
        return ''
    at = tuple(int(i) for i in np.argwhere(~equal)[0])
    return f'{(~equal).sum()} of {equal.size} elements differ, first {got[at]} instead of {want[at]} at {at}'
