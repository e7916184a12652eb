"""NumPy 2's rules for the types of expressions (NEP 50), written down apart from the program, and apart from the NumPy
that is here, which may be one of before. Operations have operands of one type, so that any NumPy computes them alike."""

import operator

import numpy as np

TABLE = """
   b1 i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8
b1 b1 i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8
i1 i1 i1 i2 i4 i8 i2 i4 i8 f8 f2 f4 f8
i2 i2 i2 i2 i4 i8 i2 i4 i8 f8 f4 f4 f8
i4 i4 i4 i4 i4 i8 i4 i4 i8 f8 f8 f8 f8
i8 i8 i8 i8 i8 i8 i8 i8 i8 f8 f8 f8 f8
u1 u1 i2 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8
u2 u2 i4 i4 i4 i8 u2 u2 u4 u8 f4 f4 f8
u4 u4 i8 i8 i8 i8 u4 u4 u4 u8 f8 f8 f8
u8 u8 f8 f8 f8 f8 u8 u8 u8 u8 f8 f8 f8
f2 f2 f2 f4 f8 f8 f2 f4 f8 f8 f2 f4 f8
f4 f4 f4 f4 f8 f8 f4 f4 f8 f8 f4 f4 f8
f8 f8 f8 f8 f8 f8 f8 f8 f8 f8 f8 f8 f8
"""
ROWS = [line.split() for line in TABLE.strip("\n").splitlines()]
TYPES = ROWS[0]
PROMOTED = {(row[0], column): both for row in ROWS[1:] for column, both in zip(TYPES, row[1:])}
REAL_OF = {"b1": "f2", "i1": "f2", "u1": "f2", "i2": "f4", "u2": "f4", "i4": "f8", "u4": "f8", "i8": "f8", "u8": "f8",
           "f2": "f2", "f4": "f4", "f8": "f8"}
WHOLE = range(-2**63, 2**64)


class Refused(Exception):
    """NumPy has no such operation, or the number does not fit its type."""


def code_of(x):
    return x.dtype.str[1:]


def is_weak(x):
    """A number that was written, and what was made of such numbers alone."""
    return not isinstance(x, np.ndarray)


def common(*values):
    """The type of an operation on all of these."""
    codes = [code_of(x) for x in values if not is_weak(x)]
    code = codes[0]
    for other in codes[1:]:
        code = PROMOTED[code, other]
    if any(isinstance(x, int) for x in values) and code == "b1":
        code = "i8"
    if any(isinstance(x, float) for x in values) and code[0] != "f":
        code = "f8"
    return code


def cast(x, code, shape):
    """As an explicit cast: what is beyond an integer type becomes its nearest number, NaN becomes 0."""
    if is_weak(x):
        if isinstance(x, float) and code[0] in "iu":
            return cast(np.full(shape, x), code, shape)
        return filled(x, code, shape)
    if code == "b1":
        return x != 0
    if x.dtype.kind != "f" or code[0] == "f":
        return x.astype(code)
    limits = np.iinfo(code)
    whole = [0 if v != v else limits.max if v >= limits.max else limits.min if v <= limits.min else int(v)
             for v in x.astype("f8").ravel().tolist()]
    return np.array(whole, object).astype(code).reshape(x.shape)


def filled(number, code, shape):
    """A written number as an array."""
    if code == "b1":
        return np.full(shape, number != 0)
    if code[0] in "iu" and not np.iinfo(code).min <= number <= np.iinfo(code).max:
        raise Refused(f"{number} does not fit {code}")
    return np.full(shape, np.float64(number) if code[0] == "f" else number).astype(code)


def same_type(shape, *values):
    code = common(*values)
    return [filled(x, code, shape) if is_weak(x) else x.astype(code) for x in values]


def checked(number):
    if isinstance(number, int) and number not in WHOLE:
        raise Refused("beyond 64 bits")
    return number


def integers_only(x):
    if isinstance(x, float) or (not is_weak(x) and x.dtype.kind == "f"):
        raise Refused("takes bools and integers")


def no_bools(*values):
    if all(not is_weak(x) and code_of(x) == "b1" for x in values):
        raise Refused("takes numbers")


def unary(sign, x):
    if sign == "~":
        integers_only(x)
        return checked(~x) if is_weak(x) else np.invert(x)
    no_bools(x)
    return checked(-x if sign == "-" else +x)


OF_ARRAYS = {"+": np.add, "-": np.subtract, "*": np.multiply, "&": np.bitwise_and, "|": np.bitwise_or, "/": np.true_divide,
             "//": np.floor_divide, "%": np.remainder}
COMPARED = {"<": operator.lt, "<=": operator.le, "==": operator.eq, "!=": operator.ne, ">": operator.gt, ">=": operator.ge}
OF_WEAK = {"+": operator.add, "-": operator.sub, "*": operator.mul, "&": operator.and_, "|": operator.or_,
           "/": lambda x, y: float(x) / float(y), "//": operator.floordiv, "%": operator.mod}


def binary(sign, x, y, shape):
    if sign in COMPARED:
        return compare(sign, x, y, shape)
    if sign in "&|":
        integers_only(x)
        integers_only(y)
    if is_weak(x) and is_weak(y):
        if sign in "//%" and y == 0:
            raise Refused("division by zero")
        return checked(OF_WEAK[sign](x, y))
    if sign in "&|" and common(x, y) == "f8":
        raise Refused("u8 and signed integers have no type in common")
    if sign == "-":
        no_bools(x, y)
    if sign == "/" and common(x, y)[0] != "f":  # so that any written number fits
        return cast(x, "f8", shape) / cast(y, "f8", shape)
    x, y = same_type(shape, x, y)
    return OF_ARRAYS[sign](x, y)


def compare(sign, x, y, shape):
    """Exact, of integers of any types and written ones."""
    if is_weak(x) and is_weak(y):
        return np.full(shape, COMPARED[sign](x, y))
    whole = [isinstance(v, int) if is_weak(v) else v.dtype.kind in "biu" for v in (x, y)]
    if all(whole):
        x, y = (np.full(shape, v, object) if is_weak(v) else v.astype("u1" if v.dtype.kind == "b" else v.dtype).astype(object)
                for v in (x, y))
        return COMPARED[sign](x, y).astype(bool)
    return COMPARED[sign](*same_type(shape, x, y))


def power(x, exponent, shape):
    """Of a written exponent, 1 or 2, or of two bools."""
    if not is_weak(exponent):
        return np.power(x.astype("i1"), exponent.astype("i1"))
    if is_weak(x):
        return checked(x if exponent == 1 else x * x)
    x = same_type(shape, x, exponent)[0]
    return x if exponent == 1 else x * x


def extreme(name, x, y, shape):
    if is_weak(x) and is_weak(y):
        taken = min(x, y) if name == "min" else max(x, y)
        return taken if isinstance(x, int) and isinstance(y, int) else float(taken)
    x, y = same_type(shape, x, y)
    first = (x <= y) if name == "min" else (x >= y)
    return np.where(first | (x != x), x, y)


def function(name, x, shape):
    if name in ("isnan", "isfinite"):
        return getattr(np, name)(np.full(shape, float(x)) if is_weak(x) else x)
    if is_weak(x):  # a function of a number that was written is a written number
        whole = isinstance(x, int) and name != "sqrt"
        if not whole:
            return float(getattr(np, name)(float(x)))
        return {"abs": abs(x), "sign": (x > 0) - (x < 0)}.get(name, x)
    if name == "sign":
        no_bools(x)
    if name in ("floor", "ceil") and code_of(x)[0] != "f":
        return x
    if name in ("sqrt", "rint"):
        x = x.astype(REAL_OF[code_of(x)])
    return getattr(np, name)(x)


def where(condition, x, y, shape):
    if is_weak(x) and is_weak(y):
        whole = isinstance(x, int) and isinstance(y, int)
        if is_weak(condition):
            taken = x if condition != 0 else y
            return taken if whole else float(taken)
        x, y = (filled(v, "i8" if whole else "f8", shape) for v in (x, y))
    else:
        x, y = same_type(shape, x, y)
    return np.where(condition != 0, x, y)


def finished(x, shape):
    if not is_weak(x):
        return np.broadcast_to(x, shape)
    code = "f8" if isinstance(x, float) else "i8" if -2**63 <= x < 2**63 else "u8"
    return filled(x, code, shape)


# These have been the same in all versions.
assert all(np.promote_types(a, b) == both for (a, b), both in PROMOTED.items())
