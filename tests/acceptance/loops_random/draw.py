"""Random definitions of what runs in an order: recurrences, groups, prefixes, ranges from data, folds, updates, tables.

Each piece of a definition is drawn twice at once: as notation and as Python over plain numbers. All numbers are small integers, in every
element type, so that the arithmetic is exact and results must agree to the last bit.
"""
import random

from draw_indices import Indices

SIZES = {'i': 'N', 'j': 'M', 'k': 'N', 'l': 'M', 'q': 'N', 'r': 'M', 'e': 'E', 'u': 'U'}
INPUTS = {'A': 'NM', 'B': 'N', 'C': 'M', 'V': 'E', 'W': 'NN'}


class Draw(Indices):
    def __init__(self, seed):
        self.draw = random.Random(seed)
        self.name = f'o{seed}'
        self.lead = self.draw.choice(['', '', 'b,', '*p,', ',c'])          # a dim of everything: in front, any number in front, behind
        self.known = dict(INPUTS)                                          # values that may be read, with their dims
        self.statements = []                                               # (targets, notation, loops, Python)
        self.outputs = []
        self.fresh = 0
        self.positions = False
        self.unread = {}                                                   # values of one statement alone
        self.types = {}                                                    # of values that are not of the type T
        self.real_accumulator = False
        self.excused = []                                                  # variables v of which Ok[v] holds: Far[v] is anywhere elsewhere
        self.accumulators = []                                             # those of the folds around an expression
        for k in range(self.draw.randint(1, 4)):
            self.draw.choice([self.recurrence, self.recurrence, self.recurrence, self.group, self.plain, self.plain, self.update, self.pair, self.call, self.scatter])(f't{k}')
        self.finish()

    # ---- expressions: (notation, Python)
    def number(self):
        if self.draw.random() < 0.08:
            return 'shift', 'SHIFT'
        n = str(self.draw.randint(-3, 4))
        return (n, n) if n[0] != '-' else (f'({n})', f'({n})')

    def index(self, dim, scope):
        """A place in a dim, and whether it may be outside."""
        near = [v for v in scope if SIZES[v] == dim]
        if self.excused and dim != 'E' and self.draw.random() < 0.6:
            v = self.draw.choice(self.excused)
            return f'wrap(Far[{v}], {dim})', f'FAR[{v}] % {dim}', False
        if dim != 'E' and self.draw.random() < (0.5 if self.accumulators else 0.1):
            return self.led(dim, scope)
        if not near or self.draw.random() < 0.08:
            some = self.draw.choice(scope) if scope else '1'
            return f'(2*{some} + 1) % {dim}', f'(2*{some} + 1) % {dim}', False
        v = self.draw.choice(near)
        way = self.draw.random()
        if way < 0.55:
            return v, v, False
        by = self.draw.choice([-2, -1, 1, 2])
        text = f'{v} {"+" if by > 0 else "-"} {abs(by)}'
        if way < 0.75:
            return f'clamp({text}, 0, {dim} - 1)', f'min(max({text}, 0), {dim} - 1)', False
        if way < 0.8:
            return f'{dim} - 1 - {v}', f'{dim} - 1 - {v}', False
        return text, text, True

    def subscript(self, name, subs):
        front, behind = (self.lead, '') if self.lead[:1] != ',' else ('', self.lead)
        subs = f'{front}{",".join(subs)}{behind}'
        return f'{name}[{subs}]'

    def read(self, scope, name=None, subs=None):
        name = name or self.draw.choice([n for n in self.known if n != 'V' or 'e' in scope])
        if subs is None:
            subs = [self.index(d, scope) for d in self.known[name]]
            if self.draw.random() < 0.15 and name not in 'V' and len(scope) < 4:
                return self.reduction(scope)
        outside = any(s[2] for s in subs)
        text = self.subscript(name, [s[0] for s in subs])
        fill = self.number() if self.types.get(name) != 'u8' else ('3', '3')
        python = f'rd({name!r}, ({"".join(s[1] + "," for s in subs)}), {fill[1] if outside else None})'
        text = f'padded({text}, {fill[0]})' if outside else text
        return (f'cast({text}, T)' if name in self.types else text), python

    def condition(self, scope):
        way = self.draw.random()
        if way < 0.25:
            return self.compound(scope)
        if way < 0.35 and self.accumulators:
            return self.of_accumulator(scope)
        a, b = self.read(scope), self.number()
        sign = self.draw.choice(['<', '<=', '>', '==', '!='])
        return f'{a[0]} {sign} {b[0]}', f'{a[1]} {sign} {b[1]}'

    def expression(self, scope, depth=2):
        way = self.draw.random()
        if depth == 0 or way < 0.2:
            return self.read(scope) if self.draw.random() < 0.85 else self.number()
        if way < 0.35 and len(scope) < 4:
            return self.reduction(scope)
        if way > 0.93 and len(self.excused) < 2 and any(SIZES[v] == 'N' for v in scope):
            return self.chosen(scope, depth)
        if way < 0.4 and self.accumulators:
            a = self.draw.choice(self.accumulators)
            return f'cast({a}, T)', a
        a, b = self.expression(scope, depth - 1), self.expression(scope, depth - 1)
        if way < 0.45:
            c = self.condition(scope)
            return f'select({c[0]}, {a[0]}, {b[0]})', f'({a[1]} if {c[1]} else {b[1]})'
        if way < 0.6:
            f = self.draw.choice(['min', 'max'])
            return f'{f}({a[0]}, {b[0]})', f'{f}({a[1]}, {b[1]})'
        if way < 0.68:
            return f'abs({a[0]})', f'abs({a[1]})'
        if way < 0.7 and 'i' in scope:
            return f'opt({self.subscript("O", ["i"])}, 2)', "rd('O', (i,), None)"
        if way < 0.74:
            return f'G[{scope[0]} % 5]*{a[0]}' if scope else a[0], f'TABLE[{scope[0]} % 5]*{a[1]}' if scope else a[1]
        sign = self.draw.choice(['+', '-', '*', '+'])
        return f'({a[0]} {sign} {b[0]})', f'({a[1]} {sign} {b[1]})'

    def bounded(self, e):
        if self.draw.random() < 0.5:
            return f'clamp({e[0]}, -9, 9)', f'min(max({e[1]}, -9), 9)'
        return f'({e[0]}) % 7', f'({e[1]}) % 7'

    def reduced_over(self, scope):
        """A variable that is reduced with its condition, as notation and as a Python loop; another one than those around it."""
        v = self.draw.choice([x for x in 'kqlr' if x not in scope])
        near = [o for o in scope if SIZES[o] == SIZES[v]]
        way = self.draw.random()
        if 'i' in scope and 'e' not in scope and way < 0.2:
            more = self.draw.random() < 0.3
            c = self.read(scope + ['e'], 'V', [('e', 'e', False)])
            text = 'e in Ptr[i] .. Ptr[i + 1]' + (f' : {c[0]} > 0' if more else '')
            return 'e', text, f'for e in range(PTR[i], PTR[i + 1])' + (f' if {c[1]} > 0' if more else '')
        if self.accumulators and way < 0.45:
            a, sign = self.draw.choice(self.accumulators), self.draw.choice(['<', '<=', '>', '>=', '!='])
            c = self.draw.choice([f'{v} {sign} {a}', f'{v} {sign} {a} + 2', f'{a} {sign} {v}', f'{a} - 2 <= {v} and {v} < {a} + 2', f'{v} {sign} {a} and {v} % 2 == 0'])
            return v, f'{v} : {c}', f'for {v} in range({SIZES[v]}) if {c}'
        if near and way < 0.65:
            o = self.draw.choice(near)
            c = self.draw.choice([f'{v} <= {o}', f'{v} < {o}', f'{v} > {o}', f'{v} >= {o} - 1', f'{o} - 2 < {v} and {v} <= {o} + 1', f'{v} <= {o} - 2',
                                  f'{o} <= {v} and {v} < {o} + 3', f'{v} != {o}'])
            return v, f'{v} : {c}', f'for {v} in range({SIZES[v]}) if {c}'
        if way < 0.75 and 'i' in scope:
            return v, f'{v} : {v} < Len[i]', f'for {v} in range({SIZES[v]}) if {v} < LEN[i]'
        if way < 0.85:
            c = self.condition([*scope, v])
            if self.draw.random() < 0.4 and near:
                o = self.draw.choice(near)
                d = self.draw.choice([f'{v} <= {o}', f'{v} > {o}', f'{v} < {o} + 2'])
                joined = self.draw.choice(['{1} and {0}', '{0} and {1}', '{1} or {0}'])
                c = tuple(joined.format(x, d) for x in c)
            return v, f'{v} : {c[0]}', f'for {v} in range({SIZES[v]}) if {c[1]}'
        return v, v, f'for {v} in range({SIZES[v]})'

    def reduction(self, scope):
        way = self.draw.random()
        if way < 0.2 and not self.accumulators:
            return self.walk(scope)
        if way < 0.35:
            return self.place_or_bits(scope)
        v, text, loop = self.reduced_over(scope)
        inner = [*scope, v]
        e = self.read(inner) if self.draw.random() < 0.6 else self.expression(inner, 1)
        if v == 'e' and self.draw.random() < 0.7:
            col = ('wrap(Col[e], M)', 'COL[e] % M', False)
            w = self.read(inner, 'C', [col])
            e = (f'{self.read(inner, "V", [("e", "e", False)])[0]}*{w[0]}', f'rd("V", (e,), None)*{w[1]}')
        elif v == 'e':                                                     # a range indexes something
            w = self.read(inner, 'V', [('e', 'e', False)])
            e = (f'({w[0]} + {e[0]})', f'({w[1]} + {e[1]})')
        kind = self.draw.choice(['sum', 'sum', 'sum', 'max', 'min', 'fold', 'any'])
        if kind == 'fold':
            a = 'h' + str(len(scope))
            return (f'fold[{text}]({a} = cast(1, T), ({a}*3 + {e[0]}) % 5)', f'fold(1, ({e[1]} {loop}), lambda {a}, x: ({a}*3 + x) % 5)')
        if kind == 'any':
            return f'select(any[{text}]({e[0]} > 1), 2, 1)', f'(2 if any({e[1]} > 1 {loop}) else 1)'
        if kind == 'sum':
            return f'sum[{text}]({e[0]})', f'sum({e[1]} {loop})'
        other = '(-9)' if kind == 'max' else '9'
        return f'{kind}({other}, {kind}[{text}]({e[0]}))', f'{kind}({other}, {kind}(({e[1]} {loop}), default={other}))'

    # ---- statements
    def left(self, name, variables):
        return self.subscript(name, list(variables))

    def add(self, name, variables, loops, e, how='='):
        self.statements.append((name, variables, f'{self.left(name, variables)} {how} {e[0]}', loops, e[1]))
        self.known[name] = ''.join(SIZES[v] for v in variables)

    def plain(self, name):
        variables = self.draw.choice(['i', 'j', 'ij', 'ji', 'ij'])
        self.choose_type(name)
        e = self.bounded(self.expression(list(variables)))
        self.add(name, variables, [(v, 1) for v in variables], self.typed(name, e))

    def earlier(self, name, variables, order, inner_shared):
        """A read of an element of `name` that comes before, given the order; `variables` are those of its left side."""
        at = self.draw.randrange(len(order)) if inner_shared else 0
        v, direction = order[at]
        if v not in variables:
            at, (v, direction) = 0, order[0]
        by = self.draw.choice([1, 1, 2])
        inner = [o for o, _ in order[at + 1:]]
        subs, reduced = [], None
        for x in variables:
            if x == v:
                text = f'{v} {"-" if direction > 0 else "+"} {by}'
                subs.append((text, text, True))
            elif x in inner or x not in [o for o, _ in order]:
                way = self.draw.random()
                if way < 0.25 and reduced is None:
                    reduced = {'N': 'k', 'M': 'l'}[SIZES[x]]
                    subs.append((reduced, reduced, False))
                elif way < 0.5:
                    text = f'{x} {self.draw.choice("+-")} 1'
                    subs.append((text, text, True))
                elif way < 0.55:
                    subs.append(self.led(SIZES[x], list(variables)))
                elif way < 0.6:
                    subs.append((f'clamp({x} + cast(Ix[{x}], i64) - 1, 0, {SIZES[x]} - 1)' if x == 'i' else f'{SIZES[x]} - 1 - {x}',
                                 f'min(max(i + IX[i] - 1, 0), N - 1)' if x == 'i' else f'{SIZES[x]} - 1 - {x}', False))
                else:
                    subs.append((x, x, False))
            else:
                subs.append((x, x, False))
        if reduced is None:
            return self.read([], name, subs)
        e = self.read([], name, subs)
        if self.draw.random() < 0.5 and 'W' in self.known:
            return f'sum[{reduced}]({e[0]})', f'sum({e[1]} for {reduced} in range({SIZES[reduced]}))'
        return f'max(0, max[{reduced}]({e[0]}))', f'max(0, max(({e[1]} for {reduced} in range({SIZES[reduced]})), default=0))'

    def running_sum(self, name, variables, order):
        """A reduction over all elements that come before along the outermost variable."""
        v, direction = order[0]
        other = {'N': 'q', 'M': 'r'}[SIZES[v]]
        subs = [(other, other, False) if x == v else (x, x, False) for x in variables]
        c = f'{other} {"<" if direction > 0 else ">"} {v}'
        e = self.read([], name, subs)
        f = self.draw.choice(['sum', 'max'])
        if f == 'sum':
            return f'sum[{other} : {c}]({e[0]})', f'sum({e[1]} for {other} in range({SIZES[v]}) if {c})'
        return f'max(0, max[{other} : {c}]({e[0]}))', f'max(0, max(({e[1]} for {other} in range({SIZES[v]}) if {c}), default=0))'

    def order_of(self, variables):
        order = [(v, self.draw.choice([1, 1, -1])) for v in variables]
        if self.draw.random() < 0.3:
            order.reverse()
        return order

    def combined(self, own, scope):
        e = self.expression(scope, 1)
        for o in own:
            way = self.draw.random()
            if way < 0.2:
                c = self.condition(scope)
                e = (f'select({c[0]}, {o[0]}, {e[0]})', f'({o[1]} if {c[1]} else {e[1]})')
            elif way < 0.4:
                f = self.draw.choice(['min', 'max'])
                e = (f'{f}({o[0]}, {e[0]})', f'{f}({o[1]}, {e[1]})')
            else:
                sign = self.draw.choice(['+', '-', '+', '*'])
                e = (f'({o[0]} {sign} {e[0]})', f'({o[1]} {sign} {e[1]})')
        return self.bounded(e)

    def recurrence(self, name):
        variables = self.draw.choice(['i', 'ij', 'ij', 'ji', 'j'])
        order = self.order_of(variables)
        self.choose_type(name)
        own = [self.earlier(name, variables, order, True) for _ in range(self.draw.choice([1, 1, 2, 3]))]
        if self.draw.random() < 0.2:
            own.append(self.running_sum(name, variables, order))
        self.add(name, variables, order, self.typed(name, self.combined(own, list(variables))))

    def group(self, name):
        """Statements that need each other. Either they share all variables, or the first and some are over one more."""
        shared = self.draw.choice(['i', 'ij', 'j'])
        order = self.order_of(shared)
        names = [f'{name}{x}' for x in 'ab' + self.draw.choice(['', '', 'c'])]
        for n in names:
            self.choose_type(n)
        more = {n: '' if len(shared) == 2 or self.draw.random() < 0.4 else {'i': 'j', 'j': 'i'}[shared] for n in names}
        members = []
        for at, n in enumerate(names):
            mine = shared + more[n]
            target = names[(at - 1) % len(names)]                          # each needs the one before; the first the last, at an earlier element
            theirs = shared + more[target]
            if at == 0:
                own = [self.earlier(target, theirs, order, True)] if set(theirs) <= set(mine) else [self.over_inner(target, theirs, order)]
            else:
                own = [self.same_element(target, theirs, mine)]
            if self.draw.random() < 0.4:
                own.append(self.earlier(n, mine, order, True))
            members.append((n, mine, self.typed(n, self.combined(own, list(mine)))))
        text = [(n, mine, f'{self.left(n, mine)} = {e[0]}', e[1]) for n, mine, e in members]
        self.statements.append((names, order, text))
        for n, mine, _ in members:
            self.known[n] = ''.join(SIZES[v] for v in mine)

    def over_inner(self, name, variables, order):
        v, direction = order[0]
        text = f'{v} {"-" if direction > 0 else "+"} 1'
        new = {'i': 'k', 'j': 'l'}
        inner = [x for x in variables if x != v]
        e = self.read([], name, [(text, text, True) if x == v else (new[x], new[x], False) for x in variables])
        loops = ' '.join(f'for {new[x]} in range({SIZES[x]})' for x in inner)
        return f'sum[{",".join(new[x] for x in inner)}]({e[0]})', f'sum({e[1]} {loops})'

    def same_element(self, name, variables, mine):
        new = {'i': 'k', 'j': 'l'}
        inner = [x for x in variables if x not in mine]
        e = self.read([], name, [(x, x, False) if x in mine else (new[x], new[x], False) for x in variables])
        if not inner:
            return e
        return f'sum[{",".join(new[x] for x in inner)}]({e[0]})', f'sum({e[1]} {" ".join(f"for {new[x]} in range({SIZES[x]})" for x in inner)})'

    def update(self, name):
        v = self.draw.choice('ij')
        self.add(name, v, [(v, 1)], ('0', '0'))
        how, python = self.draw.choice([('+=', 'a + x'), ('max=', 'max(a, x)'), ('min=', 'min(a, x)'), ('last=', 'x')])
        scope, place = (['i'], 'IX[i]') if v == 'i' else (['e'], 'COL[e]')
        dims = self.known.pop(name)                                        # an update does not read what it updates
        e = self.bounded(self.read(scope) if scope == ['e'] else self.expression(scope, 1))
        where, test = '', ''
        if self.draw.random() < 0.5:
            c = self.condition(scope)
            where, test = f' where {c[0]}', f' if {c[1]}'
        self.known[name] = dims
        index = 'wrap(Ix[i], N)' if place == 'IX[i]' else 'wrap(Col[e], M)'
        text = f'{self.subscript(name, [index])} {how} {e[0]}{where}'
        self.statements.append((name, text, scope, f'{place} % {SIZES[v]}', e[1], test, python))

    def pair(self, name):
        v = self.draw.choice('ij')
        inner = self.draw.choice([x for x in 'kl' if SIZES[x] != SIZES[v]] + ['k'])
        f = self.draw.choice(['max_at', 'min_at'])
        e = self.read([v, inner])
        self.statements.append((name, v, f'{self.left(name, v)}, {self.left(name + "p", v)} = {f}[{inner}]({e[0]})', inner, f, e[1]))
        self.known[name] = SIZES[v]
        self.positions = True

    def finish(self):
        for k in range(self.draw.choice([1, 1, 2])):
            variables = self.draw.choice(['i', 'ij', 'j', 'ij'])
            if k == 0:
                name = list(self.known)[-1]
                e = self.read(list(variables), name)
                if self.draw.random() < 0.6:
                    f = self.expression(list(variables), 1)
                    e = (f'{e[0]} + {f[0]}', f'{e[1]} + {f[1]}')
            else:
                e = self.expression(list(variables))
            self.add('YZ'[k], variables, [(v, 1) for v in variables], self.bounded(e))
            self.outputs.append(('YZ'[k], variables))
