"""Cases of attention and its kin."""
import numpy as np

from node_case import case


def real(seed, *shape, dtype=np.float32):
    return (np.random.default_rng(seed).normal(size=shape)*0.5).astype(dtype)


def linear():
    for b, t, heads, kv, d, e in ((2, 3, 4, 2, 3, 5), (1, 1, 2, 2, 4, 4)):
        q, k, v = real(1, b, t, heads*d), real(2, b, t, kv*d), real(3, b, t, kv*e)
        for rule in ('linear', 'gated', 'delta', 'gated_delta'):
            for past in (None, real(4, b, kv, d, e)):
                for wide in (False, True):
                    decay = None if 'gated' not in rule else -np.abs(real(5, b, t, kv*d if wide else kv))
                    rate = None if 'delta' not in rule else np.abs(real(6, b, t, 1 if wide else kv))
                    yield case('LinearAttention', q, k, v, past, decay, rate, outputs=2, opset=27, update_rule=rule, q_num_heads=heads, kv_num_heads=kv,
                               **({'scale': 0.3} if wide else {}))
    half = [real(k, 1, 3, 4, dtype=np.float16) for k in range(3)]
    yield case('LinearAttention', *half, outputs=2, opset=27, update_rule='linear', q_num_heads=2, kv_num_heads=2, chunk_size=2)


def scaled():
    for heads, kv, length, keys in ((4, 4, 3, 5), (4, 2, 3, 5), (4, 1, 4, 4)):
        q, k, v = real(1, 2, heads, length, 6), real(2, 2, kv, keys, 6), real(3, 2, kv, keys, 8)
        yield case('Attention', q, k, v, opset=23)
        yield case('Attention', q, k, v, opset=23, scale=0.2, softcap=1.5)
        yield case('Attention', q, k, v, opset=23, is_causal=1)
        for mask in (real(4, length, keys), real(4, 1, 1, length, keys), real(4, 2, heads, length, keys), np.random.default_rng(4).integers(0, 2, (length, keys)).astype(bool)):
            for causal in (0, 1):
                yield case('Attention', q, k, v, mask, opset=23, is_causal=causal)
        pk, pv = real(5, 2, kv, 2, 6), real(6, 2, kv, 2, 8)
        for causal in (0, 1):
            yield case('Attention', q, k, v, None, pk, pv, outputs=3, opset=23, is_causal=causal)
            for mode in range(4):
                yield case('Attention', q, k, v, real(4, length, keys + 2), pk, pv, outputs=4, opset=23, is_causal=causal, qk_matmul_output_mode=mode, softcap=2.0,
                           judge='reference' if mode else 'onnxruntime')
        flat = [np.ascontiguousarray(np.swapaxes(x, 1, 2)).reshape(2, x.shape[2], -1) for x in (q, k, v)]
        yield case('Attention', *flat, opset=23, q_num_heads=heads, kv_num_heads=kv)
        yield case('Attention', *flat, None, pk, pv, outputs=3, opset=23, q_num_heads=heads, kv_num_heads=kv, is_causal=1)
        yield case('Attention', q, k, v, None, None, None, np.array([keys, keys - 2]), opset=24)
    half = [x.astype(np.float16) for x in (real(1, 1, 2, 3, 4), real(2, 1, 2, 3, 4), real(3, 1, 2, 3, 4))]
    yield case('Attention', *half, opset=23)
    yield case('Attention', *half, opset=23, softmax_precision=1)


def rotary():
    x = real(1, 2, 3, 4, 8)
    ids = np.random.default_rng(2).integers(0, 10, (2, 4))
    for interleaved in (0, 1):
        yield case('RotaryEmbedding', x, real(2, 10, 4), real(3, 10, 4), ids, opset=23, interleaved=interleaved)
        yield case('RotaryEmbedding', x, real(2, 2, 4, 4), real(3, 2, 4, 4), opset=23, interleaved=interleaved)
        yield case('RotaryEmbedding', x, real(2, 10, 2), real(3, 10, 2), ids, opset=23, interleaved=interleaved, rotary_embedding_dim=4)
        yield case('RotaryEmbedding', real(1, 2, 4, 24), real(2, 10, 4), real(3, 10, 4), ids, opset=23, interleaved=interleaved, num_heads=3)


def cases():
    yield from linear()
    yield from scaled()
    yield from rotary()
