"""Makers of nodes: operators element by element, types, normalisations, reductions. A maker appends one node to a drawn graph."""
import ml_dtypes
import numpy as np
import onnx

from drawn_graph import ALL, BOOL, FLOATS, WHOLE
from judges import NoAnswer, element_type

# Of the last three, -inf gives the limit, where the judges multiply by 0 (docs/onnx.md).
FINITE = ('LpNormalization', 'MeanVarianceNormalization', 'Hardmax', 'Gelu', 'HardSwish', 'Mish')
UNARY = '''Abs Acos Acosh Asin Asinh Atan Atanh Ceil Celu Cos Cosh Elu Erf Exp Floor Gelu HardSigmoid HardSwish Identity IsInf IsNaN LeakyRelu Log Mish Neg Not Reciprocal Relu
Round Selu Shrink Sigmoid Sign Sin Sinh Softplus Softsign Sqrt Swish Tan Tanh ThresholdedRelu BitwiseNot Softmax LogSoftmax LpNormalization Hardmax MeanVarianceNormalization'''.split()
BINARY = 'Add Sub Mul Div And Or Xor Equal Greater Less GreaterOrEqual LessOrEqual BitwiseAnd BitwiseOr BitwiseXor'.split()
REDUCTIONS = 'ReduceSum ReduceMean ReduceMax ReduceMin ReduceProd ReduceL1 ReduceL2 ReduceSumSquare ReduceLogSum ReduceLogSumExp'.split()
TEXTS = {'approximate': ['none', 'tanh'], 'direction': ['LEFT', 'RIGHT']}
FLAGS = {'detect_negative', 'detect_positive', 'exclusive', 'reverse', 'keepdims', 'select_last_index', 'noop_with_empty_axes'}


def attributes(g, op, rank):
    """Random values of the attributes that the schema names and that have a plain domain."""
    attrs = {}
    for name, attr in onnx.defs.get_schema(op, g.opset).attributes.items():
        if g.chance(0.5) and not attr.required:
            continue
        if name == 'axis' and rank:
            attrs[name] = g.draw.randint(-rank if g.opset >= 11 else 0, rank - 1)
        elif name == 'axes' and op == 'MeanVarianceNormalization':
            attrs[name] = g.draw.sample(range(rank), g.draw.randint(1, rank)) if rank else []
        elif name in FLAGS:
            attrs[name] = g.draw.randint(0, 1)
        elif name == 'p':
            attrs[name] = g.draw.randint(1, 2)
        elif name in TEXTS:
            attrs[name] = g.draw.choice(TEXTS[name])
        elif attr.type == onnx.defs.OpSchema.AttrType.FLOAT:
            attrs[name] = round(g.draw.uniform(0.05, 1.5), 3)
    return attrs


def unary(op):
    def make(g):
        low = 1 if op in ('Softmax', 'LogSoftmax', 'Hardmax', 'LpNormalization') else 4 if op == 'MeanVarianceNormalization' else 0
        schema = onnx.defs.get_schema(op, g.opset)
        old = g.opset < 13 and op in ('Softmax', 'LogSoftmax', 'Hardmax')        # the evaluator knows the newer meaning alone
        x = g.any(op, low + old, variable=schema.inputs[0].type_str, among=[np.dtype(np.float32)] if old else ALL, special=op not in FINITE)
        if op == 'MeanVarianceNormalization' and x.array.ndim != 4:
            raise NoAnswer('its default axes are of four')
        g.node(op, [x], **attributes(g, op, x.array.ndim))
    return make


def binary(op):
    def make(g):
        a = g.any(op, special=True)
        b = g.broadcasting(a)
        if op == 'Div' and a.array.dtype.kind in 'iu':
            b = g.leaf(np.where(b.array == 0, 1, b.array).astype(b.array.dtype), g.chance(0.5))
        g.node(op, [b, a] if g.chance(0.3) and op != 'Div' else [a, b])
    return make


def power(g):
    a = g.any('Pow', among=FLOATS + WHOLE)
    b = g.broadcasting(a)
    dtype = g.draw.choice(g.dtypes('Pow', 'T1')) if g.opset >= 12 and g.chance(0.4) else a.array.dtype
    whole = a.array.dtype.kind in 'iu' or np.dtype(dtype).kind in 'iu'
    base = g.leaf(np.abs(a.array), False) if not whole and g.chance(0.5) else a
    g.node('Pow', [base, g.leaf(g.data(dtype, b.array.shape, 0, 3) if whole else g.data(dtype, b.array.shape, -2, 3), g.chance(0.5))])


def modulo(g):
    a = g.any('Mod', among=FLOATS + WHOLE)
    b = g.broadcasting(a)
    b = g.leaf(np.where(b.array == 0, 1, b.array).astype(b.array.dtype), g.chance(0.5))
    g.node('Mod', [a, b], fmod=1 if a.array.dtype.kind == 'f' else g.draw.randint(0, 1))


def shift(g):
    a = g.any('BitShift')
    b = g.leaf(g.data(a.array.dtype, g.broadcasting(a).array.shape, 0, 7), g.chance(0.5))
    g.node('BitShift', [a, b], direction=g.draw.choice(['LEFT', 'RIGHT']))


def variadic(op):
    def make(g):
        a = g.any(op)
        g.node(op, [a] + [g.broadcasting(a, one_way=True) for _ in range(g.draw.choice([0, 1, 1, 2, 3]))])
    return make


def prelu(g):
    a = g.any('PRelu', among=FLOATS + WHOLE)
    g.node('PRelu', [a, g.broadcasting(a, one_way=True)])


def where(g):
    a = g.any('Where', among=ALL)
    b = g.broadcasting(a)
    g.node('Where', [g.tensor(BOOL, [1 if g.chance(0.3) else d for d in b.array.shape]), a, b])


def clip(g):
    x = g.any('Clip')
    t = x.array.dtype
    if g.opset < 11:
        return g.node('Clip', [x], **{k: v for k, v in (('min', -0.5), ('max', 1.0)) if g.chance(0.7)})
    g.node('Clip', [x] + [g.leaf(np.array(v, t), g.chance(0.6)) if g.chance(0.7) else None for v in ((1 if t.kind == 'u' else -1), 2)])


def fits(array, dtype):
    """Whether C says what a cast of these numbers gives."""
    if np.dtype(dtype).kind not in 'iu' or array.dtype.kind in 'iub':
        return True
    wide, info = array.astype(np.float64), np.iinfo(dtype)
    return np.isfinite(wide).all() and (wide > info.min - 1).all() and (wide < info.max).all()


def cast(g):
    x = g.any('Cast', variable='T1')
    to = g.dtype('Cast', 'T2')
    if not fits(x.array, to):
        raise NoAnswer('out of range')
    if g.opset >= 15 and g.chance(0.3):
        return g.node('CastLike', [x, g.tensor(to, g.shape(0, 2))])
    g.node('Cast', [x], to=element_type(to))


def axes_for(g, rank):
    axes = g.draw.sample(range(rank), g.draw.randint(0 if g.chance(0.2) else min(1, rank), rank))
    return [a - rank if g.opset >= 11 and g.chance(0.4) else a for a in axes]


def reduction(op):
    def make(g):
        x = g.any(op)
        rank, attrs = x.array.ndim, {}
        if op.startswith('ReduceLog') and x.array.dtype.kind in 'iu':
            raise NoAnswer('a logarithm as an integer')
        if g.chance(0.6):
            attrs['keepdims'] = g.draw.randint(0, 1)
        since = 13 if op == 'ReduceSum' else 18
        axes = axes_for(g, rank) if g.chance(0.7) else None
        if g.opset < since:
            return g.node(op, [x], **attrs, **({'axes': axes} if axes else {}))
        if g.chance(0.3):
            attrs['noop_with_empty_axes'] = g.draw.randint(0, 1)
        g.node(op, [x, None if axes is None else g.parameter(axes)], **attrs)
    return make


def along_axis(op):
    def make(g):
        x = g.any(op, 1)
        g.node(op, [x], **attributes(g, op, x.array.ndim))
    return make


def running_sum(g):
    x = g.any('CumSum', 1)
    rank = x.array.ndim
    g.node('CumSum', [x, g.parameter(g.draw.randint(-rank, rank - 1), g.draw.choice([np.int32, np.int64]))], exclusive=g.draw.randint(0, 1), reverse=g.draw.randint(0, 1))


def layer_normalization(g):
    x = g.any('LayerNormalization', 1, among=FLOATS)
    rank = x.array.ndim
    axis = g.draw.randint(-rank, rank - 1)
    inner, t = x.array.shape[axis:], x.array.dtype
    shape = inner[g.draw.choice([0, 0, g.draw.randint(0, len(inner) - 1)]):]
    g.node('LayerNormalization', [x, g.tensor(t, shape), g.tensor(t, shape) if g.chance(0.6) else None], g.draw.choice([1, 1, [True, True, True], [True, False, True]]), axis=axis, epsilon=1e-3)


def rms_normalization(g):
    x = g.any('RMSNormalization', 1, among=FLOATS)
    axis = g.draw.randint(-x.array.ndim, x.array.ndim - 1)
    g.node('RMSNormalization', [x, g.tensor(x.array.dtype, x.array.shape[axis:])], axis=axis, epsilon=1e-3)


def channels_normalization(op):
    def make(g):
        x = g.any(op, 3 if op != 'BatchNormalization' else 2, among=FLOATS)
        c, t = x.array.shape[1], x.array.dtype
        if op == 'InstanceNormalization':
            return g.node(op, [x, g.tensor(t, [c]), g.tensor(t, [c])], epsilon=1e-2)
        if op == 'GroupNormalization':
            groups = g.draw.choice([d for d in range(1, c + 1) if c % d == 0])
            n = c if g.opset >= 21 else groups
            return g.node(op, [x, g.tensor(t, [n]), g.tensor(t, [n])], num_groups=groups, epsilon=1e-2)
        if op == 'LRN':
            if t != np.float32:
                raise NoAnswer('the evaluator alone takes it, and sums other channels than the standard says')
            return g.node(op, [x], size=g.draw.choice([1, 2, 3, 5]), **({'alpha': 0.3, 'beta': 0.5, 'bias': 1.5} if g.chance(0.7) else {}))
        g.node(op, [x, g.tensor(t, [c]), g.tensor(t, [c]), g.tensor(t, [c]), g.new(t, [c], 0.1, 2)], epsilon=1e-3)
    return make


def dropout(g):
    x = g.any('Dropout')
    g.node('Dropout', [x] + ([g.leaf(np.array(0.3, np.float32), True)] if g.opset >= 12 and g.chance(0.5) else []), g.draw.randint(1, 2) if g.opset >= 12 else 1)        # what an older mask holds is left open


def quantized(g):
    x = g.any('QuantizeLinear', variable='T1' if g.opset < 23 else 'T1', among=[np.dtype(np.float32)])
    whole = g.draw.choice([np.uint8, np.int8] + [np.int16, np.uint16]*(g.opset >= 21))
    rank = x.array.ndim
    axis = g.draw.randint(-rank, rank - 1) if rank and g.opset >= 13 and g.chance(0.5) else None
    shape = () if axis is None else (x.array.shape[axis],)
    scale, zero = g.leaf(g.data(np.float32, shape, 0.01, 0.2), True), g.leaf(g.data(whole, shape, 0, 9), True)
    zero = None if g.chance(0.25) and whole == np.uint8 else zero
    attrs = {} if axis is None else {'axis': axis}
    y = g.node('QuantizeLinear', [x, scale, zero], **attrs)[0]
    if g.chance(0.7):
        g.node('DequantizeLinear', [y, scale, zero], **attrs)


def dynamic_quantize(g):
    g.node('DynamicQuantizeLinear', [g.new(np.float32, g.shape(0, 3))], 3)


MAKERS = {**{op: unary(op) for op in UNARY}, **{op: binary(op) for op in BINARY}, **{op: variadic(op) for op in ('Max', 'Min', 'Mean', 'Sum')},
          **{op: reduction(op) for op in REDUCTIONS}, **{op: along_axis(op) for op in ('ArgMax', 'ArgMin')}, 'CumSum': running_sum,
          'Pow': power, 'Mod': modulo, 'BitShift': shift, 'PRelu': prelu, 'Where': where, 'Clip': clip, 'Cast': cast, 'LayerNormalization': layer_normalization,
          'RMSNormalization': rms_normalization, **{op: channels_normalization(op) for op in ('InstanceNormalization', 'GroupNormalization', 'LRN', 'BatchNormalization')},
          'Dropout': dropout, 'QuantizeLinear': quantized, 'DynamicQuantizeLinear': dynamic_quantize}
