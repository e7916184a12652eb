"""Two programs, of two processors or built in two ways, have the same bits: pixels, sums, tables, functions.

usage: same_results.py TESSERA OTHER_TESSERA"""

import os
import subprocess
import sys
import tempfile

import h5py
import numpy

PLACES = (
    ("--view", "seahorse", "--size", "96x64", "--fields", "iterations,smooth,distance"),
    ("--view", "galaxies", "--size", "64x48", "--formula", "burning-ship", "--center=-1.762,-0.028", "--width", "0.1"),
    ("--formula", "multibrot:3", "--center", "0,0", "--width", "3", "--size", "80x60"),
    ("--center", "-1.7693831791955150182138472860854737829057472636547514374655282165278881912647564588361634463895296673044858257818"
     ",0.00423684791873677221492650717136799707668267091740375727945943565011234400080554515730243099502363650631353268335965",
     "--width", "1e-60", "--size", "24x16", "--iterations", "4000"),
)
NUMBERS = ("random:normal?count=200001&seed=5", "random:uniform?count=100003&seed=9&dtype=f4")
OPERATIONS = "sum,mean,var,std,skewness,kurtosis,min,max,argmin,norm1,norm2,norminf,median,quantile=0.1,histogram=7"
EXPRESSIONS = ("sin(x) * exp(-x * x) + log(abs(x) + 1)", "tanh(x) ** 3 - sqrt(abs(x))")


def run(program, *arguments):
    done = subprocess.run([program, *arguments], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{program} {' '.join(arguments)}: exit {done.returncode}\n{done.stderr}")
    return done.stdout


def image(program, place, folder):
    name = os.path.join(folder, "image.h5")
    run(program, "render", *place, "--output", name, "--overwrite", "--quiet", "--device", "cpu")
    with h5py.File(name) as file:
        return {field: file[field][()].tobytes() for field in ("iterations", "smooth", "distance") if field in file}


def mapped(program, expression, numbers, folder):
    name = os.path.join(folder, "mapped.npy")
    run(program, "map", expression, f"x={numbers}", "--output", name, "--overwrite", "--quiet")
    return numpy.load(name).tobytes()


def results(program, folder):
    for place in PLACES:
        yield f"render {' '.join(place)[:60]}", image(program, place, folder)
    for numbers in NUMBERS:
        yield f"reduce {numbers}", run(program, "reduce", numbers, "--op", OPERATIONS, "--quiet")
        for expression in EXPRESSIONS:
            yield f"map {expression}, {numbers}", mapped(program, expression, numbers, folder)


def main(programs):
    with tempfile.TemporaryDirectory(prefix="tessera same ") as folder:
        pairs = list(zip(*(results(program, folder) for program in programs)))
    wrong = [name for (name, mine), (_, other) in pairs if mine != other]
    print(f"{len(pairs)} results, {len(wrong)} of them differ")
    for name in wrong:
        print("differs:", name)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:3]))
