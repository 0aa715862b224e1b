"""Cases of convolutions, pooling, normalisation, resizing and sampling."""
import itertools

import numpy as np

from node_case import case


def data(seed, *shape, dtype=np.float32):
    r = np.random.default_rng(seed)
    return (r.integers(-4, 9, shape) if np.dtype(dtype).kind in 'iu' else r.normal(size=shape)).astype(dtype)


def convolutions():
    x1, x2, x3 = data(1, 2, 4, 11), data(1, 2, 4, 8, 9), data(1, 1, 4, 5, 6, 7)
    for x, k in ((x1, (3,)), (x2, (3, 2)), (x3, (2, 3, 2)), (x2, (1, 1)), (x2, (4, 5))):
        n = len(k)
        for group in (1, 2, 4):
            w, b = data(2, 8, 4//group, *k), data(3, 8)
            yield case('Conv', x, w, group=group)
            yield case('Conv', x, w, b, group=group, strides=[2]*n, pads=[1]*(2*n), dilations=[1]*n, kernel_shape=list(k))
        w = data(2, 3, 4, *k)
        if max(k) < 4:
            yield case('Conv', x, w, dilations=[2]*n, pads=list(range(2*n)))
        for auto in ('SAME_UPPER', 'SAME_LOWER', 'VALID'):
            for stride in (1, 2, 3):
                yield case('Conv', x, w, auto_pad=auto, strides=[stride]*n, judge='onnxruntime')
    yield case('Conv', x2, data(2, 3, 4, 2, 2), auto_pad='SAME_UPPER', dilations=[2, 2], judge='onnxruntime')
    yield case('Conv', x2, data(2, 3, 4, 3, 3), strides=[1, 3], pads=[0, 2, 1, 0])
    yield case('Conv', x2.astype(np.float16), data(2, 3, 4, 3, 3, dtype=np.float16))
    yield case('Conv', x2.astype(np.float64), data(2, 3, 4, 3, 3, dtype=np.float64))
    for x, k in ((x1, (3,)), (x2, (3, 2)), (x3, (2, 3, 2))):
        n = len(k)
        for group in (1, 2):
            w, b = data(2, 4, 3, *k), data(3, 3*group)
            yield case('ConvTranspose', x, w, group=group, judge='onnxruntime')
            yield case('ConvTranspose', x, w, b, group=group, strides=[2]*n, pads=[1]*(2*n), output_padding=[1]*n, judge='onnxruntime')
            yield case('ConvTranspose', x, w, b, group=group, strides=[2]*n, dilations=[2]*n, judge='onnxruntime')
        for auto in ('SAME_UPPER', 'SAME_LOWER', 'VALID'):
            yield case('ConvTranspose', x, data(2, 4, 3, *k), auto_pad=auto, strides=[2]*n, judge='onnxruntime')
        yield case('ConvTranspose', x, data(2, 4, 3, *k), strides=[3]*n, output_shape=[3*s for s in x.shape[2:]], judge='onnxruntime')
    yield case('Col2Im', data(1, 1, 12, 6), np.array([3, 4]), np.array([2, 2]), const=(1, 2))
    yield case('Col2Im', data(1, 2, 5*2, 9), np.array([5, 5]), np.array([1, 5]), const=(1, 2), pads=[0, 1, 0, 1], strides=[2, 1]) if False else \
        case('Col2Im', data(1, 1, 4, 9), np.array([5, 5]), np.array([2, 2]), const=(1, 2), strides=[2, 2], pads=[0, 0, 1, 1])
    yield case('DeformConv', data(1, 1, 2, 4, 5), data(2, 3, 2, 2, 2), data(3, 1, 8, 3, 4)*0.5, data(4, 3), kernel_shape=[2, 2], pads=[0, 0, 0, 0])


def pooling():
    shapes = (data(4, 2, 3, 13), data(4, 2, 3, 9, 10), data(4, 1, 2, 6, 7, 8))
    for x in shapes:
        n = x.ndim - 2
        for op in ('MaxPool', 'AveragePool', 'LpPool'):
            for ceil, stride, pad, dilation in itertools.product((0, 1), (1, 2, 3), (0, 1), (1, 2)):
                attrs = dict(kernel_shape=[3]*n, strides=[stride]*n, pads=[pad]*(2*n), dilations=[dilation]*n, ceil_mode=ceil)
                yield case(op, x, opset=22, judge='onnxruntime', **attrs)
                if op == 'AveragePool':
                    yield case(op, x, opset=22, judge='onnxruntime', count_include_pad=1, **attrs)
            for auto in ('SAME_UPPER', 'SAME_LOWER', 'VALID'):
                for stride in (1, 2, 3):
                    yield case(op, x, kernel_shape=[3]*n, auto_pad=auto, strides=[stride]*n, judge='onnxruntime')
            yield case(op, x, kernel_shape=[2]*n, judge='onnxruntime')
        for order in (0, 1):
            for values in (x, np.round(x)):  # with equal ones too
                yield case('MaxPool', values, outputs=2, kernel_shape=[3]*n, strides=[2]*n, pads=[1]*(2*n), storage_order=order, judge='onnxruntime')
        yield case('LpPool', x, kernel_shape=[2]*n, p=1, judge='onnxruntime')
        yield case('LpPool', x, kernel_shape=[2]*n, p=3, judge='onnxruntime')
        for op in ('GlobalAveragePool', 'GlobalMaxPool', 'GlobalLpPool'):
            yield case(op, x, judge='onnxruntime')
        yield case('GlobalLpPool', x, p=1, judge='onnxruntime')
    yield case('MaxPool', data(5, 1, 2, 6, 6, dtype=np.int8), kernel_shape=[2, 2], judge='onnxruntime')
    yield case('MaxPool', data(5, 1, 2, 6, 6, dtype=np.uint8), kernel_shape=[3, 3], pads=[1, 1, 1, 1], judge='onnxruntime')
    yield case('MaxPool', data(5, 1, 2, 6, 6).astype(np.float64), kernel_shape=[2, 2], judge='onnxruntime')
    x = np.arange(1, 9, dtype=np.float32).reshape(1, 2, 2, 2)
    places = np.array([[[[5, 7], [13, 15]], [[16, 18], [24, 26]]]])
    yield case('MaxUnpool', x, places, kernel_shape=[2, 2], strides=[2, 2], judge='onnxruntime')


def normalisation():
    x = data(6, 2, 4, 3, 5)
    c = [np.abs(data(k, 4)) + 0.1 for k in range(4)]
    for opset in (9, 14, 15):
        yield case('BatchNormalization', x, *c, opset=opset, judge='onnxruntime')
        yield case('BatchNormalization', x, *c, opset=opset, epsilon=0.1, judge='onnxruntime')
        yield case('BatchNormalization', data(6, 10), *[v[:1] for v in c], opset=opset, judge='onnxruntime')
    yield case('BatchNormalization', x, *c, opset=15, outputs=3, training_mode=1, momentum=0.7)
    yield case('BatchNormalization', data(6, 5, 4), *c, opset=15)
    yield case('BatchNormalization', x.astype(np.float16), *c, opset=15) if False else case('BatchNormalization', x.astype(np.float64), *[v.astype(np.float64) for v in c], opset=15)
    for axis in (-4, -3, -2, -1, 0, 1, 2, 3):
        dims = x.shape[axis:] if axis < 0 else x.shape[axis:]
        s, b = data(7, *dims), data(8, *dims)
        for outputs in (1, 3):
            yield case('LayerNormalization', x, s, b, axis=axis, outputs=outputs)
        yield case('LayerNormalization', x, s, axis=axis, epsilon=0.1)
        yield case('RMSNormalization', x, s, axis=axis, opset=23)
        for op in ('Softmax', 'LogSoftmax', 'Hardmax'):
            yield case(op, x, axis=axis, opset=13)
            yield case(op, x, axis=axis, opset=11, judge='onnxruntime')
        for p in (1, 2):
            yield case('LpNormalization', x, axis=axis, p=p, judge='onnxruntime')
    yield case('RMSNormalization', x, data(7, 5), opset=23, epsilon=0.2)
    yield case('RMSNormalization', x.astype(np.float16), data(7, 5, dtype=np.float16), opset=23)
    yield case('LayerNormalization', x.astype(np.float16), data(7, 5, dtype=np.float16), outputs=3, judge='onnxruntime')
    yield case('InstanceNormalization', x, data(7, 4), data(8, 4), epsilon=0.01)
    yield case('InstanceNormalization', data(6, 2, 4, 7), data(7, 4), data(8, 4))
    for groups in (1, 2, 4):
        yield case('GroupNormalization', x, data(7, 4), data(8, 4), num_groups=groups, opset=21)
        yield case('GroupNormalization', x, data(7, groups), data(8, groups), num_groups=groups, opset=18, epsilon=0.1, judge='onnxruntime')
    for size in (1, 2, 3, 5):
        yield case('LRN', x, size=size)
        yield case('LRN', x, size=size, alpha=0.01, beta=0.5, bias=2.0, judge='onnxruntime') if size % 2 else case('LRN', x, size=size, beta=0.5)
    yield case('MeanVarianceNormalization', x)
    yield case('MeanVarianceNormalization', x, axes=[0, 1])
    yield case('MeanVarianceNormalization', x, axes=[-1])
    for op in ('Softmax', 'LogSoftmax'):
        yield case(op, data(6, 5), axis=0)
        yield case(op, x.astype(np.float16))
        yield case(op, x.astype(np.float64), axis=1)
        yield case(op, np.array([[-np.inf, 1.0, 2.0]], np.float32))


def resizing():
    x = data(9, 1, 2, 4, 5)
    none = np.zeros(0, np.float32)
    coords = ('half_pixel', 'half_pixel_symmetric', 'pytorch_half_pixel', 'align_corners', 'asymmetric')
    scales = ((1, 1, 2, 2), (1, 1, 0.5, 0.6), (1, 1, 1.3, 0.8), (1, 1, 3, 1))
    for mode, coord, s in itertools.product(('nearest', 'linear', 'cubic'), coords, scales):
        s = np.array(s, np.float32)
        roundings = ('round_prefer_floor', 'round_prefer_ceil', 'floor', 'ceil') if mode == 'nearest' else ('round_prefer_floor',)
        for rounding in roundings:
            judge = 'onnxruntime' if mode == 'nearest' and coord not in ('align_corners', 'half_pixel_symmetric') else 'reference'   # whose places keep the bits of the scale
            yield case('Resize', x, None, s, mode=mode, coordinate_transformation_mode=coord, nearest_mode=rounding, const=(2,), opset=19, judge=judge)
        if mode == 'cubic':
            yield case('Resize', x, None, s, mode=mode, coordinate_transformation_mode=coord, cubic_coeff_a=-0.5, exclude_outside=1, const=(2,), opset=19)
        if mode != 'nearest' and coord != 'pytorch_half_pixel':
            yield case('Resize', x, None, s, mode=mode, coordinate_transformation_mode=coord, antialias=1, const=(2,), opset=19)
    for mode, coord in itertools.product(('nearest', 'linear', 'cubic'), coords):
        for to in ((1, 2, 7, 3), (1, 2, 1, 1), (1, 2, 2, 9)):
            judge = 'onnxruntime' if coord == 'pytorch_half_pixel' else 'reference'          # one element is at place 0, as the standard's text says
            yield case('Resize', x, None, None, np.array(to), mode=mode, coordinate_transformation_mode=coord, const=(3,), opset=19, judge=judge)
        yield case('Resize', x, None, None, np.array([1, 2, 7, 3]), mode=mode, coordinate_transformation_mode=coord, opset=19)
        yield case('Resize', x, None, np.array([1, 1, 1.5, 0.7], np.float32), mode=mode, coordinate_transformation_mode=coord, opset=19)
        yield case('Resize', x, None, np.array([1.5, 0.7], np.float32), mode=mode, coordinate_transformation_mode=coord, axes=[2, 3], const=(2,), opset=19)
        yield case('Resize', x, None, np.array([0.7, 2], np.float32), mode=mode, coordinate_transformation_mode=coord, axes=[3, 2], const=(2,), opset=19)
        for policy in ('not_larger', 'not_smaller'):
            # the evaluator takes neighbours of another place where rounding brings one to an integer; cubic weights do not jump there
            judge = 'onnxruntime' if (mode, coord, policy) == ('cubic', 'half_pixel_symmetric', 'not_smaller') else 'reference'
            for const in ((3,), ()):
                yield case('Resize', x, None, None, np.array([7, 8]), mode=mode, coordinate_transformation_mode=coord, axes=[2, 3], keep_aspect_ratio_policy=policy, const=const, opset=19, judge=judge)
        roi = np.array([0, 0, 0.2, 0.3, 1, 1, 0.7, 0.9], np.float32)
        yield case('Resize', x, roi, None, np.array([1, 2, 3, 3]), mode=mode, coordinate_transformation_mode='tf_crop_and_resize', extrapolation_value=3.0, const=(1, 3), opset=19)
    roi = np.array([0.2, -0.3, 0.7, 1.2], np.float32)
    yield case('Resize', x, roi, None, np.array([3, 4]), axes=[2, 3], mode='linear', coordinate_transformation_mode='tf_crop_and_resize', extrapolation_value=9.0, const=(1, 3), opset=19)
    for mode in ('nearest', 'linear'):
        for dtype in (np.uint8, np.int8, np.int32, np.float16, np.float64):
            yield case('Resize', data(9, 1, 2, 4, 5, dtype=dtype), None, np.array([1, 1, 2, 1.5], np.float32), mode=mode, const=(2,), opset=19)
        yield case('Resize', x, np.array([1, 1, 2, 1.5], np.float32), mode=mode, const=(1,), opset=10, judge='onnxruntime')
        yield case('Upsample', x, np.array([1, 1, 2, 3], np.float32), mode=mode, const=(1,), opset=9, judge='onnxruntime')
        yield case('Upsample', x, mode=mode, scales=[1.0, 1.0, 2.0, 3.0], opset=8, judge='onnxruntime')
        yield case('Resize', data(9, 2, 3, 5), None, np.array([1, 1, 2.5], np.float32), mode=mode, const=(2,), opset=19)
        yield case('Resize', data(9, 1, 1, 3, 4, 5), None, np.array([1, 1, 2, 1.5, 0.5], np.float32), mode=mode, const=(2,), opset=19)
        yield case('Resize', data(9, 6), None, np.array([1.5], np.float32), mode=mode, const=(2,), opset=19)


def sampling():
    x, grid = data(10, 2, 3, 4, 5), np.random.default_rng(11).uniform(-1.3, 1.3, (2, 3, 6, 2)).astype(np.float32)
    for mode, padding, align in itertools.product(('linear', 'nearest', 'cubic'), ('zeros', 'border', 'reflection'), (0, 1)):
        border = mode == 'cubic' and padding == 'border'    # the evaluator brings the position to the border, not the elements around it
        yield case('GridSample', x, grid, mode=mode, padding_mode=padding, align_corners=align, opset=20, **({'judge': 'onnxruntime'} if border else {}))
        if mode != 'linear':
            continue
        yield case('GridSample', x, grid, mode='bilinear', padding_mode=padding, align_corners=align, opset=16, judge='onnxruntime')
    x3, grid3 = data(10, 1, 2, 3, 4, 5), np.random.default_rng(11).uniform(-1.3, 1.3, (1, 2, 3, 2, 3)).astype(np.float32)
    for mode, padding, align in itertools.product(('linear', 'nearest'), ('zeros', 'border', 'reflection'), (0, 1)):
        yield case('GridSample', x3, grid3, mode=mode, padding_mode=padding, align_corners=align, opset=20)
    for align in (0, 1):
        for const in ((1,), ()):
            yield case('AffineGrid', data(1, 2, 2, 3), np.array([2, 3, 4, 5]), align_corners=align, const=const, opset=20)
            yield case('AffineGrid', data(1, 1, 3, 4), np.array([1, 3, 2, 4, 5]), align_corners=align, const=const, opset=20)
    boxes = np.array([[0, 0, 3, 3], [1, 0.5, 4, 2.5], [0.2, 0.1, 9, 7]], np.float32)
    where = np.array([0, 1, 0])
    image = data(12, 2, 3, 8, 9)
    for mode, half, samples in itertools.product(('avg', 'max'), ('half_pixel', 'output_half_pixel'), (0, 2)):
        yield case('RoiAlign', image, boxes, where, mode=mode, coordinate_transformation_mode=half, sampling_ratio=samples, output_height=3, output_width=2, spatial_scale=0.8,
                   judge='onnxruntime')
    yield case('RoiAlign', image, boxes, where, opset=10, output_height=2, output_width=2, sampling_ratio=2, judge='onnxruntime')
    rois = np.array([[0, 0, 0, 4, 4], [1, 1, 2, 7, 6]], np.float32)
    yield case('MaxRoiPool', image, rois, pooled_shape=[2, 3], spatial_scale=1.0, opset=16, judge='onnxruntime')
    # corners at halves: 4.5 is 5, and -0.5 is -1
    halves = np.array([[0, 0, -1, 9, 9], [1, 1, 3, 11, 15]], np.float32)
    yield case('MaxRoiPool', image, halves, pooled_shape=[2, 2], spatial_scale=0.5, opset=16, judge='onnxruntime')


def cases():
    for group in (convolutions, pooling, normalisation, resizing, sampling):
        yield from group()
