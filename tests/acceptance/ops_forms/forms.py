"""Random definitions made of the language's forms: recurrences, groups, updates, ranges from data, windows, calls, packs, folds.

Each form reads values that are there and defines another, so that a definition is a chain of forms in random order; what they are is
left to the interpreter. Bodies are well-typed and their reads in range by construction: a refusal is a finding.
"""
import random
import re
import sys

SIZES = ['N', 'M', 'K']
EXTENTS = [(1, 1, 1), (5, 7, 3), (17, 9, 33), (16, 33, 2), (40, 4, 17)]
INTEGERS = ['i8', 'i16', 'i32', 'i64', 'u8', 'u16', 'u32', 'u64']
FLOATS = ['f32', 'f64', 'f16', 'bf16']


class Form:
    """One definition: `text`, and the dtype of its type variable."""

    def __init__(self, seed):
        self.r = random.Random(seed)
        self.name = f'form{seed}'
        self.real = self.r.random() < 0.5
        self.dtype = self.r.choice(FLOATS if self.real else INTEGERS)
        self.inputs, self.lets, self.index, self.body, self.kinds = {}, {}, {}, [], []
        self.attrs, self.requires, self.parts = [], [], {}       # `parts`: outputs of a pack or an extent of their own
        self.optional = []
        self.values = {}                                          # name → its dims; all have the type T or one that it becomes
        self.count = 0
        self.packed = self.r.random() < 0.4
        for k in range(self.r.choice([1, 2, 2, 3])):
            self.add_input(self.dims())
        forms = [getattr(self, n) for n in dir(self) if n.startswith('form_')]
        forms[seed % len(forms)]()                                # so that seeds in a row have all forms among them
        for _ in range(self.r.choice([0, 1, 1, 2, 2, 3])):
            self.r.choice(forms)()
        self.finish()

    # ---- names
    def fresh(self, stem):
        """A name; the form that asks for it is one of the definition's."""
        form = sys._getframe(1).f_code.co_name
        if form.startswith('form_') and form[5:] not in self.kinds:
            self.kinds.append(form[5:])
        self.count += 1
        return f'{stem}{self.count}'

    def dims(self, least=1):
        """Distinct sizes, behind a pack where the definition has one."""
        n = self.r.choice([1, 2, 2, 3]) if least < 2 else self.r.choice([2, 2, 3])
        return (['*P'] if self.packed and self.r.random() < 0.7 else []) + self.r.sample(SIZES, n)

    def add_input(self, dims, type_='T'):
        name = 'ABCDEFGH'[len(self.inputs)] + 'x'*(type_ != 'T')
        self.inputs[name] = f'{type_}[{", ".join(dims)}]'
        if type_ == 'T':
            self.values[name] = dims
        return name

    def integers(self, dim):
        """An input of integers over a dim, to be brought into a range."""
        name = self.fresh('I')
        self.inputs[name] = f'{self.r.choice(["i32", "i64", "u8", "u16"])}[{dim}]'
        return name

    def source(self, needs=()):
        """A value that has these dims, an input made for it if there is none."""
        fits = [n for n, d in self.values.items() if set(needs) <= set(d) and set(d) - {'*P'}]
        if fits and self.r.random() < 0.9:
            return self.r.choice(fits)
        return self.add_input(list(needs) + [s for s in self.r.sample(SIZES, 1) if s not in needs]) if len(self.inputs) < 8 and needs else \
            self.r.choice(fits or [self.add_input(list(needs) or ['N'])])

    def with_pack(self):
        """A value that has a pack, an input made for it if there is none."""
        fits = [n for n, d in self.values.items() if '*P' in d]
        if not fits:
            self.packed = True
            return self.add_input(['*P'] + self.r.sample(SIZES, 1))
        return self.r.choice(fits)

    def plain(self):
        """A value of two dims and no pack, an input made for it if there is none."""
        fits = [n for n, d in self.values.items() if len(d) == 2 and '*P' not in d]
        return self.r.choice(fits) if fits else self.add_input(self.r.sample(SIZES, 2))

    @staticmethod
    def var(dim):
        return '*p' if dim == '*P' else dim.lower()

    def at(self, name, change=None):
        """A read, at the variable of each dim or what `change` says."""
        change = change or {}
        return f'{name}[{",".join(change.get(d, self.var(d)) for d in self.values[name])}]'

    def left(self, name, dims):
        return f'{name}[{",".join(self.var(d) for d in dims)}]'

    def define(self, name, dims, text):
        self.body.append(f'{self.left(name, dims)} = {text}')
        self.values[name] = dims

    def number(self):
        return self.r.choice(['0.5', '0.25', '1.5'] if self.real else ['2', '3', '5', '7'])

    def other(self, dims):
        """Something to combine with where these dims are: a read, a variable, a number."""
        fits = [n for n, d in self.values.items() if set(d) <= set(dims)]
        choices = [self.number(), self.number()] + [self.at(n) for n in fits]*2
        single = [self.var(d) for d in dims if d != '*P']
        choices += [f'({v} % 3)' for v in single[:1]]
        return self.r.choice(choices)

    def mixed(self, a, b):
        """Two numbers as one that stays small where they are real."""
        if self.real:
            return self.r.choice([f'{a} + 0.5*{b}', f'0.5*{a} - {b}', f'max({a}, {b})', f'min({a}, {b})', f'select({a} > {b}, {a}, 0.5*{b})', f'{a}*tanh({b})'])
        return self.r.choice([f'{a} + {b}', f'{a} - 3*{b}', f'max({a}, {b})', f'min({a}, {b})', f'bit_xor({a}, {b})', f'bit_and({a}, {b}) + 1', f'select({a} > {b}, {b}, {a}*5)',
                              f'shr({a}, 2) + {b}', f'({a}*{b}) % 11'])

    # ---- forms
    def form_elementwise(self):
        s = self.source()
        d = self.values[s]
        self.define(self.fresh('e'), d, self.mixed(self.at(s), self.other(d)))

    def form_recurrence(self):
        """Along one dim, up or down, one or two elements back, alone or over a second dim too."""
        s = self.source()
        d = self.values[s]
        along = self.r.choice([x for x in d if x != '*P'])
        h, sign, v = self.fresh('h'), self.r.choice(['-', '-', '+']), along.lower()
        self.values[h] = d
        back = [f'padded({self.at(h, {along: f"{v} {sign} 1"})}, {self.r.choice(["0", "1", self.number()])})']
        if self.r.random() < 0.3:
            back.append(f'padded({self.at(h, {along: f"{v} {sign} 2"})}, 0)')
        rest = [x for x in d if x not in (along, '*P')]
        if rest and self.r.random() < 0.4:
            w = self.r.choice(rest)
            n = w.lower()
            side = self.r.choice([f'{n} - 1', f'{n} + 1', n])
            back.append(f'padded({self.at(h, {along: f"{v} {sign} 1", w: side})}, 0)')
        scale = '0.25*' if self.real else ''
        text = ' + '.join([f'{scale}{b}' for b in back])
        self.body.append(f'{self.at(h)} = {self.mixed(self.at(s), f"({text})")}')

    def form_group(self):
        """Two statements that need each other."""
        s = self.source()
        d = self.values[s]
        along = self.r.choice([x for x in d if x != '*P'])
        a, b, v = self.fresh('g'), self.fresh('g'), along.lower()
        order = [along] + [x for x in d if x != along] if '*P' not in d else d
        if '*P' in d:
            order = ['*P', along] + [x for x in d if x not in ('*P', along)]
        self.values[a] = self.values[b] = order
        scale = '0.25*' if self.real else ''
        self.body.append(f'{self.at(a)} = {self.at(s)} + {scale}padded({self.at(b, {along: f"{v} - 1"})}, {self.number()})')
        before = self.at(a, {along: f'{v} - 1'})
        self.body.append(f'{self.at(b)} = {self.mixed(self.at(a), f"{scale}padded({before}, 0)")}')

    def form_solve(self):
        """A sum over elements that are there already."""
        d = self.r.sample(SIZES, 2)
        s, i, h = self.source(d[:1]), d[0].lower(), self.fresh('s')
        dims = self.values[s]
        before, j = self.r.choice([(f'{i}2 < {i}', f'{i}2'), (f'{i} - 3 <= {i}2 and {i}2 < {i}', f'{i}2'), (f'{i}2 > {i}', f'{i}2')])
        self.values[h] = dims
        how = self.r.choice(['sum', 'max', 'min'] if self.real else ['sum', 'max', 'min', 'bit_xor'])
        inner = f'{how}[{j} : {before}]({"0.125*" if self.real else ""}{self.at(h, {d[0]: j})} + {self.at(s, {d[0]: j})})'
        if how in ('max', 'min'):
            inner = f'min(max({inner}, 0), 9)'
        self.body.append(f'{self.at(h)} = {self.at(s)} - {inner}')

    def form_prefix(self):
        s = self.source()
        d = self.values[s]
        along = self.r.choice([x for x in d if x != '*P'])
        v = along.lower()
        k = v + '3'
        bounds = [f'{k} <= {v}', f'{k} < {v}', f'{k} >= {v}', f'{k} > {v}', f'{v} - 2 <= {k} and {k} <= {v} + 1', f'{k} != {v}', f'({k} + {v}) % 2 == 0']
        how = self.r.choice(['sum', 'sum', 'max', 'min'] + ([] if self.real else ['bit_xor', 'bit_or', 'prod']))
        read = self.at(s, {along: k})
        inner = read if self.r.random() < 0.6 else self.mixed(read, self.other([x for x in d if x != along]))
        text = f'{how}[{k} : {self.r.choice(bounds)}]({inner})'
        self.define(self.fresh('x'), d, f'min(max({text}, -9), 9)' if self.real and how in ('max', 'min') else text)

    def form_data_bound(self):
        """The length of each row is data."""
        s = self.source()
        d = self.values[s]
        single = [x for x in d if x != '*P']
        if len(single) < 2:
            return self.form_prefix()
        row, along = self.r.sample(single, 2)
        n, k = self.integers(row), along.lower() + '4'
        bound = self.r.choice([f'{k} < {n}[{row.lower()}]', f'{k} >= {n}[{row.lower()}]', f'{k} < {n}[{row.lower()}] and {k} % 2 == 0'])
        keep = [x for x in d if x != along]
        self.define(self.fresh('l'), keep, f'sum[{k} : {bound}]({self.at(s, {along: k})})')

    def form_range(self):
        """A sum, a fold or an extremum over a range that data give."""
        s = self.source()
        d = self.values[s]
        along = self.r.choice([x for x in d if x != '*P'])
        row = self.r.choice([x for x in SIZES if x != along])
        i, k, lo, hi = row.lower(), along.lower() + '5', self.fresh('lo'), self.fresh('hi')
        a, b = self.integers(row), self.integers(row)
        self.body.append(f'{lo}[{i}] = cast({a}[{i}], i64) % ({along} + 1)')
        self.body.append(f'{hi}[{i}] = cast({b}[{i}], i64) % ({along} + 1)')
        read = self.at(s, {along: k})
        keep = [x for x in d if x not in (along, row)] + [row]
        where = f'{k} in {lo}[{i}] .. {hi}[{i}]'
        if self.r.random() < 0.3:
            where += f' : {k} % 2 == 0'
        zero = '0.0' if self.real else '1'
        text = self.r.choice([f'sum[{where}]({read})', f'sum[{where}]({self.mixed(read, self.other(keep))})',
                              f'fold[{where}](a = cast({zero}, T), {"0.5*a + " if self.real else "a*3 + "}{read})', f'min(max(max[{where}]({read}), -5), 5)'])
        self.define(self.fresh('r'), keep, text)

    def form_update(self):
        """Elements with the same target combine; some are left out."""
        s = self.source()
        d = self.values[s]
        along = self.r.choice([x for x in d if x != '*P'])
        v, u, n = along.lower(), self.fresh('u'), self.integers(along)
        how = self.r.choice(['+=', '+=', 'max=', 'min=', 'last=', '*='] + ([] if self.real else ['bit_xor=', 'bit_or=']))
        self.values[u] = d
        first = f'0.5*{self.at(s)}' if self.real else self.r.choice(['1', self.at(s)]) + '*' + self.at(s)
        self.body.append(f'{self.at(u)} = {first}')
        where = self.r.choice(['', '', f' where {n}[{v}] % 3 != 1', f' where {self.at(s)} > 0'])
        value = self.r.choice([self.at(s), '1' if not self.real else '0.5'])
        if how == '*=' and self.real:
            value = '0.5'
        self.body.append(f'{self.at(u, {along: f"cast({n}[{v}], i64) % {along}"})} {how} {value}{where}')

    def form_window(self):
        """Neighbours along one or two dims, led back at the border or not."""
        s = self.source()
        d = self.values[s]
        places, taps = {}, []
        for along in self.r.sample([x for x in d if x != '*P'], self.r.choice([1, 1, 2]) if len([x for x in d if x != '*P']) > 1 else 1):
            v, k = along.lower(), self.fresh('t')
            self.index[k] = self.r.choice([2, 3, 5])
            e = self.r.choice([f'{v} + {k} - 1', f'{v} - {k}', f'2*{v} + {k}', f'{v}//2 + {k}'])
            places[along] = self.r.choice([f'clamp({e}, 0, {along} - 1)', f'mirror({e}, {along})', f'reflect({e}, {along})', f'({e}) % {along}', e])
            taps.append(k)
        read = self.at(s, places)
        if any(not p.startswith(('clamp', 'mirror', 'reflect')) and '%' not in p for p in places.values()):
            read = f'padded({read}, {self.r.choice(["0", self.number()])})'
        how = self.r.choice(['sum', 'sum', 'max', 'min'])
        inner = read if self.r.random() < 0.5 else f'{read}*({taps[0]} + 1)'
        self.define(self.fresh('w'), d, f'{how}[{",".join(taps)}]({inner})')

    def form_contraction(self):
        a, b = self.source(), self.source()
        da, db = self.values[a], self.values[b]
        shared = [x for x in da if x in db and x != '*P']
        if not shared:
            return self.form_elementwise()
        k = self.r.choice(shared)
        keep = [x for x in dict.fromkeys(da + db) if x != k]
        keep = [x for x in keep if x == '*P'] + [x for x in keep if x != '*P']
        new = k.lower() + '6'
        self.define(self.fresh('c'), keep, f'sum[{new}]({self.at(a, {k: new})}*{self.at(b, {k: new})}){"*0.125" if self.real else ""}')

    def form_place(self):
        s = self.source()
        d = self.values[s]
        along = self.r.choice([x for x in d if x != '*P'])
        k, keep, v = along.lower() + '7', [x for x in d if x != along], self.fresh('v')
        at = self.fresh('at')
        read = self.at(s, {along: k})
        if self.r.random() < 0.5:
            self.body.append(f'{self.left(v, keep)}, {self.left(at, keep)} = {self.r.choice(["max_at", "min_at"])}[{k}]({read})')
        else:
            self.body.append(f'{self.left(at, keep)} = {self.r.choice(["argmax", "argmin"])}[{k}]({read})')
            self.body.append(f'{self.left(v, keep)} = {self.at(s, {along: self.left(at, keep)})}')
        self.values[v] = keep

    def form_masked_place(self):
        """The place of an extremum among elements that a condition keeps, where these may be as small as the identity."""
        s = self.source()
        d = self.values[s]
        along = self.r.choice([x for x in d if x != '*P'])
        k, i, at = along.lower() + '8', along.lower(), self.fresh('at')
        least = '-inf' if self.real else 'lowest(T)'
        low = self.fresh('e')
        self.define(low, d, f'select({self.at(s)} > {self.number()}, {self.at(s)}, {least})')
        how = self.r.choice(['argmax', 'argmax', 'argmin'])
        self.body.append(f'{self.left(at, d)} = {how}[{k} : {self.r.choice([f"{k} >= {i}", f"{k} <= {i}", f"({k} + {i}) % 2 == 0", f"{k} == {i} or {k} > 2"])}]({self.at(low, {along: k})})')
        self.define(self.fresh('v'), d, self.mixed(self.at(s, {along: self.left(at, d)}), self.at(s)))

    def form_single(self):
        """Updates of a value with one element."""
        s = self.source()
        d = self.values[s]
        along = self.r.choice([x for x in d if x != '*P'])
        u, q, n = self.fresh('u'), self.fresh('o'), self.integers(along)
        self.index[q] = self.r.choice([1, 1, 1, 2])
        keep = [x for x in d if x != along]
        alone = '*P' not in d and self.r.random() < 0.6           # one element in all, or one for each of the other dims
        read = self.at(s, {x: '0' for x in keep}) if alone else self.at(s)
        keep = [] if alone else keep
        left = ','.join([self.var(x) for x in keep] + ['{}'])
        first = self.at(s, {along: '0', **({x: '0' for x in d} if alone else {})})
        self.body.append(f'{u}[{left.format(q)}] = {self.r.choice(["0", "1"])}{".0" if self.real else ""}*{first}')
        how = self.r.choice(['+=', '+=', 'max=', 'min=', 'last='])
        self.body.append(f'{u}[{left.format(f"cast({n}[{along.lower()}], i64) % {self.index[q]}")}] {how} {read}')
        self.define(self.fresh('v'), keep or [along], f'{u}[{left.format("0")}]' if keep else f'{u}[0] + {read}')

    def form_each_dim(self):
        """A pack taken dimension by dimension."""
        s = self.with_pack()
        e = self.r.choice(['padded({}, 1)|*(p - 1)', 'padded({}, 2)|*(p + 1)', '{}|*clamp(p + 1, 0, P - 1)', '{}|*mirror(p - 2, P)', '{}|*(P - 1 - p)'])
        form, index = e.split('|')
        self.define(self.fresh('e'), self.values[s], self.mixed(form.format(self.at(s, {'*P': index})), self.at(s)))

    def form_smaller_pack(self):
        """A pack whose extents a let computes, and windows over all of its dims."""
        if 'O' in self.lets:
            return self.form_each_dim()
        s = self.with_pack()
        d = self.values[s]
        single = [x for x in d if x != '*P']
        inner = ','.join(x.lower() + '11' for x in single)
        part, window = self.fresh('Z'), self.fresh('Z')
        self.index.setdefault('"*p"', '"P"')                       # the window alone does not tell it
        self.lets['O'] = '"P - 1"'
        self.attrs = ['size: "int[*P] = 2"']
        self.requires += ['P >= 1', 'size >= 1']
        self.index['"*q"'] = '"size"'
        read = self.at(s, {'*P': '*(o + 1)', **{x: x.lower() + '11' for x in single}})
        self.body.append(f'{part}[*o] = sum[{inner}]({read})')
        read = self.at(s, {'*P': self.r.choice(['*(p + q)', '*(p - q)', '*(2*p + q - 1)'])})
        self.define(window, d, f'{self.r.choice(["sum", "max"])}[*q](padded({read}, {self.r.choice(["0", self.number()])}))')
        self.parts[part] = 'T[*O]'

    def form_turned_softmax(self):
        """A distribution down the columns, turned, with rows that data choose."""
        s = self.plain()
        d = self.values[s]
        if not self.real:
            return self.form_gathered()
        n = self.integers(d[0])
        a, b, c, v, y = (self.fresh('y') for _ in range(5))
        self.body.append(f'{a} = transpose({s}, perm=[1, 0])')
        self.body.append(f'{b} = softmax({a}, axis=0)')
        self.body.append(f'{c} = transpose({b}, perm=[1, 0])')
        i, j = d[0].lower(), d[1].lower()
        self.define(v, d, f'{c}[{i},{j}]')
        self.define(y, d, f'{v}[cast({n}[{i}], i64) % {d[0]},{j}]')

    def form_transposed(self):
        s = self.source()
        d = self.values[s]
        if '*P' in d or len(d) != 2:
            return self.form_elementwise()
        y = self.fresh('y')
        self.body.append(f'{y} = transpose({s}, perm=[1, 0])')
        self.values[y] = d[::-1]

    def form_call(self):
        """An op of the library on a whole value; its result is read like others."""
        s = self.source()
        d = self.values[s]
        if '*P' in d:
            return self.form_elementwise()
        y, argument = self.fresh('y'), s if self.r.random() < 0.6 else self.r.choice([f'2*{s}', f'{s} - 1', f'{s}*{s}'])
        op = self.r.choice(['cumsum({}, axis=-1)', 'sort'] + (['softmax({}, axis=-1)', 'softmax({}, axis=0)', 'relu({})', 'tanh({})'] if self.real else ['sign({})', 'abs({})']))
        if self.dtype in ('u8', 'u16', 'u32', 'u64') and ('abs' in op or 'sign' in op):
            op = 'cumsum({}, axis=-1)'
        if op == 'sort':
            self.body.append(f'{y}a, {y}i = sort({argument}, axis={self.r.choice([-1, 0])})')
            self.body.append(f'{self.left(y, d)} = {self.left(y + "a", d)}')
        else:
            self.body.append(f'{y} = {op.format(argument)}')
        self.values[y] = d

    def form_split(self):
        """A dim of two, handed on as one."""
        s = self.source()
        d = self.values[s]
        single = [x for x in d if x != '*P']
        if len(single) < 2 or '*P' in d or not self.real:
            return self.form_elementwise()
        a, b = single[-2:]
        rest = single[:-2]
        c, y = self.fresh('p'), self.fresh('y')
        subs = [x.lower() for x in rest]
        self.body.append(f'{c}[{",".join([*subs, f"({a.lower()} {b.lower()})"])}] = {self.mixed(self.at(s), self.number())}')
        self.body.append(f'{y} = softmax({c}, axis=-1)')
        z = self.fresh('z')
        self.lets.setdefault('Z', f'{a}*{b}') if 'Z' not in self.lets or self.lets['Z'] == f'{a}*{b}' else None
        if self.lets.get('Z') == f'{a}*{b}':
            self.index['z'] = 'Z'
            self.body.append(f'{z}[{",".join(subs)}] = sum[z]({y}[{",".join([*subs, "z"])}]*(z % 3))')
            self.values[z] = rest

    def form_lookup(self):
        """Narrow arithmetic as an index of a table."""
        s = self.source()
        d = self.values[s]
        table, x = self.fresh('L'), self.fresh('q')
        n = self.r.choice([d_ for d_ in d if d_ != '*P'])
        raw = self.fresh('R')
        kind, bits, step, first = self.r.choice([('u8', 8, 97, 250), ('u16', 16, 20011, 65500), ('u32', 32, 3000000019, 7), ('i16', 16, 20011, 32700)])
        self.inputs[raw], self.inputs[table] = f'{kind}[{n}]', 'T[16]'
        read = f'{raw}[{n.lower()}]'
        e = self.r.choice([f'{read}*{step} + {first}', f'bit_xor({read}*{step}, 85)', f'{read}*{read}*{step} - 7'])
        self.body.append(f'{x}[{n.lower()}] = {e}')
        at = f'shr({x}[{n.lower()}], {bits - 4})' if kind != 'i16' and self.r.random() < 0.6 else f'{x}[{n.lower()}] % 16'
        self.define(self.fresh('b'), d, self.mixed(self.at(s), f'{table}[{at}]'))

    def form_led_by_state(self):
        """A recurrence that reads where its own state says."""
        s = self.plain()
        d = self.values[s]
        along, over = self.r.sample(d, 2)
        t, j, at, h = along.lower(), over.lower() + '9', self.fresh('at'), self.fresh('h')
        self.values[h] = [along, over]
        before = f'padded({self.at(h, {along: f"{t} - 1", over: j})}, 0)'
        place = self.r.choice([f'{self.r.choice(["argmax", "argmin"])}[{j}]({before} + {self.at(s, {over: j})})',
                               f'(padded({at}[{t} - 1], 0) + {t} + 2) % {over}'])
        self.body.append(f'{at}[{t}] = {place}')
        own = f'padded({self.at(h, {along: f"{t} - 1"})}, {self.number()})'
        self.body.append(f'{self.at(h)} = {"0.25*" if self.real else ""}{own} + {self.at(s, {over: f"{at}[{t}]"})}')

    def form_by_parts(self):
        """The result of a call, a dim of which is read by parts."""
        s = self.plain()
        d = self.values[s]
        a, b = d[-2:]
        rest, y = d[:-2], self.fresh('y')
        subs = [x.lower() for x in rest]
        c = self.fresh('p')
        self.body.append(f'{c}[{",".join([*subs, f"({a.lower()} {b.lower()})"])}] = {self.mixed(self.at(s), self.number())}')
        op = self.r.choice(['relu({})', 'softmax({}, axis=-1)', 'tanh({})'] if self.real else ['cumsum({}, axis=-1)', 'sign({})'])
        self.body.append(f'{y} = {("cumsum({}, axis=-1)" if self.dtype[0] == "u" else op).format(c)}')
        z = self.fresh('z')
        k = b.lower() + '10'
        how = self.r.choice([f'{y}[{",".join([*subs, f"({a.lower()} {b.lower()})"])}]', f'max[{k}]({y}[{",".join([*subs, f"({a.lower()} {k})"])}]) + {self.at(s)}'])
        self.define(z, d, how)

    def form_gathered(self):
        """Rows that data choose, turned around before or after."""
        s = self.plain()
        d = self.values[s]
        n = self.integers(d[0])
        a, y = self.fresh('a'), self.fresh('y')
        self.define(a, d, self.at(s, {d[0]: f'cast({n}[{d[0].lower()}], i64) % {d[0]}'}))
        self.body.append(f'{y} = transpose({a}, perm=[1, 0])')
        self.values[y] = d[::-1]

    def form_of_sizes(self):
        """Reads up to a bound that functions of sizes give."""
        s = self.source()
        d = self.values[s]
        along = self.r.choice([x for x in d if x != '*P'])
        name = f'F{len(self.lets)}'
        e = self.r.choice([f'clamp(shl({along}, 1)//3, 1, {along})', f'max(min(popcount({along}), {along}), 1)', f'min(ceildiv({along}, 2), {along})',
                           f'clamp(floor(log2({along})), 1, {along})', f'max({along} - 2, 1)'])
        self.lets[name] = '"' + e + '"'
        k = self.fresh('b')
        self.index[k] = name
        place = self.r.choice([f'min({k}, {along} - 1)', f'min(2*{k} + 1, {along} - 1)', f'clamp({along.lower()} - {k}, 0, {along} - 1)'])
        self.define(self.fresh('f'), d, f'{self.r.choice(["sum", "max"])}[{k}]({self.at(s, {along: place})}){" - " + self.at(s) if self.r.random() < 0.5 else ""}')

    def form_blocks_of_space(self):
        """Channels that become space, and what follows it."""
        if 'D4' in self.inputs:
            return self.form_elementwise()
        self.inputs['D4'] = 'T[M, 4, N, K]'
        y, z, v = self.fresh('y'), self.fresh('z'), self.fresh('v')
        self.body.append(f'{y} = depth_to_space(D4, block=2)')
        follow = {True: 'relu', False: 'abs'}[self.real or self.dtype[0] == 'u']
        self.body.append(f'{z} = {follow}({y})' if self.real or self.dtype[0] == 'i' else f'{z} = add({y}, {y})')
        c, a, b = (f'{x}{self.count}' for x in 'cab')
        self.define(v, ['M'], f'max[{c},{a},{b}]({z}[m,{c},{a},{b}])')

    def form_counted(self):
        """Each place gets what the data say belongs to it."""
        s = self.source()
        d = self.values[s]
        along = self.r.choice([x for x in d if x != '*P'])
        keep = [x for x in d if x != along]
        free = [x for x in SIZES if x not in d]
        if not free:
            return self.form_prefix()
        places, k = self.r.choice(free), along.lower() + '12'
        n = self.integers(along)
        self.index[k] = along
        equal = self.r.choice([f'cast({n}[{k}], i64) % {places} == {places.lower()}', f'{places.lower()} == cast({n}[{k}], i64)'])
        more = self.r.choice(['', f' and {k} % 2 == 0', f' and {self.at(s, {along: k})} > 0'])
        how = self.r.choice(['sum', 'sum', 'max', 'min'])
        read = self.r.choice([self.at(s, {along: k}), self.mixed(self.at(s, {along: k}), self.number())])
        if how == 'sum':
            text = self.r.choice([f'sum[{k} : {equal}{more}]({read})', f'sum[{k}](select({equal}{more}, {read}, 0))'])
        else:
            text = f'min(max({how}[{k} : {equal}{more}]({read}), {"-9" if self.dtype[0] != "u" else "1"}), 9)'
        self.define(self.fresh('b'), keep + [places], text)

    def form_rows_and_columns(self):
        """An element from reductions over the rows before, and over the elements before in its own row."""
        s = self.plain()
        d = self.values[s]
        i, j = d[0].lower(), d[1].lower()
        k, l, h = i + '13', j + '13', self.fresh('h')
        self.values[h] = d
        up, left = self.r.choice([f'{k} < {i}', f'{k} <= {i} - 2', f'{k} > {i}', f'{i} - 3 <= {k} and {k} < {i}']), self.r.choice([f'{l} < {j}', f'{l} > {j}'])
        scale = '0.125*' if self.real else ''
        rows = self.r.choice([f'{scale}sum[{k} : {up}]({self.at(h, {d[0]: k})}{self.r.choice(["", "*" + self.at(s, {d[0]: k}), "*0.5" if self.real else "*3"])})',
                              f'min(max({self.r.choice(["max", "min"])}[{k} : {up}]({self.at(h, {d[0]: k})} - 1), 1), 7)'])
        if '>' not in up and self.r.random() < 0.4:
            rows = f'{scale}sum[{l}]({self.r.choice(["", "2*" if not self.real else "0.25*"])}padded({self.at(h, {d[0]: f"{i} - 1", d[1]: l})}, 1))'
        columns = f'{scale}sum[{l} : {left}]({self.at(h, {d[1]: l})})'
        terms = [rows, columns, f'{scale}padded({self.at(h, {d[1]: f"{j} - 1" if "<" in left else f"{j} + 1"})}, 0)']
        self.r.shuffle(terms)
        self.body.append(f'{self.at(h)} = {self.at(s)} - {self.r.choice([" - ", " + "]).join(terms[:self.r.choice([2, 2, 3])])}')

    def form_compacted(self):
        """As many elements as the data say."""
        if any('upto' in e for e in self.lets.values()):
            return self.form_update()
        s = self.source()
        d = self.values[s]
        along = self.r.choice([x for x in d if x != '*P'])
        v, size = along.lower(), f'U{len(self.lets)}'
        if '*P' in d:
            return self.form_update()
        n, kept, at, z = self.integers(along), self.fresh('k'), self.fresh('at'), self.fresh('Z')
        self.lets[size] = f'upto({along})'
        one = self.at(s, {x: '0' for x in d if x != along})
        self.body.append(f'{kept}[{v}] = {self.r.choice([f"{n}[{v}] % 3 != 0", f"{one} > {self.number()}", f"{v} % 2 == 0 or {n}[{v}] % 2 == 0"])}')
        self.body.append(f'{at}[{v}] = sum[{v}14 : {v}14 < {v}]({kept}[{v}14])')
        self.body.append(f'{size} = sum[{v}]({kept}[{v}])')
        self.body.append(f'{z}[wrap({at}[{v}], {size})] {self.r.choice(["last=", "+=", "max="])} {one} where {kept}[{v}]')
        self.parts[z] = f'T[{size}]'

    def form_widened(self):
        """Arithmetic in a type that follows from T."""
        s = self.source()
        d = self.values[s]
        w = 'wide(T)' if self.real else self.r.choice(['wide(T)', 'signed(wide(T))', 'unsigned(T)', 'signed(T)'])
        e = f'cast({self.at(s)}, {w})'
        e = self.r.choice([f'{e}*{self.number()} + {e}', f'max({e}, {self.number()})', f'{e} - cast({self.other(d)}, {w})'])
        if not self.real and w == 'wide(T)' and self.r.random() < 0.5:
            e = f'clamp({e}, cast(lowest(T), {w}), cast(highest(T), {w}))'
        self.define(self.fresh('e'), d, f'cast({e}, T)')

    def form_optional(self):
        """An input that a call may leave out, also before the first element of a recurrence."""
        s = self.source()
        d = self.values[s]
        if self.optional:
            return self.form_elementwise()
        along = self.r.choice([x for x in d if x != '*P'])
        keep = [x for x in d if x != along] or [along]
        self.inputs['Ox?'] = f'T[{", ".join(keep)}]'
        self.optional.append('Ox')
        given = f'opt({self.left("Ox", keep)}, {self.number()})'
        if keep != [along] and self.r.random() < 0.5:
            h = self.fresh('h')
            self.values[h] = d
            back = f'padded({self.at(h, {along: along.lower() + " - 1"})}, {given})'
            return self.body.append(f'{self.at(h)} = {self.mixed(self.at(s), back if not self.real else "0.25*" + back)}')
        return self.define(self.fresh('e'), d, self.mixed(self.at(s), given))

    # ---- the whole
    def finish(self):
        last = list(self.values)[-1]
        defined = [n for n in self.values if n not in self.inputs]
        if not defined:
            self.form_elementwise()
            last = list(self.values)[-1]
            defined = [last]
        self.outputs = {}
        for k, name in enumerate(dict.fromkeys([last] + self.r.sample(defined, min(len(defined), 1)))):
            out = f'Y{k}'
            dims = self.values[name]
            self.body.append(f'{self.left(out, dims)} = {self.at(name)}')
            self.outputs[out] = f'T[{", ".join(dims)}]'
        self.outputs.update(self.parts)

    def text(self):
        used = ' '.join(self.inputs.values())
        missing = [s for s in SIZES if s not in used]
        for s in missing:
            if any(re.search(rf'\b{s}\b', o, re.IGNORECASE) for o in [*self.outputs.values(), *self.lets.values(), *self.body]):
                self.inputs[f'S{s}'] = f'T[{s}]'
        if self.packed and '*P' not in used:
            self.inputs['SP'] = 'T[*P, N]'
        sizes = [s for s in SIZES if s in ' '.join(self.inputs.values())]
        lines = [f'  - op: {self.name}', f'    doc: {", ".join(self.kinds) or "calls"}', f'    types: {{T: [{self.dtype}]}}']
        lines += [f'    attrs: {{{", ".join(self.attrs)}}}']*bool(self.attrs) + ['    in:']
        lines += [f'      {n}: "{t}"' for n, t in self.inputs.items()]
        lines += [f'    require: [{", ".join([f"{s} >= 1" for s in sizes] + self.requires)}]']
        if self.lets:
            lines += ['    let: {' + ', '.join(f'{n}: {e}' for n, e in self.lets.items()) + '}']
        body = ' '.join(self.body)
        self.index.update({s.lower(): s for s in sizes if re.search(rf'\b{s.lower()}\b', body)})
        if self.index:
            lines += ['    index: {' + ', '.join(f'{n}: {e}' for n, e in self.index.items()) + '}']
        lines += ['    out:'] + [f'      {n}: "{t}"' for n, t in self.outputs.items()] + ['    body: |'] + ['      ' + s for s in self.body] + ['    tests:']
        for extents in self.r.sample(EXTENTS, 3):
            pack = f', P: {self.r.choice(["[]", "[2]", "[2, 3]"])}' if '*P' in ' '.join(self.inputs.values()) else ''
            pack += f', absent: [{", ".join(self.optional)}]' if self.optional and self.r.random() < 0.5 else ''
            lines.append('      - {' + ', '.join(f'{s}: {n}' for s, n in zip(SIZES, extents) if s in sizes) + pack + '}')
        return '\n'.join(lines) + '\n'
