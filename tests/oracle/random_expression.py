"""Expressions at random of two arrays of one type, and what NumPy makes of them."""

import numpy as np

# NumPy has the bits of IEEE 754 and of integers that wrap.
OF_NUMBERS = ("a + b", "a - b", "a * b", "a * b - a", "min(a, b)", "max(a, b)", "abs(a)", "sign(b)", "a < b", "a == b", "a / b",
              "where(a < b, a, b)", "where(index % 3 == 1, a, b)", "a // b", "a % b", "f4(a) + f8(b)")
OF_INTEGERS = ("a & b", "a | ~b")
OF_BOOLS = ("~a", "a + b", "a * b", "a & ~b", "a | b", "min(a, b)", "max(a, b)", "a < b", "a == b", "a / b", "where(~a, b, a)",
            "where(index % 3 == 1, a, b)", "a*i8(200) + b*i8(100)", "i4(a) - f8(b)", "a // b")
OF_REALS = ("sqrt(a)", "floor(a / b)", "isnan(a - b)", "rint(a)")


def named(array):
    return {"a": array, "min": np.minimum, "max": np.maximum, "abs": np.abs, "sign": np.sign, "where": np.where,
            "sqrt": np.sqrt, "floor": np.floor, "isnan": np.isnan, "rint": np.rint, "f4": lambda x: x.astype("f4"),
            "f8": lambda x: x.astype("f8"), "i4": lambda x: x.astype("i4"), "i8": lambda x: np.full(array.shape, x, "i8"),
            "index": np.arange(array.size).reshape(array.shape)}


def random_expression(rng, a, b):
    known = OF_BOOLS if a.dtype.kind == "b" else OF_NUMBERS + (OF_REALS if a.dtype.kind == "f" else OF_INTEGERS)
    text = str(rng.choice(known))
    with np.errstate(all="ignore"):
        value = np.asarray(eval(text, {**named(a), "b": b}))  # of the texts above
    return text, value
