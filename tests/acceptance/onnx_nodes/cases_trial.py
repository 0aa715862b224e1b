"""Cases of operators that ONNX had on trial before opset 10; ONNX Runtime is the judge, the checker does not know them."""
import functools

import numpy as np

from node_case import case

old = functools.partial(case, opset=7, judge='onnxruntime')


def cases():
    x = np.random.default_rng(1).normal(size=(2, 3, 6, 5)).astype(np.float32)
    yield old('Affine', x, alpha=0.5, beta=-2.0)
    yield old('ScaledTanh', x, alpha=1.5, beta=0.7)
    yield old('ParametricSoftplus', x, alpha=1.5, beta=0.7)
    yield old('ImageScaler', x, scale=0.5, bias=[1.0, -2.0, 0.25])
    yield old('Crop', x, border=[1, 2, 2, 1])
    yield old('Crop', x, border=[1, 2, 0, 0], scale=[3, 4])
