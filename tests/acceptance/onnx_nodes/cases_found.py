"""Cases that were wrong once for a reason that other cases may share; they belong to every sample."""
import numpy as np
from onnx import TensorProto, helper

from node_case import case

ALWAYS = True


def data(seed, *shape):
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def cases():
    for largest in (0, 1):                          # two calls of one C template in a program
        yield case('TopK', data(4, 4, 5), np.array([3]), outputs=2, axis=1, largest=largest, const=(1,))
    yield case('Conv', data(1, 2, 4, 8, 9), data(2, 3, 4, 1, 1), pads=[0, 1, 2, 3])     # padding at an end, a window of one element
    yield case('MatMul', data(1, 3, 0), data(2, 0, 2))
    yield case('Clip', np.array([1, 2, 3]), None, np.array(2), opset=13, const=(2,))    # an integer without a lower bound
    yield case('ReduceSum', np.zeros((2, 0, 4), np.float32), np.array([1]), const=(1,))
    yield case('Range', np.array(5), np.array(2), np.array(1))
    for x in (np.zeros((3, 0), np.int64), np.zeros(0, np.float32)):                     # no elements to choose from, to repeat, to pad
        yield case('TopK', x, np.array([0]), outputs=2, opset=20, const=(1,))
    yield case('Tile', np.zeros((0, 7), np.int16), np.array([1, 3]), const=(1,))
    yield case('Pad', np.zeros((0, 2), np.float32), np.array([1, 2, 2, 0]), np.array(0.5, np.float32), const=(1,))
    yield case('ConstantOfShape', np.array([2, 3]), const=(0,), value=helper.make_tensor('value', TensorProto.BOOL, [1], [True]))
    yield case('EyeLike', np.zeros((2, 3), bool), k=1)
    yield case('EyeLike', np.zeros((2, 3), np.float32), dtype=TensorProto.BOOL)
    yield case('LayerNormalization', data(6, 2, 3, 4).astype(np.float64), data(7, 4).astype(np.float64), outputs=3, opset=17, judge='onnxruntime')
    yield case('Resize', data(8, 5, 3), None, None, np.array([1, 3]), mode='linear', coordinate_transformation_mode='pytorch_half_pixel', opset=13, const=(3,))
    yield case('Resize', data(9, 2, 3, 7), np.array([1, 2, 0.6], np.float32), mode='nearest', opset=10, const=(1,), judge='onnxruntime')
    for scale, coordinates, rounding in ((2.3, 'half_pixel', 'round_prefer_floor'), (2.3, 'pytorch_half_pixel', 'round_prefer_floor'), (1.6, 'asymmetric', 'round_prefer_ceil'),
                                         (0.6, 'asymmetric', 'floor'), (0.7, 'half_pixel', 'ceil')):           # places between two elements, but for the bits of the scale
        yield case('Resize', data(9, 7), None, np.array([scale], np.float32), mode='nearest', coordinate_transformation_mode=coordinates, nearest_mode=rounding, opset=19,
                   const=(2,), judge='onnxruntime')
    for mode in ('linear', 'cubic'):                # one element, from a scale that leaves a little more
        yield case('Resize', data(9, 1, 1, 5, 5), None, np.array([1, 1, 0.21, 0.21], np.float32), mode=mode, coordinate_transformation_mode='pytorch_half_pixel', opset=19, const=(2,), judge='onnxruntime')
    yield case('Erf', np.array([-7, 0, 1, 2]), opset=13)                                 # of integers, in which most is lost
    dividends = np.array([0, -0.0, 0, -0.0, -3, 3, -1, np.inf, 1, np.nan, 1, 1e8, -1e-9, 6.6], np.float32)
    divisors = np.array([-2, 2, 2, -2, np.inf, np.inf, -np.inf, 2, 0, 2, np.nan, 3, 3, 1.1], np.float32)
    yield case('Mod', dividends, divisors, opset=13)                                    # infinite divisors, quotients that are rounded to integers
