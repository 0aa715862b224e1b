"""Statements and expressions of random definitions as trees, and their text."""
from dataclasses import dataclass, field


@dataclass
class Statement:
    name: str
    subs: list                                        # of the left side: ('var', n), ('pack', p), or indices where it scatters
    how: str
    expr: tuple
    type: str                                         # 'T', 'i64' or 'bool'
    reads: list = field(default_factory=list)         # names of tensors whose type counts
    free: list = field(default_factory=list)          # its variables apart from those reduced

    def text(self):
        return f'{self.name}[{",".join(text(s) for s in self.subs)}] {self.how} {text(self.expr)}'


def text(e):
    kind = e[0]
    if kind in ('lit', 'var', 'size', 'flag'):
        return e[1]
    if kind == 'pack':
        return '*' + e[1]
    if kind == 'group':
        return '(' + ' '.join(text(a) if a[0] in ('var', 'lit') or (a[0] == 'bin' and not a[1].isalpha()) else f'({text(a)})' for a in e[1:3]) + ')'
    if kind == 'cast':
        return f'cast({text(e[1])}, T)'
    if kind == 'attr':
        return e[1] if len(e) == 2 else f'{e[1]}[{e[2]}]'
    if kind == 'choice':
        return f'{e[1]} == {e[2]}'
    if kind == 'read':
        read = f'{e[1]}[{",".join(text(s) for s in e[2])}]'
        return read if len(e) == 3 else f'{e[3]}({read}, {text(e[4])})'
    if kind in ('bin', 'cmp'):
        f = e[1]
        return f'{f}({text(e[2])}, {text(e[3])})' if f[0].isalpha() else f'({text(e[2])} {f} {text(e[3])})'
    if kind in ('and', 'or'):
        return f'({text(e[1])} {kind} {text(e[2])})'
    if kind == 'not':
        return f'(not ({text(e[1])}))'
    if kind == 'fn':
        return f'(-{text(e[2])})' if e[1] == 'neg' else f'{e[1]}({text(e[2])})'
    if kind == 'count':
        return f'cast({text(e[1])}, i64)'
    if kind == 'red':
        return f'{e[1]}[{",".join(e[2])}{"" if e[3] is None else " : " + text(e[3])}]({text(e[4])})'
    return f'{kind}({", ".join(text(a) for a in e[1:])})'          # select, clamp, wrap, reflect, mirror


def parts(e):
    """All trees in a tree."""
    if isinstance(e, tuple):
        yield e
    if isinstance(e, (tuple, list)):
        for x in e:
            yield from parts(x)


def bare(e):
    """Variables that index something by themselves, which tells their range."""
    subs = [sub for t in parts(e) if t and t[0] == 'read' for sub in t[2]]
    return {x[1] for sub in subs for x in (sub[1:3] if sub[0] == 'group' else [sub]) if x[0] == 'var'}


def named(e):
    return {v for t in parts(e) if t for v in ([t[1]] if t[0] == 'var' else [n for n in t[2] if n[0] != '*'] if t[0] == 'red' else [])}
