#!/usr/bin/env python3
"""How weights.safetensors and images.txt were made: train.py DIGITS.csv, rows of 64 pixels 0..16 and a label.

A dense network, 64 to 32 to 10, trained with Adam on all but every sixth image; the first 200 of the others become images.txt.
Needs NumPy. The seed is fixed, so that the files come out the same on one machine; the weights are rounded to 4 decimals.
"""
import gzip
import json
import os
import struct
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
HIDDEN, EPOCHS, BATCH, RATE, DECAY = 32, 60, 32, 2e-3, 1e-4


def read(path):
    opener = gzip.open if path.endswith('.gz') else open
    with opener(path, 'rt') as f:
        rows = [line.split(',') for line in f if line.strip() and not line[0].isalpha()]
    table = np.array([[float(v) for v in row] for row in rows if len(row) == 65])
    return table[:, :64].astype(np.float32), table[:, 64].astype(int)


def train(x, labels, rng):
    p = {'W1': rng.normal(0, (2 / 64) ** 0.5, (64, HIDDEN)), 'b1': np.zeros(HIDDEN),
         'W2': rng.normal(0, (1 / HIDDEN) ** 0.5, (HIDDEN, 10)), 'b2': np.zeros(10)}
    m = {k: np.zeros_like(v) for k, v in p.items()}
    v = {k: np.zeros_like(w) for k, w in p.items()}
    step = 0
    for _ in range(EPOCHS):
        order = rng.permutation(len(x))
        for at in range(0, len(x), BATCH):
            rows = order[at:at + BATCH]
            a, t = x[rows], np.eye(10)[labels[rows]]
            h = np.maximum(a @ p['W1'] + p['b1'], 0)
            e = np.exp(h @ p['W2'] + p['b2'])
            d = (e / e.sum(1, keepdims=True) - t) / len(rows)
            dh = d @ p['W2'].T * (h > 0)
            g = {'W1': a.T @ dh + DECAY * p['W1'], 'b1': dh.sum(0), 'W2': h.T @ d + DECAY * p['W2'], 'b2': d.sum(0)}
            step += 1
            for k in p:
                m[k] = 0.9 * m[k] + 0.1 * g[k]
                v[k] = 0.999 * v[k] + 0.001 * g[k] ** 2
                p[k] -= RATE * (m[k] / (1 - 0.9 ** step)) / (np.sqrt(v[k] / (1 - 0.999 ** step)) + 1e-8)
    return {k: np.round(w, 4).astype(np.float32) for k, w in p.items()}


def right(p, x, labels):
    h = np.maximum(x @ p['W1'] + p['b1'], 0)
    return ((h @ p['W2'] + p['b2']).argmax(1) == labels).mean()


def save(p, path):
    header, at = {}, 0
    for k, w in p.items():
        header[k] = {'dtype': 'F32', 'shape': list(w.shape), 'data_offsets': [at, at + w.nbytes]}
        at += w.nbytes
    text = json.dumps(header, separators=(',', ':')).encode()
    text += b' ' * (-len(text) % 8)
    with open(path, 'wb') as f:
        f.write(struct.pack('<Q', len(text)) + text + b''.join(w.tobytes() for w in p.values()))


def main():
    x, labels = read(sys.argv[1])
    kept = np.arange(len(x)) % 6 == 0
    p = train(x[~kept], labels[~kept], np.random.default_rng(1))
    print(f'trained on {int((~kept).sum())}: {right(p, x[~kept], labels[~kept]):.3f}; '
          f'of {int(kept.sum())} others {right(p, x[kept], labels[kept]):.3f} right; '
          f'of the first 200 of them {right(p, x[kept][:200], labels[kept][:200]):.3f}')
    save(p, os.path.join(HERE, 'weights.safetensors'))
    with open(os.path.join(HERE, 'images.txt'), 'w') as f:
        f.write('# 200 images of handwritten digits, 8 x 8 pixels from 0 to 16: a label, then 64 pixels row by row.\n'
                '# From "Optical Recognition of Handwritten Digits", E. Alpaydin and C. Kaynak, UCI Machine Learning Repository, 1998\n'
                '# (doi 10.24432/C50P49, CC BY 4.0). None of them was used to train weights.safetensors.\n')
        for image, label in zip(x[kept][:200], labels[kept][:200]):
            f.write(f'{label}: ' + ' '.join(str(int(v)) for v in image) + '\n')


if __name__ == '__main__':
    main()
