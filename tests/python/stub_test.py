"""The stub names what the package has, with the same arguments and defaults."""

import ast
import inspect
import unittest
from pathlib import Path

import tessera

STUB = ast.parse(Path(tessera.__file__).with_suffix(".pyi").read_text(encoding="utf-8"))


def arguments_of(function):
    """(kind, name, default) of a definition of the stub."""
    given = function.args
    positional = [*given.posonlyargs, *given.args]
    defaults = [None] * (len(positional) - len(given.defaults)) + given.defaults
    for argument, default in zip(positional, defaults, strict=True):
        kind = "only" if argument in given.posonlyargs else "plain"
        yield kind, argument.arg, default and ast.literal_eval(default), default is not None
    if given.vararg:
        yield "args", given.vararg.arg, None, False
    for argument, default in zip(given.kwonlyargs, given.kw_defaults, strict=True):
        yield "named", argument.arg, default and ast.literal_eval(default), default is not None
    if given.kwarg:
        yield "kwargs", given.kwarg.arg, None, False


KINDS = {inspect.Parameter.POSITIONAL_ONLY: "only", inspect.Parameter.POSITIONAL_OR_KEYWORD: "plain",
         inspect.Parameter.VAR_POSITIONAL: "args", inspect.Parameter.KEYWORD_ONLY: "named",
         inspect.Parameter.VAR_KEYWORD: "kwargs"}  # fmt: skip


def parameters_of(function):
    for one in inspect.signature(function).parameters.values():
        has_default = one.default is not inspect.Parameter.empty
        yield KINDS[one.kind], one.name, one.default if has_default else None, has_default


class Stub(unittest.TestCase):
    def test_names(self):
        names = {node.name for node in STUB.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
        self.assertEqual(names, set(tessera.__all__))
        self.assertEqual(sorted(tessera.__all__), sorted(set(tessera.__all__)))
        public = {name for name, value in vars(tessera).items()
                  if not name.startswith("_") and getattr(value, "__module__", "").startswith("tessera")}
        self.assertEqual(public, set(tessera.__all__))

    def test_functions(self):
        for node in STUB.body:
            if isinstance(node, ast.FunctionDef):
                self.assertEqual(list(arguments_of(node)), list(parameters_of(getattr(tessera, node.name))), node.name)

    def test_classes(self):
        for node in STUB.body:
            if not isinstance(node, ast.ClassDef):
                continue
            thing = getattr(tessera, node.name)
            for base in node.bases:
                name = ast.unparse(base).partition("[")[0]
                self.assertIn(name, [one.__name__ for one in thing.__mro__] + ["NamedTuple"], node.name)
            for member in node.body:
                if isinstance(member, ast.FunctionDef):
                    actual = inspect.getattr_static(thing, member.name)
                    is_property = isinstance(actual, property)
                    told = any(ast.unparse(one) == "property" for one in member.decorator_list)
                    self.assertEqual(is_property, told, f"{node.name}.{member.name}")
                    if not is_property:
                        self.assertEqual(list(arguments_of(member)), list(parameters_of(actual)), f"{node.name}.{member.name}")


if __name__ == "__main__":
    unittest.main()
