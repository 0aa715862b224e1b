"""Cases of operators that move elements: shapes, slices, gathers, scatters, pads; parameters as constants and as inputs of the program."""
import ml_dtypes
import numpy as np

from node_case import case


def data(seed, *shape, dtype=np.float32):
    r = np.random.default_rng(seed)
    return (r.integers(0, 9, shape) if np.dtype(dtype).kind in 'iub' else r.normal(size=shape)).astype(dtype)


def ints(*list):
    return np.array(list, np.int64)


def both(op, *inputs, only_const=False, **rest):
    """The parameters behind the first input as constants, and as inputs where the operator allows it."""
    numbers = tuple(k for k in range(1, len(inputs)) if inputs[k] is not None)
    yield case(op, *inputs, const=numbers, **rest)
    if not only_const:
        yield case(op, *inputs, **rest)


def shapes():
    x = data(1, 2, 3, 4)
    for to in ((4, 6), (0, -1), (2, 0, 2, 2), (-1,), (24, 1), (3, -1, 2, 1)):
        yield from both('Reshape', x, ints(*to))
    yield from both('Reshape', data(1, 0, 3), ints(3, 0), allowzero=1)
    yield case('Reshape', x, opset=4, shape=[0, -1], judge='onnxruntime')
    yield from both('Reshape', data(1), ints(1, 1))
    yield from both('Reshape', data(1, 1), np.zeros(0, np.int64))
    for axis in (-3, -2, -1, 0, 1, 2, 3):
        yield case('Flatten', x, axis=axis, opset=13)
    yield case('Flatten', data(1, 4), axis=0)
    yield case('Flatten', data(1), axis=0)
    y = data(2, 1, 3, 1, 4)
    for axes in ((0,), (2,), (0, 2), (-2,), (-4, 2)):
        yield from both('Squeeze', y, ints(*axes))
        yield case('Squeeze', y, axes=list(axes), opset=11)
    yield case('Squeeze', y)
    yield case('Squeeze', y, opset=11)
    for axes in ((0,), (3,), (1, 2), (-1,), (-1, 0), (4, 0), (2, -2)):
        yield from both('Unsqueeze', x, ints(*axes))
        yield case('Unsqueeze', x, axes=list(axes), opset=11)
    yield from both('Unsqueeze', data(1), ints(0))
    for perm in ((0, 2, 1), (2, 1, 0), (1, 2, 0), (0, 1, 2)):
        for dtype in (np.float32, np.int8, np.float64, np.bool_):
            yield case('Transpose', data(3, 2, 3, 4, dtype=dtype), perm=list(perm))
    yield case('Transpose', x)
    yield case('Transpose', data(1))
    yield case('Transpose', data(1, 2, 3, 4, 5, 2), perm=[4, 0, 3, 1, 2])
    for start, end in ((0, None), (1, None), (-2, None), (0, 2), (1, -1), (-9, 9), (2, 1)):
        yield case('Shape', x, opset=19, **{k: v for k, v in (('start', start), ('end', end)) if v is not None})
    yield case('Shape', x, opset=13)
    yield case('Size', x)
    yield case('Size', data(1))
    for shape in ((3, 4), (2, 1, 4), (1,), (2, 3, 4)):
        yield from both('Expand', data(1, 3, 1) if shape != (2, 3, 4) else data(1, 1, 4), ints(*shape))
    yield from both('Expand', data(1), ints(2, 2))
    yield from both('Tile', data(1, 2, 3), ints(2, 1))
    yield from both('Tile', data(1, 2, 3, dtype=np.int16), ints(1, 3))
    yield case('Tile', data(1, 2, 3), ints(0, 2), const=(1,))
    for dtype in (np.float32, np.int64, np.bool_, np.float16):
        yield case('Identity', data(1, 2, 2, dtype=dtype))


def joined():
    for axis in (0, 1, 2, -1, -3):
        parts = [data(k, 2, 3, 4) for k in range(3)]
        yield case('Concat', *parts, axis=axis)
        yield case('Concat', data(1, *[2 if i != axis % 3 else 5 for i in range(3)]), data(2, *[2 if i != axis % 3 else 1 for i in range(3)]), axis=axis)
    yield case('Concat', data(1, 2, 0), data(2, 2, 3), axis=1)
    yield case('Concat', data(1, 2), axis=0)
    yield case('Concat', data(1, 2, 3), data(2, 2, 2), opset=3, judge='onnxruntime')
    x = data(4, 2, 6, 3)
    for axis in (1, -2):
        yield case('Split', x, outputs=3, axis=axis, opset=11)
        yield case('Split', x, outputs=2, axis=axis, opset=11, split=[2, 4])
        yield case('Split', x, outputs=3, axis=axis, opset=13)
        for const in ((), (1,)):
            yield case('Split', x, ints(1, 0, 5), outputs=3, axis=axis, opset=13, const=const)
        yield case('Split', x, outputs=3, axis=axis, opset=18, num_outputs=3)
        yield case('Split', x, outputs=4, axis=axis, opset=18, num_outputs=4)
    yield case('Split', data(1, 7), outputs=3, opset=18, num_outputs=3)


def slices():
    x = data(5, 4, 6, 5)
    picks = [((0,), (3,), None, None), ((1, 0), (3, 4), (0, 2), None), ((-1,), (-4,), (1,), (-1,)), ((0, 1), (100, -1), (1, 2), (2, 2)),
             ((5,), (0,), (1,), (-2,)), ((-100,), (100,), (2,), (3,)), ((2,), (2,), (0,), None), ((4,), (-100,), (2,), (-3,)),
             ((1, 1, 1), (3, 5, 4), None, None), ((0,), (2**63 - 1,), (-1,), (1,)), ((3,), (-2**63,), (0,), (-1,)), ((3, 1), (1, 4), (-3, -1), (-1, 1))]
    for starts, ends, axes, steps in picks:
        words = [ints(*w) if w is not None else None for w in (starts, ends, axes, steps)]
        while words and words[-1] is None:
            words.pop()
        yield from both('Slice', x, *words)
        if steps is None:
            yield case('Slice', x, starts=list(starts), ends=list(ends), opset=9, **({'axes': list(axes)} if axes else {}))
    yield case('Slice', x, np.array([1], np.int32), np.array([3], np.int32), np.array([1], np.int32), const=(1, 2, 3))
    yield case('Slice', data(1, 6, dtype=np.int8), ints(4), ints(0), ints(0), ints(-1), const=(1, 2, 3, 4))


def gathers():
    x = data(6, 3, 4, 5)
    for axis in (0, 1, -1):
        for index in (np.array([[0, 2], [-1, 1]]), np.array([1], np.int32), np.array(-2), np.zeros((0,), np.int64)):
            yield case('Gather', x, index, axis=axis)
        index = np.random.default_rng(7).integers(-3, 3, (3, 4, 5))
        yield case('GatherElements', x, index, axis=axis)
        yield case('GatherElements', x, index[:2, :3, :2].astype(np.int32), axis=axis)
    for dtype in (np.int32, np.bool_, np.float16, np.float64, np.uint8):
        yield case('Gather', data(6, 3, 4, dtype=dtype), ints(2, 0), axis=0)
    for batch, index in ((0, [[0, 1], [-1, -1]]), (0, [[[0]], [[2]]]), (1, [[[0, 1]], [[2, 3]], [[-1, 0]]]), (1, [[1], [0], [-2]]), (0, [[0, 1, 2]]), (2, np.zeros((3, 4, 1)))):
        yield case('GatherND', x, np.array(index, np.int64), batch_dims=batch, opset=13)
    yield case('GatherND', data(1, 4), np.array([[0], [3]]), opset=13)


def scatters():
    for reduction in ('none', 'add', 'mul', 'max', 'min'):
        for dtype in (np.float32, np.int32, np.float64):
            x, u = data(8, 4, 5, dtype=dtype), data(9, 2, 3, dtype=dtype)
            index = np.array([[0, 2, 1], [3, -1, 2]])
            for axis in (0, 1, -1):
                yield case('ScatterElements', x, index, u, axis=axis, reduction=reduction, opset=18)
            yield case('ScatterND', data(8, 4, 3, dtype=dtype), np.array([[1], [-1]]), u, reduction=reduction, opset=18)
            yield case('ScatterND', data(8, 4, 3, dtype=dtype), np.array([[1, 2], [0, 0], [1, 1]]), data(9, 3, dtype=dtype), reduction=reduction, opset=18)
        yield case('ScatterElements', data(8, 5), ints(1, 1, 2), data(9, 3), reduction=reduction, opset=18) if reduction in ('add', 'mul') else \
            case('ScatterElements', data(8, 5), ints(0, 1, 2), data(9, 3), reduction=reduction, opset=18)
    yield case('Scatter', data(8, 3, 3), np.array([[1, 0, 2], [0, 2, 1]]), data(9, 2, 3), opset=9, judge='onnxruntime')
    yield case('ScatterElements', data(8, 4, 5, dtype=np.bool_), np.array([[1, 0]]), data(9, 1, 2, dtype=np.bool_), axis=1)
    for mode in ('linear', 'circular'):
        yield case('TensorScatter', data(1, 2, 3, 6, 4), data(2, 2, 3, 2, 4), ints(1, 4), mode=mode, opset=24)
    yield case('TensorScatter', data(1, 2, 6, 4), data(2, 2, 3, 4), opset=24, axis=1)


def pads():
    x = data(10, 3, 4)
    for mode in ('constant', 'reflect', 'edge', 'wrap'):
        for amount in ((1, 2, 0, 3), (0, 0, 2, 1), (-1, 1, 0, -2), (2, 1, 1, 2)):
            if mode == 'reflect' and min(amount) < 0 or mode == 'wrap' and min(amount) < 0:
                continue
            yield from both('Pad', x, ints(*amount), mode=mode, opset=19)
            if mode != 'wrap':
                yield case('Pad', x, mode=mode, pads=list(amount), opset=2, value=1.5, judge='onnxruntime')
        yield from both('Pad', x, ints(1, 2), None, ints(-1), mode=mode, opset=19)
    yield from both('Pad', x, ints(1, 2, 0, 3), np.float32(2.5))
    yield from both('Pad', x, ints(1, 0, 2, 1), np.float32(2.5), ints(1, 0), opset=18)
    yield from both('Pad', data(1, 3, 4, dtype=np.int32), ints(1, 2, 0, 3), np.int32(7))
    yield from both('Pad', data(1, 3, 4, dtype=np.bool_), ints(1, 2, 0, 3), np.bool_(True))
    yield case('Pad', data(1, 2, 3, 4, 5), ints(0, 0, 1, 2, 0, 0, 3, 1), const=(1,), mode='reflect')


def others():
    for b, mode in ((2, 'DCR'), (2, 'CRD'), (3, 'DCR'), (3, 'CRD')):
        yield case('DepthToSpace', data(1, 2, 2*b*b, 2, 3), blocksize=b, mode=mode)
        yield case('SpaceToDepth', data(1, 2, 3, 2*b, 3*b), blocksize=b, mode=mode, opset=28)
    yield case('DepthToSpace', data(1, 1, 8, 2, 3), blocksize=2, opset=10, judge='onnxruntime')
    yield case('SpaceToDepth', data(1, 1, 3, 2, 4), blocksize=2)
    for k in (None, 0, 1, -1, 2, -3, 7, -7):
        for upper in (0, 1):
            for const in ((), (1,)):
                if k is None and const:
                    continue
                yield case('Trilu', data(1, 2, 3, 4), *([] if k is None else [np.array(k)]), upper=upper, const=const)
    yield case('Trilu', data(1, 4, 4, dtype=np.int64), np.array([1]))
    for dtype in (None, 1, 7, 11, 10):
        for k in (0, 1, -2):
            yield case('EyeLike', data(1, 3, 4, dtype=np.int32), k=k, **({} if dtype is None else {'dtype': dtype}))
    values = np.array([2.0, 5.0], np.float32)
    for axis in (-1, 0, 1):
        for const in ((1, 2), ()):
            yield case('OneHot', np.array([[0, 2], [-1, 5]]), np.array(4), values, axis=axis, const=const)
    yield case('OneHot', np.array([1.0, 3.0], np.float32), np.array([4.0], np.float32), np.array([0, 1], np.int32), const=(1,))
    for start, stop, step, dtype in ((0, 7, 2, np.int64), (7, 0, -3, np.int32), (0, 1, 0.25, np.float32), (3, 3, 1, np.int64), (5, 2, 1, np.int64), (1, 2, 0.3, np.float64), (0, 5, 2, np.int16)):
        words = [np.array(v, dtype) for v in (start, stop, step)]
        yield case('Range', *words, const=(0, 1, 2))
        yield case('Range', *words)
    for shape in ((2, 3), (), (0, 2)):
        for const in ((0,), ()):
            yield case('ConstantOfShape', np.array(shape, np.int64), const=const)
    yield case('ReverseSequence', data(1, 4, 3), ints(1, 4, 2), batch_axis=1, time_axis=0)
    yield case('ReverseSequence', data(1, 3, 4, 2), ints(1, 4, 2), batch_axis=0, time_axis=1)
    yield case('Compress', data(1, 3, 4), np.array([True, False, True]), axis=0)
    yield case('Compress', data(1, 3, 4), np.array([False, True, True]), axis=-1)
    yield case('Compress', data(1, 3, 4), np.array([False, True, True, False, True]))
    for to in ((2, 2), (5, 6), (3, 7), (4, 3)):
        yield from both('CenterCropPad', data(1, 3, 4), ints(*to))
    yield from both('CenterCropPad', data(1, 5, 4, 3), ints(3, 7), axes=[1, 0])
    yield from both('CenterCropPad', data(1, 5, 4, 3), ints(3, 7), axes=[-1, -3])
    yield case('Where', np.array([True, False]), data(1, 2, dtype=ml_dtypes.bfloat16), data(2, 2, dtype=ml_dtypes.bfloat16))


def cases():
    for group in (shapes, joined, slices, gathers, scatters, pads, others):
        yield from group()
