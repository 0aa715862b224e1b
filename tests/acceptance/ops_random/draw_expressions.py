"""Random expressions of a definition: reads with their indices, numbers, conditions, reductions."""


class Expressions:
    """What Draw needs of its own are the declarations: inputs, sizes, attributes, what each variable ranges over."""

    # ---- tensors
    def tensor(self, name):
        return self.inputs[name] if name in self.inputs else self.known[name]

    def numbers(self):
        return [n for n, (t, _) in self.inputs.items() if t == 'T'] + [n for n, (t, _) in self.known.items() if t == 'T']

    def read(self, scope, name=None, wanted=None):
        """A read with indices drawn for its dims; packs that the scope lacks make another tensor or a literal of it."""
        fits = [n for n in self.numbers() if all(self.fits(d, scope) for d in self.tensor(n)[1])]
        if name is None or name not in fits:
            if not fits or name == 'A':
                return self.over_packs(scope)
            name = self.draw.choice(fits)
        dims = self.tensor(name)[1]
        self.reads.append(name)
        outside, subs = False, []
        for d in dims:
            sub, risky = self.index_at(d, scope, wanted)
            if sub == ('var', wanted):
                wanted = None
            outside |= risky
            subs.append(sub)
        if name in self.optional:
            plain = all(s[0] in ('var', 'pack') for s in subs) and not outside
            if plain:
                return ('read', name, subs, 'opt', self.literal())
            self.reads.pop()
            return self.literal()
        return ('read', name, subs, 'padded', self.literal()) if outside else ('read', name, subs)

    def fits(self, dim, scope):
        if dim[0] == '~' and dim[1] != '*':
            return any(s[0] == 'var' and self.over[s[1]] == dim[1:] for s in scope)
        return '*' not in dim or ('pack', dim.strip('~*').lower()) in scope

    def over_packs(self, scope):
        """A reduction over the packs of the first input that the scope lacks."""
        packs = [d[1:].lower() for d in self.inputs['A'][1] if d[0] == '*' and ('pack', d[1:].lower()) not in scope]
        inner = scope + [('pack', p) for p in packs]
        return ('red', self.draw.choice(['sum', 'max', 'min']), ['*' + p for p in packs], None, self.read(inner, 'A'))

    def index_at(self, dim, scope, wanted):
        if '*' in dim:
            return ('pack', dim.strip('~*').lower()), False
        if dim[0] == '~':
            return self.draw.choice([s for s in scope if s[0] == 'var' and self.over[s[1]] == dim[1:]]), False
        if dim[0] != '(':
            return self.index_of(dim, scope, wanted)
        a, b = dim[1:-1].split()
        outer, inner = self.index_of(a, scope), self.index_of(b, scope, wanted)
        inner = inner[0] if not inner[1] else ('bin', '%', ('lit', '1'), self.extent(b))
        if b.isalpha():
            self.positive.add(b)
        outer = ('bin', '%', outer[0], ('lit', a)) if outer[1] else outer[0]
        return ('group', outer, inner, self.extent(b)), False

    def index_of(self, size, scope, wanted=None):
        """(index, whether it may be outside)"""
        inside = [s[1] for s in scope if s[0] == 'var' and self.over[s[1]] == size]
        around = [s[1] for s in scope if s[0] == 'var']
        if wanted in inside and self.draw.random() < 0.8:
            return ('var', wanted), False
        roll = self.draw.random()
        if self.window and size == self.window['of'] and roll < 0.7:
            got = self.window_index(scope)
            if got:
                return got
        if self.data.get('Ix') == size and roll < 0.4:
            dims = self.inputs['Ix'][1]
            found = [next((v for v in around if self.over[v] == d), None) for d in dims]
            if None not in found:
                read = ('read', 'Ix', [('var', v) for v in found])
                return (('wrap', read, ('size', size)), False) if self.draw.random() < 0.6 else (('clamp', read, ('lit', '0'), ('bin', '-', ('size', size), ('lit', '1'))), False)
        if inside and roll < 0.75:
            v = self.draw.choice(inside)
            return ('var', v), False
        if inside and roll < 0.9:
            return self.within(size, self.draw.choice(inside)), False
        return self.anywhere(size, around)

    def within(self, size, v):
        last = ('bin', '-', ('size', size) if size.isalpha() else ('lit', size), ('lit', '1'))
        rev = ('bin', '-', last, ('var', v))
        return self.draw.choice([rev, rev, ('bin', '//', ('var', v), ('lit', '2')), ('bin', 'min', ('bin', '+', ('var', v), ('lit', '1')), last),
                                 ('bin', 'max', ('bin', '-', ('var', v), ('lit', '2')), ('lit', '0')), ('select', ('cmp', '==', ('bin', '%', ('var', v), ('lit', '2')), ('lit', '0')), ('var', v), rev)])

    def anywhere(self, size, around):
        """Any affine index, made safe in one of the ways."""
        if not size.isalpha() and self.draw.random() < 0.5:
            return ('lit', str(self.draw.randrange(int(size)))), False
        e = ('lit', str(self.draw.choice([0, 1, 2, 5])))
        for v in self.draw.sample(around, min(len(around), self.draw.randint(1, 2))):
            term = self.draw.choice([('var', v), ('bin', '*', ('var', v), ('lit', str(self.draw.choice([2, 3])))), ('bin', '//', ('var', v), ('lit', '3'))])
            e = ('bin', self.draw.choice(['+', '+', '-']), term, e)
        n = ('size', size) if size.isalpha() else ('lit', size)
        how = self.draw.choice(['padded', 'padded', 'padded', 'clamp', 'reflect', 'mirror', 'modulo'])
        if how == 'padded':
            return e, True
        if size.isalpha():
            self.positive.add(size)
        last = ('bin', '-', n, ('lit', '1'))
        return {'clamp': ('clamp', e, ('lit', '0'), last), 'reflect': ('reflect', e, n), 'mirror': ('mirror', e, n), 'modulo': ('bin', '%', e, n)}[how], False

    def window_index(self, scope):
        outer = [s[1] for s in scope if s[0] == 'var' and self.over[s[1]] == 'O']
        if not outer:
            return None
        o, kind = ('var', self.draw.choice(outer)), self.window['kind']
        if kind == 'window':
            taps = [s[1] for s in scope if s[0] == 'var' and self.over[s[1]] == 'R']
            e = ('bin', '*', o, ('attr', 'stride'))
            if taps:
                e = ('bin', '+', e, ('bin', '*', ('var', taps[-1]), ('attr', 'dil')))
            return ('bin', '-', e, ('attr', 'pad')), True
        plain = {'twice': ('bin', '//', o, ('lit', '2')), 'half': ('bin', '+', ('bin', '*', o, ('lit', '2')), ('lit', str(self.draw.randint(0, 1)))), 'least': ('bin', '+', o, ('lit', '0'))}
        if kind in plain:
            return plain[kind], False
        return ('bin', '*', o, ('lit', '3')) if kind == 'third' else ('bin', '-', o, ('lit', '1')), True

    # ---- expressions
    def literal(self):
        if self.family == 'float' and self.draw.random() < 0.6:
            return ('lit', self.draw.choice(['0.5', '1.25', '2.0', '0.0']))
        return ('lit', self.draw.choice(['0', '1', '2', '3']))

    def weak(self, scope):
        around = [s[1] for s in scope if s[0] == 'var']
        choices = [self.literal()]
        if around:
            v = ('var', self.draw.choice(around))
            choices += [v, ('bin', '%', v, ('lit', '3')), ('bin', '*', v, ('lit', '2'))]
        choices += [('attr', n) for n in ('k', 'alpha') if n in self.attrs] + [('attr', 'two', i) for i in (0, 1) if 'two' in self.attrs]
        if self.sizes[0] in 'NMK':
            choices.append(('size', self.sizes[0]))
        return self.draw.choice(choices)

    def number(self, scope, depth):
        roll = self.draw.random()
        if depth == 0 or roll < 0.12:
            if self.draw.random() < 0.75:
                return self.read(scope)
            if 'Other' in self.inputs and self.draw.random() < 0.5:
                sub, risky = self.index_of(self.inputs['Other'][1][0], scope)
                return ('cast', ('read', 'Other', [sub], *(('padded', ('lit', '1')) if risky else ())))
            if 'c' in self.attrs and self.draw.random() < 0.3:
                self.reads.append('c')
                return ('attr', 'c')
            return self.weak(scope)
        if roll < 0.42:
            return ('bin', self.draw.choice(['+', '-', '*', '*', 'max', 'min']), self.read(scope) if depth == 1 else self.number(scope, depth - 1), self.number(scope, depth - 1))
        if roll < 0.48:
            return self.divided(scope, depth)
        if roll < 0.62:
            return self.applied(scope, depth)
        if roll < 0.72:
            return ('select', self.condition(scope, depth - 1), self.number(scope, depth - 1), self.read(scope))
        return self.reduced(scope, depth)

    def divided(self, scope, depth):
        a = self.number(scope, depth - 1)
        if self.family == 'float':
            return ('bin', '/', a, ('bin', '+', ('fn', 'sq', self.read(scope)), ('lit', self.draw.choice(['1', '0.5']))))
        if self.family == 'int':
            return ('bin', self.draw.choice(['//', '%']), ('bin', '+', self.read(scope), a), ('lit', self.draw.choice(['2', '3', '7'])))
        return ('bin', 'max', a, self.read(scope))

    def applied(self, scope, depth):
        a = self.number(scope, depth - 1)
        if self.family == 'float':
            f = self.draw.choice(['exp', 'tanh', 'erf', 'sin', 'cos', 'atan', 'sqrt', 'rsqrt', 'log1p', 'log2', 'sq', 'abs', 'neg', 'expm1', 'asinh', 'cbrt', 'exp2', 'floor', 'ceil', 'round', 'trunc', 'sign'])
            if f in ('exp', 'expm1', 'exp2'):
                a = ('bin', 'min', a, ('lit', '3'))
            if f in ('sqrt', 'log1p', 'rsqrt', 'log2'):
                a = ('bin', '+', ('fn', 'abs', a), ('lit', '0.5'))
            return ('fn', f, a)
        f = self.draw.choice(['abs', 'neg', 'sq', 'sign'] if self.family == 'real' else ['abs', 'neg', 'sq', 'sign', 'bit', 'not'])
        if f == 'bit':
            return ('bin', self.draw.choice(['bit_and', 'bit_or', 'bit_xor']), self.read(scope), ('bin', '+', self.read(scope), a))
        return ('fn', 'bit_not', ('bin', '+', self.read(scope), a)) if f == 'not' else ('fn', f, ('bin', '+', self.read(scope), a))

    def reduced(self, scope, depth):
        sizes = self.sizes + (['R']*3 if 'R' in self.sizes and any(self.over.get(s[1]) == 'O' for s in scope) else [])
        names = [self.variable(self.draw.choice(sizes)) for _ in range(self.draw.choice([1, 1, 1, 2]))]
        inner = scope + [('var', v) for v in names]
        e = self.read(inner, wanted=names[0])
        if self.draw.random() < 0.7:
            e = ('bin', self.draw.choice(['*', '*', '+', '-', 'max']), e, self.number(inner, min(depth - 1, 1)))
        condition = self.within_condition(inner, names[0]) if self.draw.random() < 0.35 else None
        return ('red', self.draw.choice(['sum', 'sum', 'sum', 'max', 'min', 'prod']), names, condition, e)

    def within_condition(self, scope, v):
        others = [s[1] for s in scope if s[0] == 'var' and s[1] != v]
        same = [o for o in others if self.over[o] == self.over[v]] or others
        if not same or self.draw.random() < 0.3:
            return self.condition(scope, 1)
        o = ('var', self.draw.choice(same))
        v = ('var', v)
        banded = ('and', ('cmp', '<=', ('bin', '-', o, ('lit', '2')), v), ('cmp', '<=', v, o))
        return self.draw.choice([('cmp', '<=', v, o), ('cmp', '<', v, o), ('cmp', '>=', v, o), ('cmp', '>', v, o), ('cmp', '!=', v, o), banded,
                                 ('cmp', '<=', v, ('bin', '+', o, ('lit', '1'))), ('cmp', '==', ('bin', '%', ('bin', '+', v, o), ('lit', '2')), ('lit', '0'))])

    def condition(self, scope, depth, data=False):
        around = [s[1] for s in scope if s[0] == 'var']
        roll = self.draw.random()
        if depth > 0 and roll < 0.2:
            return (self.draw.choice(['and', 'or']), self.condition(scope, depth - 1, data), self.condition(scope, depth - 1))
        if depth > 0 and roll < 0.28:
            return ('not', self.condition(scope, depth - 1, data))
        flags = ([('flag', 'flag')] if 'flag' in self.attrs else []) + ([('choice', 'mode', 'aa')] if 'mode' in self.attrs else [])
        if flags and roll < 0.45:
            return self.draw.choice(flags)
        mask = [v for v in around if 'Mask' in self.inputs and self.over[v] == self.inputs['Mask'][1][0]]
        if mask and roll < 0.6:
            return ('read', 'Mask', [('var', mask[0])])
        if data and depth > 0 and roll < 0.7:
            v = self.variable(self.draw.choice(self.sizes))
            inner = scope + [('var', v)]
            return ('red', self.draw.choice(['any', 'all']), [v], None, ('cmp', '>', self.read(inner, wanted=v), self.literal()))
        if around and not data and roll < 0.8:
            return ('cmp', self.draw.choice(['<', '>=', '==']), ('bin', '%', ('var', self.draw.choice(around)), ('lit', '3')), ('lit', '1'))
        return ('cmp', self.draw.choice(['<', '<=', '>', '>=', '==', '!=']), self.read(scope), self.draw.choice([self.literal(), self.read(scope)]))
