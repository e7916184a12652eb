#!/usr/bin/env python3
"""Writes kernels/functions/tables.h: the tables and polynomials of kernels/functions.

usage: generate_tables.py > tables.h       needs mpmath; prints the error of each polynomial on stderr

A polynomial interpolates at Chebyshev nodes, and its error is relative to the result that it is part of.
"""

import struct
import sys

from mpmath import mp, mpf

mp.prec = 400
TINY = mpf(2) ** -60  # below it, functions with a removable singularity are constant enough


def nearest(value):
    """The f64 nearest to a number."""
    return float(value)


def pair(value):
    """A number as two f64, the second one the rest of the first one."""
    high = nearest(value)
    return [high, nearest(value - mpf(high))]


def bits_of(number):
    return struct.unpack("<Q", struct.pack("<d", number))[0]


def number_of(bits):
    return struct.unpack("<d", struct.pack("<Q", bits))[0]


def rounded(value, bits):
    """The multiple of 2^-bits nearest to a number."""
    return nearest(mp.nint(mp.ldexp(value, bits)) / mp.ldexp(mpf(1), bits))


def interpolate(function, low, high, count):
    """Coefficients of the polynomial with `count` terms, lowest first."""
    middle, half = (mpf(low) + high) / 2, (mpf(high) - low) / 2
    nodes = [middle + half * mp.cos(mp.pi * (2 * i + 1) / (2 * count)) for i in range(count)]
    # Newton's divided differences, then expanded.
    values = [function(node) for node in nodes]
    for level in range(1, count):
        for i in range(count - 1, level - 1, -1):
            values[i] = (values[i] - values[i - 1]) / (nodes[i] - nodes[i - level])
    coefficients = [values[-1]]
    for i in range(count - 2, -1, -1):
        shifted = [mpf(0), *coefficients]
        for k, coefficient in enumerate(coefficients):
            shifted[k] -= nodes[i] * coefficient
        shifted[0] += values[i]
        coefficients = shifted
    return [nearest(c) for c in coefficients]


def error(coefficients, function, low, high, weight):
    """log2 of the largest difference between polynomial and function, times weight(x)."""
    worst = mpf(0)
    for i in range(401):
        x = mpf(low) + (mpf(high) - low) * i / 400
        if x == 0:
            continue
        value = sum(mpf(c) * x**k for k, c in enumerate(coefficients))
        worst = max(worst, abs((value - function(x)) * weight(x)))
    return float(mp.log(worst, 2))


def polynomial(name, what, function, low, high, count, weight):
    coefficients = interpolate(function, low, high, count)
    print(f"{name}: {count} terms, 2^{error(coefficients, function, low, high, weight):.1f}", file=sys.stderr)
    write(name, what, coefficients, 1)


def write(name, what, numbers, columns):
    print(f"\n/* {what} */\nTS_TABLE({name}, {len(numbers)}) = {{")
    for i in range(0, len(numbers), columns):
        print("    " + " ".join(f"{number.hex()}," for number in numbers[i : i + columns]))
    print("};")


def constant(name, value):
    print(f"#define {name} {value.hex() if value > 0 else f'({value.hex()})'}")


def constants():
    """Numbers that are not of a table."""
    print()
    ln2 = mp.log(2)
    step = pair(ln2 / 16)
    constant("TF_16_BY_LN2", nearest(16 / ln2))
    constant("TF_LN2_BY_16", step[0])
    constant("TF_LN2_BY_16_LOW", step[1])
    for name, value in (("TF_LN2", ln2), ("TF_LOG2_E", 1 / ln2), ("TF_LOG10_E", 1 / mp.log(10)), ("TF_PI_BY_2", mp.pi / 2),
                        ("TF_PI", mp.pi)):
        constant(name, pair(value)[0])
        constant(f"{name}_LOW", pair(value)[1])
    # k ln 2 is exact for |k| < 2^11, and so is its sum with the first parts of the tables of logarithms.
    constant("TF_LN2_SHORT", rounded(ln2, 42))
    constant("TF_LN2_REST", nearest(ln2 - mpf(rounded(ln2, 42))))
    constant("TF_32_BY_PI", nearest(32 / mp.pi))
    rest = mp.pi / 32
    for part in range(1, 4):
        constant(f"TF_PI_BY_32_{part}", nearest(rest))
        rest -= mpf(nearest(rest))
    constant("TF_CBRT_2", nearest(mp.cbrt(2)))
    constant("TF_CBRT_4", nearest(mp.cbrt(4)))


def exponentials():
    def tail(r):
        return (mp.exp(r) - 1 - r - r * r / 2) / r**3 if abs(r) > TINY else mpf(1) / 6

    limit = mp.log(2) / 32 * mpf("1.001")
    rows = []
    for j in range(16):
        power = mpf(2) ** (mpf(j) / 16)
        rows += [number_of(bits_of(nearest(power)) - (j << 48)), nearest(mp.log(power / nearest(power)))]
    write("tf_exp2_rows", "Row j = 0 ... 15: bits of T = 2^(j/16) rounded, less j 2^48, and log(2^(j/16) / T).", rows, 2)
    polynomial("tf_exp_terms", "(e^r - 1 - r - r^2/2) / r^3.", tail, -limit, limit, 5, lambda r: r**3)
    polynomial("tf_expm1_terms", "The same with an error relative to e^r - 1.", tail, -limit, limit, 6, lambda r: r**2)


def log_tail(r):
    return (mp.log1p(r) - r + r * r / 2) / r**3 if abs(r) > TINY else mpf(1) / 3


def logarithms():
    # Two thirds of the interval around 1 lie below 1, where numbers are twice as dense, so that it reaches as far
    # above 1. Its 1/c is 1, and the logarithms of numbers near 1 have no cancellation.
    def rows(name, count, inverse_of):
        cell = 2**52 // count
        first = bits_of(1.0) - cell * (2 * count // 3) - cell * 2 // 3
        print(f"#define {name} 0x{first:016X}")
        found, largest = [], 0
        for j in range(count):
            low, high = mpf(number_of(first + j * cell)), mpf(number_of(first + (j + 1) * cell))
            inverse = 1.0 if low < 1 < high else inverse_of(2 / (low + high))
            largest = max(largest, *(abs(mpf(inverse) * z - 1) for z in (low, high)))
            value = -mp.log(mpf(inverse))
            found.append((inverse, rounded(value, 42), nearest(value - mpf(rounded(value, 42)))))
        return found, largest

    print("\n/* The first number of the first interval of each table of logarithms. */")
    found, largest = rows("TF_LOG_FIRST", 16, nearest)
    # z * inverse - 1 must be an f64: a multiple of 2^-61 below 2^-8.
    pow_rows, pow_largest = rows("TF_POW_FIRST", 256, lambda x: rounded(x, 9 if x < 1 else 8))
    write("tf_log_rows", "Row j: 1/c and the second part of log c, c in the middle of interval j.",
          [number for inverse, _, low in found for number in (inverse, low)], 2)
    write("tf_log_first_rows", "The first part of log c, a multiple of 2^-42, and nothing.",
          [number for _, high, _ in found for number in (high, 0.0)], 2)
    polynomial("tf_log_terms", "2 (log(1 + r) - r + r^2/2) / r^3.", lambda r: 2 * log_tail(r), -largest, largest, 9, lambda r: r**2)
    print(f"log: |r| up to {float(largest):.5f}", file=sys.stderr)

    write("tf_pow_rows", "Row j: 1/c, log c in two parts, nothing; 256 intervals; 1/c has few bits.",
          [number for row in pow_rows for number in (*row, 0.0)], 4)
    polynomial("tf_pow_terms", "The same for |r| < 2^-8.", lambda r: 2 * log_tail(r), -pow_largest, pow_largest, 6,
               lambda r: r**2)
    print(f"pow: |r| up to 2^{float(mp.log(pow_largest, 2)):.3f}", file=sys.stderr)


def trigonometry():
    limit = mp.pi / 64 * mpf("1.001")
    write("tf_sin_rows", "sin(j pi/32) in two parts, j = 0 ... 15.",
          [number for j in range(16) for number in pair(mp.sin(j * mp.pi / 32))], 2)
    write("tf_cos_rows", "cos(j pi/32) in two parts.",
          [number for j in range(16) for number in pair(mp.cos(j * mp.pi / 32))], 2)
    polynomial("tf_sin_terms", "(sin r - r) / r^3 as a polynomial of r^2.",
               lambda u: (mp.sin(mp.sqrt(u)) - mp.sqrt(u)) / mp.sqrt(u) ** 3 if u > TINY**2 else -mpf(1) / 6, 0, limit**2, 4,
               lambda u: u)
    polynomial("tf_cos_terms", "(cos r - 1 + r^2/2) / r^4 as a polynomial of r^2.",
               lambda u: (mp.cos(mp.sqrt(u)) - 1 + u / 2) / u**2 if u > TINY**2 else mpf(1) / 24, 0, limit**2, 3, lambda u: u**2)
    numbers = []
    with mp.workprec(1400):
        for row in range(64):
            value = 32 / mp.pi * mp.ldexp(mpf(1), 16 * row - 24)
            value -= 64 * mp.nint(value / 64)
            for _ in range(4):
                numbers.append(nearest(value))
                value -= mpf(numbers[-1])
    write("tf_turn_rows", "Row j: 32/pi 2^(16 j - 24) modulo 64 in four parts, for Payne and Hanek's reduction.", numbers, 4)


def arcs():
    write("tf_atan_rows", "atan(j/16) in two parts, j = 0 ... 15.",
          [number for j in range(16) for number in pair(mp.atan(mpf(j) / 16))], 2)
    limit = mpf("0.0324")
    polynomial("tf_atan_terms", "(atan t - t) / t^3 as a polynomial of t^2.",
               lambda u: (mp.atan(mp.sqrt(u)) - mp.sqrt(u)) / mp.sqrt(u) ** 3 if u > TINY**2 else -mpf(1) / 3, 0, limit**2, 5,
               lambda u: u)


def roots():
    polynomial("tf_cbrt_terms", "z^(-1/3) for z in [1, 2).", lambda z: 1 / mp.cbrt(z), 1, 2, 7, lambda z: mp.cbrt(z))


def main():
    print("/* Tables and polynomials of kernels/functions. Written by kernels/functions/generate_tables.py. */")
    print("/* clang-format off */")
    for part in (constants, exponentials, logarithms, trigonometry, arcs, roots):
        part()


main()
