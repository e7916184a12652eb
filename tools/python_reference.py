"""Writes docs/python-reference.md from the docstrings of the Python package.

usage: PYTHONPATH=build/release/python python3 tools/python_reference.py > docs/python-reference.md
"""

import inspect
import re

import tessera

GROUPS = (
    ("Statistics", "sum prod mean min max argmin argmax any all count_nonzero median std var norm quantile histogram topk dot"),
    ("Several at once, expressions, parts", "reduce Reduction Counts map expr Expr partial Partial"),
    ("Files", "open Array"),
    ("Images", "render Image open_image views palettes explore Explorer"),
    ("Calls", "Context devices Device"),
    ("Errors", "Error UsageError MissingError Stopped"),
)
HEAD = """<!-- Written by tools/python_reference.py from the docstrings. A test compares the two. -->

# Reference of the Python package

What the package is for, and what it takes for an array, is in [Python](python.md). All functions but `views`, `palettes` and `open_image`
take `context=`, `progress=`, `threads=` and `device=`; in signatures they are `run`, or the last arguments.
"""


def signature_of(thing):
    return str(inspect.signature(thing)).replace("(self, ", "(").replace("(self)", "()")


def text_of(thing):
    """The docstring: prose as it is, tables of arguments and examples as blocks."""
    blocks, lines = [], inspect.cleandoc(thing.__doc__).splitlines()
    for paragraph in "\n".join(lines).split("\n\n"):
        if paragraph.startswith(">>>"):
            blocks.append(f"```pycon\n{paragraph}\n```")
        elif re.search(r"^\S.*?  +\S", paragraph, re.MULTILINE):
            blocks.append(f"```text\n{paragraph}\n```")
        else:
            blocks.append(paragraph)
    return "\n\n".join(blocks)


def members_of(thing):
    for name, member in vars(thing).items():
        if not name.startswith("_") and callable(member) and member.__doc__ and not inspect.isclass(member):
            yield name, member


def page():
    parts, seen = [HEAD], set()
    for title, names in GROUPS:
        parts.append(f"## {title}\n")
        for name in names.split():
            thing = getattr(tessera, name)
            seen.add(name)
            signature = "" if inspect.isclass(thing) and name not in ("Context",) else signature_of(thing)
            parts.append(f"### `{name}{signature}`\n\n{text_of(thing)}\n")
            if inspect.isclass(thing) and not issubclass(thing, Exception):
                for member, function in members_of(thing):
                    parts.append(f"`{name}.{member}{signature_of(function)}`\n\n{text_of(function)}\n")
    assert seen == set(tessera.__all__), seen ^ set(tessera.__all__)
    return "\n".join(parts)


if __name__ == "__main__":
    print(page(), end="")
