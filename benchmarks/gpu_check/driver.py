"""What only a driver can show: contexts, memory, modules, page-locked memory, modes of the GPU."""

import json
import os
import resource
import subprocess
import time

from checks import Failed
from images import Render
from machine import smi, used_mib
from measure import Skipped, number

# A context takes hundreds of MiB; a list of devices must not make one.
LIST_GOAL_MIB = 50
# Of the faster one of GPU and cores; runs of 0.1 s differ by as much.
AUTO_GOAL = 1.1
SAMPLE_S = 0.02


def most_used_mib(checks, work):
    """Memory of the first GPU, before and at most while work() runs."""
    before = used_mib(checks)
    command = [checks.programs["nvidia-smi"], "--query-gpu=memory.used", "--format=csv,noheader,nounits", "--id=0",
               f"--loop-ms={int(SAMPLE_S * 1000)}"]
    with subprocess.Popen([str(part) for part in command], stdout=subprocess.PIPE, text=True) as sampler:
        try:
            sampler.stdout.readline()
            work()
        finally:
            sampler.terminate()
        sampled = [int(text) for text in sampler.stdout.read().split() if text.isdigit()]
    checks.did(command, 0, 0)
    return before, max([before, *sampled])


def listing(checks):
    with checks.check("tessera devices makes no context: memory of the GPU before and meanwhile"):
        before, most = most_used_mib(checks, lambda: [checks.run(checks.tessera, "devices") for _ in range(5)])
        checks.line("memory that tessera devices takes of the GPU", most - before, "MiB", LIST_GOAL_MIB, "lower")
        checks.need(most - before <= LIST_GOAL_MIB, f"{before} MiB before, {most} MiB meanwhile")


def memory(checks):
    render = Render(checks, checks.px(16384, 128), "--view", "seahorse", fields=("iterations",))
    for ranks in (1, 3):
        with checks.check(f"memory of the GPU that {ranks} rank{'s' * (ranks > 1)} take"):
            before, most = most_used_mib(checks, lambda: render.on("cuda", ranks=ranks))
            checks.line(f"memory of the GPU, {ranks} rank{'s' * (ranks > 1)} of --device cuda", most - before, "MiB")


def opening_parts(report):
    """Of the first GPU of the first rank: the seconds of each part of its opening."""
    for opening in report["ranks"][0]["openings"]:
        if opening["device"] == "cuda:0":
            return {name: value for name, value in opening.items() if name.endswith("_s")}
    raise Failed(f"no opening of cuda:0 in the report: {report['ranks'][0]['openings']}")


def smallest_runs(checks):
    tiny = Render(checks, "64x64", "--view", "whole", "--iterations", 10, fields=("iterations",))
    for isolate in ("on", "off"):
        with checks.check(f"the smallest render, --isolate {isolate}"):
            walls = []
            for _ in range(3):
                start = time.monotonic()
                report = tiny.on("cuda:0", "--isolate", isolate)
                walls.append(time.monotonic() - start)
            checks.line(f"64x64 by cuda:0, start to end, --isolate {isolate}: the first", walls[0], "s")
            checks.line(f"64x64 by cuda:0, start to end, --isolate {isolate}: the fastest later one", min(walls[1:]), "s")
            for part, seconds in opening_parts(report).items():
                checks.line(f"--isolate {isolate}, of the opening: {part[:-2]}", seconds, "s")
    for ranks in (1, 2, 3):
        with checks.check(f"the smallest render, {ranks} rank{'s' * (ranks > 1)} that share the GPU"):
            report = tiny.on("cuda", ranks=ranks)
            checks.line(f"64x64 by {ranks} rank{'s' * (ranks > 1)}, wall time", report["wall_s"], "s")
    with checks.check("the smallest reduction"):
        report = checks.folder / "first.json"
        checks.run(checks.tessera, "reduce", "random:normal?count=1000", "--op", "sum,prod,histogram=9,-3,3", "--device",
                   "cuda:0", "--quiet", "--report", report)
        checks.line("1000 generated elements reduced by cuda:0, wall time of the run",
                    json.loads(report.read_text())["wall_s"], "s")


def usual_runs(checks):
    """What people do by hand: `auto` must not be slower than the cores alone, nor than the GPU alone."""
    for what, *job in (("the default picture", "1920x1080"), ("3001x2003, seahorse", "3001x2003", "--view", "seahorse"),
                       ("16384², seahorse", "16384x16384", "--view", "seahorse")):
        size = checks.px(job[0], "203x151")
        render = Render(checks, size, *job[1:], fields=("iterations",))
        with checks.check(f"{what}: auto, the cores, the GPU"):
            seconds = {device: min(number(render.on(device), "wall_s") for _ in range(checks.px(3, 1)))
                       for device in ("auto", "cpu", "cuda:0")}
            for device, value in seconds.items():
                checks.line(f"{what} by {device}", value, "s")
            checks.line(f"{what}: auto : the faster of both", seconds["auto"] / min(seconds["cpu"], seconds["cuda:0"]), "×",
                        None if checks.quick else AUTO_GOAL, "lower")


def starts(checks):
    """what a run takes before and after its work, by parts; auto against the cores and the GPU; tessera devices"""
    listing(checks)
    smallest_runs(checks)
    usual_runs(checks)


def refuse_page_locking():
    """Of the limit of the shell that page-locking counts against."""
    resource.setrlimit(resource.RLIMIT_MEMLOCK, (65536, 65536))


def page_locking(checks, render):
    with checks.check("page-locked and registered memory are granted"):
        done = checks.run(*render.command("cuda:0", "image", "--overwrite"))
        checks.need("refused" not in done.err, done.err)
        render.same_as_truth()
    with checks.check("ulimit -l 64: done, with one line at most"):
        done = checks.run(*render.command("cuda:0", "image", "--overwrite"), limits=refuse_page_locking)
        render.same_as_truth()
        checks.note(f"under ulimit -l 64: {done.err.strip().splitlines()[-1] if done.err.strip() else 'nothing is said'}")


def modules(checks, render):
    for name, value, what in (("CUDA_MODULE_LOADING", "EAGER", "all kernels are loaded at the start"),
                              ("CUDA_DISABLE_PTX_JIT", "1", "the program has machine code for this GPU")):
        with checks.check(f"{name}={value}: {what}"):
            render.on("cuda:0", environment={name: value})
            render.same_as_truth()
    with checks.check("CUDA_FORCE_PTX_JIT=1: the same bits, or one line says why not"):
        done = checks.run(*render.command("cuda:0", "image", "--overwrite"), environment={"CUDA_FORCE_PTX_JIT": "1"},
                          codes=(0, 3, 4))
        if done.code == 0:
            render.same_as_truth()
        elif "tessera: " not in done.err:
            raise Failed(done.err)
        else:
            checks.note(f"CUDA_FORCE_PTX_JIT=1: exit {done.code}: {done.err.strip().splitlines()[-1]}")


def modes(checks, render):
    with checks.check("a MIG instance"):
        done = checks.run(checks.programs["nvidia-smi"], "-L") if "nvidia-smi" in checks.programs else None
        if not done or "MIG" not in done.out:
            raise Skipped("the GPU is not divided into MIG instances")
        said = checks.run(checks.tessera, "devices").out
        checks.need("MIG" in said, said)
    with checks.check("exclusive compute mode: one of two ranks has the GPU"):
        mode = smi(checks, "compute_mode")[0][0]
        if "Exclusive" not in mode:
            raise Skipped(f"compute mode {mode}")
        render.on("auto", ranks=2)
        render.same_as_truth()
    with checks.check("under MPS"):
        pipe = os.environ.get("CUDA_MPS_PIPE_DIRECTORY", "/tmp/nvidia-mps")
        if not os.path.exists(f"{pipe}/control"):
            raise Skipped("no MPS daemon runs")
        render.on("cuda", ranks=3)
        render.same_as_truth()


def driver(checks):
    """memory of ranks, page-locking, modules and JIT, MIG, exclusive mode, MPS"""
    memory(checks)
    render = Render(checks, checks.px("3001x2003", "203x151"), "--view", "galaxies", "--iterations", checks.px(3000, 400))
    with checks.check("the image"):
        render.take_truth("cpu")
    page_locking(checks, render)
    modules(checks, render)
    modes(checks, render)
