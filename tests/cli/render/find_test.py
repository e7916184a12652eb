#!/usr/bin/env python3
"""tessera find: what it proves is proven again, with whole numbers and without its derivatives (nuclei.py)."""

import json
import random
import shlex
import signal
import subprocess
import time

import nuclei
from program import ProgramTest, TESSERA, main, seed, times
from surroundings import HANG_S

# Of Newton's method of another program.
KNOWN = [
    (3, "-1.75,0.01,0.1", "-1.754877666246692760049508896358528691895", "0"),
    (3, "-0.12,0.745,0.02", "-0.1225611668766536199752455518207356540527", "0.7448617666197442365931704286043923672402"),
    (171, "-1.7685,0.00097,1e-4", "-1.768497076737724209213244973820166955705",
     "0.0009650673720667223308280102044621540969789"),
    (1704, "-1.768506033840492,0.00096660166146,1e-10", "-1.768506033840492400606025806479925753241",
     "0.000966601661461126326049993952574888406802"),
    (36126, "-1.76850603383938132632682238563,0.00096660165888990732628126599,1e-19",
     "-1.768506033839381326326822385633853134539", "0.0009666016588899073262812659970292552534669"),
]


def escapes(c, formula, steps=400):
    """In f64, for places to look at."""
    name, _, degree = formula.partition(":")
    z = 0j
    for _ in range(steps):
        if name == "burning-ship":
            z = complex(abs(z.real), abs(z.imag))
        if name == "tricorn":
            z = z.conjugate()
        z = z**int(degree or 2) + c
        if abs(z) > 2:
            return True
    return False


def click(chance, formula, width):
    """A point of the boundary, to a part of the width."""
    def anywhere(outside):
        while True:
            c = complex(chance.uniform(-2.2, 1.3), chance.uniform(-1.5, 1.5))
            if escapes(c, formula) == outside:
                return c
    inside, outside = anywhere(False), anywhere(True)
    while abs(inside - outside) > width / 64:
        middle = (inside + outside) / 2
        if escapes(middle, formula):
            outside = middle
        else:
            inside = middle
    return outside


class Find(ProgramTest):
    def find(self, *arguments):
        """What was found, checked; None where the program says that there is nothing."""
        done = self.run_program("find", *arguments, "--json")
        if done.returncode == 3:
            self.assertRegex(done.stderr, r"^tessera: find: no .* is proven within \S+ of the point")
            self.assertEqual(done.stdout, "")
            return None
        self.assertEqual(done.returncode, 0, f"{arguments}: {done.stderr}")
        found = json.loads(done.stdout)
        if found["period"] < 3000:
            problems = list(nuclei.Check(found).problems())
            self.assertEqual(problems, [], f"{arguments}: {found}")
        return found

    def check_distance(self, found, re, im, width):
        distance = abs(complex(*map(float, found["center"])) - complex(re, im))
        self.assertLessEqual(distance, width / 2 * 1.001)

    def test_known_nuclei_to_the_digit(self):
        for period, near, re, im in KNOWN:
            found = self.find(f"--near={near}", "--digits", "45")
            self.assertEqual(found["period"], period)
            for text, known in zip(found["center"], (re, im)):
                self.assertTrue(text.startswith(known[:max(1, len(known) - 1)]), text)

    def test_random_places(self):
        chance = random.Random(seed())
        proven = {}
        for formula, count in (("mandelbrot", 20), ("multibrot:3", 8), ("multibrot:5", 6), ("tricorn", 8),
                               ("burning-ship", 10)):
            for _ in range(count * times()):
                width = 2 * 3 * 10**chance.uniform(-4, 0)
                c = click(chance, formula, width)
                found = self.find(f"--near={c.real!r},{c.imag!r},{width!r}", "--formula", formula, "--max-period", "20000")
                if found:
                    self.check_distance(found, c.real, c.imag, width)
                    proven[formula] = proven.get(formula, 0) + 1
        self.assertGreaterEqual(proven["mandelbrot"], 0.95 * 20 * times())

    def test_misiurewicz_points(self):
        for near, kind in (("-2.01,0.003,0.1", (2, 1)), ("0.001,0.999,0.02", (2, 2)), ("-0.101,0.956,0.01", (4, 1))):
            found = self.find(f"--near={near}", "--misiurewicz")
            self.assertEqual((found["preperiod"], found["period"]), kind)
        chance = random.Random(seed())
        proven = 0
        for _ in range(10):
            c = click(chance, "mandelbrot", 0.01)
            found = self.find(f"--near={c.real!r},{c.imag!r},0.02", "--misiurewicz", "--max-period", "20000")
            if found:
                self.check_distance(found, c.real, c.imag, 0.02)
                proven += 1
        self.assertGreaterEqual(proven, 8)

    def test_the_command_renders_it(self):
        for arguments in (["--near=-1.7685060,0.0009666,1e-6"], ["--near=-1.7,-0.03,0.05", "--formula", "burning-ship"],
                          ["--near=-0.7746,0.1374,1e-3", "--misiurewicz"]):
            command = shlex.split(self.assert_done("find", *arguments, "-q", "--size", "32x18"))
            self.assertEqual(command[:2], ["tessera", "render"])
            self.assert_done(*command[1:], "-o", "a.h5", "--overwrite", "--quiet")
            said = json.loads(self.assert_done("info", "a.h5", "--json"))["files"][0]["attributes"]
            self.assertEqual(",".join(self.find(*arguments)["center"]), said["center"])

    def test_on_the_way(self):
        widths, iterations = [], []
        for stop in ("1/2", "3/4", "7/8", "mini"):
            options = dict(one[2:].split("=", 1) for one in self.find("--view", "lattice", "--to", stop)["options"])
            widths.append(float(options["width"]))
            iterations.append(int(options["iterations"]))
        self.assertEqual(sorted(widths, reverse=True), widths)
        period = self.find("--view", "lattice")["period"]
        self.assertEqual(iterations, [10 * period, 10 * period, 30 * period, 300 * period])

    def test_a_film_leads_to_it(self):
        command = shlex.split(self.assert_done("find", "--near=-1.75,0.01,0.1", "--film", "-q", "--size", "32x18"))
        frames = next(int(part.split("=")[1]) for part in command if part.startswith("--frames="))
        self.assert_done(*command[1:], "-o", "zoom.h5", "--quiet")
        first = json.loads(self.assert_done("info", "zoom-0000.h5", "--json"))["files"][0]["attributes"]
        self.assertGreaterEqual(float(first["width"]), 3)
        last = f"zoom-{frames - 1:04}.h5"
        self.assertEqual(json.loads(self.assert_done("info", last, "--json"))["files"][0]["attributes"]["width"], 0.13536)

    def test_around_a_pixel_of_a_picture(self):
        self.assert_done("render", "--center=-1.755,0.01", "--width", "0.2", "--rotate", "90", "--size", "64x32", "-o", "a.h5",
                         "--iterations", "50", "-q")
        # Right of the picture is up in the plane: the nucleus on the axis is 0.01 left of its centre.
        found = self.find("--from", "a.h5", "--at", "28,15", "--width", "0.01")
        self.assertEqual((found["period"], found["center"][1]), (3, "0"))
        step = 0.2 / 64
        self.assertAlmostEqual(float(found["near"][0]), -1.755 - step / 2)
        self.assertAlmostEqual(float(found["near"][1]), 0.01 - 3.5 * step)
        self.assertEqual(self.find("--from", "a.h5")["neighbourhood"], "0.1")
        self.assert_refused(["find", "--from", "a.h5", "--at", "64,0"], 2, "--at", "64x32")
        self.assert_refused(["find", "--from", "a.h5", "--at", "1"], 2, "--at", "X,Y")

    def test_a_place_of_a_post(self):
        self.write("a.txt", "Real: -1.7685060 Imag: 0.0009666 Zoom: 1e6 Iterations: 1000")
        self.assertGreater(self.find("--from", "a.txt")["period"], 100)

    def test_nothing_is_said_so(self):
        for near, words in (("1,1,1e-9", "within 5e-10"), ("0.1,0.1,0.001", "no nucleus is proven"),
                            ("2.5,0,0.1", "no nucleus is proven"), ("3,4,1e-100", "no nucleus is proven")):
            self.assert_refused(["find", f"--near={near}"], 3, words)
        self.assert_refused(["find", "--near=0.25,0,1e-9", "--max-period", "500"], 3, "500 steps")
        self.assert_refused(["find", "--near=-1.2,0.3,0.1", "--formula", "burning-ship"], 3, "above the real axis")
        self.assert_refused(["find", "--near=1,1,1e-9", "--misiurewicz"], 3, "no Misiurewicz point")

    def test_wrong_options(self):
        for arguments, words in (
                ([], ["--near"]), (["--near=0,0", "--view", "e50"], ["--near", "--view"]), (["--view", "nope"], ["nope"]),
                (["--near=nan,0"], ["--near", "nan"]), (["--near=0,0,0"], ["above 0"]), (["--near=0,0,-1"], ["above 0"]),
                (["--near=0,0,1e-100001"], ["1e-100000"]), (["--near=1e101,0"], ["1e100"]), (["--near=1"], ["--near"]),
                (["--near=1e-9999999999,0.1"], ["--near", "1e-100000"]), (["--near=0.1,1e-3000000"], ["--near", "1e-100000"]),
                (["--near=1,2,3,4"], ["--near"]), (["--near=0,0", "--width", "inf"], ["--width"]),
                (["--near=0,0", "--at", "1,1"], ["--at", "--from"]), (["--near=0,0", "--max-period", "0"], ["--max-period"]),
                (["--near=0,0", "--formula", "julia:0,0"], ["Julia"]), (["--near=0,0", "--to", "9/8"], ["--to", "7/8"]),
                (["--near=0,0", "--formula", "tricorn", "--misiurewicz"], ["--misiurewicz"]),
                (["--view", "julia-leaves"], ["Julia"]), (["--near=0,0", "--digits", "100001"], ["--digits"]),
                (["--from", "missing.h5"], ["missing.h5"])):
            done = self.run_program("find", *arguments)
            self.assertIn(done.returncode, (2, 3), arguments)
            self.assert_refused(["find", *arguments], done.returncode, *words)

    def test_it_stops_when_it_is_asked_to(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            run = subprocess.Popen([TESSERA, "find", "--near=0.25,0,1e-9", "--max-period", "1e9"], cwd=self.folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            self.wait_for_handler(run.pid, number)
            run.send_signal(number)
            said = run.communicate(timeout=HANG_S)
            self.assertEqual((run.returncode, said[0]), (75, ""))
            self.assertIn(f"stopped by {number.name}", said[1])

    def wait_for_handler(self, pid, number):
        for _ in range(HANG_S * 100):
            with open(f"/proc/{pid}/status") as file:
                caught = next(line for line in file if line.startswith("SigCgt")).split()[1]
            if int(caught, 16) >> (number - 1) & 1:
                return
            time.sleep(0.01)
        self.fail("it does not listen")

    def test_the_lines_for_people(self):
        said = self.assert_done("find", "--near=-1.75,0.01,0.1").splitlines()
        self.assertEqual([line.split()[0] for line in said], ["found", "re", "im", "error", "body", "size", "turn", "tessera"])
        self.assertIn("a nucleus of period 3, proven", said[0])
        self.assertEqual(self.assert_done("find", "--near=-1.75,0.01,0.1", "--quiet").splitlines(), said[-1:])


if __name__ == "__main__":
    main()
