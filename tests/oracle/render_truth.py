"""What the pixels of an image are, by the plain definition of docs/numerics.md and without the program."""

import ctypes
import math
import os
import shutil
import subprocess
import tempfile

import numpy as np

import render_deep

# docs/numerics.md: the f64 value of smooth is within 2.6e-9 of the formula, and is rounded to f32 once.
SMOOTH_BOUND = 1e-8
SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "plain_definition.c")


def load():
    """plain_definition.c, compiled for this run."""
    compiler = os.environ.get("CC") or shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if not compiler:
        print("SKIPPED: there is no C compiler for plain_definition.c")
        raise SystemExit(77)
    with tempfile.TemporaryDirectory() as folder:
        library = os.path.join(folder, "plain_definition.so")
        flags = ["-O2", "-ffp-contract=off", "-shared", "-fPIC"]
        subprocess.run([*compiler.split(), *flags, SOURCE, "-o", library, "-lm"], check=True)
        loaded = ctypes.CDLL(library)
    pointer = ctypes.c_void_p
    real, whole = ctypes.c_double, ctypes.c_int64
    loaded.plain_image.argtypes = [ctypes.c_int, ctypes.c_int, real, real, real, real, real, whole, whole, ctypes.c_uint32, real, ctypes.c_int, pointer,
                                   pointer]
    loaded.plain_image.restype = None
    loaded.plain_crc32c.argtypes = [ctypes.c_uint32, ctypes.c_char_p, ctypes.c_size_t]
    loaded.plain_crc32c.restype = ctypes.c_uint32
    return loaded


_definition = None


def definition():
    global _definition
    if _definition is None:
        _definition = load()
    return _definition


def formula_numbers(text):
    """Number, degree and constant of a formula, as plain_definition.c wants them."""
    name, _, parameter = text.partition(":")
    number = ("mandelbrot", "julia", "burning-ship", "tricorn", "multibrot").index(name)
    degree = int(parameter) if name == "multibrot" else 2
    constant = map(float, parameter.split(",")) if name == "julia" else (0.0, 0.0)
    return (number, degree, *constant)


def escape_radius(formula):
    """Outside of it no orbit comes back, by docs/formulas.md."""
    _, _, re, im = formula_numbers(formula)
    return max(2.0, (1 + math.sqrt(1 + 4 * math.hypot(re, im))) / 2 * (1 + 1e-12))


class Truth:
    """`iterations` (u32), and the ends `low` and `high` (f32) between which each value of smooth must lie; a deep job
    has none."""

    def __init__(self, job):
        if job.deep:
            self.iterations = render_deep.counts(job, job.width_px, job.height)
            return
        shape = (job.height, job.width_px)
        self.iterations = np.empty(shape, np.uint32)
        smooth = np.empty(shape, np.float64)
        definition().plain_image(*formula_numbers(job.formula), job.center_re, job.center_im, job.width, job.width_px, job.height, job.iterations,
                                 job.bailout, int(job.smooth), self.iterations.ctypes.data, smooth.ctypes.data)
        inside = self.iterations == job.iterations
        bound = np.where(inside, 0, SMOOTH_BOUND)
        self.low = (smooth - bound).astype(np.float32)
        self.high = (smooth + bound).astype(np.float32)


def sample(job):
    """Counts of an image of the same place with fewer pixels."""
    columns = min(job.width_px, 12)
    rows = max(1, min(job.height, 12, round(columns * job.height / job.width_px)))
    if job.deep:
        return render_deep.counts(job, columns, rows)
    counts, smooth = np.empty((rows, columns), np.uint32), np.empty((rows, columns), np.float64)
    definition().plain_image(*formula_numbers(job.formula), job.center_re, job.center_im, job.width, columns, rows, job.iterations, job.bailout, 0,
                             counts.ctypes.data, smooth.ctypes.data)
    return counts


def crc32c(data, crc=0):
    return definition().plain_crc32c(crc, data, len(data))


def tells_pixels_apart(job):
    """Whether the arithmetic reaches: perturbation always does, plain if the step is larger than the distance of neighbouring f64 in the image."""
    if job.deep:
        return True
    step = job.width / job.width_px
    largest = max(abs(job.center_re) + job.width / 2, abs(job.center_im) + job.height / 2 * step)
    return step > math.nextafter(largest, math.inf) - largest
