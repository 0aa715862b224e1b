"""Cases of reductions, scans, sorting, products, quantised tensors, signals and losses."""
import itertools

import ml_dtypes
import numpy as np

from node_case import case


def data(seed, *shape, dtype=np.float32, low=-4, high=9):
    r = np.random.default_rng(seed)
    if np.dtype(dtype).kind in 'iu':
        return r.integers(max(low, np.iinfo(dtype).min), high, shape).astype(dtype)
    return r.normal(size=shape).astype(dtype)


def reductions():
    names = 'ReduceSum ReduceMean ReduceMax ReduceMin ReduceProd ReduceL1 ReduceL2 ReduceSumSquare ReduceLogSum ReduceLogSumExp'.split()
    for op in names:
        x = data(1, 3, 2, 4) if op != 'ReduceLogSum' else np.abs(data(1, 3, 2, 4))
        old, new = (11, 13) if op == 'ReduceSum' else (13, 18)
        for axes, keep in itertools.product(((0,), (1,), (-1,), (0, 2), (-2, 0), (0, 1, 2)), (0, 1)):
            yield case(op, x, axes=list(axes), keepdims=keep, opset=old)
            yield case(op, x, np.array(axes), keepdims=keep, opset=new, const=(1,))
        yield case(op, x, np.array([1]), opset=new)
        yield case(op, x, np.array([0, -1]), keepdims=0, opset=new)
        for keep in (0, 1):
            yield case(op, x, keepdims=keep, opset=old)
            yield case(op, x, keepdims=keep, opset=new)
            yield case(op, x, None, keepdims=keep, noop_with_empty_axes=1, opset=new)
            yield case(op, x, np.zeros(0, np.int64), keepdims=keep, noop_with_empty_axes=1, opset=new, const=(1,))
            yield case(op, x, np.zeros(0, np.int64), keepdims=keep, opset=new, const=(1,))
            yield case(op, np.abs(data(1)), keepdims=keep, opset=new)
        for dtype in (np.int32, np.int64, np.float64, np.float16):
            yield case(op, np.abs(data(1, 3, 4, dtype=dtype)) + 1, np.array([1]), opset=new, const=(1,), judge='onnxruntime')
    for op in ('ReduceMax', 'ReduceMin'):
        for dtype in (np.int8, np.uint8, np.bool_):
            yield case(op, data(1, 3, 4).astype(dtype) if dtype is np.bool_ else data(1, 3, 4, dtype=dtype), np.array([1]), opset=20, const=(1,))
        yield case(op, np.array([[1, np.nan, 3], [1, 2, 3]], np.float32), np.array([1]), opset=20, const=(1,))
    for op in ('ReduceSum', 'ReduceProd', 'ReduceSumSquare', 'ReduceL1', 'ReduceL2', 'ReduceMax', 'ReduceMin', 'ReduceLogSumExp', 'ReduceLogSum'):
        yield case(op, np.zeros((2, 0, 4), np.float32), np.array([1]), opset=20, const=(1,))


def places():
    for op in ('ArgMax', 'ArgMin'):
        x = data(2, 3, 4, 5, dtype=np.int32).astype(np.float32)
        for axis, keep, last in itertools.product((0, 1, -1), (0, 1), (0, 1)):
            yield case(op, x, axis=axis, keepdims=keep, select_last_index=last, opset=13)
        for dtype in (np.int8, np.int32, np.uint8, np.float64, np.int64, np.float16):
            yield case(op, data(2, 3, 4, dtype=dtype), axis=1)
        yield case(op, x)
    for op, opset in (('CumSum', 14), ('CumProd', 26)):
        for axis, exclusive, reverse, const in itertools.product((0, 1, -1), (0, 1), (0, 1), ((), (1,))):
            yield case(op, data(3, 3, 4), np.array(axis), exclusive=exclusive, reverse=reverse, opset=opset, const=const)
        for dtype in (np.int32, np.int64, np.float64):
            yield case(op, data(3, 5, dtype=dtype), np.array(0, np.int32), opset=opset, const=(1,))


def sorting():
    for axis, largest, in_order, k in itertools.product((0, 1, -1), (0, 1), (1,), (1, 3)):
        for const in ((), (1,)):
            yield case('TopK', data(4, 4, 5), np.array([k]), outputs=2, axis=axis, largest=largest, sorted=in_order, const=const, opset=11)
    for dtype in (np.int64, np.int32, np.float64, np.uint8):
        yield case('TopK', data(4, 7, dtype=dtype), np.array([3]), outputs=2, const=(1,), opset=11)
    yield case('TopK', data(4, 3, 5), outputs=2, k=2, opset=9, judge='onnxruntime')
    yield case('TopK', data(4, 3, 5), np.array([2]), outputs=2, opset=10, const=(1,))
    x = data(5, 3, 4, dtype=np.int64) % 3
    for order in (0, 1):
        yield case('Unique', x, outputs=4, sorted=order)
        for axis in (0, 1, -1):
            yield case('Unique', x % 2, outputs=4, sorted=order, axis=axis, judge='onnxruntime')
    yield case('Unique', x.astype(np.float32), outputs=1)
    for dtype in (np.float32, np.int64, np.bool_):
        yield case('NonZero', (x % 2).astype(dtype))
    yield case('NonZero', np.zeros((2, 3), np.float32))
    boxes = np.array([[[0, 0, 1, 1], [0, 0.1, 1, 1.1], [0, -0.1, 1, 0.9], [0, 10, 1, 11], [0, 10.1, 1, 11.1], [0, 100, 1, 101]]], np.float32)
    scores = np.array([[[0.9, 0.75, 0.6, 0.95, 0.5, 0.3], [0.1, 0.8, 0.6, 0.2, 0.9, 0.4]]], np.float32)
    for center in (0, 1):
        yield case('NonMaxSuppression', boxes, scores, np.array([3]), np.array([0.5], np.float32), np.array([0.25], np.float32), center_point_box=center)
    yield case('NonMaxSuppression', boxes, scores, np.array([2]), np.array([0.0], np.float32))


def products():
    for a, b in (((3, 4), (4, 5)), ((2, 3, 4), (2, 4, 5)), ((2, 3, 4), (4, 5)), ((4,), (4, 5)), ((3, 4), (4,)), ((4,), (4,)), ((2, 1, 3, 4), (3, 4, 2)), ((4,), (2, 4, 3)), ((2, 3, 4), (4,)),
                 ((0, 4), (4, 5)), ((3, 0), (0, 2))):
        yield case('MatMul', data(1, *a), data(2, *b))
    for dtype in (np.float16, np.float64, np.int32, np.int64, np.uint32):
        yield case('MatMul', data(1, 3, 4, dtype=dtype, low=0), data(2, 4, 5, dtype=dtype, low=0))
    for ta, tb in itertools.product((0, 1), (0, 1)):
        a, b = data(1, 4, 3) if ta else data(1, 3, 4), data(2, 5, 4) if tb else data(2, 4, 5)
        for c in (None, (3, 5), (5,), (3, 1), (1, 5), (1,), ()):
            yield case('Gemm', a, b, *([] if c is None else [data(3, *c)]), transA=ta, transB=tb, alpha=0.5, beta=2.0)
        yield case('Gemm', a, b, data(3, 5), transA=ta, transB=tb, broadcast=1, opset=6, judge='onnxruntime')
    yield case('Gemm', data(1, 3, 4, dtype=np.int32), data(2, 4, 5, dtype=np.int32), data(3, 5, dtype=np.int32))
    yield case('Gemm', data(1, 3, 4, dtype=np.float64), data(2, 4, 5, dtype=np.float64), alpha=0.3)
    for equation, shapes in (('ij,jk->ik', ((2, 3), (3, 4))), ('ij->ji', ((2, 3),)), ('ij->', ((2, 3),)), ('ii->i', ((3, 3),)), ('ii', ((3, 3),)), ('i,j->ij', ((2,), (3,))), ('...ij,...jk->...ik', ((2, 3, 4), (2, 4, 5))),
                             ('...ii->...i', ((2, 3, 3),)), ('bij,bjk', ((2, 3, 4), (2, 4, 5))), ('i...->...', ((2, 3, 4),)), ('ab,bc,cd->ad', ((2, 3), (3, 4), (4, 2))), ('i,i', ((3,), (3,))), ('...,...', ((2, 3), (3,))),
                             (' ij , jk -> ik ', ((2, 3), (3, 4))), ('bij,bij->b', ((2, 3, 4), (2, 3, 4))), ('ij,ij->ij', ((2, 3), (2, 3))), ('ij...,jk...->ik...', ((2, 3, 2), (3, 4, 2)))):
        yield case('Einsum', *[data(k, *s) for k, s in enumerate(shapes)], equation=equation)
    yield case('Det', data(1, 3, 3))
    yield case('Det', data(1, 2, 4, 4))
    yield case('Det', data(1, 2, 1, 1))


def quantised():
    x = data(1, 3, 4, 6)*20
    for dtype in (np.int8, np.uint8, np.int16, np.uint16):
        zero = np.array(3, dtype)
        yield case('QuantizeLinear', x, np.float32(0.7), zero, opset=21)
        yield case('DequantizeLinear', data(2, 3, 4, dtype=dtype), np.float32(0.7), zero, opset=21)
        for axis in (0, 1, 2, -1, -2):
            n = x.shape[axis]
            s, z = np.abs(data(3, n)) + 0.2, data(4, n, dtype=dtype, low=0)
            yield case('QuantizeLinear', x, s, z, axis=axis, opset=21)
            yield case('DequantizeLinear', data(2, 3, 4, 6, dtype=dtype), s, z, axis=axis, opset=21)
        yield case('QuantizeLinear', x, np.abs(data(3, 3, 4, 3)) + 0.2, data(4, 3, 4, 3, dtype=dtype, low=0), axis=-1, block_size=2, opset=21)
        yield case('DequantizeLinear', data(2, 3, 4, 6, dtype=dtype), np.abs(data(3, 3, 2, 6)), data(4, 3, 2, 6, dtype=dtype, low=0), axis=1, block_size=2, opset=21)
    yield case('QuantizeLinear', x, np.float32(0.7))
    yield case('QuantizeLinear', x, np.float32(0.7), output_dtype=3, opset=21)
    yield case('QuantizeLinear', x.astype(np.float16), np.float16(0.7), np.uint8(1), opset=21)
    yield case('DequantizeLinear', data(2, 3, 4, dtype=np.uint8), np.float16(0.7), np.uint8(1), opset=21)
    yield case('DequantizeLinear', data(2, 3, 4, dtype=np.int32), np.float32(0.7), opset=21)
    # The result is rounded to the type asked for, not the step, which is 0 in float16.
    yield case('DequantizeLinear', data(2, 3, 4, dtype=np.int32)*100000, np.float32(1e-8), opset=23, output_dtype=10)
    for kind in (ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2):
        yield case('QuantizeLinear', x, np.float32(0.7), np.zeros((), kind), opset=21)
        yield case('DequantizeLinear', x.astype(kind), np.float32(0.7), opset=21)
    for kind in (ml_dtypes.int4, ml_dtypes.uint4):
        yield case('QuantizeLinear', x, np.float32(3), np.ones((), kind), opset=21)
        yield case('DequantizeLinear', np.abs(np.round(x/9)).astype(kind), np.float32(0.7), np.ones((), kind), opset=21)
    yield case('DynamicQuantizeLinear', x, outputs=3)
    yield case('DynamicQuantizeLinear', np.abs(x), outputs=3)
    for a_type, b_type in itertools.product((np.int8, np.uint8), (np.int8, np.uint8)):
        a, b = data(5, 3, 4, dtype=a_type), data(6, 4, 5, dtype=b_type)
        yield case('MatMulInteger', a, b, judge='onnxruntime')
        yield case('MatMulInteger', a, b, np.array(2, a_type), np.array(1, b_type), judge='onnxruntime')
        yield case('MatMulInteger', a, b, np.array(2, a_type), data(7, 5, dtype=b_type, low=0))
        if (a_type, b_type) == (np.int8, np.uint8):
            continue                                 # ONNX Runtime lacks it, and ties are rounded by other arithmetic in the evaluator
        yield case('QLinearMatMul', a, np.float32(0.5), np.array(2, a_type), b, np.float32(0.3), np.array(1, b_type), np.float32(0.9), np.array(3, a_type), opset=10, judge='onnxruntime')
    xs, w = data(8, 1, 2, 5, 6, dtype=np.uint8, low=0), data(9, 3, 2, 3, 2, dtype=np.uint8, low=0)
    for attrs in ({}, {'pads': [1, 1, 1, 1]}, {'strides': [2, 1], 'pads': [0, 1, 2, 1]}, {'dilations': [2, 2]}, {'auto_pad': 'SAME_UPPER'}):
        yield case('ConvInteger', xs, w, judge='onnxruntime', **attrs)
        yield case('ConvInteger', xs, w, np.uint8(4), judge='onnxruntime', const=(2,), **attrs)
        yield case('ConvInteger', xs, w, np.uint8(4), np.uint8(2), judge='onnxruntime', **attrs)
        words = (np.float32(0.5), np.uint8(4), w, np.float32(0.2), np.uint8(3), np.float32(1.5), np.uint8(7))
        yield case('QLinearConv', xs, *words, judge='onnxruntime', **attrs)
        yield case('QLinearConv', xs, *words, data(3, 3, dtype=np.int32), judge='onnxruntime', const=(1, 2, 4, 5, 6, 7, 8), **attrs)
    yield case('QLinearConv', xs, np.float32(0.5), np.uint8(4), w.astype(np.int8), np.array([0.1, 0.2, 0.3], np.float32), np.zeros(3, np.int8), np.float32(1.5), np.uint8(7), judge='onnxruntime')


def signals():
    x = data(1, 2, 10, 1)
    for inverse, onesided, axis in itertools.product((0, 1), (0, 1), (1, -2)):
        if inverse and onesided:
            continue
        source = data(1, 2, 10, 2) if inverse else x
        for length in (None, 10, 6, 13):
            yield case('DFT', source, None if length is None else np.array(length), np.array(axis), inverse=inverse, onesided=onesided, opset=20, const=(1, 2))
    yield case('DFT', data(1, 4, 5, 2), None, np.array(0), opset=20, const=(2,))
    yield case('DFT', x, opset=17, axis=1, onesided=1)
    yield case('DFT', data(1, 3, 8, 5, 2), opset=17, axis=2, judge='onnxruntime')
    for onesided in (0, 1):
        yield case('STFT', data(1, 1, 32, 1), np.array(4), np.hanning(16).astype(np.float32), onesided=onesided, const=(1,))
        yield case('STFT', data(1, 1, 32, 1), np.array(8), None, np.array(16), onesided=onesided, const=(1, 3))
        yield case('STFT', data(1, 2, 32), np.array(8), np.hanning(16).astype(np.float32), np.array(16), onesided=onesided, const=(1, 3), judge='onnxruntime')   # without the last dim, as PyTorch writes it
    for op in ('HannWindow', 'HammingWindow', 'BlackmanWindow'):
        for periodic, kind in itertools.product((0, 1), (None, 11)):
            yield case(op, np.array(10), periodic=periodic, const=(0,), **({} if kind is None else {'output_datatype': kind}))
    yield case('MelWeightMatrix', *[np.array(v) for v in (8, 16, 8192)], np.float32(0), np.float32(4096), const=(0, 1, 2, 3, 4))


def losses():
    for shape, labels in (((4, 3), (4,)), ((2, 3, 5), (2, 5)), ((2, 3, 2, 4), (2, 2, 4))):
        x, target = data(1, *shape), np.random.default_rng(2).integers(0, 3, labels)
        for reduction in ('none', 'mean', 'sum'):
            for weight, ignore in itertools.product((None, np.array([0.2, 0.5, 1.1], np.float32)), (None, 1)):
                attrs = {'reduction': reduction, **({} if ignore is None else {'ignore_index': ignore})}
                words = [] if weight is None else [weight]
                yield case('NegativeLogLikelihoodLoss', x, target, *words, **attrs)
                for outputs in (1, 2):
                    yield case('SoftmaxCrossEntropyLoss', x, target, *words, outputs=outputs, **attrs)


def cases():
    for group in (reductions, places, sorting, products, quantised, signals, losses):
        yield from group()
