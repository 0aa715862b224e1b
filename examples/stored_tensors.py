#!/usr/bin/env python3
"""Takes tensors out of ONNX files, with nothing but Python's library.

  stored_tensors.py npy TENSOR.pb OUT.npy                             a stored tensor
  stored_tensors.py weight MODEL.onnx NAME OUT.npy                    an initialiser of a model
  stored_tensors.py ppm TENSOR.pb OUT.ppm SCALE MEAN,MEAN,MEAN rgb    planes of floats back into a picture: value*SCALE + MEAN; bgr: blue comes first
"""
import struct
import sys

DESCRIPTORS = {1: "<f4", 2: "|u1", 3: "|i1", 6: "<i4", 7: "<i8", 9: "|b1", 11: "<f8"}


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def fields(data):
    """(number, value) of a protobuf message; the value of a field with a length is its bytes."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        kind = key & 7
        if kind == 0:
            value, at = varint(data, at)
        else:
            length, at = varint(data, at) if kind == 2 else ({1: 8, 5: 4}[kind], at)
            value, at = data[at:at + length], at + length
        yield key >> 3, value


def integers(value):
    if isinstance(value, int):
        return [value]
    out, at = [], 0
    while at < len(value):
        v, at = varint(value, at)
        out.append(v)
    return out


def tensor(message):
    """dtype, shape and little-endian bytes of a TensorProto."""
    dims, dtype, raw = [], 0, b""
    for number, value in fields(message):
        if number == 1:
            dims += integers(value)
        elif number == 2:
            dtype = value
        elif number == 4:
            raw += value
        elif number == 7:
            raw += b"".join(struct.pack("<Q", v) for v in integers(value))
        elif number == 9:
            raw = value
    if dtype not in DESCRIPTORS:
        sys.exit(f"stored_tensors.py: type {dtype} is not read")
    return DESCRIPTORS[dtype], dims, raw


def write_npy(path, descriptor, dims, raw):
    shape = "".join(f"{d}, " for d in dims)
    header = f"{{'descr': '{descriptor}', 'fortran_order': False, 'shape': ({shape}), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    with open(path, "wb") as f:
        f.write(b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header.encode() + raw)


def write_ppm(path, dims, raw, scale, means, colors):
    height, width = dims[-2:]
    planes = struct.unpack(f"<{3 * height * width}f", raw)
    n = height * width
    order = [0, 1, 2] if colors == "rgb" else [2, 1, 0]
    pixels = bytearray(3 * n)
    for c in range(3):
        pixels[c::3] = bytes(min(255, max(0, round(v * scale + means[order[c]]))) for v in planes[order[c] * n:(order[c] + 1) * n])
    with open(path, "wb") as f:
        f.write(b"P6\n%d %d\n255\n" % (width, height) + pixels)


def weight(message, name):
    graph = next(v for number, v in fields(message) if number == 7)
    for number, value in fields(graph):
        if number == 5 and (8, name.encode()) in fields(value):
            return tensor(value)
    sys.exit(f"stored_tensors.py: there is no initialiser '{name}'")


def main(args):
    if len(args) < 3 or args[0] not in ("npy", "weight", "ppm"):
        sys.exit(__doc__)
    with open(args[1], "rb") as f:
        data = f.read()
    if args[0] == "npy":
        write_npy(args[2], *tensor(data))
    elif args[0] == "weight":
        write_npy(args[3], *weight(data, args[2]))
    else:
        _, dims, raw = tensor(data)
        write_ppm(args[2], dims, raw, float(args[3]), [float(m) for m in args[4].split(",")], args[5])


main(sys.argv[1:])
