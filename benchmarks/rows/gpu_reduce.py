"""The row of reductions on a GPU: exact sums of what lies on it against CUB's, files, and arrays that it makes; products,
dot products and axes against the cores."""

import array
import hashlib
import json
import random

from gpu import described, devices, is_whole_h200, programs, reasons
from measure import BenchError, Skipped, run
from rows import line, need, shown

# Of CUB's plain sum; of what bounds a file on its way to the GPU.
RESIDENT_GOAL, FILE_GOAL = 0.9, 0.8
SUM_OF_FILE = "sum of a file in the page cache"


def resident_lines(found, has_goals):
    lines = []
    for case in found["cases"]:
        if not case["right"]:
            raise BenchError(f"gpu_reduce_bench: {case['name']}: a wrong sum")
        ordinary = "any bits" not in case["name"]
        exact, plain = case["exact_bytes_per_s"], case["cub_bytes_per_s"]
        lines += [line(f"{case['name']} on the device: exact sum : cub::DeviceReduce::Sum", exact / plain, "×",
                       RESIDENT_GOAL if has_goals and ordinary else None),
                  line(f"{case['name']} on the device: exact sum", exact / 1e12, "TB/s"),
                  line(f"{case['name']} on the device: CUB", plain / 1e12, "TB/s")]
    return lines


def write_normal(path, size_bytes):
    """Raw f8: a MiB of normal numbers again and again."""
    generator = random.Random(1)
    block = array.array("d", (generator.gauss(0, 1) for _ in range(1 << 17))).tobytes()
    with open(path, "wb") as file:
        for _ in range(size_bytes // len(block)):
            file.write(block)


class Reductions:
    """`tessera reduce` of one array, the sum unless `what` says otherwise, on several devices, which have to agree."""

    def __init__(self, settings, tessera, source, *what, output=None):
        self.settings, self.tessera, self.source, self.output = settings, tessera, source, output
        self.what = what or ("--op", "sum")
        self.answers, self.commands = set(), []

    def answer(self, report):
        if self.output:
            return hashlib.sha256(self.output.read_bytes()).hexdigest()
        return report["results"][0]["values"][0]["hex"]

    def bytes_per_s(self, device, *options):
        report = self.settings.folder / "gpu-reduce-report.json"
        command = [self.tessera, "reduce", self.source, *self.what, "--device", device, "--memory", "8G", *options,
                   "--report", report, "--quiet"]
        if self.output:
            command += ["--output", self.output, "--overwrite"]
        rates = []
        for _ in range(self.settings.repeats + 1):  # the first one warms up
            done = run(command, report)
            rates.append(done.report["bytes_per_s"])
            self.answers.add(self.answer(done.report))
        if len(self.answers) != 1:
            raise BenchError(f"{self.source}: different answers: {sorted(self.answers)}")
        self.commands.append(command)
        return sorted(rates[1:])[len(rates[1:]) // 2]


def compared(name, by_gpu, by_cores, device):
    return [line(f"{name} by {device}", by_gpu / 1e9, "GB/s"), line(f"{name} by the cores", by_cores / 1e9, "GB/s"),
            line(f"{name} by {device} : by the cores", by_gpu / by_cores, "×")]


def other_lines(settings, tessera, device, path, size):
    """Of a file: dot products, products, along axes, medians, groups."""
    columns = 8192
    flat, table = f"{path}?dtype=f8&shape={size // 8}", f"{path}?dtype=f8&shape={size // 8 // columns}x{columns}"
    keys = f"{path}?dtype=u2&shape={size // 8}"  # the first quarter of its bytes
    output = settings.folder / "gpu-reduce.npy"
    lines, commands = [], []
    for name, source, what, written in (("dot of two files", flat, ("--op", "dot", "--with", flat), None),
                                        ("prod of a file", flat, ("--op", "prod"), None),
                                        ("sum of a*b + 1 of two files", flat, (flat, "--map", "a*b + 1", "--op", "sum"), None),
                                        ("max of sqrt(a*a + b*b) of two files", flat,
                                         (flat, "--map", "sqrt(a*a + b*b)", "--op", "max"), None),
                                        ("sum of a file along axis 0", table, ("--op", "sum", "--axis", "0"), output),
                                        ("var of a file along axis 0", table, ("--op", "var", "--axis", "0"), output),
                                        ("sum of a file along axis 1", table, ("--op", "sum", "--axis", "1"), output),
                                        ("median of a file", flat, ("--op", "median"), None),
                                        ("sum of a file by 65536 keys", flat, ("--op", "sum", "--by", keys), output),
                                        ("max of a file by 65536 keys", flat, ("--op", "max", "--by", keys), output)):
        reductions = Reductions(settings, tessera, source, *what, output=written)
        gpu, cores = reductions.bytes_per_s(device, "--slice", "32M"), reductions.bytes_per_s("cpu")
        lines += compared(name, gpu, cores, device)
        commands += reductions.commands
    output.unlink()
    return lines, commands


def lines_of_file(settings, tessera, device, size):
    """Of a file of normal numbers in the page cache."""
    path = settings.folder / "gpu-reduce.raw"
    write_normal(path, size)
    try:
        of_file = Reductions(settings, tessera, f"{path}?dtype=f8&shape={size // 8}")
        cores, gpu = of_file.bytes_per_s("cpu"), of_file.bytes_per_s(device, "--slice", "32M")
        others, commands = other_lines(settings, tessera, device, path, size)
    finally:
        path.unlink()
    return compared(SUM_OF_FILE, gpu, cores, device) + others, of_file.commands + commands


def against_bound(lines, device, pinned, has_goals):
    """The sum of a file against what bounds it."""
    rates = {entry["what"]: entry["value"] * 1e9 for entry in lines}
    bound = min(pinned, rates[f"{SUM_OF_FILE} by the cores"])
    return line(f"file by {device} : page-locked memory over PCIe, or the cores, whichever is less",
                rates[f"{SUM_OF_FILE} by {device}"] / bound, "×", FILE_GOAL if has_goals else None)


def made_lines(settings, tessera, device, count):
    lines, commands = [], []
    normal = f"random:normal?count={count}"
    for name, source, what in (("random:uniform made and summed", f"random:uniform?count={count}", ()),
                               ("random:normal made and summed", normal, ()),
                               ("prod of random:normal", normal, ("--op", "prod")),
                               ("sum of exp(a) of random:normal", normal, ("--map", "exp(a)", "--op", "sum")),
                               ("dot of random:normal twice", normal, ("--op", "dot", "--with", normal))):
        made = Reductions(settings, tessera, source, *what)
        gpu, cores = made.bytes_per_s(device, "--slice", "256M"), made.bytes_per_s("cpu")
        lines += compared(name, gpu, cores, device)
        commands += made.commands
    return lines, commands


def gpu_reduce(settings):
    """Reductions on the first CUDA device: sums of its memory against CUB's, of a file, of arrays that it makes."""
    tessera, gpu_bench = programs(settings)
    found = devices(gpu_bench)
    gpus = [device for device in found if device["name"].startswith("cuda:") and not device["reason"]]
    if not gpus:
        raise Skipped(reasons(found))
    bench = gpu_bench.with_name("gpu_reduce_bench")
    need(bench)
    device = gpus[0]
    has_goals = is_whole_h200(device)
    command = [bench, "--device", device["name"].split(":")[1], "--repeats", 3 * settings.repeats, "--mib",
               256 if settings.quick else 8192]
    resident = json.loads(run(command).stdout)
    pinned = resident["pinned_bytes_per_s"]
    lines = resident_lines(resident, has_goals)
    lines.append(line("page-locked memory over PCIe", pinned / 1e9, "GB/s"))
    more, commands = lines_of_file(settings, tessera, device["name"], (8 << 30) // (64 if settings.quick else 1))
    more.append(against_bound(more, device["name"], pinned, has_goals))
    made, made_commands = made_lines(settings, tessera, device["name"], (1 << 32) // (256 if settings.quick else 1))
    return {"lines": lines + more + made, "notes": [described(device)],
            "commands": shown([command, *commands, *made_commands])}
