"""Levels of the host, as the generator names them."""
import subprocess


def host_levels(tenon):
    """From portable to the one with the widest vectors; without those for products of bytes, which other kernels do not have."""
    rows = subprocess.run([tenon, 'list', 'isas'], capture_output=True, text=True, check=True).stdout.splitlines()
    return [r.split()[0] for r in rows if 'host' in r.split() and not r.split()[0].endswith(('-vnni', '-dotprod'))]
