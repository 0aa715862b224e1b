"""The case files of the folder cases, but each op is called by another one that does nothing else, and these are tested.

Read by ../shared/accept/ops.py, like merged_cases.py; TENON_CASES names some of the files. TENON_CALLED=behind copies the results, too.
"""
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import yaml

sys.path.insert(0, str(Path(__file__).resolve().parent))
import merged_cases as merged

BEHIND = os.environ.get('TENON_CALLED') == 'behind'
# What a body cannot call: packs dimension by dimension, axes that a call gives, ops for graphs alone, ranges that an absent input had.
# An extent that data decide, and a type that only results have, are those of an output that receives the result, not a copy of it.
REFUSALS = {'E0410', 'E0429', 'E0603', 'E0607'} | ({'E0438', 'E0606'} if BEHIND else set())
TENON = os.environ['TENON_PROGRAM']


class Loader(getattr(yaml, 'CSafeLoader', yaml.SafeLoader)):
    """Words are words but for true and false, as in the files that Tenon reads."""


class Dumper(getattr(yaml, 'CSafeDumper', yaml.SafeDumper)):
    """Writes what the loader reads, without anchors, which texts in one file would share."""

    def ignore_aliases(self, data):
        return True


for kind in (Loader, Dumper):
    kind.yaml_implicit_resolvers = {first: [row for row in rows if not row[0].endswith(':bool')]
                                    for first, rows in yaml.SafeLoader.yaml_implicit_resolvers.items()}
    kind.add_implicit_resolver('tag:yaml.org,2002:bool', re.compile('^(true|false)$'), list('tf'))


def name(declared):
    return declared.rstrip('?.')


def caller(op, called):
    out = {key: op[key] for key in ('types', 'attrs', 'in', 'out', 'let', 'require') if key in op}
    made = [name(o) for o in op['out']]
    given = [f'{name(n)}={name(n)}' for n in [*op.get('in', {}), *op.get('attrs', {})]]
    targets = [f'{o}_made' for o in made] if BEHIND else made
    lines = [f'{", ".join(targets)} = {called}({", ".join(given)})']
    if BEHIND:
        lines += [f'{o} = identity({o}_made)' for o in made]
    return {'op': op['op'], **out, 'body': '\n'.join(lines)}


def is_variadic(op):
    return any(n.endswith('...') for n in [*op.get('in', {}), *op['out']])


def refusal(text, op):
    """The code of the error that the definition has; None if it has none."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, 'ops.yaml').write_text(text)
        made = subprocess.run([TENON, 'lib', f'{folder}/ops.yaml', '--ops', op, '--isa', 'portable', '--dry-run', '-q', '-o', f'{folder}/lib'],
                              capture_output=True, text=True)
    if made.returncode == 0:
        return None
    return next(iter(re.findall(r'error: .*\[(E\d+)\]', made.stderr)), f'status {made.returncode}')


def called(text):
    """The text with an op that calls each, under its name, where that is possible."""
    read = yaml.load(text, Loader)

    def written(calling):
        ops = []
        for op in read.get('ops') or []:
            if op['op'] in calling:
                inner = {**op, 'op': op['op'] + '_inside'}
                inner.pop('tests', None)
                ops += [inner, caller(op, inner['op'])]
            else:
                ops.append(op)
        return yaml.dump({**read, 'ops': ops}, Dumper=Dumper, sort_keys=False, width=10000, allow_unicode=True)

    calling = {op['op'] for op in read.get('ops') or [] if not is_variadic(op)}
    everything = written(calling)
    for op in sorted(calling):
        why = refusal(everything, op)
        if why in REFUSALS:
            calling.discard(op)
        else:
            assert not why, f'{op}: {why}'
    return written(calling)


CASES = merged.CASES  # some draw from the definitions as they are
for module in merged.MODULES:
    module.OPS = [called(text) for text in ([module.OPS] if isinstance(module.OPS, str) else module.OPS)]
OPS = merged.merged(merged.MODULES, CASES)


def cases(rng):
    return [case for own in CASES for case in own]
