"""Strided, padded, dilated, grouped convolutions, pooling; SGD with Nesterov momentum, weight decay, clipping, stairs."""
import numpy as np

REFERENCE = 'convolutions/run'
FLIP = ()


def data(root):
    rng = np.random.default_rng(1)
    x = rng.normal(size=(64, 2, 11, 9)).astype(np.float32)
    t = (x[:, 0, 2:6, 2:6].sum((1, 2)) > x[:, 1, 4:8, 3:7].sum((1, 2))).astype(np.int64) + (x[:, 0].mean((1, 2)) > 0)
    return {'x': x, 't': t}
