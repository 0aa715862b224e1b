"""Gated recurrence in both directions over sequences of different lengths; weighted examples, gradients of two steps together."""
import numpy as np

REFERENCE = 'gated/run'
FLIP = ()


def data(root):
    rng = np.random.default_rng(6)
    x, weight = rng.normal(size=(30, 11, 5)).astype(np.float32), rng.uniform(0.5, 2, 30).astype(np.float32)
    return {'x': x, 'len': rng.integers(1, 12, 30), 't': rng.integers(0, 4, 30), 'weight': weight}
