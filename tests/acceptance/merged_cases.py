"""The case files of the folder cases as one: definitions that are called with the same dtypes share a library.

Most of the time of a small library is its runtime's, which is the same in all. Read by ../shared/accept/ops.py, like each of the files;
TENON_CASES names some of them instead of all.
"""
import copy
import importlib.util
import os
import re
import textwrap
from pathlib import Path

import numpy as np
import yaml

FOLDER = Path(__file__).resolve().parent/'cases'
SEED = 2026  # that of ../shared/accept/ops.py
# ops.py reads all definitions with PyYAML's own scanner, which takes ten times as long as libyaml's.
yaml.SafeLoader = getattr(yaml, 'CSafeLoader', yaml.SafeLoader)


def load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def sections(text):
    """{'ops': its lines, …} of a text whose sections begin at the margin."""
    parts = re.split(r'^(\w+):[ ]*$', text, flags=re.M)
    assert not parts[0].strip() or parts[0].lstrip().startswith('#'), f'not in a section: {parts[0]}'
    return {name: textwrap.dedent(body).strip('\n') for name, body in zip(parts[1::2], parts[2::2])}


class Text:
    """A text of definitions: its sections, the names of its ops and functions."""

    def __init__(self, text):
        self.sections = sections(text)
        read = {name: yaml.safe_load(body) for name, body in self.sections.items()}
        self.ops = [o['op'] for o in read.get('ops') or []] + [name for f in read.get('families') or [] for name in f['ops']]
        self.functions = set(read.get('fn') or {})


class Library:
    """Texts in one, no two of which have a function of the same name; all are called with some of the same dtypes."""

    def __init__(self, dtypes):
        self.dtypes, self.lines, self.functions = dtypes, {}, set()

    def takes(self, text, dtypes):
        # Kernels that are not called cost too: a library more does when these would be twenty.
        if not dtypes <= self.dtypes or len(text.ops)*len(self.dtypes - dtypes) > 20 or text.functions & self.functions:
            return False
        self.functions |= text.functions
        for name, body in text.sections.items():
            self.lines.setdefault(name, []).append(textwrap.indent(body, '  '))
        return True

    def text(self):
        order = sorted(self.lines, key=lambda name: name != 'fn')  # functions before the ops that call them
        return '\n'.join(f'{name}:\n' + '\n'.join(self.lines[name]) for name in order) + '\n'


def drawn(modules, rng):
    """The cases of each module; all draw from the same place."""
    return [list(module.cases(copy.deepcopy(rng))) for module in modules]


def merged(modules, cases):
    """The texts of all modules in few; those with the most dtypes come first."""
    texts, names = [], set()
    for module, own in zip(modules, cases):
        dtypes = {}
        for case in own:
            dtypes.setdefault(case['op'], set()).add(case['key'])
        for text in [module.OPS] if isinstance(module.OPS, str) else module.OPS:
            text = Text(text)
            assert not names.intersection(text.ops), f'defined twice: {names.intersection(text.ops)}'
            names.update(text.ops)
            texts.append((text, frozenset().union(*(dtypes.get(op, ()) for op in text.ops))))
    libraries = []
    for text, dtypes in sorted(texts, key=lambda row: -len(row[1])):
        if not any(library.takes(text, dtypes) for library in libraries):
            libraries.append(Library(dtypes))
            libraries[-1].takes(text, dtypes)
    return [library.text() for library in libraries]


MODULES = [load(FOLDER/f'{name}.py') for name in os.environ.get('TENON_CASES', '').split(',') if name] or \
    [load(path) for path in sorted(FOLDER.glob('*.py'))]
CASES = drawn(MODULES, np.random.default_rng(SEED))
OPS = merged(MODULES, CASES)
BAD = [bad for module in MODULES for bad in getattr(module, 'BAD', [])]


def cases(rng):
    usual = rng.bit_generator.state == np.random.default_rng(SEED).bit_generator.state
    return [case for own in (CASES if usual else drawn(MODULES, rng)) for case in own]
