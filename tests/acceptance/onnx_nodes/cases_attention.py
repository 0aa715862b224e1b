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


def cases():
    yield from linear()
