#!/usr/bin/env python3
"""Records PyTorch's runs of the networks of this folder: record.py [NAME...], where torch is installed.

Writes NAME/run.npz: initial parameters, the examples of each step, losses in f32 and f64, gradients of the first step and final
parameters, both computed in f64. The names of the arrays are those of the files that ../shared/accept/train.py reads.
"""
import importlib.util
import math
import re
import sys
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
import yaml

HERE = Path(__file__).resolve().parent
sys.dont_write_bytecode = True


class Net:
    running = ()         # parameters that the step replaces
    ones = ()            # those that begin near 1
    batch, steps, every = 8, 60, 1       # examples, steps, steps in an update

    def clip(self, live):
        pass


class Convolutions(Net):
    def loss(self, p, b):
        a = F.relu(F.conv2d(b['x'], p['f1'], p['b1'], stride=2, padding=1))
        d = F.conv2d(a, p['f2'], padding=1, groups=6)
        e = F.leaky_relu(F.conv2d(d, p['f3'], p['b3']), 0.1)
        m = F.max_pool2d(e, 3, stride=(1, 2), padding=1)
        q = torch.tanh(F.conv2d(m, p['f4'], groups=2, dilation=(2, 1), padding=(2, 1)))
        return F.cross_entropy(q.mean((2, 3)) @ p['w'] + p['b'], b['t'])

    def optimizer(self, live):
        made = torch.optim.SGD(live.values(), lr=0.05, momentum=0.9, nesterov=True, weight_decay=0.001)
        return made, torch.optim.lr_scheduler.StepLR(made, 20, 0.5)

    def clip(self, live):
        torch.nn.utils.clip_grad_norm_(live, 1.0)


class Norms(Net):
    running, ones = ('m', 'v'), ('g1', 'v', 'g2', 'g3', 'g4')
    batch = 12

    def loss(self, p, b):
        c = F.conv1d(b['x'], p['f'], padding=1)
        h = F.gelu(F.batch_norm(c, p['m'], p['v'], p['g1'], p['b1'], training=True, momentum=0.1))
        k = F.silu(F.group_norm(h, 2, p['g2'], p['b2']))
        u = F.layer_norm(k.reshape(-1, 60) @ p['w1'], (8,), p['g3'], p['b3'])
        z = F.rms_norm(u + F.elu(u), (8,), p['g4'], eps=1e-6)
        return F.cross_entropy(z @ p['w2'], b['t'], label_smoothing=0.1)

    def optimizer(self, live):
        plain = ('g1', 'b1', 'g2', 'b2', 'g3', 'b3', 'g4')
        groups = [{'params': [v for k, v in live.items() if k not in plain]}, {'params': [live[k] for k in plain], 'weight_decay': 0}]
        made = torch.optim.AdamW(groups, lr=0.02, betas=(0.9, 0.99), eps=1e-6, weight_decay=0.05)

        def factor(t):
            if t < 10:
                return (t + 1) / 10
            return 0.1 + 0.45 * (1 + math.cos(math.pi * min(t - 10, 50) / 50))

        return made, torch.optim.lr_scheduler.LambdaLR(made, factor)


class Recurrence(Net):
    def loss(self, p, b):
        v = p['e'][b['x'].T]
        h = c = torch.zeros(len(b['x']), 6, dtype=v.dtype)
        for x in v:
            i, f, g, u = (x @ p['wi'] + p['b'] + h @ p['wh']).chunk(4, 1)
            c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
            h = torch.sigmoid(u) * torch.tanh(c)
        r = p['h0'].expand(len(b['x']), 4)
        for x in reversed(list(v)):
            r = torch.tanh(x @ p['wr'] + r @ p['ur'])
        return F.huber_loss((torch.cat([h, r], 1) @ p['o'])[:, 0], b['t'], delta=0.5)

    def optimizer(self, live):
        return torch.optim.RMSprop(live.values(), lr=0.003, alpha=0.95, momentum=0.5, centered=True, eps=1e-4), None

    def clip(self, live):
        torch.nn.utils.clip_grad_value_(live, 0.05)


class Attention(Net):
    ones = ('g',)
    batch = 6

    def loss(self, p, b):
        x = b['x']
        n = len(x)
        v = p['e'][x[:, :12]] + p['p']
        a, c, d = (F.layer_norm(v, (8,), p['g'], p['h']) @ p['q']).chunk(3, 2)
        heads = lambda z: z.reshape(n, 12, 2, 4).transpose(1, 2)
        z = F.scaled_dot_product_attention(heads(a), heads(c), heads(d), is_causal=True)
        v = v + z.transpose(1, 2).reshape(n, 12, 8) @ p['o']
        v = v + F.gelu(v @ p['w'] + p['b'], approximate='tanh') @ p['u']
        return F.cross_entropy((v @ p['e'].T).reshape(-1, 11), x[:, 1:].reshape(-1))

    def optimizer(self, live):
        made = torch.optim.Adam(live.values(), lr=0.01, betas=(0.85, 0.98), eps=1e-7, weight_decay=0.01, amsgrad=True)
        return made, torch.optim.lr_scheduler.OneCycleLR(made, max_lr=0.01, total_steps=60, pct_start=0.25, cycle_momentum=False)

    def clip(self, live):
        torch.nn.utils.clip_grad_norm_(live, 0.5)


class Transposed(Net):
    ones = ('gi',)

    def loss(self, p, b):
        x = b['x']
        a = F.softplus(F.conv2d(x, p['f1'], p['b1'], stride=2, padding=1))
        c = F.instance_norm(F.conv2d(a, p['f2'], stride=2), weight=p['gi'], bias=p['bi'])
        m = F.avg_pool2d(a, 2)
        u = F.relu(F.conv_transpose2d(c, p['t1'], p['d1'], stride=2, padding=1, output_padding=1) + a)
        r = torch.sigmoid(F.conv_transpose2d(u, p['t2'], p['d2'], stride=2, padding=1, groups=2))
        y = F.conv2d(r, p['f3'])
        return F.mse_loss(y, x) + 0.01 * F.l1_loss(m, F.avg_pool2d(F.relu(a - 1), 2)) + 1e-4 * p['f3'].square().sum()

    def optimizer(self, live):
        return torch.optim.Adagrad(live.values(), lr=0.05, lr_decay=0.01, weight_decay=1e-4, initial_accumulator_value=0.01, eps=1e-8), None


class Gated(Net):
    batch, every = 6, 2

    def loss(self, p, b):
        def layer(wi, bi, wh, bh, order):
            v, h = F.linear(b['x'], p[wi], p[bi]), p['w'].new_zeros(len(b['x']), 7)
            for t in order:
                xr, xz, xn = v[:, t].chunk(3, 1)
                hr, hz, hn = F.linear(h, p[wh], p[bh]).chunk(3, 1)
                z, n = torch.sigmoid(xz + hz), torch.tanh(xn + torch.sigmoid(xr + hr) * hn)
                h = torch.where((t < b['len'])[:, None], (1 - z) * n + z * h, h)
            return h

        ends = layer('wi', 'bi', 'wh', 'bh', range(11)), layer('ri', 'rb', 'rh', 'rc', reversed(range(11)))
        each = F.cross_entropy(torch.cat(ends, 1) @ p['w'] + p['b'], b['t'], reduction='none')
        return (each * b['weight']).sum() / b['weight'].sum()

    def optimizer(self, live):
        made = torch.optim.Adam(live.values(), lr=0.02)
        return made, torch.optim.lr_scheduler.MultiStepLR(made, [10, 20], 0.3)

    def clip(self, live):
        torch.nn.utils.clip_grad_norm_(live, 0.25)


NETS = {net.__name__.lower(): net() for net in (Convolutions, Norms, Recurrence, Attention, Transposed, Gated)}


def start_of(name, net, rng):
    parameters = yaml.safe_load((HERE / name / 'graph.yaml').read_text())['parameters']
    shapes = {k: [int(n) for n in re.findall(r'\d+', p['type'].partition('[')[2])] for k, p in parameters.items()}
    return {k: ((k in net.ones) + rng.normal(0, .1 if len(s) == 1 else .4, s)).astype(np.float32) for k, s in shapes.items()}


def tensor(array, dtype):
    return torch.tensor(array, dtype=dtype if array.dtype.kind == 'f' else None)


def run(net, dtype, data, start, order):
    params = {k: torch.tensor(v, dtype=dtype, requires_grad=k not in net.running) for k, v in start.items()}
    live = {k: v for k, v in params.items() if v.requires_grad}
    optimizer, schedule = net.optimizer(live)
    losses, grads = [], None
    for step, examples in enumerate(order, 1):
        loss = net.loss(params, {k: tensor(v[examples], dtype) for k, v in data.items()})
        (loss / net.every).backward()
        grads = grads or {k: v.grad.numpy() * net.every for k, v in live.items()}
        losses.append(loss.item())
        if step % net.every:
            continue
        net.clip(list(live.values()))
        optimizer.step()
        if schedule:
            schedule.step()
        optimizer.zero_grad(set_to_none=True)
    return losses, grads, {k: v.detach().numpy() for k, v in params.items()}


def record(name, net):
    spec = importlib.util.spec_from_file_location(name, HERE / name / 'case.py')
    case = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(case)
    rng, data = np.random.default_rng(7), case.data(None)
    examples = len(next(iter(data.values())))
    order = np.array([rng.permutation(examples)[:net.batch] for _ in range(net.steps)], np.int32)
    start = start_of(name, net, rng)
    narrow, _, _ = run(net, torch.float32, data, start, order)
    exact, grads, final = run(net, torch.float64, data, start, order)
    arrays = {'batch_idx': order, 'loss_f32': np.array(narrow), 'loss_f64': np.array(exact)}
    arrays.update({f'init_{k}': v for k, v in start.items()})
    arrays.update({f'grad0_{k}': v.astype(np.float32) for k, v in grads.items()})
    arrays.update({f'final_{k}': v.astype(np.float32) for k, v in final.items()})
    np.savez_compressed(HERE / name / 'run.npz', **arrays)
    print(f'{name}: loss {exact[0]:.6f} to {exact[-1]:.6f}')


def main():
    torch.set_num_threads(1)
    for name in sys.argv[1:] or NETS:
        record(name, NETS[name])


main()
