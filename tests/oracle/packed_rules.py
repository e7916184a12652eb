"""What the stored elements of a packed array are: the rules of docs/packed-data.md, by NumPy and Python's numbers."""

import math

import numpy as np

NARROW = ("i1", "u1", "i2", "u2", "f2", "f4")


class Refused(Exception):
    """With the name of the attribute that is ambiguous."""


def code(array):
    return array.dtype.str[1:]


def factor(attributes, name):
    if name not in attributes:
        return None
    given = attributes[name]
    if isinstance(given, str) or given.size != 1 or not np.isfinite(given.ravel()[0]):
        raise Refused(name)
    return given.ravel()[0]


def seen_type(stored, attributes):
    own = code(stored)
    text = attributes.get("_Unsigned")
    if text is None or own[0] == "f":
        return own
    if not isinstance(text, str) or text.lower() not in ("true", "false"):
        raise Refused("_Unsigned")
    return ("u" if text.lower() == "true" else "i") + own[1:]


def numbers_of(given, stored, seen):
    """Python's numbers, those of the stored type as they are seen."""
    given = np.atleast_1d(given).ravel()
    if given.dtype.str[1:] == code(stored):
        given = given.astype(code(stored)).view(seen)
    return given.tolist()


def in_type(number, seen):
    """A missing value as an element; None where there is no such element."""
    if seen[0] != "f":
        limits = np.iinfo(seen)
        whole = math.isfinite(number) and number == math.floor(number)
        return int(number) if whole and limits.min <= number <= limits.max else None
    with np.errstate(over="ignore"):
        rounded = float(np.float64(number).astype(seen))
    return None if math.isinf(rounded) and not math.isinf(number) else rounded


def bounds(stored, attributes, seen, packed):
    low, high = -math.inf, math.inf
    for name, size in (("valid_min", 1), ("valid_max", 1), ("valid_range", 2)):
        if name not in attributes:
            continue
        given = attributes[name]
        if isinstance(given, str) or given.size != size:
            raise Refused(name)
        if packed and given.dtype.str[1:] != code(stored):
            continue
        if np.isnan(given.astype("f8")).any():
            raise Refused(name)
        numbers = numbers_of(given, stored, seen)
        if name != "valid_max":
            low = max(low, numbers[0])
        if name != "valid_min":
            high = min(high, numbers[-1])
    least, greatest = low, high
    if seen[0] != "f":
        limits = np.iinfo(seen)
        least = max(limits.min, math.ceil(low)) if math.isfinite(low) else limits.min if low < 0 else math.inf
        greatest = min(limits.max, math.floor(high)) if math.isfinite(high) else limits.max if high > 0 else -math.inf
    if least > greatest:
        raise Refused("valid_")
    return low, high


def decode(stored, attributes, given=(), raw=False):
    """The values, of the type that they have, and masks of those that are missing: by a value, by the range."""
    attributes = {} if raw else attributes
    native = stored.astype(stored.dtype.newbyteorder("="))
    seen = seen_type(stored, attributes)
    scale, offset = factor(attributes, "scale_factor"), factor(attributes, "add_offset")
    factors = [x for x in (scale, offset) if x is not None]
    low, high = bounds(stored, attributes, seen, bool(factors))
    missing = []
    for name in ("_FillValue", "missing_value"):
        if name not in attributes or isinstance(attributes[name], str):
            continue
        if name == "_FillValue" and attributes[name].size != 1:
            raise Refused(name)
        missing += numbers_of(attributes[name], stored, seen)
    missing = {in_type(number, seen) for number in [*missing, *given]} - {None}
    x = native.view(seen)
    elements = x.ravel().tolist()
    nan = any(m != m for m in missing)
    filled = np.array([e in missing or (nan and e != e) for e in elements], bool).reshape(x.shape)
    outside = np.array([e < low or e > high for e in elements], bool).reshape(x.shape) & ~filled
    if outside.any() and (filled | outside).all():
        raise Refused("valid_")
    if not factors:
        return x, filled, outside
    real = "f4" if seen in NARROW and all(x.dtype == np.float32 for x in factors) else "f8"
    with np.errstate(all="ignore"):
        values = x.astype(real)
        if scale is not None:
            values = values * np.dtype(real).type(scale)
        if offset is not None:
            values = values + np.dtype(real).type(offset)
    return values, filled, outside

