"""Makers of nodes: operators that move elements, make them, choose among them."""
import numpy as np
from onnx import numpy_helper

from drawn_graph import ALL, BOOL, FLOATS, WHOLE
from judges import NoAnswer
from makers_elementwise import axes_for


def signed(g, axis, rank, since=11):
    return axis - rank if g.opset >= since and g.chance(0.4) else axis


def reshape(g):
    x = g.any('Reshape')
    left, shape = x.array.size, []
    while left > 1 and len(shape) < 4:
        shape.append(g.draw.choice([d for d in range(1, left + 1) if left % d == 0]))
        left //= shape[-1]
    shape = ([*shape, left] if left > 1 or g.chance(0.3) else shape) if x.array.size else list(x.array.shape)
    if x.array.size and shape and g.chance(0.4):
        shape[g.draw.randrange(len(shape))] = -1
    for k, d in enumerate(shape):
        if k < x.array.ndim and x.array.shape[k] == d and g.chance(0.4):
            shape[k] = 0
    g.node('Reshape', [x, g.parameter(shape)])


def flatten(g):
    x = g.any('Flatten')
    rank = x.array.ndim
    g.node('Flatten', [x], axis=g.draw.randint(-rank if g.opset >= 11 else 0, rank))


def squeeze(g):
    x = g.any('Squeeze')
    ones = [k for k, d in enumerate(x.array.shape) if d == 1]
    axes = [signed(g, a, x.array.ndim) for a in g.draw.sample(ones, g.draw.randint(0, len(ones)))]
    axes = axes or None
    if g.opset < 13:
        return g.node('Squeeze', [x], **({'axes': axes} if axes else {}))
    g.node('Squeeze', [x, None if axes is None else g.parameter(axes)])


def unsqueeze(g):
    x = g.any('Unsqueeze', 0, 4)
    count = g.draw.randint(1, 2)
    rank = x.array.ndim + count
    axes = [signed(g, a, rank) for a in g.draw.sample(range(rank), count)]
    g.node('Unsqueeze', [x], axes=axes) if g.opset < 13 else g.node('Unsqueeze', [x, g.parameter(axes)])


def transpose(g):
    x = g.any('Transpose')
    perm = list(range(x.array.ndim))
    g.draw.shuffle(perm)
    g.node('Transpose', [x], **({'perm': perm} if g.chance(0.8) else {}))


def concat(g):
    x = g.any('Concat', 1)
    rank, parts = x.array.ndim, [x]
    axis = g.draw.randrange(rank)
    for _ in range(g.draw.choice([0, 1, 1, 2, 3])):
        parts.append(g.tensor(x.array.dtype, [g.draw.choice([0, 1, 2, 3, d]) if k == axis else d for k, d in enumerate(x.array.shape)]))
    g.node('Concat', parts, axis=signed(g, axis, rank))


def split(g):
    x = g.any('Split', 1)
    rank = x.array.ndim
    axis = g.draw.randrange(rank)
    extent, count = x.array.shape[axis], g.draw.randint(1, 3)
    cuts = sorted(g.draw.randint(0, extent) for _ in range(count - 1))
    sizes = [b - a for a, b in zip([0, *cuts], [*cuts, extent])]
    attrs = {'axis': signed(g, axis, rank)}
    if g.chance(0.3) and (extent % count == 0 or g.opset >= 18):
        return g.node('Split', [x], count, **attrs, **({'num_outputs': count} if g.opset >= 18 else {}))
    if g.opset < 13:
        return g.node('Split', [x], count, split=sizes, **attrs)
    g.node('Split', [x, g.parameter(sizes)], count, **attrs)


def slices(g):
    x = g.any('Slice', 1)
    rank = x.array.ndim
    axes = g.draw.sample(range(rank), g.draw.randint(1, rank))
    far = g.draw.choice([2 ** 31 - 1, 2 ** 63 - 1, -2 ** 63 if g.opset >= 10 else -2 ** 31, 100])
    starts, ends, steps = [], [], []
    for a in axes:
        d = x.array.shape[a]
        starts.append(g.draw.choice([0, g.draw.randint(-d - 1, d + 1), g.draw.randint(0, max(d - 1, 0))]))
        ends.append(g.draw.choice([far, g.draw.randint(-d - 1, d + 1), d]))
        steps.append(g.draw.choice([1, 1, 1, 2, 3, -1, -2]))
        if steps[-1] < 0:
            starts[-1], ends[-1] = ends[-1], starts[-1] if g.chance(0.5) else -d - 1
    axes = [signed(g, a, rank, 10) for a in axes]
    if g.opset < 10:
        return g.node('Slice', [x], starts=starts, ends=ends, axes=axes)
    dtype = np.int64 if g.chance(0.8) or any(abs(v) > 2 ** 31 - 1 for v in starts + ends) else np.int32
    if all(s == 1 for s in steps) and axes == list(range(len(axes))) and g.chance(0.7):
        return g.node('Slice', [x, g.parameter(starts, dtype), g.parameter(ends, dtype)])
    g.node('Slice', [x, g.parameter(starts, dtype), g.parameter(ends, dtype), g.parameter(axes, dtype), g.parameter(steps, dtype)])


def expand(g):
    x = g.any('Expand', 0, 4)
    shape = [g.draw.choice([1, 2, 3]) if d == 1 else g.draw.choice([d, 1]) for d in x.array.shape]
    g.node('Expand', [x, g.parameter([2]*g.chance(0.3) + shape[g.draw.choice([0, 0, 1]):])])


def tile(g):
    x = g.any('Tile', 0, 4)
    g.node('Tile', [x, g.parameter([g.draw.choice([1, 1, 2, 3, 0] if g.chance(0.1) else [1, 1, 2, 3]) for _ in x.array.shape])])


def shape_of(g):
    x = g.any('Shape')
    rank = x.array.ndim
    g.node('Shape', [x], **({k: g.draw.randint(-rank - 1, rank + 1) for k in ('start', 'end') if g.chance(0.5)} if g.opset >= 15 else {}))
    g.node('Size', [x])


def indices(g, extent, shape, dtype=np.int64):
    low = -extent if g.opset >= 11 and g.chance(0.5) else 0
    if extent == 0:
        raise NoAnswer('nothing to name')
    return g.leaf(g.numbers.integers(low, extent, shape).astype(dtype), g.chance(0.4))


def gather(g):
    x = g.any('Gather', 1)
    axis = g.draw.randrange(x.array.ndim)
    at = indices(g, x.array.shape[axis], g.shape(0, 2), g.draw.choice([np.int64, np.int32]))
    g.node('Gather', [x, at], **({'axis': signed(g, axis, x.array.ndim)} if axis or g.chance(0.5) else {}))


def gather_elements(g):
    x = g.any('GatherElements', 1)
    axis = g.draw.randrange(x.array.ndim)
    shape = [g.draw.choice([1, 2, d]) if k == axis else g.draw.randint(min(1, d), d) for k, d in enumerate(x.array.shape)]
    g.node('GatherElements', [x, indices(g, x.array.shape[axis], shape)], axis=signed(g, axis, x.array.ndim))


def tuples(g, x, batch, count):
    """Index tuples into x behind `batch` dims; all of them different where `count` says how many."""
    depth = g.draw.randint(1, x.array.ndim - batch)
    extents = x.array.shape[batch:batch + depth]
    if 0 in x.array.shape:
        raise NoAnswer('nothing to name')
    if count:
        total = int(np.prod(extents))
        flat = g.numbers.permutation(total)[:g.draw.randint(0 if g.chance(0.1) else 1, total)]
        return np.stack(np.unravel_index(flat, extents), -1).reshape(-1, depth).astype(np.int64), depth
    shape = x.array.shape[:batch] + g.shape(0, 2)
    return np.stack([g.numbers.integers(-d if g.opset >= 11 else 0, d, shape) for d in extents], -1).astype(np.int64), depth


def gather_nd(g):
    x = g.any('GatherND', 1)
    batch = g.draw.randint(0, x.array.ndim - 1) if g.opset >= 12 and g.chance(0.5) else 0
    at, _ = tuples(g, x, batch, False)
    g.node('GatherND', [x, g.leaf(at, g.chance(0.4))], **({'batch_dims': batch} if batch else {}))


def scatter_elements(g):
    x = g.any('ScatterElements', 1)
    rank = x.array.ndim
    axis = g.draw.randrange(rank)
    extent = x.array.shape[axis]
    shape = [g.draw.randint(min(1, d), d) for d in x.array.shape]
    at = np.apply_along_axis(lambda row: g.numbers.permutation(extent)[:len(row)], axis, np.zeros(shape)).astype(np.int64)
    kinds = ['none', 'add', 'mul'] + ['max', 'min']*(g.opset >= 18)
    kind = g.draw.choice(kinds) if g.opset >= 16 and x.array.dtype != BOOL else 'none'
    if kind in ('add', 'mul') and g.chance(0.5):
        at = g.numbers.integers(-extent, extent, shape)
    g.node('ScatterElements', [x, g.leaf(at, g.chance(0.4)), g.tensor(x.array.dtype, shape)], axis=signed(g, axis, rank), **({'reduction': kind} if kind != 'none' else {}))


def scatter_nd(g):
    x = g.any('ScatterND', 1)
    at, depth = tuples(g, x, 0, True)
    kind = g.draw.choice(['none', 'add', 'mul'] + ['max', 'min']*(g.opset >= 18)) if g.opset >= 16 and x.array.dtype != BOOL else 'none'
    g.node('ScatterND', [x, g.leaf(at, g.chance(0.4)), g.tensor(x.array.dtype, at.shape[:-1] + x.array.shape[depth:])], **({'reduction': kind} if kind != 'none' else {}))


def pad(g):
    x = g.any('Pad', 1, 4)
    rank, shape = x.array.ndim, x.array.shape
    mode = g.draw.choice(['constant', 'constant', 'reflect', 'edge'] + ['wrap']*(g.opset >= 19))
    axes = g.draw.sample(range(rank), g.draw.randint(1, rank)) if g.opset >= 18 and g.chance(0.5) else list(range(rank))
    most = [shape[a] - 1 if mode == 'reflect' else 2 for a in axes]
    begin, end = ([g.draw.randint(-min(1, shape[a] // 3) if mode == 'constant' else 0, max(0, min(2, m))) for a, m in zip(axes, most)] for _ in range(2))
    if g.opset < 11:
        return g.node('Pad', [x], pads=begin + end, mode=mode, **({'value': 1.5} if g.chance(0.5) else {}))
    value = g.leaf(g.data(x.array.dtype, ()), g.chance(0.5)) if mode == 'constant' and g.chance(0.6) else None
    chosen = g.parameter([signed(g, a, rank) for a in axes]) if len(axes) < rank or g.opset >= 18 and g.chance(0.3) else None
    g.node('Pad', [x, g.parameter(begin + end), value, chosen], mode=mode)


def depth_to_space(g):
    b = g.draw.randint(1, 3)
    n, c, h, w = (g.draw.randint(1, 3) for _ in range(4))
    dtype = g.dtype('DepthToSpace')
    if g.chance(0.5):
        return g.node('SpaceToDepth', [g.tensor(dtype, (n, c, h*b, w*b))], blocksize=b)
    g.node('DepthToSpace', [g.tensor(dtype, (n, c*b*b, h, w))], blocksize=b, **({'mode': g.draw.choice(['DCR', 'CRD'])} if g.opset >= 11 else {}))


def trilu(g):
    x = g.any('Trilu', 2)
    k = g.parameter(g.draw.randint(-4, 4)) if g.chance(0.6) else None
    g.node('Trilu', [x, k], **({'upper': g.draw.randint(0, 1)} if g.chance(0.7) else {}))


def eye_like(g):
    x = g.new(g.dtype('EyeLike', 'T1'), (g.draw.randint(1, 5), g.draw.randint(1, 5)))
    from judges import element_type
    g.node('EyeLike', [x], **({'dtype': element_type(g.dtype('EyeLike', 'T2'))} if g.chance(0.6) else {}), **({'k': g.draw.randint(-2, 3)} if g.chance(0.6) else {}))


def one_hot(g):
    depth, at = g.draw.randint(1, 6), g.shape(0, 3)
    kind = g.draw.choice([np.int64, np.int64, np.int32, np.float32])
    x = g.leaf(g.numbers.integers(-depth if g.opset >= 11 else 0, depth + 1, at).astype(kind), g.chance(0.2))
    values = g.leaf(g.data(g.draw.choice([np.float32, np.int64, np.int32]), (2,)), g.chance(0.6))
    shape = g.draw.choice([(), (1,)])
    g.node('OneHot', [x, g.parameter(np.full(shape, depth), g.draw.choice([np.int64, np.int32, np.float32])), values], axis=g.draw.randint(-len(at) - 1, len(at)))


def nonzero(g):
    g.node('NonZero', [g.any('NonZero', 1, 4)])


def compress(g):
    x = g.any('Compress', 1)
    axis = g.draw.choice([None, g.draw.randrange(x.array.ndim)])
    extent = x.array.size if axis is None else x.array.shape[axis]
    g.node('Compress', [x, g.new(BOOL, (g.draw.randint(min(1, extent), extent),))], **({} if axis is None else {'axis': signed(g, axis, x.array.ndim)}))


def unique(g):
    x = g.any('Unique', 1, 3, among=[np.dtype(t) for t in (np.float32, np.float64, np.int64, np.int8)])
    axis = g.draw.choice([None, None, g.draw.randrange(x.array.ndim)])
    g.node('Unique', [x], g.draw.choice([1, 4, [True, False, True], [True, True, False, True]]), sorted=g.draw.randint(0, 1), **({} if axis is None else {'axis': signed(g, axis, x.array.ndim)}))


def top_k(g):
    x = g.any('TopK', 1)
    rank = x.array.ndim
    axis = g.draw.randrange(rank)
    k = g.draw.randint(0 if g.chance(0.1) else min(1, x.array.shape[axis]), x.array.shape[axis])
    attrs = {'axis': signed(g, axis, rank)} if axis != rank - 1 or g.chance(0.5) else {}
    if g.opset < 10:
        return g.node('TopK', [x], 2, k=k, **attrs)
    g.node('TopK', [x, g.parameter([k])], 2, **attrs, **({'largest': g.draw.randint(0, 1)} if g.opset >= 11 else {}))


def reverse_sequence(g):
    x = g.any('ReverseSequence', 2)
    batch = g.draw.randint(0, 1)
    n, time = x.array.shape[batch], x.array.shape[1 - batch]
    if 0 in x.array.shape:
        raise NoAnswer('empty')
    g.node('ReverseSequence', [x, g.leaf(g.numbers.integers(1, time + 1, n), g.chance(0.4))], batch_axis=batch, time_axis=1 - batch)


def ranges(g):
    dtype = g.dtype('Range', among=FLOATS + WHOLE)
    step = g.draw.choice([1, 2, 3, -1, -2])
    start, stop = g.draw.randint(-5, 5), g.draw.randint(-9, 9)
    g.node('Range', [g.parameter(v, dtype) for v in (start, stop, step)])


def constant_of_shape(g):
    value = {'value': numpy_helper.from_array(g.data(g.dtype('ConstantOfShape', 'T2'), (1,)))} if g.chance(0.7) else {}
    g.node('ConstantOfShape', [g.parameter(list(g.shape(0, 4)))], **value)


def center_crop_pad(g):
    x = g.any('CenterCropPad', 1, 4)
    axes = axes_for(g, x.array.ndim) or [0]
    g.node('CenterCropPad', [x, g.parameter([g.draw.randint(1, 6) for _ in axes])], axes=axes)


MAKERS = {'Reshape': reshape, 'Flatten': flatten, 'Squeeze': squeeze, 'Unsqueeze': unsqueeze, 'Transpose': transpose, 'Concat': concat, 'Split': split, 'Slice': slices,
          'Expand': expand, 'Tile': tile, 'Shape': shape_of, 'Gather': gather, 'GatherElements': gather_elements, 'GatherND': gather_nd, 'ScatterElements': scatter_elements,
          'ScatterND': scatter_nd, 'Pad': pad, 'DepthToSpace': depth_to_space, 'Trilu': trilu, 'EyeLike': eye_like, 'OneHot': one_hot, 'NonZero': nonzero, 'Compress': compress,
          'Unique': unique, 'TopK': top_k, 'ReverseSequence': reverse_sequence, 'Range': ranges, 'ConstantOfShape': constant_of_shape, 'CenterCropPad': center_crop_pad}
