"""A transformer block: causal attention, norms, an embedding used twice; Adam with amsgrad and weight decay, one cycle."""
import numpy as np

REFERENCE = 'attention/run'
FLIP = ()


def data(root):
    rng = np.random.default_rng(4)
    x = (np.cumsum(rng.integers(1, 3, (64, 13)), 1) % 11).astype(np.int64)
    return {'x': x}
