"""tools/truth: counts that are certified without Tessera, against Tessera's. usage: truth_test.py TESSERA"""

import importlib.machinery
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import unittest

from surroundings import HANG_S

TESSERA = sys.argv[1]
TOOL = os.path.join(os.path.dirname(os.path.realpath(__file__)), "../../tools/truth")
# Of the places; tools/soak takes others.
SEED = os.environ.get("TESSERA_SEED", "1")


class Truth(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="tessera truth ")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.file = self.path("truth.jsonl")

    def path(self, name):
        return os.path.join(self.folder, name)

    def truth(self, *arguments, code=0):
        done = subprocess.run([sys.executable, TOOL, *map(str, arguments)], capture_output=True,
                              text=True, timeout=HANG_S)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def make(self, places, side=10):
        self.truth("make", self.file, "--seed", SEED, "--places", places, "--side", side)
        with open(self.file, encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    def test_exact_and_perturbed_counts_are_the_certified_ones(self):
        places = self.make(15)
        self.assertEqual(len({place["formula"] for place in places}), 5)
        for arithmetic in ("exact", "perturbation"):
            said = self.truth("check", self.file, "--tessera", TESSERA, "--arithmetic", arithmetic)
            self.assertEqual(said.count(" 0 of 300 counts are wrong"), 5, said)

    def test_one_wrong_count_is_found(self):
        places = self.make(5, side=3)
        places[2]["counts"][4] += 1
        with open(self.path("other.jsonl"), "w", encoding="utf-8") as file:
            file.writelines(json.dumps(place) + "\n" for place in places)
        said = self.truth("check", self.file, "--counts", self.path("other.jsonl"), code=1)
        self.assertIn("burning-ship         1 of 9 counts are wrong", said)
        self.truth("check", self.file, "--counts", self.file)

    def test_points_whose_counts_are_known(self):
        # -2, whose orbit stays at 2, and the points beside it; 1/4, the cusp; i, which leads to a cycle that repels.
        pixels = {"-2": [["-2", "0"], 100], "cusp": [["0.25", "0"], 100], "i": [["0", "1"], 100], "beyond": [["2", "0"], 2],
                  "outside": [["-2.5", "0"], 1]}
        with open(self.file, "w", encoding="utf-8") as file:
            for center, count in pixels.values():
                file.write(json.dumps({"formula": "mandelbrot", "center": center, "width": "1", "size": [1, 1], "iterations": 100,
                                       "counts": [count]}) + "\n")
        self.assertIn(" 0 of 5 counts", self.truth("check", self.file, "--tessera", TESSERA))
        loader = importlib.machinery.SourceFileLoader("truth", TOOL)
        truth = importlib.util.module_from_spec(importlib.util.spec_from_loader("truth", loader))
        loader.exec_module(truth)
        for name, (center, count) in pixels.items():
            place = {"center": center, "width": "1", "size": [1, 1]}
            self.assertEqual([truth.count_of("mandelbrot", pixel, 100) for pixel in truth.pixels_of(place)], [count], name)

    def test_wrong_use(self):
        self.assertIn("usage", self.truth(code=2))
        self.assertIn("--places 0", self.truth("make", self.file, "--places", 0, code=1))
        self.assertIn("--color", self.truth("make", self.file, "--color", code=1))
        self.assertIn("no such", self.truth("check", self.path("no such"), code=1))
        self.make(2, side=2)
        os.rename(self.file, self.path("two"))
        self.make(1, side=2)
        self.assertIn("has 2 lines", self.truth("check", self.file, "--counts", self.path("two"), code=1))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:], verbosity=2)
