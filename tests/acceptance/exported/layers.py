"""Functions of PyTorch that exporters write in their own ways, with their inputs."""
import torch
import torch.nn.functional as F
from torch import nn, rand, randint, randn


class Called(nn.Module):
    """A function as a module."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *inputs):
        return self.function(*inputs)


class Recurrent(nn.Module):
    """A recurrent layer with its states as outputs one by one."""

    def __init__(self, layer):
        super().__init__()
        self.layer = layer

    def forward(self, *inputs):
        out, state = self.layer(*inputs)
        return (out, *state) if isinstance(state, tuple) else (out, state)


FUNCTIONS = {
    'stft': (lambda x: torch.view_as_real(torch.stft(x, 64, 16, window=torch.hann_window(64), return_complex=True)), [randn(2, 256)]),
    'grid_sample': (lambda x, g: F.grid_sample(x, g, mode='bicubic', padding_mode='reflection', align_corners=False), [randn(1, 3, 8, 8), rand(1, 5, 5, 2)*2 - 1]),
    'bicubic': (lambda x: F.interpolate(x, scale_factor=1.7, mode='bicubic'), [randn(1, 3, 8, 8)]),
    'area': (lambda x: F.interpolate(x, size=(5, 3), mode='area'), [randn(1, 3, 10, 9)]),
    'antialias': (lambda x: F.interpolate(x, size=(5, 3), mode='bilinear', antialias=True), [randn(1, 3, 10, 9)]),
    'fold': (lambda x: F.fold(F.unfold(x, 3, padding=1), (8, 8), 3, padding=1), [randn(1, 3, 8, 8)]),
    'topk': (lambda x: torch.topk(x, 3, dim=1), [randn(4, 9)]),
    'sort': (lambda x: torch.sort(x, dim=-1, descending=True), [randn(4, 9)]),
    'unique': (lambda x: torch.unique(x, return_inverse=True, return_counts=True), [randint(0, 4, (12,))]),
    'nonzero': (lambda x: torch.nonzero(x > 0), [randn(4, 5)]),
    'masked': (lambda x: x[x > 0], [randn(4, 5)]),
    'scatter_add': (lambda x, i, s: x.scatter_add(1, i, s), [randn(4, 5), randint(0, 5, (4, 3)), randn(4, 3)]),
    'index_put': (lambda x, i, v: x.index_put((i,), v, accumulate=True), [randn(6, 5), torch.tensor([0, 2, 2]), randn(3, 5)]),
    'einsum': (lambda x, y: torch.einsum('bnd,bmd->bnm', x, y), [randn(2, 4, 5), randn(2, 6, 5)]),
    'roll': (lambda x: torch.roll(x, (1, -2), (0, 1)), [randn(4, 5)]),
    'statistics': (lambda x: (torch.linalg.vector_norm(x, dim=1), *torch.var_mean(x, 1), torch.std(x, 0), torch.logsumexp(x, 1)), [randn(4, 5)]),
    'bucketize': (lambda x: torch.bucketize(x, torch.tensor([-1., 0., 1.])), [randn(4, 5)]),
    'triangles': (lambda x: torch.triu(x, 1) + torch.tril(x, -1), [randn(5, 5)]),
    'diagonal': (lambda x: torch.diagonal(x, 1)*2, [randn(5, 5)]),
    'repeat_interleave': (lambda x: x.repeat_interleave(3, dim=1), [randn(3, 4)]),
    'pixel_shuffle': (lambda x: F.pixel_unshuffle(F.pixel_shuffle(x, 2), 2)*2, [randn(1, 8, 4, 4)]),
    'gates': (lambda x: F.glu(x) + F.logsigmoid(x[:, :4]) + F.softshrink(x[:, :4]) + F.hardtanh(x[:, :4]), [randn(3, 8)]),
    'pools': (lambda x: (F.adaptive_avg_pool2d(x, (3, 2)), F.adaptive_max_pool2d(x, (4, 2)), F.lp_pool2d(x, 2, 3), F.max_pool2d(x, 3, 2, 1, ceil_mode=True)), [randn(1, 3, 12, 10)]),
    'pads': (lambda x: sum(F.pad(x, (1, 2, 2, 1), mode=m) for m in ('reflect', 'replicate', 'circular')), [randn(1, 3, 6, 5)]),
    'whole_numbers': (lambda x, y: (x // y, x % y, torch.remainder(x, y), torch.fmod(x, y)), [randint(-9, 9, (6,)), randint(1, 5, (6,))]),
    'clamp': (lambda x: torch.where(x > 0, x, torch.tensor(0.5)).clamp(min=0.2), [randn(4, 5)]),
    'one_hot': (lambda x: F.one_hot(x, 7).float() @ torch.ones(7, 3), [randint(0, 7, (4,))]),
    'cross_entropy': (lambda x, t: F.cross_entropy(x, t), [randn(4, 5), randint(0, 5, (4,))]),
    'norms': (lambda x: F.instance_norm(x) + F.local_response_norm(x, 3) + F.group_norm(x, 2) + F.layer_norm(x, (5,)), [randn(2, 4, 5)]),
}

LAYERS = {
    'lstm': (lambda: Recurrent(nn.LSTM(8, 12, 2, bidirectional=True, batch_first=True)), [randn(2, 7, 8)]),
    'lstm_state': (lambda: Recurrent(nn.LSTM(8, 12)), [randn(7, 2, 8), (randn(1, 2, 12), randn(1, 2, 12))]),
    'gru': (lambda: Recurrent(nn.GRU(8, 12, 2, bidirectional=True)), [randn(7, 2, 8)]),
    'rnn': (lambda: Recurrent(nn.RNN(8, 12, 2, nonlinearity='relu')), [randn(7, 2, 8)]),
    'attention': (lambda: Called(nn.MultiheadAttention(16, 4, batch_first=True)), [randn(2, 5, 16), randn(2, 7, 16), randn(2, 7, 16)]),
    'transformer': (lambda: nn.Transformer(16, 4, 2, 2, 32, batch_first=True), [randn(2, 5, 16), randn(2, 4, 16)]),
}

MAKERS = {**{name: (lambda f=f: Called(f), inputs) for name, (f, inputs) in FUNCTIONS.items()}, **LAYERS}
