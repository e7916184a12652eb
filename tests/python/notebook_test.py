"""The notebooks of docs/notebooks run from the first cell to the last."""

import ast
import contextlib
import io
import json
import unittest
from pathlib import Path

NOTEBOOKS = Path(__file__).resolve().parents[2] / "docs" / "notebooks"


def run_cell(source, names):
    """The value of the cell: that of its last expression."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), names)
    return eval(compile(ast.Expression(last.value), "cell", "eval"), names) if last else None


class Notebooks(unittest.TestCase):
    def test_all_run(self):
        paths = sorted(NOTEBOOKS.glob("*.ipynb"))
        self.assertTrue(paths)
        for path in paths:
            names, pictures = {}, 0
            for number, cell in enumerate(json.loads(path.read_text(encoding="utf-8"))["cells"]):
                if cell["cell_type"] != "code":
                    continue
                with self.subTest(notebook=path.name, cell=number), contextlib.redirect_stdout(io.StringIO()):
                    self.assertEqual(cell["outputs"], [])
                    value = run_cell("".join(cell["source"]), names)
                    if hasattr(value, "_repr_png_"):
                        self.assertEqual(value._repr_png_()[:4], b"\x89PNG")
                        pictures += 1
            self.assertGreater(pictures, 0, path.name)


if __name__ == "__main__":
    unittest.main()
