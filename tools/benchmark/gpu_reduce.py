"""The row of reductions on a GPU: exact sums of what lies on it against CUB's, files, and arrays that it makes."""

import array
import json
import random

from gpu import described, devices, is_whole_h200, programs, reasons
from measure import BenchError, Skipped, run
from rows import line, need, shown

# Of CUB's plain sum; of what bounds a file on its way to the GPU.
RESIDENT_GOAL, FILE_GOAL = 0.9, 0.8


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
    """`tessera reduce --op sum` of one array on several devices, which have to agree."""

    def __init__(self, settings, tessera, source):
        self.settings, self.tessera, self.source = settings, tessera, source
        self.sums, self.commands = set(), []

    def bytes_per_s(self, device, *options):
        report = self.settings.folder / "gpu-reduce-report.json"
        command = [self.tessera, "reduce", self.source, "--op", "sum", "--device", device, "--memory", "8G", *options,
                   "--report", report, "--quiet"]
        rates = []
        for _ in range(self.settings.repeats + 1):  # the first one warms up
            done = run(command, report)
            rates.append(done.report["bytes_per_s"])
            self.sums.add(done.report["results"][0]["values"][0]["hex"])
        if len(self.sums) != 1:
            raise BenchError(f"{self.source}: different sums: {sorted(self.sums)}")
        self.commands.append(command)
        return sorted(rates[1:])[len(rates[1:]) // 2]


def file_lines(settings, tessera, device, pinned, has_goals):
    size = (8 << 30) // (64 if settings.quick else 1)
    path = settings.folder / "gpu-reduce.raw"
    write_normal(path, size)
    try:
        of_file = Reductions(settings, tessera, f"{path}?dtype=f8&shape={size // 8}")
        cores, gpu = of_file.bytes_per_s("cpu"), of_file.bytes_per_s(device, "--slice", "32M")
    finally:
        path.unlink()
    bound = min(pinned, cores)
    return [line(f"file in the page cache by {device}", gpu / 1e9, "GB/s"),
            line("file in the page cache by the cores", cores / 1e9, "GB/s"),
            line(f"file by {device} : page-locked memory over PCIe, or the cores, whichever is less", gpu / bound, "×",
                 FILE_GOAL if has_goals else None)], of_file.commands


def made_lines(settings, tessera, device):
    lines, commands = [], []
    for kind in ("uniform", "normal"):
        count = (1 << 32) // (256 if settings.quick else 1)
        made = Reductions(settings, tessera, f"random:{kind}?count={count}")
        gpu, cores = made.bytes_per_s(device, "--slice", "256M"), made.bytes_per_s("cpu")
        lines += [line(f"random:{kind} made and summed by {device}", gpu / 1e9, "GB/s"),
                  line(f"random:{kind} by the cores", cores / 1e9, "GB/s"),
                  line(f"random:{kind} by {device} : by the cores", gpu / cores, "×")]
        commands += made.commands
    return lines, commands


def gpu_reduce(settings):
    """Exact sums on the first CUDA device: of its memory against CUB's, of a file, of arrays that it makes."""
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
    more, commands = file_lines(settings, tessera, device["name"], pinned, has_goals)
    made, made_commands = made_lines(settings, tessera, device["name"])
    return {"lines": lines + more + made, "notes": [described(device)],
            "commands": shown([command, *commands, *made_commands])}
