"""Cases of com.microsoft as exported and optimised graphs have them; ONNX Runtime is the judge."""
import functools
import itertools

import numpy as np

from node_case import case

ms = functools.partial(case, domain='com.microsoft', judge='onnxruntime')


def real(seed, *shape):
    return (np.random.default_rng(seed).normal(size=shape)*0.5).astype(np.float32)


def byte(seed, *shape, dtype=np.uint8):
    info = np.iinfo(dtype)
    return np.random.default_rng(seed).integers(info.min//4, info.max//4, shape).astype(dtype)


def quantised():
    for dtype in (np.uint8, np.int8):
        a, b = byte(1, 2, 3, 4, 5, dtype=dtype), byte(2, 2, 3, 4, 5, dtype=dtype)
        f, z = np.float32, lambda v: np.array(v, dtype)
        for op in ('QLinearAdd', 'QLinearMul'):
            yield ms(op, a, f(0.1), z(3), b, f(0.2), z(5), f(0.15), z(7))
            yield ms(op, a, f(0.1), z(3), b[0, 0, 0], f(0.2), z(5), f(0.15), z(7))
        yield ms('QLinearSigmoid', a, f(0.1), z(3), f(1/256), z(0))
        yield ms('QLinearLeakyRelu', a, f(0.1), z(3), f(0.07), z(1), alpha=0.3)
        for axis, opset in ((-1, 13), (1, 13), (1, 11)):
            one = ms('QLinearSoftmax', a, f(0.1), z(3), f(1/256), z(0), axis=axis)
            one.attrs['opset'] = opset
            yield one
        for last in (0, 1):
            yield ms('QLinearGlobalAveragePool', a, f(0.103), z(3), f(0.0471), z(4), channels_last=last)
            for include in (0, 1):
                yield ms('QLinearAveragePool', a, f(0.103), z(3), f(0.0471), z(4), kernel_shape=[2, 2], pads=[0, 1, 1, 0], strides=[1, 2], channels_last=last, count_include_pad=include)
        yield ms('QLinearConcat', f(0.1), z(2), a, f(0.2), z(1), b, f(0.05), z(3), axis=1)
        yield ms('QLinearWhere', a > 3, a, f(0.1), z(3), b, f(0.2), z(5), f(0.15), z(7))
        for include in (0, 1):
            yield ms('QLinearAveragePool', a[0], f(0.103), z(3), f(0.0471), z(4), kernel_shape=[3], pads=[1, 1], strides=[2], count_include_pad=include)
        yield ms('QLinearAveragePool', a[None], f(0.103), z(3), f(0.0471), z(4), kernel_shape=[2, 2, 3], channels_last=1)
        yield ms('NhwcMaxPool', a, kernel_shape=[2, 3], pads=[1, 0, 0, 1], strides=[1, 2])
        yield ms('QuantizeLinear', real(3, 3, 4)*20, f(0.3), z(4))
        yield ms('DequantizeLinear', a, f(0.3), z(4))
        yield ms('QuantizeLinear', real(3, 3, 4)*20, np.abs(real(4, 4)) + 0.1, byte(5, 4, dtype=dtype), axis=1)
    x, w = byte(6, 1, 5, 6, 2), byte(7, 3, 2, 3, 2, dtype=np.int8)
    words = (np.float32(0.05), np.uint8(4), w, np.float32(0.02), np.int8(0), np.float32(0.5), np.uint8(7))
    yield ms('QLinearConv', x, *words, channels_last=1, pads=[1, 1, 1, 1], const=(1, 2, 3, 4, 5, 6, 7))
    yield ms('QLinearConv', np.ascontiguousarray(np.transpose(x, (0, 3, 1, 2))), *words, strides=[2, 1], const=(1, 2, 3, 4, 5, 6, 7))
    for tb in (0, 1):
        a, b = byte(1, 3, 4), byte(2, *((5, 4) if tb else (4, 5)), dtype=np.int8)
        yield ms('QGemm', a, np.float32(0.1), np.uint8(4), b, np.float32(0.2), np.int8(1), np.arange(5, dtype=np.int32), np.float32(0.5), np.uint8(9), transB=tb)
        yield ms('QGemm', a, np.float32(0.1), np.uint8(4), b, np.float32(0.2), np.int8(1), np.arange(5, dtype=np.int32), transB=tb, alpha=0.5)


def ties():
    """Results half way between two integers, where the order of the operations decides."""
    for dtype in (np.uint8, np.int8):
        a, b = byte(8, 2, 8, 12, 13, dtype=dtype), byte(9, 2, 8, 12, 13, dtype=dtype)
        f, z = np.float32, lambda v: np.array(v, dtype)
        for zero in (3, 4):
            for left, right in ((a, b), (a, b[:1, :1, :1, :1]), (a[:, :, :, :1], b), (a[0, 0, 0], b)):
                yield ms('QLinearAdd', left, f(0.02), z(7), right, f(0.02), z(10), f(0.04), z(zero))
                yield ms('QLinearAdd', left, f(0.03), z(7), right, f(0.01), z(10), f(0.02), z(zero))
                yield ms('QLinearMul', left, f(0.5), z(7), right, f(0.25), z(10), f(16), z(zero))
                yield ms('QLinearMul', left, f(0.03), z(7), right, f(0.02), z(10), f(0.12), z(zero))
            for last in (0, 1):
                yield ms('QLinearGlobalAveragePool', a[:, :, :8, :8], f(0.02), z(7), f(0.0125), z(zero), channels_last=last)
                for include in (0, 1):
                    yield ms('QLinearAveragePool', a, f(0.02), z(7), f(0.02), z(zero), kernel_shape=[3, 3], pads=[1, 1, 1, 1], channels_last=last, count_include_pad=include)
                    yield ms('QLinearAveragePool', a, f(0.02), z(7), f(0.02), z(zero), kernel_shape=[2, 2], strides=[2, 2], channels_last=last, count_include_pad=include)


def products():
    a, b = real(1, 2, 3, 8), byte(2, 8, 5, dtype=np.int8)
    yield ms('DynamicQuantizeMatMul', a, b, np.float32(0.02))
    yield ms('DynamicQuantizeMatMul', a, b, np.abs(real(3, 5))*0.1, np.zeros(5, np.int8), real(4, 5))
    yield ms('MatMulIntegerToFloat', byte(1, 3, 8), b, np.float32(0.1), np.float32(0.02), np.uint8(3), np.int8(2), real(4, 5))
    for bits, k, block in ((4, 32, 16), (4, 48, 32), (8, 32, 16)):
        n, blocks = 6, -(-k//block)
        w, s = byte(5, n, blocks, block*bits//8)*4, np.abs(real(6, n*blocks))*0.1
        for const in ((), (1, 2, 3)):
            for rows in (3, 7):                                 # few, and many
                yield ms('MatMulNBits', real(7, 2, rows, k), w, s, K=k, N=n, bits=bits, block_size=block, const=const)
            yield ms('MatMulNBits', real(7, 3, k), w, s, byte(8, n*-(-blocks*bits//8))*4, K=k, N=n, bits=bits, block_size=block, const=const)
    for ta, tb, alpha in itertools.product((0, 1), (0, 1), (1.0, 0.5)):
        yield ms('FusedMatMul', real(1, 2, *((4, 3) if ta else (3, 4))), real(2, 2, *((5, 4) if tb else (4, 5))), transA=ta, transB=tb, alpha=alpha)
        yield ms('FusedGemm', real(1, *((4, 3) if ta else (3, 4))), real(2, *((5, 4) if tb else (4, 5))), real(3, 5), transA=ta, transB=tb, alpha=alpha, activation='LeakyRelu', activation_alpha=0.2)
        yield ms('FusedMatMul', real(1, *((4, 2, 3) if ta else (3, 2, 4))), real(2, *((5, 2, 4) if tb else (4, 2, 5))), transA=ta, transB=tb, transBatchA=1,
                 transBatchB=1)
    for bits, zeros in itertools.product((4, 8), (False, True)):
        packed, steps = byte(5, 4, 3, 4*bits), np.abs(real(6, 4, 3, 2))*0.1
        yield ms('GatherBlockQuantized', packed, np.array([[-1, 0], [2, 3]]), steps, byte(7, 4, 3, bits//4) if zeros else None, bits=bits, block_size=16,
                 quantize_axis=2, const=(0, 2, 3) if zeros else (0, 2))
    for name, params in (('Relu', []), ('Tanh', []), ('Sigmoid', []), ('LeakyRelu', [0.2]), ('Clip', [-0.3, 0.4]), ('HardSigmoid', [0.3, 0.4])):
        yield ms('FusedConv', real(1, 1, 2, 5, 6), real(2, 3, 2, 3, 3), real(3, 3), activation=name, pads=[1, 1, 1, 1], **({'activation_params': params} if params else {}))
    yield ms('FusedConv', real(1, 1, 2, 5, 6), real(2, 3, 2, 3, 3), real(3, 3), real(4, 1, 3, 3, 4), activation='Relu')


def rows():
    x = real(1, 2, 3, 8)
    yield ms('Gelu', x)
    yield ms('QuickGelu', x)
    yield ms('QuickGelu', x, alpha=0.7)
    yield ms('FastGelu', x)
    yield ms('FastGelu', x, real(2, 8))
    yield ms('BiasGelu', x, real(2, 8))
    g, b = real(3, 8), real(4, 8)
    for eps in (1e-5, 0.1):
        yield ms('SkipLayerNormalization', x, real(2, 2, 3, 8), g, b, epsilon=eps)
        yield ms('SkipLayerNormalization', x, real(2, 2, 3, 8), g, b, outputs=4, epsilon=eps)
        yield ms('SkipSimplifiedLayerNormalization', x, real(2, 2, 3, 8), g, outputs=4, epsilon=eps)
        yield ms('SkipLayerNormalization', x, real(2, 2, 3, 8), g, b, real(5, 8), epsilon=eps)
        yield ms('SkipSimplifiedLayerNormalization', x, real(2, 2, 3, 8), g, real(5, 8), epsilon=eps)
        yield case('SimplifiedLayerNormalization', x, g, axis=-1, epsilon=eps, judge='onnxruntime')
        yield case('LayerNormalization', x, g, b, axis=-1, epsilon=eps, judge='onnxruntime', opset=16)
    ids = np.random.default_rng(6).integers(0, 9, (2, 4)).astype(np.int32)
    words = (real(1, 10, 8), real(2, 6, 8), real(3, 2, 8), real(4, 8), real(5, 8))
    yield ms('EmbedLayerNormalization', ids, ids % 2, *words, np.array([[1, 1, 1, 0], [1, 1, 0, 0]], np.int32), outputs=2)
    yield ms('EmbedLayerNormalization', ids, None, words[0], words[1], None, words[3], words[4], outputs=2)


def attention():
    x, w, b = real(1, 2, 4, 6), real(2, 6, 24), real(3, 24)
    counts, seen = np.array([4, 2], np.int32), np.array([[1, 1, 1, 1], [1, 1, 0, 0]], np.int32)
    for mask, causal in itertools.product((None, counts, seen), (0, 1)):
        yield ms('Attention', x, w, b, mask, num_heads=2, unidirectional=causal)
    yield ms('Attention', x, w, b, np.array([4, 3, 1, 0], np.int32), num_heads=2)           # ends and beginnings of keys
    yield ms('Attention', x, w, b, num_heads=2, rotary_embedding_dim=32)
    yield ms('Attention', x, w, b, None, real(4, 2, 2, 2, 3, 4), outputs=2, num_heads=2, unidirectional=1)
    yield ms('Attention', x, w, b, None, None, real(5, 2, 2, 4, 4), num_heads=2, scale=0.3)
    yield ms('Attention', x, real(2, 6, 20), real(3, 20), num_heads=2, qkv_hidden_sizes=[8, 8, 4])
    q, k, v = real(1, 2, 3, 8), real(2, 2, 5, 8), real(3, 2, 5, 8)
    yield ms('MultiHeadAttention', q, k, v, num_heads=2)
    yield ms('MultiHeadAttention', q, k, v, real(4, 24), num_heads=2, scale=0.2)
    yield ms('MultiHeadAttention', q, k, v, None, np.array([[1, 1, 1, 1, 0], [1, 1, 1, 0, 0]], np.int32), num_heads=2)
    yield ms('MultiHeadAttention', q, k, v, None, None, real(5, 2, 2, 3, 5), num_heads=2)
    yield ms('MultiHeadAttention', q, q, real(6, 2, 3, 8), None, None, None, real(7, 2, 2, 2, 4), real(8, 2, 2, 2, 4), outputs=3, num_heads=2)
    yield ms('MultiHeadAttention', q, real(2, 2, 2, 5, 4), real(3, 2, 2, 5, 4), num_heads=2)
    yield ms('MultiHeadAttention', q, real(2, 2, 2, 5, 4), real(3, 2, 2, 5, 4), real(4, 24), num_heads=2)
    yield from decoding()
    yield ms('QAttention', byte(1, 2, 4, 6), byte(2, 6, 24, dtype=np.int8), real(3, 24), np.float32(0.02), np.float32(0.03), None, np.uint8(10), np.int8(0), num_heads=2)
    at = np.array([[2, 3, 4], [0, 1, 2]])
    for interleaved in (0, 1):
        yield ms('RotaryEmbedding', real(1, 2, 3, 16), at, real(2, 10, 4), real(3, 10, 4), interleaved=interleaved)
        yield ms('RotaryEmbedding', real(1, 2, 2, 3, 8), np.array([2]), real(2, 10, 4), real(3, 10, 4), interleaved=interleaved)
    yield ms('RotaryEmbedding', real(1, 2, 3, 16), at, real(2, 10, 4), real(3, 10, 4), scale=0.5)
    n, h, kv, d = 3, 4, 2, 16
    for past, rotary, window, cap in itertools.product((0, 2), (0, 1), (-1, 2), (0.0, 1.5)):
        caches = [real(4, 1, kv, past, d), real(5, 1, kv, past, d)] if past else [None, None]
        length = n if not past else 1
        tables = [real(6, 10, d//2), real(7, 10, d//2)] if rotary else []
        yield ms('GroupQueryAttention', real(1, 1, length, h*d), real(2, 1, length, kv*d), real(3, 1, length, kv*d), *caches, np.array([past + length - 1], np.int32),
                 np.array(past + length, np.int32), *tables, outputs=3, num_heads=h, kv_num_heads=kv, do_rotary=rotary, local_window_size=window, softcap=cap)


def decoding():
    """One query after a past that is a part of its buffer."""
    q, k, v, buffers = real(1, 2, 1, 8), real(2, 2, 1, 8), real(3, 2, 1, 8), (real(4, 2, 2, 5, 4), real(5, 2, 2, 5, 4))
    for past in (0, 2, 4):
        length, seen = np.array([past], np.int32), np.ones((2, past + 1), np.int32)
        seen[1, :past//2] = 0
        one = functools.partial(ms, 'DecoderMaskedMultiHeadAttention', q, k, v, outputs=3, num_heads=2, past_present_share_buffer=1)
        yield one(None, None, *buffers, length)
        yield one(None, None, *buffers, length, None, None, real(6, 24))
        yield one(seen, real(7, 1, 2, 1, past + 1), *buffers, length)
        for bias in (None, real(7, 1, 2, 1, past + 1)):
            yield ms('MultiHeadAttention', q, k, v, real(6, 24), None, bias, *buffers, length, outputs=3, num_heads=2)
    yield ms('DecoderMaskedMultiHeadAttention', q, real(2, 2, 2, 5, 4), real(3, 2, 2, 5, 4), num_heads=2)
    for past, sink in itertools.product((0, 2), (False, True)):     # a softmax with one term more
        caches, n = [real(4, 1, 2, past, 16), real(5, 1, 2, past, 16)] if past else [None, None], 1 if past else 3
        inputs = (real(1, 1, n, 64), real(2, 1, n, 32), real(3, 1, n, 32), *caches, np.array([past + n - 1], np.int32), np.array(past + n, np.int32))
        yield ms('GroupQueryAttention', *inputs, *([None]*4 + [real(6, 4)] if sink else []), outputs=3, num_heads=4, kv_num_heads=2, **({} if sink else {'smooth_softmax': 1}))


def experts():
    x, scores, w1, b1, w2, b2 = real(1, 5, 8), real(2, 5, 4), real(3, 4, 6, 8), real(4, 4, 6), real(5, 4, 8, 6), real(6, 4, 8)
    for kind, k, norm in itertools.product(('relu', 'gelu', 'silu', 'identity'), (1, 3), (0, 1)):
        yield ms('MoE', x, scores, w1, b1, w2, b2, k=k, normalize_routing_weights=norm, activation_type=kind)
    yield ms('MoE', real(1, 2, 3, 8), real(2, 6, 4), w1, None, w2, k=2)
    gated = functools.partial(ms, 'MoE', x, scores, real(3, 4, 12, 8)*4, real(4, 4, 12), w2, b2, k=2, normalize_routing_weights=1, activation_type='swiglu', swiglu_fusion=1)
    yield gated()
    yield gated(swiglu_limit=0.7, activation_alpha=1.702, activation_beta=1.0)


def four_bits():
    for kind, const in itertools.product((0, 1), ((1, 2), ())):
        yield ms('MatMulBnb4', real(1, 2, 3, 32), byte(2, 96)*4, np.abs(real(3, 12)) + 0.1, const=const, K=32, N=6, block_size=16, quant_type=kind)


def standard():
    """Operators that the standard has too, under the same name or another one."""
    x = real(1, 3, 4, 5)
    for axis in (0, 2, -1, -4):
        yield ms('ExpandDims', x, np.array(axis, np.int32), const=(1,))
    for upper, k in itertools.product((0, 1), (None, -1, 0, 2)):
        yield ms('Trilu', x, *(() if k is None else (np.array(k),)), upper=upper)
    yield ms('GatherND', x, np.array([[0, 1], [2, 3]]))
    yield ms('GatherND', x, np.array([[[2]], [[0]]]))
    for mode in ('constant', 'reflect', 'edge'):
        yield ms('Pad', x, np.array([1, 0, 2, 0, 3, 1]), *((np.float32(0.5),) if mode == 'constant' else ()), mode=mode, const=(1, 2) if mode == 'constant' else (1,))
    yield ms('Range', np.float32(1), np.float32(4), np.float32(0.5), const=(0, 1, 2))
    yield ms('Range', np.array(7), np.array(-3), np.array(-2), const=(0, 1, 2))
    yield ms('Range', np.array(2, np.int32), np.array(9, np.int32), const=(0, 1))
    yield ms('Unique', np.array([3, 1, 3, 2, 1, 3, 0.5], np.float32), outputs=3)
    grid = np.random.default_rng(4).uniform(-1.2, 1.2, (2, 4, 3, 2)).astype(np.float32)
    for mode, padding, corners in itertools.product(('bilinear', 'nearest', 'bicubic'), ('zeros', 'border', 'reflection'), (0, 1)):
        yield ms('GridSample', real(3, 2, 3, 5, 6), grid, mode=mode, padding_mode=padding, align_corners=corners)
    for dim, size, step in ((-1, 3, 1), (0, 2, 2), (1, 2, 1), (1, 4, 3)):
        yield ms('UnfoldTensor', real(1, 3, 5, 6), dim=dim, size=size, step=step)
    for metric in ('euclidean', 'sqeuclidean'):
        yield ms('CDist', real(1, 7, 5), real(2, 4, 5), metric=metric)
        yield ms('CDist', real(1, 40, 33), real(2, 20, 33), metric=metric)
    for a, b in itertools.product((0, 1), (0, 1)):
        yield ms('TransposeMatMul', real(1, 2, *((4, 3) if a else (3, 4))), real(2, 2, *((5, 4) if b else (4, 5))), transA=a, transB=b, alpha=0.5)


def own():
    """Operators that the standard lacks."""
    x, boxes = real(1, 2, 3, 6, 7), np.array([[0, 0, 1, 1], [0.2, 0.9, 0.7, 0.1], [-0.3, 0.1, 1.2, 0.6], [0.5, 0.5, 0.5, 0.5]], np.float32)
    for mode, size in itertools.product(('bilinear', 'nearest'), ((4, 5), (1, 3), (1, 1), (9, 2))):
        for const in ((3,), ()):
            yield ms('CropAndResize', x, boxes, np.array([0, 1, 1, 0], np.int32), np.array(size, np.int32), mode=mode, extrapolation_value=0.75, const=const)
    for const in ((2,), ()):
        yield ms('ConvTransposeWithDynamicPads', x, real(2, 3, 4, 3, 3), np.array([1, 0, 0, 2]), real(3, 4), strides=[2, 1], kernel_shape=[3, 3], const=const)
        yield ms('ConvTransposeWithDynamicPads', x, real(2, 3, 4, 2, 3), np.array([0, 1, 1, 1]), dilations=[1, 2], output_padding=[0, 0], const=const)
    words = np.random.default_rng(7).integers(0, 3, (3, 9))
    for size, ids in itertools.product((1, 2, 3, 4, 12), (words, words[:, :1])):
        yield ms('NGramRepeatBlock', ids, real(4, 3, 5), ngram_size=size)
    numbers = np.array([[0, 1, -7], [2**31 - 1, 12345, -2**31]])
    for dtype, positive, seed in itertools.product((np.int32, np.uint32, np.int64, np.uint64, np.float32, np.float64), (0, 1), (0, 1234567)):
        yield ms('MurmurHash3', numbers.astype(dtype) * (2**20 if np.dtype(dtype).itemsize == 8 else 1), positive=positive, seed=seed)
    yield ms('MurmurHash3', np.array(3, np.int32))


def cases():
    for group in (quantised, ties, products, rows, attention, experts, four_bits, standard, own):
        yield from group()

