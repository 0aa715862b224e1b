"""A random ONNX graph that grows node by node: every value is known as soon as its node is drawn, so that the next one fits."""
import random
from dataclasses import dataclass

import ml_dtypes
import numpy as np
import onnx
from onnx import helper, numpy_helper

from judges import NoAnswer, answers, cancelled, difference, element_type, errors_of, is_float, opsets

FLOATS = [np.dtype(t) for t in (np.float32, np.float64, np.float16)]
WHOLE = [np.dtype(t) for t in (np.int64, np.int32, np.int8, np.uint8, np.int16, np.uint16, np.uint32, np.uint64)]
BOOL = np.dtype(np.bool_)
ALL = FLOATS + WHOLE + [BOOL, np.dtype(ml_dtypes.bfloat16)]
BY_SCHEMA = {'tensor(float)': np.float32, 'tensor(double)': np.float64, 'tensor(float16)': np.float16, 'tensor(bfloat16)': ml_dtypes.bfloat16, 'tensor(bool)': np.bool_,
             **{f'tensor({u}int{n})': f'{u}int{n}' for u in ('', 'u') for n in (8, 16, 32, 64)}}


def finite(array):
    return not is_float(array) or bool(np.isfinite(array.astype(np.float64)).all())


@dataclass
class Value:
    name: str
    array: np.ndarray
    source: str                 # 'input', 'constant' or 'node'
    error: np.ndarray = None    # by how much its elements may be wrong
    others: tuple = ()          # what another judge says


class DrawnGraph:
    def __init__(self, seed):
        self.draw = random.Random(seed)
        self.numbers = np.random.default_rng(seed)
        self.opset = self.draw.choice([7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 13, 17, 18])
        self.nodes, self.values, self.doubts = [], {}, []
        self.open = self.draw.random() < 0.25              # whether inputs have symbolic extents
        self.closed = set()                                # inputs whose extents are known in every model, such as weights
        self.later = False                                 # whether an input decides an extent, so that the model has to state it
        self.leaves_constant = self.draw.choice([0, 0.2, 0.5])

    # ---- choices
    def chance(self, p):
        return self.draw.random() < p

    def shape(self, low=0, high=5):
        """Extents, few elements; sometimes one of them is 0."""
        rank = self.draw.randint(low, high) if self.chance(0.5) else self.draw.randint(low, min(high, max(low, 3)))
        extents = [self.draw.choice([1, 2, 3, 4, 5, 7, 8, 9, 17] if rank < 4 else [1, 2, 3, 4]) for _ in range(rank)]
        if rank and self.chance(0.04):
            extents[self.draw.randrange(rank)] = 0
        return tuple(extents)

    def dtypes(self, op, variable='T', domain=''):
        """Element types that the operator's schema allows for a type variable."""
        schema = onnx.defs.get_schema(op, self.opset, domain)
        for constraint in schema.type_constraints:
            if constraint.type_param_str == variable:
                return [np.dtype(BY_SCHEMA[t]) for t in constraint.allowed_type_strs if t in BY_SCHEMA]
        raise NoAnswer(f'{op} has no {variable}')

    def dtype(self, op, variable='T', among=ALL):
        found = [t for t in self.dtypes(op, variable) if t in among]
        common = [t for t in found if t in (np.float32, np.int64)]
        return self.draw.choice(common if common and self.chance(0.4) else found)

    # ---- values
    def name(self):
        return f'v{len(self.values)}'

    def add(self, value):
        self.values[value.name] = value
        return value

    def data(self, dtype, shape, low=None, high=None):
        dtype = np.dtype(dtype)
        if dtype == BOOL:
            return self.numbers.random(shape) < 0.5
        if dtype.kind in 'iu':
            return self.numbers.integers(max(-9, np.iinfo(dtype).min) if low is None else low, 10 if high is None else high + 1, shape).astype(dtype)
        if low is not None:
            return self.numbers.uniform(low, high, shape).astype(dtype)
        x = self.numbers.normal(size=shape)*self.draw.choice([0.5, 1, 3])
        x = np.round(x) if self.chance(0.15) else x
        return x.astype(dtype)

    def special(self, array):
        """Now and then one element that is not finite."""
        array = np.array(array)
        if self.chance(0.06) and array.size and is_float(array):
            array[np.unravel_index(self.numbers.integers(array.size), array.shape)] = self.draw.choice([np.nan, np.inf, -np.inf, -0.0])
        return array

    def new(self, dtype, shape, low=None, high=None):
        return self.leaf(self.data(dtype, shape, low, high), self.chance(self.leaves_constant))

    def leaf(self, array, constant):
        return self.add(Value(self.name(), np.asarray(array), 'constant' if constant else 'input'))

    def weight(self, dtype, shape):
        v = self.new(dtype, shape)
        self.closed.add(v.name)
        return v

    def kept(self, test):
        """A value there is already, or None."""
        found = [v for v in self.values.values() if v.source != 'constant' and not v.others and v.array.ndim <= 6 and test(v.array)]
        return self.draw.choice(found[-6:]) if found and self.chance(0.6) else None

    def tensor(self, dtype, shape, low=None, high=None):
        """A value of this type and shape, an old one or a new one."""
        return low is None and self.kept(lambda a: a.dtype == dtype and a.shape == tuple(shape) and finite(a)) or self.new(dtype, tuple(shape), low, high)

    def any(self, op, low=0, high=5, variable='T', among=ALL, special=False):
        """A value of any type that the operator takes; `special`: infinite elements and those that are no number too."""
        allowed = [t for t in self.dtypes(op, variable) if t in among]
        old = self.kept(lambda a: a.dtype in allowed and low <= a.ndim <= high and (special or finite(a)))
        if old or not special:
            return old or self.new(self.dtype(op, variable, among), self.shape(low, high))
        return self.leaf(self.special(self.data(self.dtype(op, variable, among), self.shape(low, high))), self.chance(self.leaves_constant))

    def broadcasting(self, v, one_way=False):
        """A value that broadcasts against v."""
        shape = list(v.array.shape)
        if not one_way and self.chance(0.15):
            shape = [self.draw.choice([1, 2, 3])]*self.chance(0.5) + [self.draw.choice([2, 3]) if d == 1 else d for d in shape]
        shape = [1 if self.chance(0.25) else d for d in shape][self.draw.choice([0, 0, 0, self.draw.randint(0, len(shape))]):]
        return self.tensor(v.array.dtype, shape)

    def parameter(self, numbers, dtype=np.int64):
        """A small tensor that decides a shape: a constant, a Constant node, pieces of shapes put together, rarely an input."""
        array = np.array(numbers, dtype)
        if array.ndim == 1 and array.size and dtype == np.int64 and self.opset >= 13 and self.chance(0.25):
            return self.joined(array)
        if self.chance(0.15):
            return self.node('Constant', [], value=numpy_helper.from_array(array))[0]
        later = self.chance(0.08)
        self.later = self.later or later
        return self.leaf(array, not later)

    def joined(self, array):
        """The numbers one by one, from shapes where some value has such an extent, as exporters write them."""
        pieces = []
        for number in array.tolist():
            found = [(v, k) for v in self.values.values() for k, d in enumerate(v.array.shape) if d == number and v.source != 'constant']
            if not found:
                pieces.append(self.leaf(np.array([number], np.int64), True))
                continue
            v, k = self.draw.choice(found)
            shape = self.node('Shape', [v])[0]
            if self.chance(0.5):
                one = self.node('Gather', [shape, self.leaf(np.array(k, np.int64), True)], axis=0)[0]
                pieces.append(self.node('Unsqueeze', [one, self.leaf(np.array([0], np.int64), True)])[0])
            else:
                pieces.append(self.node('Slice', [shape, self.leaf(np.array([k], np.int64), True), self.leaf(np.array([k + 1], np.int64), True)])[0])
        return self.node('Concat', pieces, axis=0)[0]

    # ---- nodes
    def node(self, op, inputs, outputs=1, domain='', **attrs):
        """Appends a node and its values; NoAnswer where no judge takes it. `outputs`: how many, or which as a list of truths."""
        if any(v and v.others for v in inputs):
            raise NoAnswer('an input about which the judges disagree')
        wanted = [True]*outputs if isinstance(outputs, int) else outputs
        names = [f'v{len(self.values) + k}' if w else '' for k, w in enumerate(wanted)]
        while inputs and inputs[-1] is None:
            inputs = inputs[:-1]
        node = helper.make_node(op, [v.name if v else '' for v in inputs], names, domain=domain, **attrs)
        arrays = {v.name: v.array for v in inputs if v}
        constant = {v.name for v in inputs if v and v.source == 'constant'}
        errors = {v.name: v.error for v in inputs if v}
        found = answers(node, self.opset, arrays, constant)
        judge, first = found[0]
        bound = cancelled(node, arrays, errors_of(judge, first, arrays, errors, constant, self.numbers))
        made = []
        for k, name in enumerate(n for n in names if n):
            others = tuple(second[k] for _, second in found[1:])
            value = Value(name, first[k], 'node', bound[k], tuple(o for o in others if difference(o, first[k], bound[k])))
            if value.others:
                self.doubts.append(name)
            made.append(value)
        self.nodes.append(node)
        for k, name in enumerate(names):
            if not name:
                self.values[f'v{len(self.values)}'] = Value('', np.zeros(0), 'constant')
            else:
                self.add(made.pop(0))
        return [self.values[n] for n in names if n]

    def grow(self, maker):
        """One more operator; whether it came to be. What it had drawn so far goes if not."""
        nodes, values, doubts = list(self.nodes), dict(self.values), list(self.doubts)
        try:
            maker(self)
            return True
        except Exception as problem:
            self.nodes, self.values, self.doubts, self.problem = nodes, values, doubts, problem
            return False

    # ---- the model
    def outputs(self):
        """Values that nobody reads, and some that are read."""
        read = {name for node in self.nodes for name in node.input}
        pick = random.Random(len(self.values))
        return [self.values[name] for node in self.nodes for name in node.output if name and (name not in read or pick.random() < 0.3 or name in self.doubts)]

    def typed(self, v, stated=True):
        shape = [f'S{d}' if self.is_open(v, k) else d for k, d in enumerate(v.array.shape)]
        return helper.make_tensor_value_info(v.name, element_type(v.array.dtype), shape if stated else None)

    def is_open(self, v, k):
        return self.open and not self.later and v.source == 'input' and v.name not in self.closed and k == 0 and v.array.shape[0] > 1

    def model(self, stated):
        stated = stated or self.later
        read = {name for node in self.nodes for name in node.input}
        leaves = [v for v in self.values.values() if v.name and v.name in read and v.source != 'node']
        ins = [self.typed(v) for v in leaves if v.source == 'input']
        graph = helper.make_graph(self.nodes, 'drawn', ins, [self.typed(v, stated) for v in self.outputs()], [numpy_helper.from_array(v.array, v.name) for v in leaves if v.source == 'constant'])
        if stated and not self.sizes():
            graph.value_info.extend(self.typed(v) for v in self.values.values() if v.source == 'node' and v.name)
        domains = {node.domain: node for node in self.nodes}
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid('', self.opset)] + [helper.make_opsetid(d, 1) for d in domains if d])
        model.ir_version = 10
        return model

    def feeds(self):
        read = {name for node in self.nodes for name in node.input}
        return [v for v in self.values.values() if v.name and v.name in read and v.source == 'input']

    def sizes(self):
        return sorted({v.array.shape[0] for v in self.feeds() if v.array.ndim and self.is_open(v, 0)})
