"""Makers of nodes: products, windows, images, recurrences, attention, signals, losses."""
import numpy as np

from drawn_graph import BOOL, FLOATS
from judges import NoAnswer

F32 = np.dtype(np.float32)
PLAIN = [F32, np.dtype(np.float64)]
BETA = ['Affine', 'ScaledTanh', 'HardSigmoid']
ALPHA = [*BETA, 'LeakyRelu', 'ThresholdedRelu', 'Elu']


def matmul(g):
    x = g.any('MatMul', 1, 4, among=FLOATS + [np.dtype(np.int32), np.dtype(np.int64)])
    k, t = x.array.shape[-1], x.array.dtype
    batch = [1 if g.chance(0.3) else d for d in x.array.shape[:-2]][g.draw.choice([0, 0, 1]):]
    g.node('MatMul', [x, g.tensor(t, [k] if g.chance(0.15) else [*batch, k, g.draw.choice([1, 2, 5, 8, 17])])])


def gemm(g):
    m, k, n = (g.draw.choice([1, 2, 3, 7, 8, 17]) for _ in range(3))
    a, b, t = g.draw.randint(0, 1), g.draw.randint(0, 1), g.dtype('Gemm', among=FLOATS)
    c = g.tensor(t, g.draw.choice([(n,), (m, n), (1, n), (m, 1), (1,), ()])) if g.opset < 11 or g.chance(0.8) else None
    attrs = {name: v for name, v in (('alpha', 0.5), ('beta', 1.5), ('transA', a), ('transB', b)) if v == 1 or v and g.chance(0.5)}
    g.node('Gemm', [g.tensor(t, (k, m) if a else (m, k)), g.tensor(t, (n, k) if b else (k, n)), c], **attrs)


def window(g, rank, extents):
    """kernel_shape, strides, dilations and a way of padding that fit."""
    kernel = [g.draw.randint(1, min(3, d)) for d in extents]
    attrs = {'strides': [g.draw.randint(1, 3) for _ in extents]} if g.chance(0.5) else {}
    dilations = [g.draw.randint(1, 2) for _ in extents] if g.chance(0.3) else [1]*rank
    return kernel, attrs, dilations


def padding(g, attrs, kernel, dilations, rank):
    way = g.draw.choice(['none', 'pads', 'pads', 'SAME_UPPER', 'SAME_LOWER', 'VALID'])
    if way == 'pads':
        attrs['pads'] = [g.draw.randint(0, min(k - 1, 2)) for k in kernel*2]
    elif way != 'none':
        attrs['auto_pad'] = way
        dilations = [1]*rank if way != 'VALID' else dilations          # ONNX Runtime pads as if there were none
    if any(d > 1 for d in dilations):
        attrs['dilations'] = dilations


def conv(g):
    rank = g.draw.choice([1, 2, 2, 2, 3])
    extents = [g.draw.randint(3, 9) for _ in range(rank)]
    kernel, attrs, dilations = window(g, rank, extents)
    padding(g, attrs, kernel, dilations, rank)
    groups, per, out, t = g.draw.choice([1, 1, 2, 3]), g.draw.choice([1, 2, 4]), g.draw.choice([1, 2, 5]), g.dtype('Conv', among=PLAIN)
    if groups > 1 or g.chance(0.3):
        attrs['group'] = groups
    if g.chance(0.5):
        attrs['kernel_shape'] = kernel
    x = g.tensor(t, (g.draw.randint(1, 3), groups*per, *extents))
    g.node('Conv', [x, g.weight(t, (groups*out, per, *kernel)), g.weight(t, (groups*out,)) if g.chance(0.5) else None], **attrs)


def conv_transpose(g):
    rank = g.draw.choice([1, 2, 2, 3])
    extents = [g.draw.randint(1, 5) for _ in range(rank)]
    kernel = [g.draw.randint(1, 3) for _ in extents]
    attrs = {'strides': [g.draw.randint(1, 3) for _ in extents]} if g.chance(0.6) else {}
    padding(g, attrs, kernel, [g.draw.randint(1, 2) for _ in extents] if g.chance(0.3) else [1]*rank, rank)
    strides = attrs.get('strides', [1]*rank)
    if any(k < s for k, s in zip(kernel, strides)) and attrs.get('auto_pad', 'VALID') != 'VALID':
        raise NoAnswer('the standard does not say on which side the gap lies')
    if g.chance(0.3):
        attrs['output_padding'] = [g.draw.randint(0, s - 1) for s in strides]
    if g.chance(0.15) and 'pads' not in attrs:
        attrs['output_shape'] = [d*s for d, s in zip(extents, strides)]
    groups, t = g.draw.choice([1, 1, 2]), g.dtype('ConvTranspose', among=PLAIN)
    attrs['group'] = groups
    per, out = g.draw.choice([1, 2, 3]), g.draw.choice([1, 2, 3])
    g.node('ConvTranspose', [g.tensor(t, (g.draw.randint(1, 2), groups*per, *extents)), g.tensor(t, (groups*per, out, *kernel)), g.tensor(t, (groups*out,)) if g.chance(0.5) else None], **attrs)


def pool(op):
    def make(g):
        rank = g.draw.choice([1, 2, 2, 2, 3])
        extents = [g.draw.randint(2, 9) for _ in range(rank)]
        kernel, attrs, dilations = window(g, rank, extents)
        since = {'MaxPool': 10, 'AveragePool': 19, 'LpPool': 18}[op]
        padding(g, attrs, kernel, dilations if g.opset >= since else [1]*rank, rank)
        if g.opset >= {'MaxPool': 10, 'AveragePool': 10, 'LpPool': 18}[op] and g.chance(0.3):
            attrs['ceil_mode'] = 1
        if op == 'AveragePool' and g.chance(0.5):
            attrs['count_include_pad'] = 1
        if op == 'LpPool':
            attrs['p'] = g.draw.randint(1, 3)
        if attrs.get('auto_pad', 'VALID').startswith('SAME') and any(k < s for k, s in zip(kernel, attrs.get('strides', kernel))):
            raise NoAnswer('ONNX Runtime refuses to pad by a negative number')
        both = op == 'MaxPool' and g.opset >= 8 and g.chance(0.4)
        if both and g.chance(0.4):
            attrs['storage_order'] = 1
        g.node(op, [g.tensor(g.dtype(op, among=[*PLAIN, np.dtype(np.int8), np.dtype(np.uint8)]), (g.draw.randint(1, 2), g.draw.randint(1, 4), *extents))], 1 + both, kernel_shape=kernel, **attrs)
    return make


def global_pool(op):
    def make(g):
        x = g.any(op, 3, among=FLOATS)
        g.node(op, [x], **({'p': g.draw.randint(1, 3)} if op == 'GlobalLpPool' and g.chance(0.6) else {}))
    return make


def resize(g):
    rank = g.draw.choice([2, 3, 4, 4, 4, 5])
    shape = [g.draw.randint(1, 3) if k < rank - 2 else g.draw.randint(1, 6) for k in range(rank)]
    mode = g.draw.choice(['nearest', 'linear'] + ['cubic']*(g.opset >= 11 and rank == 4))
    scales = [1.0]*(rank - 2) + [g.draw.choice([1.0, 2.0, 0.5, 1.5, 3.0, 0.6, 2.3]) for _ in range(2)]
    sizes = shape[:-2] + [g.draw.randint(1, 9) for _ in range(2)]
    x = g.tensor(F32, shape)
    if g.opset < 11:
        op = 'Upsample' if g.opset < 10 else 'Resize'
        if op == 'Upsample':
            scales = [max(1.0, s) for s in scales]
        if g.opset < 9:
            return g.node(op, [x], mode=mode, scales=scales)
        return g.node(op, [x, g.parameter(scales, np.float32)], mode=mode)
    attrs = {'mode': mode}
    if g.chance(0.7):
        words = ['half_pixel', 'pytorch_half_pixel', 'align_corners', 'asymmetric'] + ['half_pixel_symmetric']*(g.opset >= 19)
        attrs['coordinate_transformation_mode'] = g.draw.choice(words)
    if mode == 'nearest' and g.chance(0.7):
        attrs['nearest_mode'] = g.draw.choice(['round_prefer_floor', 'round_prefer_ceil', 'floor', 'ceil'])
    if mode == 'cubic' and g.chance(0.5):
        attrs.update(cubic_coeff_a=-0.5, exclude_outside=g.draw.randint(0, 1))
    if g.opset >= 18 and g.chance(0.2) and mode != 'nearest':
        attrs['antialias'] = 1
    if g.opset >= 18 and g.chance(0.3):
        attrs['axes'] = [rank - 2, rank - 1] if g.chance(0.5) else [-1, -2]
        order = attrs['axes']
        scales, sizes = [scales[a] for a in order], [sizes[a] for a in order]
        if g.chance(0.4) and order[0] < order[1]:
            attrs['keep_aspect_ratio_policy'] = g.draw.choice(['stretch', 'not_larger', 'not_smaller'])
    roi = None if g.opset >= 13 else g.leaf(np.zeros(0, np.float32), True)
    if g.chance(0.5) or 'keep_aspect_ratio_policy' in attrs:
        return g.node('Resize', [x, roi, None if g.opset >= 13 else g.leaf(np.zeros(0, np.float32), True), g.parameter(sizes)], **attrs)
    g.node('Resize', [x, roi, g.parameter(scales, np.float32)], **attrs)


def grid_sample(g):
    n, c, h, w, oh, ow = (g.draw.randint(1, 4) for _ in range(6))
    words = ['bilinear', 'nearest', 'bicubic'] if g.opset < 20 else ['linear', 'nearest', 'cubic']
    attrs = {'mode': g.draw.choice(words), 'padding_mode': g.draw.choice(['zeros', 'border', 'reflection']), 'align_corners': g.draw.randint(0, 1)}
    if 'cubic' in attrs['mode'] and attrs['padding_mode'] == 'border':
        raise NoAnswer('the evaluator brings the place to the border, ONNX Runtime each element')
    g.node('GridSample', [g.tensor(F32, (n, c, h, w)), g.new(F32, (n, oh, ow, 2), -1.3, 1.3)], **attrs)


def affine_grid(g):
    rank = g.draw.choice([2, 3])
    g.node('AffineGrid', [g.new(F32, (2, rank, rank + 1)), g.parameter([2, 3, *(g.draw.randint(1, 5) for _ in range(rank))])], align_corners=g.draw.randint(0, 1))


def roi_align(g):
    n, count = g.draw.randint(1, 2), g.draw.randint(1, 3)
    start = g.numbers.uniform(0, 4, (count, 2))
    rois = np.concatenate([start, start + g.numbers.uniform(0.5, 5, (count, 2))], 1).astype(np.float32)
    attrs = {'output_height': g.draw.randint(1, 3), 'output_width': g.draw.randint(1, 3), 'sampling_ratio': g.draw.randint(0, 2), 'spatial_scale': g.draw.choice([1.0, 0.5]), 'mode': g.draw.choice(['avg', 'max'])}
    if g.opset >= 16 and g.chance(0.6):
        attrs['coordinate_transformation_mode'] = g.draw.choice(['half_pixel', 'output_half_pixel'])
    g.node('RoiAlign', [g.tensor(F32, (n, 2, 6, 7)), g.leaf(rois, False), g.leaf(g.numbers.integers(0, n, count), False)], **attrs)


def recurrent(op, gates):
    def make(g):
        steps, batch, width, hidden = (g.draw.randint(1, 4) for _ in range(4))
        direction = g.draw.choice(['forward', 'reverse', 'bidirectional'])
        n, t = 1 + (direction == 'bidirectional'), F32
        major = g.opset >= 14 and g.chance(0.3)            # the evaluator alone takes it, and knows no more than the plain operator
        if major:
            direction, n = 'forward', 1
        state = (batch, n, hidden) if major else (n, batch, hidden)
        lengths = g.leaf(g.numbers.integers(1, steps + 1, batch).astype(np.int32), g.chance(0.3)) if not major and g.chance(0.4) else None
        ins = [g.tensor(t, (batch, steps, width) if major else (steps, batch, width)), g.weight(t, (n, gates*hidden, width)), g.weight(t, (n, gates*hidden, hidden)),
               g.weight(t, (n, 2*gates*hidden)) if g.chance(0.6) else None, lengths, g.tensor(t, state) if g.chance(0.5) else None]
        if op == 'LSTM':
            ins += [g.tensor(t, state) if g.chance(0.5) else None, g.weight(t, (n, 3*hidden)) if g.chance(0.3) else None]
        attrs = {'layout': 1} if major else {}
        if direction != 'forward' or g.chance(0.3):
            attrs['direction'] = direction
        if op == 'GRU':
            attrs['linear_before_reset'] = g.draw.randint(0, 1)
        if op == 'LSTM' and g.chance(0.2) and not major:
            attrs['input_forget'] = 1
        if g.chance(0.25) and not major:
            attrs['clip'] = 0.7
        if g.chance(0.3) and not major:
            attrs['activations'] = names = [g.draw.choice(['Sigmoid', 'Tanh', 'Relu', 'HardSigmoid', 'Softsign', 'Softplus', 'LeakyRelu', 'Elu', 'ThresholdedRelu', 'ScaledTanh', 'Affine'])
                                    for _ in range({'RNN': 1, 'GRU': 2, 'LSTM': 3}[op]*n)]
            parameters = {'activation_alpha': [0.6 for name in names if name in ALPHA], 'activation_beta': [0.4 for name in names if name in BETA]}
            attrs.update({name: list for name, list in parameters.items() if list})
        count = 3 if op == 'LSTM' else 2
        wanted = [g.chance(0.6) for _ in range(count)]
        g.node(op, ins, wanted if any(wanted) else count, hidden_size=hidden, **attrs)
    return make


def attention(g):
    n, heads, groups, q, kv, d, dv = g.draw.randint(1, 2), g.draw.choice([1, 2]), g.draw.choice([1, 2]), g.draw.randint(1, 5), g.draw.randint(1, 6), g.draw.choice([2, 4, 8]), g.draw.choice([2, 3, 8])
    flat, attrs = g.chance(0.4), {}
    many = heads*groups
    if flat:
        attrs = {'q_num_heads': many, 'kv_num_heads': heads}
    ins = [g.tensor(F32, s) for s in (((n, q, many*d), (n, kv, heads*d), (n, kv, heads*dv)) if flat else ((n, many, q, d), (n, heads, kv, d), (n, heads, kv, dv)))]
    past = g.draw.randint(1, 3) if g.chance(0.3) else 0
    mask = None
    if g.chance(0.6):
        shape = g.draw.choice([(q, kv + past), (1, 1, q, kv + past), (n, 1, q, kv + past), (n, many, q, kv + past)])
        mask = g.new(g.draw.choice([F32, F32, BOOL]), shape)
    ins += [mask] + ([g.tensor(F32, (n, heads, past, d)), g.tensor(F32, (n, heads, past, dv))] if past else [])
    if g.chance(0.3):
        attrs['is_causal'] = 1
    if g.chance(0.3):
        attrs['scale'] = 0.4
    if g.chance(0.2):
        attrs['softcap'] = 2.0
    outputs = [True, True, True] if past else 1
    if g.chance(0.2):
        outputs = [True, bool(past), bool(past), True]
        attrs['qk_matmul_output_mode'] = g.draw.randint(0, 3)
    g.node('Attention', ins, outputs, **attrs)


def rotary(g):
    n, heads, length, d = g.draw.randint(1, 2), g.draw.randint(1, 3), g.draw.randint(1, 5), g.draw.choice([4, 8])
    flat, part = g.chance(0.4), g.draw.choice([0, 0, d//2])
    half = (part or d)//2
    ids = g.chance(0.5)
    shape = (7, half) if ids else (n, length, half)
    attrs = {'interleaved': g.draw.randint(0, 1), 'rotary_embedding_dim': part, **({'num_heads': heads} if flat else {})}
    g.node('RotaryEmbedding', [g.tensor(F32, (n, length, heads*d) if flat else (n, heads, length, d)), g.tensor(F32, shape), g.tensor(F32, shape),
                               g.leaf(g.numbers.integers(0, 7, (n, length)), False) if ids else None], **attrs)


def einsum(g):
    extents = {letter: g.draw.randint(1, 4) for letter in 'abcde'}
    terms = [''.join(g.draw.sample('abcde', g.draw.randint(0 if g.chance(0.1) else 1, 3))) for _ in range(g.draw.choice([1, 2, 2, 3]))]
    letters = sorted(set(''.join(terms)))
    out = ''.join(g.draw.sample(letters, g.draw.randint(0, len(letters))))
    t = g.draw.choice(PLAIN)
    g.node('Einsum', [g.tensor(t, [extents[x] for x in term]) for term in terms], equation=','.join(terms) + (f'->{out}' if g.chance(0.8) else ''))


def integer_product(g):
    a, b = (g.draw.choice([np.uint8, np.int8]) if k else np.uint8 for k in range(2))
    m, k, n = (g.draw.randint(1, 9) for _ in range(3))
    zeros = [g.leaf(np.array(g.draw.randint(0, 9), t), g.chance(0.6)) if g.chance(0.7) else None for t in (a, b)]
    g.node('MatMulInteger', [g.tensor(a, (*g.shape(0, 1), m, k)), g.tensor(b, (k, n)), *zeros])


def quantized_product(g):
    a, b = g.draw.choice([(np.uint8, np.uint8), (np.uint8, np.int8), (np.int8, np.int8)])
    m, k, n = (g.draw.randint(1, 9) for _ in range(3))
    scale = lambda s: g.leaf(np.array(s, np.float32), True)
    zero = lambda t: g.leaf(np.array(g.draw.randint(0, 9), t), True)
    g.node('QLinearMatMul', [g.tensor(a, (m, k)), scale(0.1), zero(a), g.tensor(b, (k, n)), scale(0.05), zero(b), scale(0.07), zero(a)])


def quantized_conv(g):
    extents = [g.draw.randint(3, 7), g.draw.randint(3, 7)]
    kernel, attrs, dilations = window(g, 2, extents)
    padding(g, attrs, kernel, dilations, 2)
    a, b = g.draw.choice([(np.uint8, np.uint8), (np.uint8, np.int8), (np.int8, np.int8)])
    c, out = g.draw.randint(1, 4), g.draw.randint(1, 4)
    x, w = g.tensor(a, (1, c, *extents)), g.tensor(b, (out, c, *kernel))
    zero = lambda t: g.leaf(np.array(g.draw.randint(0, 9), t), True)
    if g.chance(0.4):
        return g.node('ConvInteger', [x, w, zero(a) if g.chance(0.6) else None], **attrs)
    per = g.chance(0.5)
    scales = g.leaf(g.data(np.float32, (out,) if per else (), 0.01, 0.1), True)
    bias = g.leaf(g.data(np.int32, (out,), -99, 99), True) if g.chance(0.5) else None
    zeros = g.leaf(np.zeros((out,) if per else (), b), True)
    g.node('QLinearConv', [x, g.leaf(np.array(0.1, np.float32), True), zero(a), w, scales, zeros, g.leaf(np.array(0.2, np.float32), True), zero(a), bias], **attrs)


def determinant(g):
    n = g.draw.randint(1, 5)
    g.node('Det', [g.tensor(F32, (*g.shape(0, 2), n, n))])


def col_to_image(g):
    kernel, image = [g.draw.randint(1, 3) for _ in range(2)], [g.draw.randint(3, 6) for _ in range(2)]
    strides = [g.draw.randint(1, 2) for _ in range(2)]
    blocks = int(np.prod([(d - k)//s + 1 for d, k, s in zip(image, kernel, strides)]))
    g.node('Col2Im', [g.tensor(F32, (2, 3*kernel[0]*kernel[1], blocks)), g.parameter(image), g.parameter(kernel)], strides=strides)


def loss(op):
    def make(g):
        n, c, rest = g.draw.randint(1, 4), g.draw.randint(1, 5), g.shape(0, 2)
        weight = g.new(F32, (c,), 0.2, 2) if g.chance(0.5) else None
        attrs = {'reduction': g.draw.choice(['none', 'sum', 'mean'])} if g.chance(0.7) else {}
        if g.chance(0.4):
            attrs['ignore_index'] = g.draw.choice([0, -1, 100])
        labels = g.numbers.integers(0, c, (n, *rest)).astype(g.draw.choice([np.int64, np.int32]))
        g.node(op, [g.tensor(F32, (n, c, *rest)), g.leaf(labels, False), weight], 1 + (op[0] == 'S' and g.chance(0.5)), **attrs)
    return make


def fourier(g):
    n, length = g.draw.randint(1, 2), g.draw.randint(1, 9)
    one_sided, inverse = g.chance(0.3), g.chance(0.3)
    x = g.tensor(F32, (n, length, 1 if one_sided or g.chance(0.5) else 2))
    size = g.parameter(g.draw.randint(1, 9)) if g.chance(0.3) else None
    attrs = {'onesided': int(one_sided), 'inverse': int(inverse and not one_sided)}
    if g.opset < 20:
        return g.node('DFT', [x, size], axis=1, **attrs)
    g.node('DFT', [x, size, g.parameter(1)], **attrs)


def made_window(op):
    def make(g):
        g.node(op, [g.parameter(g.draw.randint(2, 9))], periodic=g.draw.randint(0, 1))
    return make


def suppression(g):
    boxes = np.sort(g.numbers.uniform(0, 3, (2, 6, 2, 2)), axis=2).reshape(2, 6, 4).astype(np.float32)
    ins = [g.leaf(boxes, False), g.new(F32, (2, 2, 6), 0, 1)] + [g.leaf(np.array(v, t), True) for v, t in ((g.draw.randint(1, 6), np.int64), (0.3, np.float32), (0.4, np.float32))][:g.draw.randint(1, 3)]
    g.node('NonMaxSuppression', ins, center_point_box=g.draw.randint(0, 1))


MAKERS = {'MatMul': matmul, 'Gemm': gemm, 'Conv': conv, 'ConvTranspose': conv_transpose, **{op: pool(op) for op in ('MaxPool', 'AveragePool', 'LpPool')},
          **{op: global_pool(op) for op in ('GlobalAveragePool', 'GlobalMaxPool', 'GlobalLpPool')}, 'Resize': resize, 'GridSample': grid_sample, 'AffineGrid': affine_grid, 'RoiAlign': roi_align,
          'RNN': recurrent('RNN', 1), 'GRU': recurrent('GRU', 3), 'LSTM': recurrent('LSTM', 4), 'Attention': attention, 'RotaryEmbedding': rotary, 'Einsum': einsum,
          'MatMulInteger': integer_product, 'QLinearMatMul': quantized_product, 'QLinearConv': quantized_conv, 'Det': determinant, 'Col2Im': col_to_image,
          'NegativeLogLikelihoodLoss': loss('NegativeLogLikelihoodLoss'), 'SoftmaxCrossEntropyLoss': loss('SoftmaxCrossEntropyLoss'), 'DFT': fourier,
          **{op: made_window(op) for op in ('HannWindow', 'HammingWindow', 'BlackmanWindow')}, 'NonMaxSuppression': suppression}
