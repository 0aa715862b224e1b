"""Parts of random definitions that are led by data: indices from values and from accumulators, mixed conditions, types of intermediates."""
import re

SIZES = {'i': 'N', 'j': 'M', 'k': 'N', 'l': 'M', 'q': 'N', 'r': 'M', 'e': 'E', 'u': 'U'}


class Indices:
    """What class Draw inherits."""

    def integer(self, scope):
        """An integer from data, an accumulator or a variable; its bounds are not known."""
        way = self.draw.random()
        if self.accumulators and way < 0.7:
            a = self.draw.choice(self.accumulators)
            return (f'cast({a}, i64)', a) if self.real_accumulator else (a, a)
        fits = [n for n, d in self.known.items() if n != 'V' and len(d) <= len(scope) and all(any(SIZES[v] == x for v in scope) for x in d)]
        if fits and way < 0.9:
            name = self.draw.choice(fits)
            subs = [(v, v, False) for v in (self.draw.choice([v for v in scope if SIZES[v] == x]) for x in self.known[name])]
            e = self.read(scope, name, subs)
            if name in self.types and self.types[name][0] in 'iu' and self.draw.random() < 0.5:
                return e[0][5:-4], e[1]
            return f'cast({e[0]}, i64)', e[1]
        if 'i' in scope and self.draw.random() < 0.5:
            return self.draw.choice([('Len[i]', 'LEN[i]'), ('Ix[i]', 'IX[i]')])
        if self.draw.random() < 0.3:
            return 'shift', 'SHIFT'
        v = self.draw.choice(scope) if scope else '3'
        return v, v

    def led(self, dim, scope):
        """A place in a dim that an integer leads to: with its guard, whether it may be outside."""
        a = self.integer(scope)
        more = self.draw.choice(['', '', ' - 1', ' + 2', '*2', '*2 - 3', '*(-1)', '//2'])
        if scope and self.draw.random() < 0.3:
            more += self.draw.choice([' + ', ' - ']) + self.draw.choice(scope)
        text, python = f'{a[0]}{more}', f'{a[1]}{more}'
        way = self.draw.random()
        if way < 0.12 and dim in 'NM':                                     # an element of an index is an index
            inner = self.led('N', scope) if way < 0.06 else ('i', 'i', False) if 'i' in scope else ('0', '0', False)
            if not inner[2]:
                text, python = f'(Ix[{inner[0]}]{more})', f'(IX[{inner[1]}]{more})'
        way = self.draw.random()
        if way < 0.4:
            low = self.draw.choice(['0', '0', f'min(1, {dim} - 1)'])
            return f'clamp({text}, {low}, {dim} - 1)', f'min(max({python}, {low}), {dim} - 1)', False
        if way < 0.65:
            return f'({text}) % {dim}', f'({python}) % {dim}', False
        if way < 0.75:
            return f'max(min({text}, {dim} - 1), 0)', f'max(min({python}, {dim} - 1), 0)', False
        if way < 0.8:
            return f'abs({text}) % {dim}', f'abs({python}) % {dim}', False
        return text, python, True

    def compound(self, scope):
        """Conditions on data beside conditions on indices."""
        a, b = self.condition(scope), self.condition(scope)
        if scope and self.draw.random() < 0.6:
            v, w = self.draw.choice(scope), self.draw.choice(scope)
            b = self.draw.choice([f'{v} % 2 == 0', f'{v} <= {w}', f'{v} != 1', f'{v} + {w} < 5', f'{v} < {self.integer(scope)[0]}'])
            if 'cast' in b or '[' in b or 'shift' in b:
                i = self.integer(scope)
                b = (f'{v} < {i[0]}', f'{v} < {i[1]}')
            else:
                b = (b, b)
        joined = self.draw.choice(['({} and {})', '({} or {})', '(not ({}) and {})', '({} and not ({}))', '({} != ({}))'])
        if '!=' in joined:
            joined = '(({}) and ({}))'
        if self.draw.random() < 0.5:
            a, b = b, a
        return joined.format(a[0], b[0]), joined.format(a[1], b[1])

    def of_accumulator(self, scope):
        a = self.draw.choice(self.accumulators)
        b = self.draw.choice([*scope, '0', '2', '(-1)'])
        sign = self.draw.choice(['<', '>=', '==', '!='])
        way = f'{a} % 3 {sign} 1' if self.draw.random() < 0.3 else f'{a} {sign} {b}'
        return way, way

    def choose_type(self, name):
        """Some intermediates are stored in a type of their own; readers convert it."""
        if self.draw.random() < 0.4:
            self.types[name] = self.draw.choice(['i8', 'i16', 'i32', 'i64', 'f16', 'f32', 'f64', 'bf16', 'wide(T)', 'compute(T)', 'i8', 'u8'])

    def typed(self, name, e):
        kind = self.types.get(name)
        if kind == 'u8':
            e = f'abs({e[0]})', f'abs({e[1]})'
        return (f'cast({e[0]}, {kind})' if kind else e[0]), e[1]

    def walk(self, scope):
        """A fold whose accumulator leads its reads."""
        v, text, loop = self.reduced_over(scope)
        kind = self.draw.choice(['i8', 'i16', 'i32', 'i64', 'i64', 'T'])
        a = f'w{len(scope)}'
        start = self.number() if self.draw.random() < 0.5 else self.read(scope)
        start = (start[0] if self.draw.random() < 0.3 and kind == 'T' else f'cast({start[0]}, {kind})', start[1])
        if start[0].lstrip('(-').rstrip(')').isdigit():
            start = (f'cast({start[0]}, {kind})', start[1])
        self.accumulators.append(a)
        self.real_accumulator = kind == 'T'
        e = self.expression([*scope, v], self.draw.choice([0, 1, 1]))
        if v == 'e':
            w = self.read([*scope, v], 'V', [('e', 'e', False)])
            e = (f'({w[0]} + {e[0]})', f'({w[1]} + {e[1]})')
        e = self.bounded(e)
        e = (f'cast({e[0]}, {kind})' if kind != 'T' else f'({e[0]})', f'({e[1]})')
        step = self.draw.choice(['{a} + {e}', '{e} - {a}', '{e}', '2*{a} + {e}'])
        bound = self.draw.choice([('clamp({}, -9, 9)', 'min(max({}, -9), 9)'), ('({}) % 7', '({}) % 7'), ('({}) % 7 - 3', '({}) % 7 - 3')])
        new = [b.format(step.format(a=a, e=x)) for b, x in zip(bound, e)]
        if self.draw.random() < 0.3:
            c = self.condition([*scope, v])
            new = [f'select({c[0]}, {new[0]}, {a})', f'({new[1]} if {c[1]} else {a})']
        self.accumulators.pop()
        result = f'fold[{text}]({a} = {start[0]}, {new[0]})'
        return (result if kind == 'T' else f'cast({result}, T)'), f'fold({start[1]}, ({v} {loop}), lambda {a}, {v}: {new[1]})'

    def where_ok(self, v, make):
        """What is made where Ok[v] holds: indices there may be wrapped that are wrong elsewhere."""
        self.excused.append(v)
        e = make()
        self.excused.pop()
        return e

    def chosen(self, scope, depth):
        v = self.draw.choice([v for v in scope if SIZES[v] == 'N'])
        e, other = self.where_ok(v, lambda: self.expression(scope, depth - 1)), self.read(scope)
        if self.draw.random() < 0.5:
            return f'select(Ok[{v}], {e[0]}, {other[0]})', f'({e[1]} if OK[{v}] else {other[1]})'
        return f'select(not Ok[{v}], {other[0]}, {e[0]})', f'({e[1]} if OK[{v}] else {other[1]})'

    def taps(self, scope):
        """A sum over a list of the call."""
        e = self.read([*scope, 'u'])
        way = self.draw.choice(['', ' : u < shift + 1'] + ([f' : u <= {scope[0]}'] if scope else []))
        return f'sum[u{way}](taps[u]*{e[0]})', f'sum(TAPS[u]*{e[1]} for u in range(len(TAPS)){" if" + way[2:] if way else ""})'.replace('shift', 'SHIFT')

    def call(self, name):
        """An op of the library on a whole value."""
        fits = [n for n, d in self.known.items() if n not in self.types and d in ('N', 'M', 'NM', 'MN', 'NN')]
        if self.lead not in ('', 'b,'):
            return self.plain(name)
        source = self.draw.choice(fits)
        dims = self.known[source]
        at = self.draw.randrange(len(dims))
        axis = self.draw.choice([at - len(dims), at + (self.lead == 'b,')])
        f = self.draw.choice(['cumsum', 'sort', 'flip'])
        argument = self.draw.choice([source, source, f'2*{source}', f'{source} - 3'])
        if f == 'cumsum':
            raw = f'{name}r'
            self.statements.append(('call', raw, dims, f'{raw} = cumsum({argument}, axis={axis})', (f, source, argument.replace(source, 'x'), at)))
            variables = 'ij' if dims == 'NM' else 'ji' if dims == 'MN' else 'iq' if dims == 'NN' else 'i' if dims == 'N' else 'j'
            read = self.subscript(raw, list(variables))
            self.unread[raw] = dims
            e = self.bounded((read, f"rd({raw!r}, ({','.join(variables)},), None)"))
            return self.add(name, variables, [(v, 1) for v in variables], e)
        text = f'{name}, {name}p = sort({argument}, axis={axis})' if f == 'sort' else f'{name} = flip({argument}, axis={axis})'
        self.statements.append(('call', name, dims, text, (f, source, argument.replace(source, 'x'), at)))
        self.known[name] = dims
        return None

    def scatter(self, name):
        """Elements that data lead to, along one dim or both."""
        scope = self.draw.choice([['i'], ['j'], ['i', 'j'], ['j', 'i'], ['i', 'e']])
        dims = self.draw.choice(['N', 'M', 'NM'])
        variables = {'N': 'i', 'M': 'j', 'NM': 'ij'}[dims]
        first = self.bounded(self.expression(list(variables), 1)) if self.draw.random() < 0.6 else ('0', '0')
        self.choose_type(name)
        if name in self.types:
            self.types[name] = self.draw.choice(['i32', 'f32', 'wide(T)', 'compute(T)'])     # that sums fit
        self.add(name, variables, [(v, 1) for v in variables], self.typed(name, first))
        del self.known[name]
        targets = []
        guarded = scope[-1] != 'e' and 'i' in scope and self.draw.random() < 0.4
        self.excused += ['i']*guarded
        for d in dims:
            own = [v for v in scope if SIZES[v] == d]
            t = (own[0],)*2 + (False,) if own and self.draw.random() < 0.3 else self.led(d, scope)
            while t[2]:
                t = self.led(d, scope)
            targets.append(t)
        how, python = self.draw.choice([('+=', 'a + x'), ('max=', 'max(a, x)'), ('min=', 'min(a, x)')] + [('last=', 'x')]*(len(scope) == 1))
        e = self.bounded(self.expression([v for v in scope], 1))
        self.excused = self.excused[:-1] if guarded else self.excused
        where, test = (' where Ok[i]', 'OK[i]') if guarded else ('', None)
        if scope[-1] == 'e':
            c = self.condition(scope) if self.draw.random() < 0.5 else None
            where = ' where e in Ptr[i] .. Ptr[i + 1]' + (f' : {c[0]}' if c else '')
            test = '(PTR[i] <= e < PTR[i + 1])' + (f' and ({c[1]})' if c else '')
        elif self.draw.random() < 0.5:
            c = self.condition(scope)
            where, test = (f'{where} and {c[0]}', f'{test} and ({c[1]})') if guarded else (f' where {c[0]}', c[1])
        if scope[-1] == 'e':
            w = self.read(scope, 'V', [('e', 'e', False)])
            e = (f'({w[0]} + {e[0]})', f'({w[1]} + {e[1]})')
        said = ' '.join(x[0] for x in targets) + where
        missing = [v for v in scope if v != 'e' and not re.search(rf'\b{v}\b', said)]    # an update runs over the variables of its left side and its condition
        if missing:
            more = ' and '.join(f'{v} >= {self.draw.choice("01")}' for v in missing)
            where = f' where {more}' if not where else f'{where} and {more}' if scope[-1] != 'e' or ' : ' in where else f'{where} : {more}'
            test = f'({test}) and {more}' if test else more
        kind = self.types.get(name)
        value = f'cast({e[0]}, {kind})' if kind else e[0]
        text = f'{self.subscript(name, [t[0] for t in targets])} {how} {value}{where}'
        self.statements.append((name, text, scope, f'({"".join(t[1] + "," for t in targets)})', e[1], test and f' if {test}' or '', python, 'many'))
        self.known[name] = dims

    def place_or_bits(self, scope):
        """A position, bits of all elements, or elements of two dims."""
        way = self.draw.random()
        if way < 0.15 and 'u' not in scope:
            return self.taps(scope)
        free = [x for x in 'kqlr' if x not in scope]
        if way < 0.3 and any(x in 'kq' for x in free):
            v = self.draw.choice([x for x in free if x in 'kq'])
            e = self.where_ok(v, lambda: self.expression([*scope, v], 1))
            return f'sum[{v} : Ok[{v}]]({e[0]} + 0*{self.read([*scope, v], "B", [(v, v, False)])[0]})', f'sum({e[1]} for {v} in range(N) if OK[{v}])'
        if way < 0.4 or len(free) < 2:
            v = self.draw.choice(free)
            e = self.read([*scope, v])
            f, sign = self.draw.choice([('argmax', ''), ('argmin', '-')])
            near = [o for o in scope if SIZES[o] == SIZES[v]]
            if near and self.draw.random() < 0.5:
                c = f'{v} {self.draw.choice(["<=", ">="])} {self.draw.choice(near)}'
                return f'cast({f}[{v} : {c}]({e[0]}), T)', f'max(({v} for {v} in range({SIZES[v]}) if {c}), key=lambda {v}: {sign}({e[1]}))'
            return f'cast({f}[{v}]({e[0]}), T)', f'max(range({SIZES[v]}), key=lambda {v}: {sign}({e[1]}))'
        v, text, loop = self.reduced_over(scope)
        if way < 0.7 or v == 'e':
            inner = [*scope, v]
            e = self.bounded(self.read(inner) if v != 'e' else self.read(inner, 'V', [('e', 'e', False)]))
            f, sign, start = self.draw.choice([('bit_xor', '^', 0), ('bit_or', '|', 0), ('bit_and', '&', -1)])
            kind = self.draw.choice(['i8', 'i32', 'i64'])
            return f'cast({f}[{text}](cast({e[0]}, {kind})), T)', f'fold({start}, ({e[1]} {loop}), lambda a, x: a {sign} x)'
        w = self.draw.choice([x for x in free if x != v])
        inner = [*scope, v, w]
        e = self.read(inner) if self.draw.random() < 0.5 else self.expression(inner, 1)
        c = self.condition(inner) if self.draw.random() < 0.5 else None
        condition = text.split(' : ', 1)[1] if ' : ' in text else None
        if condition and re.search(rf'[\[,]{w}[],: ]', condition):         # which it reduces over
            return self.read(scope)
        both = ' and '.join(f'({x})' for x in [condition, c and c[0]] if x)
        test = f'{loop} for {w} in range({SIZES[w]})' + (f' if {c[1]}' if c else '')
        return f'sum[{v},{w}{" : " + both if both else ""}]({e[0]})', f'sum({e[1]} {test})'
