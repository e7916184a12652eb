"""The examples in the docstrings run and print what they say."""

import doctest
import importlib.util
import pkgutil
import unittest
from pathlib import Path

import numpy

import tessera


class Examples(unittest.TestCase):
    def test_of_all_modules(self):
        numpy.set_printoptions(legacy=False)
        tried = 0
        for module in pkgutil.iter_modules(tessera.__path__):
            if module.name in ("_core", "_xarray"):
                continue
            found = importlib.import_module(f"tessera.{module.name}")
            failed, count = doctest.testmod(found, extraglobs=vars(tessera), optionflags=doctest.ELLIPSIS)
            self.assertEqual(failed, 0, module.name)
            tried += count
        self.assertGreater(tried, 30)

    def test_the_reference_page_is_made_of_them(self):
        root = Path(__file__).resolve().parents[2]
        spec = importlib.util.spec_from_file_location("python_reference", root / "tools" / "python_reference.py")
        reference = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(reference)
        page = (root / "docs" / "python-reference.md").read_text(encoding="utf-8")
        self.assertEqual(page, reference.page(), "write it anew: " + reference.__doc__)

    def test_every_function_has_a_docstring(self):
        for name in tessera.__all__:
            self.assertTrue(getattr(tessera, name).__doc__, name)


if __name__ == "__main__":
    unittest.main()
