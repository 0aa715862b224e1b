"""Cases of operators that work element by element: types, ranks, broadcasting, attributes, forms of old opsets."""
import ml_dtypes
import numpy as np

from node_case import case

FLOATS = (np.float32, np.float64, np.float16, ml_dtypes.bfloat16)
SIGNED = (np.int8, np.int16, np.int32, np.int64)
UNSIGNED = (np.uint8, np.uint16, np.uint32, np.uint64)


def values(seed, shape, dtype, low=-3, high=3):
    r = np.random.default_rng(seed)
    if np.dtype(dtype) == np.bool_:
        return r.integers(0, 2, shape).astype(bool)
    if np.dtype(dtype).kind in 'iu':
        return np.asarray(r.integers(max(low, 0) if np.dtype(dtype).kind == 'u' else low, high + 4, shape)).astype(dtype)
    return np.asarray(r.uniform(low, high, shape)).astype(dtype)


def unary():
    ranges = {'Acos': (-1, 1), 'Asin': (-1, 1), 'Atanh': (-0.9, 0.9), 'Acosh': (1, 4), 'Log': (0.1, 4), 'Sqrt': (0, 4), 'Reciprocal': (0.5, 3)}
    names = '''Abs Acos Acosh Asin Asinh Atan Atanh Ceil Cos Cosh Erf Exp Floor Log Neg Reciprocal Relu Round Sigmoid Sign Sin Sinh Softplus Softsign Sqrt
               Tan Tanh Identity HardSwish Mish Elu Selu Celu HardSigmoid LeakyRelu ThresholdedRelu Gelu Swish Shrink'''.split()
    for k, op in enumerate(names):
        low, high = ranges.get(op, (-3, 3))
        opset = 24 if op == 'Swish' else 22
        for dtype in (np.float32, np.float16, np.float64):
            yield case(op, values(k, (3, 5), dtype, low, high), opset=opset)
        yield case(op, values(k, (), np.float32, low, high), opset=opset)
        if op in ('Ceil', 'Floor', 'Abs', 'Neg', 'Relu', 'Sign', 'Exp', 'Sqrt', 'Tanh', 'Identity', 'Erf', 'Sigmoid'):
            yield case(op, values(k, (2, 9), ml_dtypes.bfloat16, low, high), opset=opset)
    yield case('Sin', values(1, (0, 3), np.float32))
    for dtype in SIGNED + UNSIGNED:
        yield case('Abs', values(1, (7,), dtype))
        yield case('Sign', values(1, (7,), dtype))
        yield case('BitwiseNot', values(1, (7,), dtype))
    for dtype in SIGNED:
        yield case('Neg', values(1, (7,), dtype))
    for dtype in (np.int8, np.int32, np.int64):
        yield case('Relu', values(1, (7,), dtype), opset=14)
    yield case('Shrink', values(1, (7,), np.int32, -5, 5), lambd=2.0, bias=1.0)
    yield case('Shrink', values(1, (7,), np.uint8, 0, 5), lambd=2.0)
    yield case('Not', values(1, (2, 3), np.bool_))
    yield case('Round', np.array([-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 0.49999997], np.float32))


def parameters():
    x = values(3, (4, 6), np.float32)
    for op, attrs in (('LeakyRelu', {'alpha': 0.3}), ('Elu', {'alpha': 2.0}), ('Celu', {'alpha': 0.5}), ('Selu', {'alpha': 1.2, 'gamma': 0.7}),
                      ('HardSigmoid', {'alpha': 0.4, 'beta': 0.3}), ('ThresholdedRelu', {'alpha': 0.6}), ('Gelu', {'approximate': 'tanh'}),
                      ('Shrink', {'lambd': 1.2, 'bias': 0.4})):
        yield case(op, x, **attrs)
    yield case('Swish', x, opset=24, alpha=0.5)
    for alpha in (1.0, 0.5):
        yield case('SwiGLU', x, values(4, (4, 6), np.float32), opset=28, alpha=alpha)
    special = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.5], np.float32)
    for negative in (0, 1):
        for positive in (0, 1):
            yield case('IsInf', special, opset=20, detect_negative=negative, detect_positive=positive)
    yield case('IsInf', special.astype(np.float16), opset=20)
    for op in ('IsNaN', 'Sign', 'Relu', 'Tanh', 'Sigmoid', 'Exp', 'Floor', 'Round', 'Sqrt', 'Erf', 'Softplus', 'LeakyRelu', 'Elu', 'Abs', 'Reciprocal'):
        yield case(op, special)


def binary():
    for op in ('Add', 'Sub', 'Mul', 'Div'):
        for dtype in FLOATS + SIGNED + UNSIGNED:
            a, b = values(1, (3, 4), dtype), values(2, (3, 4), dtype, 1, 3)
            yield case(op, a, b, opset=14)
        for shapes in (((3, 4), (4,)), ((3, 1), (1, 4)), ((), (2, 3)), ((2, 3), ()), ((), ()), ((0, 3), (1, 3)), ((2, 1, 4), (3, 1)), ((1,), (2, 2))):
            yield case(op, values(1, shapes[0], np.float32), values(2, shapes[1], np.float32, 1, 3))
        yield case(op, values(1, (2, 3, 4, 5), np.float32), values(2, (3, 4), np.float32, 1, 3), opset=6, broadcast=1, axis=1)
        yield case(op, values(1, (2, 3), np.float32), values(2, (3,), np.float32, 1, 3), opset=6, broadcast=1)
        yield case(op, values(1, (2, 3), np.float32), values(2, (2, 3), np.float32, 1, 3), opset=6)
    for dtype in (np.float32, np.int32, np.int64, np.float64):
        for op in ('Equal', 'Greater', 'Less', 'GreaterOrEqual', 'LessOrEqual'):
            yield case(op, values(1, (3, 4), dtype), values(2, (4,), dtype), opset=16)
    yield case('Equal', values(1, (5,), np.bool_), values(2, (5,), np.bool_))
    for op in ('And', 'Or', 'Xor'):
        yield case(op, values(1, (3, 4), np.bool_), values(2, (3, 1), np.bool_))
    for op in ('BitwiseAnd', 'BitwiseOr', 'BitwiseXor'):
        for dtype in (np.int32, np.uint8, np.int16, np.uint64):
            yield case(op, values(1, (3, 4), dtype), values(2, (4,), dtype))
    for direction in ('LEFT', 'RIGHT'):
        for dtype in UNSIGNED:
            yield case('BitShift', values(1, (6,), dtype, 1, 9), values(2, (6,), dtype, 0, 2), direction=direction)
    for dtype in (np.float32, np.float64, np.int32, np.int64):
        for power in (np.float32, np.int32, np.int64, np.float64):
            yield case('Pow', values(1, (3, 4), dtype, 1, 3), values(2, (4,), power, 0, 3), opset=15)
    yield case('Pow', np.array([-2.0, -1.5, 0.0, 4.0], np.float32), np.array([3.0, 2.0, 0.0, 0.5], np.float32))
    yield case('Pow', np.array([2, 3], np.int32), np.array([0.5, 2.5], np.float32))
    for dtype in SIGNED + UNSIGNED:
        for fmod in (0, 1):
            yield case('Mod', values(1, (8,), dtype, -7, 7), values(2, (8,), dtype, 1, 3)*(1 if np.dtype(dtype).kind == 'u' else np.array([1, -1]*4, dtype)), fmod=fmod)
    for dtype in (np.float32, np.float16, np.float64):
        yield case('Mod', values(1, (8,), dtype, -7, 7), values(2, (8,), dtype, 1, 3), fmod=1)
    slope = values(2, (3, 1, 1), np.float32)
    yield case('PRelu', values(1, (2, 3, 4, 5), np.float32), slope)
    yield case('PRelu', values(1, (2, 3), np.float32), np.array([0.3], np.float32))
    yield case('PRelu', values(1, (2, 3, 4, 5), np.float32), slope.ravel(), opset=6, judge='onnxruntime')
    yield case('PRelu', values(1, (4,), np.int32), np.array([2], np.int32))


def variadic():
    for op in ('Max', 'Min', 'Sum', 'Mean'):
        for dtype in (np.float32, np.float64, np.float16):
            yield case(op, values(1, (3, 4), dtype), values(2, (4,), dtype), values(3, (3, 1), dtype))
        yield case(op, values(1, (3, 4), np.float32))
        yield case(op, values(1, (), np.float32), values(2, (2, 2), np.float32))
    for op in ('Max', 'Min'):
        for dtype in SIGNED + UNSIGNED:
            yield case(op, values(1, (3, 4), dtype), values(2, (4,), dtype))
        yield case(op, np.array([np.nan, 1, 2], np.float32), np.array([1, np.nan, 3], np.float32))


def choices():
    for dtype in (np.float32, np.int64, np.uint8, np.bool_, np.float16):
        yield case('Where', values(1, (3, 4), np.bool_), values(2, (4,), dtype), values(3, (3, 1), dtype))
    yield case('Where', np.array(True), values(2, (2,), np.float32), values(3, (2,), np.float32))
    for dtype in (np.float32, np.float64, np.float16, np.int32, np.int8, np.uint8, np.int64):
        x, lo, hi = values(1, (3, 4), dtype), np.array(1, dtype), np.array(2, dtype)
        for const in ((), (1, 2)):
            yield case('Clip', x, lo, hi, opset=13, const=const)
            yield case('Clip', x, lo, opset=13, const=const)
            yield case('Clip', x, None, hi, opset=13, const=const)
    yield case('Clip', values(1, (3,), np.float32), opset=13)
    yield case('Clip', values(1, (3,), np.float32), opset=6, min=-0.5, max=1.0)
    yield case('Clip', values(1, (3,), np.float32), opset=6, max=1.0)
    yield case('Clip', values(1, (3,), np.float32), np.float32(2), np.float32(1), opset=13)
    yield case('Clip', np.array([np.nan, 5, -5], np.float32), np.float32(-1), np.float32(1), opset=13)


def conversions():
    codes = {np.float32: 1, np.uint8: 2, np.int8: 3, np.uint16: 4, np.int16: 5, np.int32: 6, np.int64: 7, np.bool_: 9, np.float16: 10, np.float64: 11,
             np.uint32: 12, np.uint64: 13, ml_dtypes.bfloat16: 16}
    for source in codes:
        for to in codes:
            low = 0 if np.dtype(to).kind == 'u' else -3
            yield case('Cast', values(5, (2, 5), source, low, 3), to=codes[to], opset=21)
    for to in codes:
        yield case('CastLike', values(5, (2, 5), np.float32, 0, 3), values(1, (1,), to), opset=21)
    small = {ml_dtypes.float8_e4m3fn: 17, ml_dtypes.float8_e4m3fnuz: 18, ml_dtypes.float8_e5m2: 19, ml_dtypes.float8_e5m2fnuz: 20,
             ml_dtypes.uint4: 21, ml_dtypes.int4: 22, ml_dtypes.float4_e2m1fn: 23}
    x = np.concatenate([values(6, (20,), np.float32, -6, 6), np.array([0, -0.0, 1e-3, 0.25, 0.75], np.float32)])
    for kind, code in small.items():
        whole = np.dtype(kind).name.endswith('int4')
        data = np.abs(np.round(x)) if np.dtype(kind).name == 'uint4' else np.round(x) if whole else x
        yield case('Cast', data, to=code, opset=23)
        yield case('Cast', data.astype(kind), to=1, opset=23)
        yield case('Cast', data.astype(np.float16), to=code, opset=23)
    for kind in (ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2, ml_dtypes.float8_e4m3fnuz, ml_dtypes.float8_e5m2fnuz):
        edge = np.array([1e6, -1e6, np.inf, -np.inf, np.nan, 464.0, 448.0, 57344.0, 61440.0], np.float32)
        for saturate in (0, 1):
            yield case('Cast', edge, to=small[kind], saturate=saturate, opset=23)


def cases():
    for group in (unary, parameters, binary, variadic, choices, conversions):
        yield from group()
