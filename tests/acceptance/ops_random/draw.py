"""Random op definitions: shapes, derived sizes, attributes and statements; their expressions are drawn by draw_expressions.py."""
import random

from draw_expressions import Expressions
from trees import Statement, bare, named


class Draw(Expressions):
    """One definition. family: which element types it is for, and so which functions it may use."""

    def __init__(self, seed):
        self.draw = random.Random(seed)
        self.name = f'r{seed}'
        self.family = self.draw.choice(['float', 'float', 'int', 'real'])
        self.form = self.draw.choice(['plain', 'plain', 'plain', 'prefix', 'axis'])
        self.attrs, self.inputs, self.lets, self.requires, self.statements, self.outputs, self.index = {}, {}, {}, [], [], {}, {}
        self.broadcast, self.optional, self.positive, self.data, self.window, self.fresh = set(), set(), set(), {}, {}, 0
        self.sizes = ['D'] if self.form == 'axis' else ['N', 'M', 'K'][:self.draw.randint(1, 3)]
        self.known, self.over = {}, {}                                            # what each variable ranges over
        self.make_inputs()
        if self.form != 'axis' and self.draw.random() < 0.5:
            self.make_lets()
        self.make_attrs()
        for k in range(self.draw.choice([1, 1, 2, 2, 3, 4])):
            self.make_statement(f't{k}')
        self.make_outputs()

    # ---- declarations
    def make_inputs(self):
        packs = {'plain': [], 'prefix': ['P'], 'axis': ['P', 'Q']}[self.form]
        for k in range(self.draw.randint(1, 3)):
            dims = [self.draw.choice(self.sizes + self.sizes + ['3']) for _ in range(self.draw.choice([0, 1, 1, 2, 2, 3, 4]))]
            if self.form == 'axis':
                dims = ['*P', 'D', '*Q'] if k == 0 or self.draw.random() < 0.6 else ['D']
            elif k == 0 or (packs and self.draw.random() < 0.6):
                dims = ['*' + p for p in packs] + (dims or [self.sizes[0]])
            dims = [self.split(d) if d in 'NMK' else d for d in dims]
            if k and self.form != 'axis' and self.draw.random() < 0.2:
                dims = ['~' + d if d.strip('*').isalpha() and d.strip('*') in {x.strip('*') for x in self.inputs['A'][1]} else d for d in dims]
                if any(d[0] == '~' for d in dims):
                    self.broadcast.add('ABC'[k])
            self.inputs['ABC'[k]] = ('T', dims)
            if k and self.draw.random() < 0.15 and 'ABC'[k] not in self.broadcast and set(dims) <= set(self.inputs['A'][1]):
                self.optional.add('ABC'[k])
        if self.draw.random() < 0.3:
            self.inputs['Mask'] = ('bool', [self.draw.choice(self.sizes)])
        if self.draw.random() < 0.5:
            target = self.draw.choice(self.sizes)
            self.inputs['Ix'] = ('I', [self.draw.choice(self.sizes) for _ in range(self.draw.choice([1, 1, 2]))])
            self.data['Ix'] = target
            self.positive.add(target)
        if self.draw.random() < 0.2:
            self.inputs['Other'] = (self.draw.choice(['i8', 'u8', 'i32', 'f32']), [self.draw.choice(self.sizes)])
        if self.data and self.data['Ix'] not in self.used():
            self.data, self.inputs = {}, {n: i for n, i in self.inputs.items() if n != 'Ix'}
        self.sizes = [s for s in self.sizes if s in self.used()] or ['3']

    def used(self):
        """Sizes that some input binds."""
        return {s for _, dims in self.inputs.values() for d in dims for s in d.strip('()').split() if d[0] != '~'}

    def make_lets(self):
        n, m = self.draw.choice(self.sizes), self.draw.choice(self.sizes)
        what = self.draw.choice(['window', 'window', 'twice', 'half', 'third', 'sum', 'least', 'less'])
        if what == 'window':
            self.attrs.update(stride=('int', 1), pad=('int', 0), dil=('int', 1), R=('int', None))
            self.requires += ['stride > 0', 'dil > 0', 'R > 0', 'pad >= 0']
            self.lets['O'] = f'({n} + 2*pad - dil*(R - 1) - 1)//stride + 1'
            self.sizes.append('R')
        else:
            self.lets['O'] = {'twice': f'2*{n}', 'half': f'{n}//2', 'third': f'ceildiv({n}, 3)', 'sum': f'{n} + {m}', 'least': f'min({n}, {m})', 'less': f'max({n} - 1, 0)'}[what]
        self.window = {'kind': what, 'of': n, 'other': m}
        self.sizes.append('O')

    def make_attrs(self):
        if self.form == 'axis':
            self.attrs['axis'] = ('int', self.draw.choice([-1, 0]))
        for name, spec in [('flag', ('bool', False)), ('mode', ('enum(aa, bb)', 'bb')), ('k', ('int', 2)), ('c', ('T', 3)), ('two', ('int[2]', 1)),
                           *([('alpha', ('float', 0.5))]*(self.family == 'float'))]:
            if self.draw.random() < 0.2:
                self.attrs[name] = spec

    def make_outputs(self):
        """The last statement and some of those before it are outputs."""
        last = self.statements[-1].name
        for s in self.statements:
            if s.how == '=' and (s.name == last or self.draw.random() < 0.25):
                self.outputs[s.name] = s
        for s in self.statements:
            told = bare(s.expr) | bare(s.subs) | (bare(('read', s.name, s.subs)) if s.name in self.outputs else set())
            self.index.update({v: self.over[v] for v in named(s.expr) | named(s.subs) if v not in told})

    # ---- variables
    def variable(self, size):
        self.fresh += 1
        v = f'{size.lower() if size.isalpha() else "q"}{self.fresh}'
        self.over[v] = size
        return v

    def scope_of(self, dims):
        return [('pack', d[1:].lower()) if d[0] == '*' else self.group_of(d) if d[0] == '(' else ('var', self.variable(d)) for d in dims]

    def group_of(self, dim):
        a, b = dim[1:-1].split()
        return ('group', ('var', self.variable(a)), ('var', self.variable(b)), self.extent(b))

    def extent(self, size):
        return ('size', size) if size.isalpha() else ('lit', size)

    # ---- statements
    def left_dims(self):
        packs = {'plain': [], 'prefix': ['*P'], 'axis': ['*P']}[self.form]
        behind = ['*Q'] if self.form == 'axis' else []
        if self.draw.random() < 0.1:
            packs = []
        sizes = self.sizes + (['O']*3 if 'O' in self.sizes else [])
        count = self.draw.choice([0, 1]) if self.form == 'axis' else self.draw.choice([0, 1, 1, 2, 2, 3])
        return packs + [self.split(self.draw.choice(sizes)) for _ in range(count)] + behind

    def split(self, size):
        return f'(2 {size})' if self.form != 'axis' and self.draw.random() < 0.08 else size

    def make_statement(self, name):
        dims = self.left_dims()
        subs = left = self.scope_of(dims)
        subs = [v for s in left for v in (s[1:3] if s[0] == 'group' else [s])]
        type_ = self.draw.choice(['T']*7 + ['bool', 'i64', 'arg', 'i8', 'u8', 'i32'])
        self.reads, self.depth = [], self.draw.choice([1, 2, 2, 3])
        if type_ == 'arg':
            expr = self.extreme(subs)
            type_ = 'i64' if expr else 'T'
        elif type_ == 'i64':
            expr = self.counted(subs)
        elif type_ == 'bool':
            expr = self.condition(subs, 1, data=True)
        if type_ in ('i8', 'u8', 'i32') and self.family != 'float':
            type_ = 'T'
        if type_ in ('T', 'i8', 'u8', 'i32'):
            expr = self.number(subs, self.depth)
            if not self.reads:
                expr = ('bin', '+', expr, self.read(subs, 'A'))
        if type_ == 'bool' and not self.reads:
            expr = ('cmp', '>', self.read(subs, 'A'), ('lit', '0'))
        self.statements.append(Statement(name, left, '=', expr, type_, list(self.reads), list(subs)))
        self.dims(name, dims, type_)
        if type_ == 'T' and self.data and self.draw.random() < 0.25:
            self.make_scatter(name, dims)

    def dims(self, name, dims, type_):
        self.known[name] = (type_, dims)

    def make_scatter(self, name, dims):
        places = [k for k, d in enumerate(dims) if d == self.data['Ix']]
        if not places or any(d[0] == '(' for d in dims):
            return
        at = self.draw.choice(places)
        index = self.scope_of(self.inputs['Ix'][1])
        others = self.scope_of([d for k, d in enumerate(dims) if k != at])
        data = ('wrap', ('read', 'Ix', index), ('size', dims[at]))
        self.reads = []
        hidden = self.known.pop(name)
        expr = self.number(index + others, 1)
        self.known[name] = hidden
        left = others[:at] + [data] + others[at:]
        how = self.draw.choice(['+=', '+=', '*=', 'max=', 'min=', 'last='])
        self.statements.append(Statement(name, left, how, expr, 'T', list(self.reads) + [name], index + others))

    def extreme(self, scope):
        name = self.draw.choice(self.numbers())
        size = next((d for d in self.tensor(name)[1] if d in ('N', 'M', 'K', 'D', 'O')), None)
        if size is None:
            return None
        self.positive.add(size)
        v = self.variable(size)
        e = self.read(scope + [('var', v)], name, wanted=v)
        return ('red', self.draw.choice(['argmax', 'argmin']), [v], None, e)

    def counted(self, scope):
        v = self.variable(self.draw.choice(self.sizes))
        return ('red', 'sum', [v], None, ('count', self.condition(scope + [('var', v)], 1, data=True)))
