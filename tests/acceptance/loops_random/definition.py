"""The text of a random definition, its values by plain Python, and the cases that it makes."""
import functools
import itertools
import re

import numpy as np

from casekit import EXACT, np_dtype
from draw import INPUTS, SIZES, Draw

TABLE = [2, -1, 3, 1, 0]
EXTENTS = [(1, 1, 1), (2, 1, 0), (3, 8, 0), (3, 4, 5), (9, 17, 6), (18, 5, 40), (33, 2, 7), (4, 35, 9)]


def fold(start, values, step):
    return functools.reduce(step, values, start)


class Definition:
    def __init__(self, seed):
        self.seed, self.d = seed, Draw(seed)

    def dims(self, names):
        lead = {'': ('', ''), 'b,': ('B0, ', ''), '*p,': ('*P0, ', ''), ',c': ('', ', C0')}[self.d.lead]
        return lead[0] + ', '.join(names) + lead[1]

    def statements(self):
        for s in self.d.statements:
            if isinstance(s[0], list):
                yield from (m[2] for m in s[2])
            else:
                yield s[3] if s[0] == 'call' else s[1] if len(s) in (7, 8) else s[2]

    def text(self):
        d = self.d
        inputs = ', '.join(f'{n}: "T[{self.dims(x)}]"' for n, x in INPUTS.items())
        outputs = ', '.join(f'{n}: "T[{self.dims([SIZES[v] for v in x])}]"' for n, x in d.outputs)
        body = '\n'.join('      ' + s for s in self.statements())
        index = ', '.join(f'{v}: {n}' for v, n in SIZES.items() if v not in 'eu' and re.search(rf'\b{v}\b', body))
        return (f'ops:\n  - op: {d.name}\n    types: {{T: [f32, f64, i32, i64, f16, bf16]}}\n    attrs: {{shift: int = 1, taps: "int[]"}}\n    tables: {{G: {{type: "T[5]", values: {TABLE}}}}}\n'
                f'    in: {{{inputs}, Ptr: "i64[P]", Col: "i64[E]", Len: "i64[N]", Ix: "i64[N]", Ok: "bool[N]", Far: "i64[N]", "O?": "T[{self.dims("N")}]"}}\n    require: [P == N + 1, N >= 1, M >= 1]\n'
                f'    out: {{{outputs}}}\n    index: {{{index}}}\n    body: |\n{body}\n')

    # ---- values
    def run(self, values, data):
        """All values of one slice, by statements in order."""
        values = {n: x.tolist() for n, x in values.items()}
        made = {}

        def rd(name, at, fill):
            shape, x = ([data[s] for s in {**self.d.known, **self.d.unread}[name]], made[name]) if name in made else (None, values[name])
            if shape is None:
                shape = [data[s] for s in INPUTS.get(name, 'N')]
            if fill is not None and not all(0 <= k < n for k, n in zip(at, shape)):
                return fill
            assert all(0 <= k < n for k, n in zip(at, shape)), (name, at, shape)
            if name in made:
                return x[at]
            for k in at:
                x = x[k]
            return x

        space = {**data, 'rd': rd, 'fold': fold, 'TABLE': TABLE}

        def loops(order):
            return itertools.product(*[range(data[SIZES[v]])[::direction] for v, direction in order])

        def function(variables, python):
            return eval(f'lambda {",".join(variables)}: {python}', space)

        for s in self.d.statements:
            if isinstance(s[0], list):
                self.run_group(s, made, loops, function)
            elif s[0] == 'call':
                self.run_call(s, made, values, data)
            elif len(s) == 8:
                name, _, scope, place, python, test, combine, _ = s
                index, value = function(scope, place), function(scope, python)
                holds, step = function(scope, test[4:] or 'True'), eval(f'lambda a, x: {combine}')
                for at in loops([(v, 1) for v in scope]):
                    if holds(*at):
                        made[name][index(*at)] = step(made[name][index(*at)], value(*at))
            elif len(s) == 5:
                name, variables, _, order, python = s
                made[name] = {}
                f = function([v for v, _ in order], python)
                for at in loops(order):
                    here = dict(zip([v for v, _ in order], at))
                    made[name][tuple(here[v] for v in variables)] = f(*at)
            elif len(s) == 7:
                name, _, scope, place, python, test, combine = s
                index, value = function(scope, place), function(scope, python)
                holds, step = function(scope, test[4:] or 'True'), eval(f'lambda a, x: {combine}')
                for at in loops([(v, 1) for v in scope]):
                    if holds(*at):
                        made[name][index(*at),] = step(made[name][index(*at),], value(*at))
            else:
                name, v, _, inner, f, python = s
                value, sign = function([v, inner], python), 1 if f == 'max_at' else -1
                made[name] = {(k,): max(sign*value(k, x) for x in range(data[SIZES[inner]]))*sign for k in range(data[SIZES[v]])}
        return made

    def run_call(self, s, made, values, data):
        _, name, dims, _, (f, source, argument, at) = s
        shape = [data[d] for d in dims]
        x = np.array([made[source][k] for k in np.ndindex(*shape)], np.int64).reshape(shape) if source in made else np.array(values[source], np.int64).reshape(shape)
        x = eval(argument, {'x': x})
        x = np.cumsum(x, at) if f == 'cumsum' else np.sort(x, at) if f == 'sort' else np.flip(x, at)
        made[name] = {k: int(x[k]) for k in np.ndindex(*shape)}

    @staticmethod
    def run_group(s, made, loops, function):
        names, order, members = s
        made.update({n: {} for n in names})
        for at in loops(order):
            here = dict(zip([v for v, _ in order], at))
            for name, variables, _, python in members:
                inner = [v for v in variables if v not in here]
                f = function([*here, *inner], python)
                for more in loops([(v, 1) for v in inner]):
                    there = {**here, **dict(zip(inner, more))}
                    made[name][tuple(there[v] for v in variables)] = f(*there.values())

    # ---- cases
    def cases(self, rng):
        for turn in range(2):
            n, m, e = EXTENTS[(self.seed + 3*turn) % len(EXTENTS)]
            key = ['f32', 'i32', 'f64', 'i64', 'f16', 'bf16'][(self.seed//2 + turn) % (5 if any(s[0] == 'call' for s in self.d.statements) else 6)]   # sums of calls in bf16 are not exact
            lead = {'': (), 'b,': (5,), '*p,': [(), (3,), (2, 17)][self.seed % 3], ',c': ((17, 3)[self.seed % 2],)}[self.d.lead]
            behind = self.d.lead == ',c'
            extents = {'N': n, 'M': m, 'E': e}
            cuts = np.sort(rng.integers(0, e + 1, n + 1))
            data = {**extents, 'PTR': cuts.tolist(), 'COL': rng.integers(-m, m, e).tolist(), 'LEN': rng.integers(-1, max(n, m) + 2, n).tolist(),
                    'IX': rng.integers(-n, n, n).tolist(), 'SHIFT': int(rng.integers(-2, 4)), 'TAPS': rng.integers(-2, 3, rng.integers(0, 4)).tolist()}
            data['OK'] = [bool(x) for x in rng.integers(0, 3, n)]
            data['FAR'] = [int(rng.integers(-min(n, m), min(n, m))) if x else int(rng.choice([-2**40, 2**33, n + m])) for x in data['OK']]
            data['U'] = len(data['TAPS'])
            given = rng.integers(0, 2) == 1
            shape = {x: tuple(extents[d] for d in dims) for x, dims in INPUTS.items()}
            values = {x: rng.integers(-4, 5, s + lead if behind else lead + s) for x, s in shape.items()}
            values['O'] = rng.integers(-4, 5, (n, *lead) if behind else (*lead, n)) if given else np.full((n, *lead) if behind else (*lead, n), 2)
            want = {x: np.zeros(((*(extents[SIZES[v]] for v in vs), *lead) if behind else (*lead, *(extents[SIZES[v]] for v in vs)))) for x, vs in self.d.outputs}
            for at in np.ndindex(*lead):
                cut = (..., *at) if behind else (*at, ...)
                made = self.run({x: v[cut] for x, v in values.items()}, data)
                for x, vs in self.d.outputs:
                    want[x][cut] = np.array([made[x][k] for k in np.ndindex(*(extents[SIZES[v]] for v in vs))]).reshape([extents[SIZES[v]] for v in vs])
            inputs = [values[x].astype(np_dtype(key)) for x in INPUTS] + [np.array(data[x], np.int64) for x in ('PTR', 'COL', 'LEN', 'IX')]
            inputs += [np.array(data['OK'], bool), np.array(data['FAR'], np.int64)]
            inputs.append(values['O'].astype(np_dtype(key)) if given else None)
            yield dict(op=self.d.name, key=key, inputs=inputs, attrs={'shift': data['SHIFT'], 'taps': data['TAPS']},
                       want=[want[x] for x, _ in self.d.outputs], tol=EXACT)
