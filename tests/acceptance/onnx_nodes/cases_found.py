"""Cases that were wrong once for a reason that other cases may share; they belong to every sample."""
import numpy as np

from node_case import case

ALWAYS = True


def data(seed, *shape):
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def cases():
    for largest in (0, 1):                          # two calls of one C template in a program
        yield case('TopK', data(4, 4, 5), np.array([3]), outputs=2, axis=1, largest=largest, const=(1,))
    yield case('Conv', data(1, 2, 4, 8, 9), data(2, 3, 4, 1, 1), pads=[0, 1, 2, 3])     # padding at an end, a window of one element
    yield case('MatMul', data(1, 3, 0), data(2, 0, 2))
    yield case('Clip', np.array([1, 2, 3]), None, np.array(2), opset=13, const=(2,))    # a whole number without a lower bound
    yield case('ReduceSum', np.zeros((2, 0, 4), np.float32), np.array([1]), const=(1,))
    yield case('Range', np.array(5), np.array(2), np.array(1))
