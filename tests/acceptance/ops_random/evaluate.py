"""Values of random definitions, by NumPy alone: every index variable is an axis, every expression an array over the axes it needs.
Reals are f64 next to a bound of the error that the element type's arithmetic may make; integers have their own type and wrap."""
import math

import numpy as np
from scipy.special import erf

UNIT = {'f16': 2.0**-24, 'bf16': 2.0**-24, 'f32': 2.0**-24, 'f64': 2.0**-53}      # half a unit of what is computed with
STORED = {'f16': 2.0**-11, 'bf16': 2.0**-8, 'f32': 0.0, 'f64': 0.0}               # of what a value may be stored as in between
LARGEST = {'f16': 6e4, 'bf16': 1e30, 'f32': 1e30, 'f64': 1e250}
WIDTH = {'i8': 8, 'i16': 16, 'i32': 32, 'i64': 64, 'u8': 8, 'u16': 16, 'u32': 32, 'u64': 64}
NUMPY = {**{k: np.dtype({'i': 'int', 'u': 'uint'}[k[0]] + k[1:]) for k in WIDTH}, 'bool': np.dtype(bool)}


class Undecided(Exception):
    """What the rounding of the arithmetic decides: nothing can be asked of such a case."""


class Value:
    """kind: 'f', 'i', 'b', or 'w' for integers that take the type of what is next to them."""

    def __init__(self, kind, v, err=0.0):
        self.kind, self.v, self.err = kind, v, err


def settled(v, err, largest):
    """A real with its error; none where it is not finite."""
    if np.any(np.isfinite(v) & (np.abs(np.where(np.isfinite(v), v, 0)) > largest)):
        raise Undecided('too large')
    return Value('f', v, np.where(np.isfinite(v), err, 0.0))


def round_half_even(x):
    return np.rint(x)


UNARY = {'exp': np.exp, 'tanh': np.tanh, 'erf': erf, 'sin': np.sin, 'cos': np.cos, 'atan': np.arctan, 'sqrt': lambda x: np.sqrt(np.maximum(x, 0)),
         'rsqrt': lambda x: 1/np.sqrt(x), 'log1p': np.log1p, 'sq': np.square, 'abs': np.abs, 'neg': np.negative, 'expm1': np.expm1, 'log2': np.log2,
         'asinh': np.arcsinh, 'sinh': np.sinh, 'cbrt': np.cbrt, 'exp2': np.exp2}
STEPS = {'floor': np.floor, 'ceil': np.ceil, 'round': round_half_even, 'trunc': np.trunc, 'sign': np.sign}
EXACT_ONES = ('abs', 'neg')
COMPARE = {'<': np.less, '<=': np.less_equal, '>': np.greater, '>=': np.greater_equal, '==': np.equal, '!=': np.not_equal}
BITS = {'bit_and': np.bitwise_and, 'bit_or': np.bitwise_or, 'bit_xor': np.bitwise_xor}


class Evaluator:
    def __init__(self, key, sizes, attrs, tensors, packs, broadcast):
        self.broadcast = broadcast                                # dims of tensors that may have 1 where others have more, where they say so with ~
        self.key, self.sizes, self.attrs, self.tensors, self.packs = key, sizes, attrs, tensors, packs
        self.real = key in UNIT
        self.unit = UNIT.get(key, 0.0)

    # ---- statements
    def statement(self, s, ranges):
        """Runs one: {name, subs, how, expr, type}; ranges: extents of the variables, packs taken apart."""
        self.axes = {v: k for k, v in enumerate(ranges)}
        self.ranges = ranges
        widths = [self.type_of(n) for n in s.reads] + [self.key if s.type == 'T' else s.type]
        whole = [t for t in widths if t in WIDTH]
        self.whole = NUMPY[max(whole, key=WIDTH.get)] if whole else NUMPY['i64']
        value = self.ev(s.expr)
        if s.how == '=':
            self.define(s, value)
        else:
            self.scatter(s, value)

    def type_of(self, name):
        return self.tensors[name][0]

    def stored(self, s, value):
        """The value as the type of the left side."""
        kind = self.key if s.type == 'T' else s.type
        if kind in WIDTH:
            if value.kind == 'f':
                return self.truncated(value, NUMPY[kind])
            return Value('i', np.asarray(value.v).astype(NUMPY[kind]))
        if kind == 'bool':
            return value
        value = self.as_real(value)
        with np.errstate(invalid='ignore'):
            return settled(value.v, value.err + STORED[kind]*np.abs(value.v), LARGEST[kind])

    def truncated(self, a, dtype):
        info = np.iinfo(dtype)
        lo, hi = np.trunc(np.nan_to_num(a.v - a.err)), np.trunc(np.nan_to_num(a.v + a.err))
        lo, hi = np.clip(lo, info.min, info.max), np.clip(hi, info.min, info.max)
        if np.any(lo != hi) or info.bits > 32 and np.any(np.abs(lo) > 2.0**52):
            raise Undecided('truncated within the error')
        return Value('i', lo.astype(dtype))

    def spread(self, a, names):
        """The array with one axis a variable of `names`, in their order."""
        a = np.asarray(a)
        a = a.reshape((1,)*(len(self.axes) - a.ndim) + a.shape)
        full = [self.ranges[v] if v in names else 1 for v in self.axes]
        a = np.broadcast_to(a, full)
        order = [self.axes[v] for v in names]
        rest = [k for k in range(a.ndim) if k not in order]
        return a.transpose(order + rest).reshape([self.ranges[v] for v in names])

    def define(self, s, value):
        value = self.stored(s, value)
        subs = self.flat(s.subs)
        names = [v for sub in subs for v in ([sub[1]] if sub[0] == 'var' else [part[1] for part in sub[1:3]])]
        shape = [math.prod(self.ranges[v[1]] for v in ([sub] if sub[0] == 'var' else sub[1:3])) for sub in subs]
        v, err = (self.spread(a, names).reshape(shape) for a in (value.v, value.err))
        self.tensors[s.name] = (self.key if s.type == 'T' else s.type, Value(value.kind, v, err))

    def scatter(self, s, value):
        subs = self.flat(s.subs)
        names = [v for v in self.axes if v in s.free]
        value = self.stored(s, value)
        v, err = self.spread(value.v, names), self.spread(value.err, names)
        at = [self.spread(self.ev(sub).v, names) for sub in subs]
        kind, old = self.tensors[s.name]
        to, bound = np.array(old.v), np.array(np.broadcast_to(old.err, old.v.shape))
        for i in np.ndindex(v.shape):
            here = tuple(int(a[i]) for a in at)
            a, b = Value(old.kind, to[here], bound[here]), Value(value.kind, v[i], err[i])
            if s.how == 'last=':
                to[here], bound[here] = b.v, b.err
                continue
            got = self.pair({'+=': '+', '*=': '*', 'max=': 'max', 'min=': 'min'}[s.how], a, b, narrow=to.dtype)
            if old.kind == 'f':
                got.err += STORED[self.key]*abs(got.v)
            to[here], bound[here] = got.v, got.err
        self.tensors[s.name] = (kind, Value(old.kind, to, bound))

    def flat(self, subs):
        out = []
        for sub in subs:
            out += [('var', f'{sub[1]}.{k}') for k in range(self.packs[sub[1].upper()])] if sub[0] == 'pack' else [sub]
        return out

    # ---- expressions
    def ev(self, e):
        return getattr(self, 'ev_' + e[0])(*e[1:])

    def ev_lit(self, text):
        return Value('f', np.float64(text)) if '.' in text else Value('w', np.int64(int(text)))

    def ev_var(self, name):
        shape = [1]*len(self.axes)
        shape[self.axes[name]] = self.ranges[name]
        return Value('w', np.arange(self.ranges[name]).reshape(shape))

    def ev_size(self, name):
        return Value('w', np.int64(self.sizes[name]))

    def ev_attr(self, name, at=None):
        v = self.attrs[name] if at is None else self.attrs[name][at]
        return Value('f', np.float64(v)) if isinstance(v, float) else Value('w', np.int64(v))

    def ev_flag(self, name):
        return Value('b', np.bool_(self.attrs[name]))

    def ev_choice(self, name, word):
        return Value('b', np.bool_(self.attrs[name] == word))

    def stretches(self, name, rank):
        """Which of a tensor's axes may be 1 where others have more; a pack takes those that the other dims leave."""
        dims = self.broadcast[name]
        return [d[0] == '~' for d in dims for _ in range(rank - len(dims) + 1 if '*' in d else 1)]

    def ev_read(self, name, subs, guard=None, default=None):
        """guard: None, 'padded' or 'opt'."""
        if guard == 'opt' and self.tensors[name][1] is None:
            return self.ev(default)
        value = self.tensors[name][1]
        at = [self.ev(sub).v for sub in self.flat(subs)]
        if name in self.broadcast:
            at = [a*0 if n == 1 and may else a for a, n, may in zip(at[len(at) - value.v.ndim:], value.v.shape, self.stretches(name, value.v.ndim))]
        inside = np.bool_(True)
        for k, a in enumerate(at):
            inside = inside & (a >= 0) & (a < value.v.shape[k])
        if guard != 'padded' and not np.all(inside):
            raise AssertionError(f'{name} is read outside')
        empty = any(n == 0 for n in value.v.shape)
        at = tuple(np.clip(a, 0, max(n - 1, 0)) for a, n in zip(at, value.v.shape))
        err = np.broadcast_to(value.err, value.v.shape)
        shape = np.broadcast_shapes(*(np.shape(a) for a in at)) if at else ()
        v, err = (np.zeros(shape, value.v.dtype), np.zeros(shape)) if empty else (value.v[at], err[at])
        got = Value(value.kind, v, err)
        return got if guard != 'padded' else self.chosen(inside, got, self.ev(default))

    def as_real(self, a):
        return a if a.kind == 'f' else Value('f', np.asarray(a.v, np.float64), 0.0)

    def together(self, a, b):
        """Both of one kind."""
        if 'f' in (a.kind, b.kind):
            return self.as_real(a), self.as_real(b)
        if a.kind == b.kind and a.kind in 'wb':
            return a, b
        return tuple(Value('i', np.asarray(x.v).astype(self.whole)) for x in (a, b))

    def ev_bin(self, op, a, b):
        return self.pair(op, self.ev(a), self.ev(b))

    def pair(self, op, a, b, narrow=None):
        a, b = self.together(a, b)
        if a.kind == 'b':
            a, b = (Value('i', x.v.astype(self.whole)) for x in (a, b))
        if narrow is not None and a.kind == 'i':
            a, b = (Value('i', np.asarray(x.v).astype(narrow)) for x in (a, b))
        with np.errstate(all='ignore'):
            return self.real_pair(op, a, b) if a.kind == 'f' else self.whole_pair(op, a, b)

    def real_pair(self, op, a, b):
        x, y, ex, ey = a.v, b.v, a.err, b.err
        if op in ('max', 'min'):
            r = np.maximum(x, y) if op == 'max' else np.minimum(x, y)
            return settled(r, np.maximum(ex, ey), LARGEST[self.key])
        if op in '+-':
            r, err = (x + y if op == '+' else x - y), ex + ey
        elif op == '*':
            r, err = x*y, np.abs(x)*ey + np.abs(y)*ex + ex*ey
        else:
            r, err = x/y, (ex + np.abs(x/y)*ey)/np.maximum(np.abs(y) - ey, 1e-300)
        err = np.where((err == 0) & self.exact(r) & (op != '/'), 0.0, err + 2*self.unit*np.abs(r))
        return settled(r, err, LARGEST[self.key])

    def exact(self, r):
        """Whether a number of few digits."""
        return (np.abs(r) < 2**11) & (r*1024 == np.rint(r*1024))

    def whole_pair(self, op, a, b):
        x, y = np.atleast_1d(a.v), np.atleast_1d(b.v)
        if op in ('//', '%') and np.any(y == 0):
            raise Undecided('division by zero')
        f = {'+': np.add, '-': np.subtract, '*': np.multiply, '//': np.floor_divide, '%': np.remainder, 'max': np.maximum, 'min': np.minimum, **BITS}[op]
        r = f(x, y)
        return Value(a.kind, r if np.ndim(a.v) or np.ndim(b.v) else r[0])

    def ev_fn(self, name, a):
        a = self.ev(a)
        if a.kind in 'iw' and (name in EXACT_ONES or name in ('sq', 'sign')):
            x = np.atleast_1d(a.v)
            with np.errstate(all='ignore'):
                r = {'abs': np.abs, 'neg': np.negative, 'sq': np.square, 'sign': np.sign}[name](x)
            return Value(a.kind, r.astype(x.dtype) if np.ndim(a.v) else r.astype(x.dtype)[0])
        if a.kind == 'i' and name == 'bit_not':
            return Value('i', np.invert(a.v))
        a = self.as_real(a)
        with np.errstate(all='ignore'):
            return self.stepped(STEPS[name], a) if name in STEPS else self.smooth(name, a)

    def stepped(self, f, a):
        if np.any(f(a.v - a.err) != f(a.v + a.err)) or np.any((a.err > 0) & (f(a.v) != f(a.v + a.err))):
            raise Undecided('a step within the error')
        return Value('f', f(a.v), np.zeros(np.shape(a.v)))

    def smooth(self, name, a):
        f = UNARY[name]
        r = f(a.v)
        err = np.maximum(np.abs(f(a.v + a.err) - r), np.abs(f(a.v - a.err) - r))*1.1 + (a.err if name in ('sin', 'cos') else 0)
        if name not in EXACT_ONES:
            err = np.where((a.err == 0) & (name == 'sq') & self.exact(r), 0, err + 8*self.unit*np.abs(r) + (8*self.unit if name in ('sin', 'cos') else 0))
        return settled(r, err, LARGEST[self.key])

    def ev_cmp(self, op, a, b):
        a, b = self.together(self.ev(a), self.ev(b))
        if a.kind == 'f' and np.any(np.isfinite(a.v) & np.isfinite(b.v) & (np.abs(a.v - b.v) <= a.err + b.err) & (a.err + b.err > 0)):
            raise Undecided('a comparison within the error')
        return Value('b', COMPARE[op](a.v, b.v))

    def ev_and(self, a, b):
        return Value('b', np.logical_and(self.ev(a).v, self.ev(b).v))

    def ev_or(self, a, b):
        return Value('b', np.logical_or(self.ev(a).v, self.ev(b).v))

    def ev_not(self, a):
        return Value('b', np.logical_not(self.ev(a).v))

    def chosen(self, c, a, b):
        a, b = self.together(a, b)
        return Value(a.kind, np.where(c, a.v, b.v), np.where(c, a.err, b.err))

    def ev_select(self, c, a, b):
        return self.chosen(self.ev(c).v, self.ev(a), self.ev(b))

    def ev_count(self, a):
        """A condition as a number."""
        return Value('i', self.ev(a).v.astype(NUMPY['i64']))

    def ev_cast(self, a):
        """As the element type of the definition."""
        a = self.ev(a)
        if self.real:
            return settled(np.asarray(a.v, np.float64), a.err + max(self.unit, STORED[self.key])*np.abs(np.asarray(a.v, np.float64)), LARGEST[self.key])
        return self.truncated(a, NUMPY[self.key]) if a.kind == 'f' else Value('i', np.asarray(a.v).astype(NUMPY[self.key]))

    # ---- indices
    def ev_group(self, a, b, n):
        return Value('w', self.ev(a).v*int(self.ev(n).v) + self.ev(b).v)

    def ev_clamp(self, a, lo, hi):
        return Value('w', np.clip(self.ev(a).v.astype(np.int64), self.ev(lo).v, self.ev(hi).v))

    def ev_wrap(self, a, n):
        a, n = self.ev(a).v.astype(np.int64), self.ev(n).v
        return Value('w', np.where(a < 0, a + n, a))

    def ev_reflect(self, a, n):
        a, n = self.ev(a).v, int(self.ev(n).v)
        period = max(2*(n - 1), 1)
        a = a % period
        return Value('w', np.minimum(a, period - a) if n > 1 else a*0)

    def ev_mirror(self, a, n):
        a, n = self.ev(a).v, int(self.ev(n).v)
        a = a % (2*n)
        return Value('w', np.where(a < n, a, 2*n - 1 - a))

    # ---- reductions
    def ev_red(self, how, names, condition, e):
        names = [v for n in names for v in ([f'{n[1:]}.{k}' for k in range(self.packs[n[1:].upper()])] if n[0] == '*' else [n])]
        value = self.ev(e)
        inside = np.bool_(True) if condition is None else self.ev(condition).v
        shape = np.broadcast_shapes(np.shape(value.v), np.shape(inside), (1,)*len(self.axes))
        shape = [self.ranges[v] if v in names else n for v, n in zip(self.axes, shape)]
        v, inside = np.broadcast_to(value.v, shape), np.broadcast_to(inside, shape)
        err = np.broadcast_to(value.err, shape)
        axes = tuple(self.axes[n] for n in names)
        if value.kind == 'w':
            v = v.astype(self.whole)
        if how in ('argmax', 'argmin'):
            return self.arg_extreme(how, v, err, inside, axes[0], shape[axes[0]])
        if how in ('any', 'all'):
            return Value('b', np.any(v & inside, axis=axes, keepdims=True) if how == 'any' else np.all(v | ~inside, axis=axes, keepdims=True))
        count = math.prod(shape[k] for k in axes)
        return self.real_reduction(how, v, err, inside, axes, count) if value.kind == 'f' else self.whole_reduction(how, v, inside, axes)

    def arg_extreme(self, how, v, err, inside, axis, n):
        if n == 0 or not np.all(inside):
            raise Undecided('argmax of nothing')
        if np.any(err > 0):
            if n > 1:
                two = np.sort(v, axis=axis)
                a, b = (-1, -2) if how == 'argmax' else (0, 1)
                if np.any(np.abs(two.take(a, axis) - two.take(b, axis)) <= 2*np.max(err)):
                    raise Undecided('a tie within the error')
        return Value('i', np.expand_dims((np.argmax if how == 'argmax' else np.argmin)(v, axis=axis), axis))

    def real_reduction(self, how, v, err, inside, axes, count):
        keep = dict(axis=axes, keepdims=True)
        with np.errstate(all='ignore'):
            if how in ('max', 'min'):
                nothing = -np.inf if how == 'max' else np.inf
                r = (np.max if how == 'max' else np.min)(np.where(inside, v, nothing), initial=nothing, **keep)
                return settled(r, np.max(np.where(inside, err, 0), initial=0.0, **keep), LARGEST[self.key])
            nothing = 0.0 if how == 'sum' else 1.0
            v, err = np.where(inside, v, nothing), np.where(inside, err, 0.0)
            if how == 'sum':
                r, size = np.sum(v, **keep), np.sum(np.abs(v), **keep)
                exact = np.all((err == 0) & self.exact(v), **keep) & (size < 2**11)
                return settled(r, np.where(exact, 0.0, np.sum(err, **keep) + (2 + count)*self.unit*size), LARGEST[self.key])
            r, most = np.prod(v, **keep), np.prod(np.abs(v) + err, **keep)
            if np.any(np.prod(np.maximum(np.abs(v), 1), **keep) > LARGEST[self.key]):
                raise Undecided('a product that some order of its factors overflows')
            exact = np.all(err == 0, **keep) & self.exact(r) & np.all(np.isin(np.abs(v), (0, 1)), **keep)
            return settled(r, np.where(exact, 0.0, most - np.abs(r) + (2 + count)*self.unit*most), LARGEST[self.key])

    def whole_reduction(self, how, v, inside, axes):
        keep = dict(axis=axes, keepdims=True)
        kind = self.whole if v.dtype == bool or v.dtype != self.whole else v.dtype
        v = v.astype(kind)
        info = np.iinfo(kind)
        nothing = {'sum': 0, 'prod': 1, 'max': info.min, 'min': info.max}[how]
        v = np.where(inside, v, np.array(nothing, kind))
        if how in ('max', 'min'):
            return Value('i', (np.max if how == 'max' else np.min)(v, initial=nothing, **keep).astype(kind))
        return Value('i', (np.sum if how == 'sum' else np.prod)(v, dtype=kind, **keep))
