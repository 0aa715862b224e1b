"""A random definition as YAML, and the calls of it with the results that it says."""
import math
import os
import sys
from dataclasses import replace

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

from draw import Draw                                            # noqa: E402
from evaluate import NUMPY, Evaluator, Undecided, Value          # noqa: E402

FAMILIES = {'float': 'float', 'int': '[int, uint]', 'real': 'real'}
KEYS = {'float': ['f32', 'f64', 'f16', 'bf16'], 'int': ['i8', 'i16', 'i32', 'i64', 'u8', 'u32', 'u64'], 'real': ['f32', 'f64', 'i8', 'i32', 'u8', 'i64', 'bf16']}
EXTENTS = [[1, 2, 3], [4, 5, 7], [16, 17, 9], [0, 3, 1], [37, 8, 5], [65, 6, 2]]
MOST = 3_000_000                                                 # elements of an array of the evaluation
PACKS = [{'P': (2,), 'Q': (3,)}, {'P': (), 'Q': ()}, {'P': (2, 3), 'Q': (5,)}, {'P': (1,), 'Q': (17,)}, {'P': (), 'Q': (4, 2)}, {'P': (3,), 'Q': ()}]


def listed(entries):
    return '\n'.join(f'      {k}: {v}' for k, v in entries.items())


class Definition:
    def __init__(self, seed):
        self.seed, self.d = seed, Draw(seed)

    # ---- text
    def text(self):
        d = self.d
        lines = ['ops:', f'  - op: {d.name}', f'    types: {{T: {FAMILIES[d.family]}{", I: index" if d.data else ""}}}']
        if d.attrs:
            lines += ['    attrs:', listed({n: t if v is None else f'{t} = {str(v).lower()}' for n, (t, v) in d.attrs.items()})]
        lines += ['    in:', listed({n + '?'*(n in d.optional): f'{t}[{self.shape(dims, n)}]' for n, (t, dims) in d.inputs.items()})]
        if d.lets:
            lines += ['    let:', listed(d.lets)]
        if d.requires:
            lines += [f'    require: [{", ".join(d.requires)}]']
        index = {**d.index, **self.untold_packs()}
        if index:
            lines += ['    index: {' + ', '.join(f'{v}: {n}' for v, n in index.items()) + '}']
        lines += ['    out:', listed({n: f'{s.type}[{self.shape(d.known[n][1])}]' for n, s in d.outputs.items()}), '    body: |']
        return '\n'.join(lines + ['      ' + s.text() for s in d.statements]) + '\n'

    def untold_packs(self):
        """Ranges of packs that only temporaries have: nothing else tells them."""
        sides = [(s.name in self.d.outputs, *s.text().split('=', 1)) for s in self.d.statements]
        told = ' '.join(right + (left if is_output else '') for is_output, left, right in sides)
        return {f'"*{p}"': p.upper() for p in 'pq' if any(f'*{p},' in left or f'*{p}]' in left for _, left, _ in sides) and f'*{p},' not in told and f'*{p}]' not in told}

    def shape(self, dims, name=None):
        first = name == 'A' and self.d.form == 'axis'
        return ', '.join('D@axis' if x == 'D' and first else x for x in dims)

    # ---- calls
    def keys(self):
        keys = KEYS[self.d.family]
        return [keys[(self.seed + k*3) % len(keys)] for k in range(2)]

    def cases(self, rng):
        for k, extents in enumerate(EXTENTS):
            for key in self.keys():
                try:
                    case = self.case(rng, key, extents, PACKS[k])
                except Undecided:
                    continue
                if case:
                    yield case

    def sizes_of(self, extents, packs):
        """Every size, or None where the definition cannot have these."""
        d = self.d
        sizes = dict(zip([s for s in d.sizes if s not in 'OR'], extents))
        for s in d.positive:
            sizes[s] = max(sizes.get(s, 1), 1) if s not in 'OR' else 1
        attrs = {n: v for n, (t, v) in d.attrs.items()}
        attrs.update({'R': 1 + extents[1] % 3, 'stride': 1 + extents[0] % 2, 'pad': extents[2] % 3, 'dil': 1 + extents[1] % 2} if 'R' in attrs else {})
        attrs.update({n: v for n, v in (('k', 3), ('alpha', 1.25), ('mode', 'aa' if extents[1] % 3 else 'bb'), ('flag', bool(extents[0] % 2)), ('two', [extents[0] % 4, 2])) if n in attrs})
        if 'R' in attrs:
            sizes['R'] = attrs['R']
        if 'O' in d.lets:
            sizes['O'] = eval(d.lets['O'], {'ceildiv': lambda a, b: -(-a//b), 'min': min, 'max': max}, {**sizes, **attrs})
            if sizes['O'] < 0 or (sizes['O'] == 0 and 'O' in d.positive):
                return None, None
        if 'axis' in attrs:
            attrs['axis'] = len(packs['P'])
        return sizes, attrs

    def case(self, rng, key, extents, packs):
        sizes, attrs = self.sizes_of(extents, packs)
        if sizes is None:
            return None
        attrs = self.typed(attrs, key)
        inputs = self.inputs_of(rng, key, extents, sizes, packs)
        run = self.run(key, sizes, attrs, packs, {n: (kind, None if a is None else self.known(a, kind)) for n, (kind, a) in inputs.items()})
        return self.told(key, [a for _, a in inputs.values()], {n: ['aa', 'bb'].index(v) if n == 'mode' else v for n, v in attrs.items()}, run)

    def typed(self, attrs, key):
        return {**attrs, **({'c': 1.5 if key in KEYS['float'] else 5} if 'c' in attrs else {})}

    def inputs_of(self, rng, key, extents, sizes, packs):
        """{name: (dtype, array)}; an optional one that is absent has no array."""
        d, inputs = self.d, {}
        for n, (t, dims) in d.inputs.items():
            shape = [e for x in dims for e in self.extents_of(x, sizes, packs, extents)]
            kind = {'T': key, 'I': ['i32', 'i64'][extents[0] % 2]}.get(t, t)
            inputs[n] = kind, None if n in d.optional and extents[1] % 2 else self.array(rng, shape, kind, sizes.get(d.data.get(n)))
        return inputs

    def extents_of(self, dim, sizes, packs, extents):
        if '*' in dim:
            whole = packs[dim.strip('~*')]
            return whole if dim[0] == '*' or extents[1] % 2 else (1, *whole[2:]) if len(whole) > 1 else (1,)*len(whole)
        if dim[0] == '~':
            return [1 if extents[1] % 2 == 0 else sizes[dim[1:]]]
        names = dim.strip('()').split()
        return [math.prod(int(x) if x.isdigit() else sizes[x] for x in names)]

    def run(self, key, sizes, attrs, packs, tensors):
        """An evaluator that has run all statements."""
        run = Evaluator(key, sizes, attrs, {**tensors, 'c': (key, None)}, {n: len(s) for n, s in packs.items()}, {n: self.d.inputs[n][1] for n in self.d.broadcast})
        for s in self.d.statements:
            ranges = self.ranges(s, sizes, packs)
            if np.prod([max(n, 1) for n in ranges.values()], dtype=float) > MOST:
                raise Undecided('too much to do')
            run.statement(replace(s, free=[v for v in ranges if v in self.free_names(s, packs)]), ranges)
        return run

    def told(self, key, inputs, attrs, run):
        from casekit import EXACT, tol
        want, kinds, rules = [], [], []
        for n, s in self.d.outputs.items():
            kind, value = run.tensors[n]
            want.append(value.v)
            kinds.append(kind)
            rules.append(tol(ulp=1, floor=2*value.err) if value.kind == 'f' else EXACT)
        return dict(op=self.d.name, key=key, inputs=inputs, attrs=attrs, want=want, dtypes=kinds, tol=rules)

    def array(self, rng, shape, kind, n):
        from casekit import np_dtype
        if n is not None:
            return rng.integers(-n, n, shape).astype(NUMPY[kind])
        if kind == 'bool':
            return np.asarray(rng.integers(0, 2, shape)).astype(bool)
        if kind in NUMPY:
            info = np.iinfo(NUMPY[kind])
            lo, hi = (info.min, info.max) if rng.random() < 0.4 else (max(info.min, -4), 4)
            return np.asarray(rng.integers(lo, hi, shape, endpoint=True, dtype=NUMPY[kind]))
        return np.asarray(rng.integers(-8, 9, shape)/4).astype(np_dtype(kind))

    def known(self, a, kind):
        return Value('b', a) if kind == 'bool' else Value('i', a) if kind in NUMPY else Value('f', a.astype(np.float64), 0.0)

    # ---- variables
    def ranges(self, s, sizes, packs):
        """Extents of all variables that the statement names, those of its left side first."""
        names = {}
        def visit(e):
            if isinstance(e, tuple) and e and e[0] == 'var':
                names[e[1]] = None
            elif isinstance(e, tuple) and e and e[0] == 'pack':
                names['*' + e[1]] = None
            elif isinstance(e, (tuple, list)):
                if isinstance(e, tuple) and e and e[0] == 'red':
                    for v in e[2]:
                        names[v] = None
                for x in e:
                    visit(x)
        visit(list(s.free))
        visit([s.subs, s.expr])
        out = {}
        for n in names:
            if n[0] == '*':
                out.update({f'{n[1:]}.{k}': e for k, e in enumerate(packs[n[1:].upper()])})
            else:
                size = self.d.over[n]
                out[n] = int(size) if size.isdigit() else sizes[size]
        return out

    def free_names(self, s, packs):
        return {n for x in s.free for n in ([f'{x[1]}.{k}' for k in range(len(packs[x[1].upper()]))] if x[0] == 'pack' else [x[1]])}


if __name__ == '__main__':
    print(Definition(int(sys.argv[1])).text())
