"""The exceptions. Their text is the line that the program `tessera` prints."""

import operator

from tessera import _core


class Error(RuntimeError):
    """A call failed."""


class UsageError(Error, ValueError):
    """An argument is wrong, or does not fit the data."""


def integer_of(value, name):
    """The int of an integer. A float is none: its fraction would be lost."""
    try:
        return operator.index(value)
    except TypeError:
        raise UsageError(f"{name}: {value!r} is no integer") from None


class MissingError(Error, FileNotFoundError):
    """A file, a device or a library is not there."""

    def __str__(self):
        return self.args[0] if self.args else ""


class Stopped(Error):
    """A call was stopped before its end. A signal raises KeyboardInterrupt instead."""


_core.set_errors({2: UsageError, 3: MissingError, 4: Error, 75: Stopped})
