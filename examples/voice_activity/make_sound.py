#!/usr/bin/env python3
"""Writes five seconds of sound as WAV, 16 kHz, the same every time: faint noise, five vowels of a synthetic voice, noise, a tone, noise."""
import math
import struct
import sys

RATE = 16000
VOWELS = [(730, 1090, 2440), (530, 1840, 2480), (270, 2290, 3010), (570, 840, 2410), (300, 870, 2240)]  # formants in Hz of a, e, i, o, u
WIDTHS = (80, 100, 130)

state = 1


def noise():
    global state
    state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
    return (state >> 40) / 2**23 - 1


def resonators(source, formants):
    """Each formant is a resonance of two poles, one after another."""
    for frequency, width in zip(formants, WIDTHS):
        r = math.exp(-math.pi * width / RATE)
        a, b = 2 * r * math.cos(2 * math.pi * frequency / RATE), -r * r
        y1 = y2 = 0.0
        out = []
        for x in source:
            y1, y2 = (1 - a - b) * x + a * y1 + b * y2, y1
            out.append(y1)
        source = out
    return source


def vowel(formants, seconds):
    """Pulses of a voice whose pitch falls, with a little breath."""
    n, phase, source = int(seconds * RATE), 0.0, []
    for k in range(n):
        phase += (140 - 30 * k / n + 3 * math.sin(2 * math.pi * 5 * k / RATE)) / RATE
        opening = phase % 1
        glottis = math.sin(math.pi * opening / 0.6) ** 2 if opening < 0.6 else 0.0
        source.append(glottis + 0.02 * noise())
    slopes = [b - a for a, b in zip([0.0] + source, source)]
    out = resonators(slopes, formants)
    peak = max(abs(v) for v in out)
    return [0.4 * v / peak * math.sin(math.pi * k / n) ** 0.5 for k, v in enumerate(out)]


def main():
    sound = [0.002 * noise() for _ in range(RATE)]
    for formants in VOWELS:
        sound += vowel(formants, 0.25) + [0.002 * noise() for _ in range(RATE // 20)]
    sound += [0.002 * noise() for _ in range(RATE // 2)]
    sound += [0.3 * math.sin(2 * math.pi * 1000 * k / RATE) for k in range(RATE)]
    sound += [0.002 * noise() for _ in range(RATE)]
    data = b"".join(struct.pack("<h", round(32767 * v)) for v in sound)
    with open(sys.argv[1], "wb") as f:
        f.write(b"RIFF" + struct.pack("<I", 36 + len(data)) + b"WAVEfmt " + struct.pack("<IHHIIHH", 16, 1, 1, RATE, 2 * RATE, 2, 16) + b"data" + struct.pack("<I", len(data)) + data)


main()
