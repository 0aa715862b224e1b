"""Tables, lists that variables index, and types that follow from types."""
import numpy as np

from casekit import EXACT, available, rand, tol, wide

OPS = [r'''
ops:
  - op: crc16_of_rows
    types: {B: [u8]}
    index: {b: 8}
    tables:
      CRC: {type: "u16[256]", of: [k], values: "fold[b](c = cast(shl(k, 8), u16), select(bit_and(c, 0x8000) != 0, bit_xor(shl(c, 1), 0x1021), shl(c, 1)))"}
    in: {X: "B[M, N]"}
    out: {Y: "u16[M]"}
    body: |
      Y[m] = fold[n](c = cast(0xFFFF, u16), bit_xor(shl(c, 8), CRC[bit_xor(shr(c, 8), cast(X[m,n], u16)) % 256]))

  - op: chained_boxes
    doc: bytes through a box, mixed with the one before; the bounds of the bits are those of both operands
    tables: {Box: {type: "u8[256]", of: [k], values: "(167*k + 13) % 256"}}
    in: {X: "u8[*P, N]"}
    out: {Y: "u8[*P, N]", Z: "u8[*P, N]"}
    body: |
      Y[*p,n] = Box[bit_xor(X[*p,n], padded(Y[*p,n - 1], 7))]
      Z[*p,n] = Box[bit_or(shr(select(n % 2 == 0, X[*p,n], 9), 1), padded(Y[*p,n - 1], 0))]

  - op: sobel_magnitude
    types: {T: float}
    tables:
      Gx: {type: "T[3, 3]", values: [[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]]}
      Gy: {type: "T[3, 3]", of: [r, s], values: "Gx[s,r]"}
    in: {X: "T[H, W]"}
    out: {Y: "T[H, W]"}
    body: |
      a[y,x] = sum[r,s](Gx[r,s]*padded(X[y + r - 1,x + s - 1], 0))
      b[y,x] = sum[r,s](Gy[r,s]*padded(X[y + r - 1,x + s - 1], 0))
      Y[y,x] = sqrt(sq(a[y,x]) + sq(b[y,x]))

  - op: ordered_dither
    types: {T: float}
    tables: {M: {type: "u8[4, 4]", values: [[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]]}}
    in: {X: "T[H, W]"}
    out: {Y: "bool[H, W]"}
    body: Y[y,x] = X[y,x] > (cast(M[y % 4,x % 4], T) + 0.5)/16

  - op: windowed
    types: {T: float}
    tables: {Hann: {type: "T[33]", of: [n], values: "0.5 - 0.5*cos(6.283185307179586*n/32)"}}
    in: {X: "T[*P, 33]"}
    out: {Y: "T[*P, 33]"}
    body: Y[*p,n] = X[*p,n]*Hann[n]

  - op: dct_blocks
    types: {T: [f32, f64]}
    tables:
      D: {type: "T[8, 8]", of: [k, n], values: "select(k == 0, sqrt(0.125), 0.5*cos(3.141592653589793*(2*n + 1)*k/16))"}
    in: {X: "T[B, 8, 8]"}
    out: {Y: "T[B, 8, 8]"}
    body: |
      r[b,k,j] = sum[n](D[k,n]*X[b,n,j])
      Y[b,k,l] = sum[m](r[b,k,m]*D[l,m])

  - op: zigzag
    types: {T: any}
    tables: {P: {type: "i32[16]", values: [0, 1, 4, 8, 5, 2, 3, 6, 9, 12, 13, 10, 7, 11, 14, 15]}}
    in: {X: "T[N, 16]"}
    out: {Y: "T[N, 16]"}
    body: Y[n,k] = X[n,P[k]]

  - op: powers_of
    types: {T: number}
    tables: {W: {type: "T[5]", values: [1, 2, 4, 8, 16]}}
    in: {X: "T[N]"}
    out: {Y: "T[N, 5]"}
    body: Y[n,k] = X[n]*W[k]

  - op: levels
    types: {T: [f32, f64], I: index}
    tables: {L: {type: "T[5]", values: ["1/3", inf, "-inf", -0.5, 1e-3]}, On: {type: "bool[5]", values: [true, false, 1, 0, true]}}
    in: {X: "I[N]"}
    out: {Y: "T[N]", Z: "T[N]", B: "bool[N]"}
    body: |
      Y[n] = L[wrap(X[n], 5)]
      Z[n] = L[clamp(X[n], 1, 3)]
      B[n] = On[wrap(X[n], 5)]

  - op: quarter_turns
    types: {T: complex}
    tables: {R: {type: "T[4]", values: [1, "complex(0, 1)", -1, "complex(0, -1)"]}}
    in: {X: "T[N]"}
    out: {Y: "T[N]"}
    body: Y[n] = X[n]*R[n % 4]

  - op: fibonacci_steps
    tables: {F: {type: "i64[20]", of: [k], values: "padded(F[k - 1], 0) + padded(F[k - 2], 1)"}}
    in: {X: "u8[N]"}
    out: {Y: "i64[N]"}
    body: Y[n] = F[clamp(X[n], 0, 19)]

  - op: with_kernel
    types: {T: float}
    tables: {W: {type: "T[3]", values: [0.25, 0.5, 0.25]}}
    in: {X: "T[N]"}
    out: {Y: "T[N]"}
    body: |
      a = smooth_by(X, W)
      Y = smooth_by(a, W)

  - op: smooth_by
    types: {T: float}
    in: {X: "T[N]", W: "T[K]"}
    out: {Y: "T[N]"}
    body: Y[n] = sum[k](W[k]*padded(X[n + k - 1], 0))
''', r'''
ops:
  - op: valid_filter
    types: {T: float}
    attrs: {taps: "float[]"}
    in: {X: "T[*P, N]"}
    let: {O: N - count(taps) + 1}
    require: [count(taps) >= 1, count(taps) <= N]
    out: {Y: "T[*P, O]"}
    body: Y[*p,n] = sum[k](taps[k]*X[*p,n + k])

  - op: fixed_taps
    types: {T: real}
    attrs: {w: "T[3]", b: "float[3] = 0", shift: "int[3] = [0, 1, -1]"}
    in: {X: "T[N]"}
    out: {Y: "T[N]"}
    body: Y[n] = sum[k](w[k]*padded(X[n + shift[k]], 0))

  - op: picked_and_kept
    types: {T: any}
    attrs: {at: "int[]", keep: "bool[4] = true"}
    in: {X: "T[N]"}
    let: {K: count(at)}
    out: {Y: "T[K]", Z: "bool[4]"}
    body: |
      Y[k] = X[wrap(at[k], N)]
      Z[j] = keep[j]

  - op: hashed
    attrs: {seeds: "u64[]", scale: "f32[]"}
    in: {X: "u64[N]"}
    let: {K: count(seeds), J: count(scale)}
    out: {Y: "u64[N, K]", Z: "f32[J]"}
    body: |
      Y[n,k] = X[n]*seeds[k]
      Z[j] = 2*scale[j]

  - op: of_filters
    types: {T: float}
    attrs: {taps: "float[]"}
    in: {X: "T[N]"}
    let: {O: N - count(taps) + 1}
    require: [count(taps) >= 1, count(taps) <= N]
    out: {Y: "T[O]"}
    body: |
      a = valid_filter(X, taps=taps)
      Y = fixed_taps(a, w=[1, 0, 0])
''', r'''
ops:
  - op: complex_dft
    types: {T: [f32, f64]}
    in: {X: "T[N]"}
    out: {Y: "complex(T)[N]"}
    body: |
      Y[k] = sum[n](X[n]*complex(cos(6.283185307179586*(k*n % N)/N), -sin(6.283185307179586*(k*n % N)/N)))

  - op: inverse_dft
    types: {T: [f32, f64]}
    in: {X: "complex(T)[N]"}
    out: {Y: "T[N]"}
    body: |
      Y[n] = sum[k](real(X[k]*complex(cos(6.283185307179586*(k*n % N)/N), sin(6.283185307179586*(k*n % N)/N))))/N

  - op: norms
    types: {T: [f32, f64, c64, c128]}
    in: {X: "T[M, N]"}
    out: {Y: "real(T)[M]"}
    body: Y[m] = sqrt(sum[n](sq(real(X[m,n])) + sq(imag(X[m,n]))))

  - op: wide_sum
    types: {T: [i8, i16, i32, u8, u16, u32, f16, bf16, f32]}
    attrs: {start: "wide(T) = 0"}
    in: {X: "T[M, N]"}
    out: {Y: "wide(T)[M]"}
    body: Y[m] = start + sum[n](cast(X[m,n], wide(T)))

  - op: zigzag_code
    types: {T: int}
    in: {X: "T[N]"}
    out: {Y: "unsigned(T)[N]", Z: "T[N]"}
    body: |
      u[n] = cast(bit_xor(shl(X[n], 1), select(X[n] < 0, -1, 0)), unsigned(T))
      Y[n] = u[n]
      Z[n] = bit_xor(cast(shr(u[n], 1), T), -cast(bit_and(u[n], 1), T))

  - op: subtract_saturated
    types: {T: [i8, i16, u8, u16]}
    in: {A: "T[*S]", B: "T[*S]"}
    out: {Y: "T[*S]"}
    body: |
      d[*s] = cast(A[*s], signed(wide(T))) - cast(B[*s], signed(wide(T)))
      Y[*s] = cast(clamp(d[*s], cast(lowest(T), signed(wide(T))), cast(highest(T), signed(wide(T)))), T)
''']

OPS.append('ops:\n  - op: chained_tables\n    tables:\n      A0: {type: "i32[4]", of: [k], values: "k"}\n' +
           ''.join(f'      A{i}: {{type: "i32[4]", of: [k], values: "A{i - 1}[k] + {i}"}}\n' for i in range(1, 24)) + '''
    in: {X: "i32[4]"}
    out: {Y: "i32[4]"}
    body: Y[i] = X[i]*A23[i]
''')

BAD = [
    dict(why='functions that expand to too many parts', text='fn:\n  d0(x): x + 1\n' +
         ''.join(f'  d{i}(x): ' + f'd{i - 1}(x)*d{i - 1}(x + 1) % 7\n' if i != 12 else '  d12(x): «d11(x)»*d11(x + 1) % 7\n' for i in range(1, 30)) +
         'ops:\n  - op: wrong\n    types: {T: float}\n    in: {X: "T[N]"}\n    out: {Y: "T[N]"}\n    body: Y[i] = X[clamp(d29(i), 0, N - 1)]\n'),
    dict(why='a list where a number is', text='''ops:
  - op: wrong
    types: {T: float}
    tables: {W: {type: "T[2]", values: [1, «[2]»]}}
    in: {X: "T[2]"}
    out: {Y: "T[2]"}
    body: Y[r] = W[r]*X[r]
'''),
    dict(why='a value that the type does not hold', text='''ops:
  - op: wrong
    tables: {W: {type: "u8[2]", values: [1, «300»]}}
    in: {X: "u8[2]"}
    out: {Y: "u8[2]"}
    body: Y[r] = W[r]*X[r]
'''),
    dict(why='an extent that only a call tells', text='''ops:
  - op: wrong
    types: {T: float}
    tables: {W: {type: "T[«N»]", of: [k], values: "k"}}
    in: {X: "T[N]"}
    out: {Y: "T[N]"}
    body: Y[r] = W[r]*X[r]
'''),
    dict(why='a formula that reads an input', text='''ops:
  - op: wrong
    types: {T: float}
    tables: {W: {type: "T[3]", of: [k], values: "k*«X»[k]"}}
    in: {X: "T[3]"}
    out: {Y: "T[3]"}
    body: Y[r] = W[r]*X[r]
'''),
    dict(why='a table that is assigned to', text='''ops:
  - op: wrong
    types: {T: float}
    tables: {W: {type: "T[3]", values: [1, 2, 3]}}
    in: {X: "T[3]"}
    out: {Y: "T[3]"}
    body: |
      «W»[r] = 2*X[r]
      Y[r] = W[r]
'''),
    dict(why='a read past a list', text='''ops:
  - op: wrong
    types: {T: float}
    attrs: {taps: "float[]"}
    in: {X: "T[N]"}
    out: {Y: "T[N]"}
    body: Y[n] = X[n]*sum[k](taps[k] - taps[«k + 1»])
'''),
    dict(why='the complex type of an integer', text='''ops:
  - op: wrong
    types: {T: number}
    in: {X: "T[N]"}
    out: {Y: "T[N]"}
    body: Y[n] = real(cast(X[n], «complex(T)»))
'''),
    dict(why='the unsigned type of a float', text='''ops:
  - op: wrong
    types: {T: float}
    attrs: {fill: "«unsigned(T)» = 0"}
    in: {X: "T[N]"}
    out: {Y: "T[N]"}
    body: Y[n] = X[n] + cast(fill, T)
'''),
]


def crc16(row):
    c = 0xFFFF
    for byte in row:
        c ^= int(byte) << 8
        for _ in range(8):
            c = (c << 1 ^ 0x1021 if c & 0x8000 else c << 1) & 0xFFFF
    return c


def table_cases(rng):
    x = np.arange(4, dtype=np.int32)
    yield dict(op='chained_tables', key='i32', inputs=[x], want=[x*(x + sum(range(24)))], tol=EXACT)
    for m, n in [(1, 9), (3, 0), (17, 33), (0, 4)]:
        x = rng.integers(0, 256, (m, n)).astype(np.uint8)
        yield dict(op='crc16_of_rows', key='u8', inputs=[x], want=[np.array([crc16(r) for r in x], np.uint16).reshape(m)], dtypes=['u16'], tol=EXACT)
    gx = np.array([[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]])
    bayer = np.array([[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]])
    for key in available('f32', 'f64', 'f16', 'bf16'):
        for h, w in [(1, 1), (5, 7), (16, 33), (0, 4)]:
            x = rand(rng, (h, w), key)
            p = np.pad(wide(x), 1)
            at = lambda g, q: sum(g[r, s]*q[r:r + h, s:s + w] for r in range(3) for s in range(3))
            yield dict(op='sobel_magnitude', key=key, inputs=[x], want=[np.hypot(at(gx, p), at(gx.T, p))], tol=tol(ulp=2, acc=24, mag=2*at(np.abs(gx), np.abs(p))))
            grey = rand(rng, (h, w), key, 0, 1)
            limit = (np.tile(bayer, (h//4 + 1, w//4 + 1))[:h, :w] + 0.5)/16
            yield dict(op='ordered_dither', key=key, inputs=[grey], want=[wide(grey) > limit], dtypes=['bool'], tol=EXACT)
        hann = 0.5 - 0.5*np.cos(2*np.pi*np.arange(33)/32)
        for shape in [(33,), (2, 3, 33), (0, 33)]:
            x = rand(rng, shape, key)
            yield dict(op='windowed', key=key, inputs=[x], want=[wide(x)*hann], tol=tol(ulp=2, mid=1, mag=np.abs(wide(x))))
        for n in [1, 3, 17, 33]:
            x = rand(rng, (n,), key)
            taps = np.array([0.25, 0.5, 0.25])
            once = np.convolve(wide(x), taps, 'same') if n >= 3 else np.convolve(np.pad(wide(x), 1), taps, 'valid')
            twice = np.convolve(np.pad(once, 1), taps, 'valid')
            yield dict(op='with_kernel', key=key, inputs=[x], want=[twice], tol=tol(ulp=2, acc=12, mid=2, mag=np.full(n, 2.0)))
    k, n = np.mgrid[0:8, 0:8]
    d = np.where(k == 0, np.sqrt(0.125), 0.5*np.cos(np.pi*(2*n + 1)*k/16))
    for key in ('f32', 'f64'):
        for b in [0, 1, 17]:
            x = rand(rng, (b, 8, 8), key)
            yield dict(op='dct_blocks', key=key, inputs=[x], want=[d @ wide(x) @ d.T], tol=tol(ulp=2, acc=40, mag=np.full((b, 8, 8), 16.0)))
    order = [0, 1, 4, 8, 5, 2, 3, 6, 9, 12, 13, 10, 7, 11, 14, 15]
    for key in available('f32', 'i8', 'u64', 'bool', 'c128', 'f16'):
        for n in [0, 1, 5]:
            x = rand(rng, (n, 16), key)
            yield dict(op='zigzag', key=key, inputs=[x], want=[x[:, order]], tol=EXACT)
    for key in available('i8', 'u16', 'i64', 'u64', 'f32', 'f64', 'f16', 'bf16', 'c64', 'c128'):
        for n in [0, 1, 17, 33]:
            x = rand(rng, (n,), key, 0, 3)
            yield dict(op='powers_of', key=key, inputs=[x], want=[wide(x)[:, None]*2.0**np.arange(5) if key[0] in 'fbc' else wide(x)[:, None]*2**np.arange(5)], tol=EXACT)
    level, on = np.array([1/3, np.inf, -np.inf, -0.5, 1e-3]), np.array([1, 0, 1, 0, 1], bool)
    for key in ('f32', 'f64'):
        for shape in [(1,), (33,), (0,)]:
            x = rng.integers(-5, 5, shape).astype(np.int32)
            yield dict(op='levels', key=key, inputs=[x], want=[level[x], level[np.clip(x, 1, 3)], on[x]], dtypes=[key, key, 'bool'], tol=[tol(), tol(), EXACT])
        yield dict(op='levels', key=key, inputs=[np.array([0, 5], np.int32)], error='past the table', out=[(key, (2,)), (key, (2,)), ('bool', (2,))])
    for key in ('c64', 'c128'):
        x = rand(rng, (33,), key)
        yield dict(op='quarter_turns', key=key, inputs=[x], want=[wide(x)*np.array([1, 1j, -1, -1j])[np.arange(33) % 4]], tol=tol(ulp=1))
    f = [1, 2]
    while len(f) < 20:
        f.append(f[-1] + f[-2])
    x = rng.integers(0, 30, (33,)).astype(np.uint8)
    yield dict(op='fibonacci_steps', key='u8', inputs=[x], want=[np.array(f)[np.minimum(x, 19)]], dtypes=['i64'], tol=EXACT)


def list_cases(rng):
    for key in available('f32', 'f64', 'f16', 'bf16'):
        for shape in [(33,), (3, 17), (2, 0, 16)]:
            x = rand(rng, shape, key)
            for taps in ([1.0], [0.25, 0.5, -0.25], [0.125]*13):
                n = shape[-1] - len(taps) + 1
                y = sum(t*wide(x)[..., k:k + n] for k, t in enumerate(taps))
                yield dict(op='valid_filter', key=key, inputs=[x], attrs={'taps': taps}, want=[y], tol=tol(ulp=1, acc=2*len(taps) + 2, mag=np.full(y.shape, 4.0)))
                if len(shape) == 1:
                    yield dict(op='of_filters', key=key, inputs=[x], attrs={'taps': taps}, want=[y], tol=tol(ulp=2, acc=2*len(taps) + 4, mid=1, mag=np.full(y.shape, 4.0)))
        x = rand(rng, (3,), key)
        yield dict(op='valid_filter', key=key, inputs=[x], attrs={'taps': [0.5]*4}, error='a list longer than the row', out=[(key, (0,))])
        yield dict(op='valid_filter', key=key, inputs=[x], attrs={'taps': []}, error='an empty list', out=[(key, (4,))])
    for key in available('i8', 'i32', 'u16', 'i64', 'f32', 'f64', 'bf16'):
        for n in [0, 1, 17, 33]:
            x = rand(rng, (n,), key, 0, 5)
            w = [0.5, 2.0, 0.25] if key[0] in 'fb' else [1, 2, 3]
            p = np.pad(wide(x), 1)
            yield dict(op='fixed_taps', key=key, inputs=[x], attrs={'w': w}, want=[w[0]*p[1:n + 1] + w[1]*p[2:n + 2] + w[2]*p[:n]],
                       tol=tol(ulp=1, acc=6, mag=np.full(n, 20.0)) if key[0] in 'fb' else EXACT)
    for key in available('f32', 'u8', 'c64', 'bool'):
        x = rand(rng, (5,), key)
        for at in ([], [4], [-1, 0, 2]*7):
            keep = [True, False, False, True]
            yield dict(op='picked_and_kept', key=key, inputs=[x], attrs={'at': at, 'keep': keep}, want=[x[np.array(at, int)], np.array(keep)], dtypes=[key, 'bool'], tol=EXACT)
        yield dict(op='picked_and_kept', key=key, inputs=[x], attrs={'at': [0, 5]}, error='an element that is outside', out=[(key, (2,)), ('bool', (4,))])
    x = rng.integers(0, 2**62, (17,)).astype(np.uint64)
    for seeds in ([], [3], [2**40 + 1, 7, 11]):
        with np.errstate(over='ignore'):
            y = x[:, None]*np.array(seeds, np.uint64)[None, :]
        yield dict(op='hashed', key='u64', inputs=[x], attrs={'seeds': seeds, 'scale': [0.1, -3.0]}, want=[y, 2*np.array([0.1, -3.0], np.float32)], dtypes=['u64', 'f32'], tol=[EXACT, tol()])


def type_cases(rng):
    for key, c in (('f32', 'c64'), ('f64', 'c128')):
        for n in [1, 2, 17, 33]:
            x = rand(rng, (n,), key)
            yield dict(op='complex_dft', key=key, inputs=[x], want=[np.fft.fft(wide(x))], dtypes=[c], tol=tol(ulp=2, acc=4*n + 8, mag=np.full(n, 2.0*n)))
            z = rand(rng, (n,), c)
            yield dict(op='inverse_dft', key=key, inputs=[z], want=[np.fft.ifft(wide(z)).real], dtypes=[key], tol=tol(ulp=2, acc=4*n + 8, mag=np.full(n, 3.0)))
    for key, r in (('f32', 'f32'), ('f64', 'f64'), ('c64', 'f32'), ('c128', 'f64')):
        for shape in [(1, 1), (3, 17), (2, 0)]:
            x = rand(rng, shape, key)
            yield dict(op='norms', key=key, inputs=[x], want=[np.sqrt((np.abs(wide(x))**2).sum(-1))], dtypes=[r], tol=tol(ulp=3, acc=2*shape[1]))
    wider = dict(i8='i16', i16='i32', i32='i64', u8='u16', u16='u32', u32='u64', f16='f32', bf16='f32', f32='f64')
    for key in available(*wider):
        for shape in [(1, 1), (3, 33), (2, 0)]:
            real = key[0] in 'fb'
            x = rand(rng, shape, key, -100 if key[0] == 'i' else 0, 100)
            start = 1000.5 if real else 1000
            want = start + wide(x).sum(-1)
            yield dict(op='wide_sum', key=key, inputs=[x], attrs={'start': start}, want=[want], dtypes=[wider[key]],
                       tol=tol(ulp=1, acc=2*shape[1] + 2, mag=1000 + np.abs(wide(x)).sum(-1)) if real else EXACT)
    for key in ('i8', 'i16', 'i32', 'i64'):
        x = rand(rng, (33,), key, -100, 100)
        yield dict(op='zigzag_code', key=key, inputs=[x], want=[np.where(x < 0, -2*wide(x) - 1, 2*wide(x)), x], dtypes=['u' + key[1:], key], tol=EXACT)
    for key in ('i8', 'i16', 'u8', 'u16'):
        info = np.iinfo({'i8': 'int8', 'i16': 'int16', 'u8': 'uint8', 'u16': 'uint16'}[key])
        for shape in [(), (33,), (5, 17)]:
            a, b = (rng.integers(info.min, info.max, shape, endpoint=True).astype(info.dtype) for _ in range(2))
            a, b = np.asarray(a), np.asarray(b)
            yield dict(op='subtract_saturated', key=key, inputs=[a, b], want=[np.clip(wide(a) - wide(b), info.min, info.max)], dtypes=[key], tol=EXACT)


def cases(rng):
    box = (167*np.arange(256) + 13) % 256
    for shape in [(1,), (33,), (3, 17), (2, 0), (2, 1, 5)]:
        x = rand(rng, shape, 'u8', 0, 255)
        y, z, last = np.zeros(shape, np.uint8), np.zeros(shape, np.uint8), np.full(shape[:-1], 7)
        for n in range(shape[-1]):
            z[..., n] = box[((x[..., n] if n % 2 == 0 else np.uint8(9)) >> 1) | (y[..., n - 1] if n else 0)]
            last = y[..., n] = box[x[..., n] ^ last]
        yield dict(op='chained_boxes', key='u8', inputs=[x], want=[y, z], tol=EXACT)
    yield from table_cases(rng)
    yield from list_cases(rng)
    yield from type_cases(rng)
