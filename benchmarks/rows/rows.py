"""The rows of the benchmark that need nothing but Tessera. Each returns {"lines": [...], "commands": [...]}:
a line is one number with its unit and, where there is one, the goal that it should reach."""

import json
import os
import re
import shutil
from statistics import median

from measure import BUILD, ROOT, SEAHORSE, BenchError, number, paired_ratio, run

TESSERA = BUILD / "src" / "tessera"
KERNEL_BENCH = BUILD / "benchmarks" / "kernel_bench"
# Which cases of kernel_bench, and their goals in G iterations/s on two cores.
KERNEL_CASES = "^(whole_set|seahorse)/(reference|cpu)/(plain|shortcuts)/"
KERNEL_GOALS = {"whole_set/cpu/plain/threads:2": 30.0, "whole_set/cpu/shortcuts/threads:2": 130.0}


def line(what, value, unit, goal=None, better="higher"):
    return {"what": what, "value": value, "unit": unit, "goal": goal, "better": better}


def need(program):
    if not program.exists():
        raise BenchError(f"{shown([[program]])[0][0]} is not built: "
                         "cmake --preset release && cmake --build --preset release")


def tessera(ranks, *arguments):
    need(TESSERA)
    return [ROOT / "tools" / "mpirun", "-n", ranks, TESSERA, *arguments]


def render(settings, name, ranks, *options, watch=None):
    """Renders into FOLDER/NAME.h5; returns what it did and the file."""
    file, report = settings.folder / f"{name}.h5", settings.folder / f"{name}-report.json"
    command = tessera(ranks, "render", *options, "--device", "cpu", "--output", file, "--overwrite",
                      "--report", report, "--quiet")
    return run(command, report, watch), file


def tile_table(file):
    """The rows of /tiles; fails for a tile that nobody stored."""
    try:
        import h5py
    except ImportError as error:
        raise BenchError(f"{error}: tools/packages.sh install tests, or set TESSERA_PYTHON") from error
    with h5py.File(file) as opened:
        tiles = opened["tiles"][:]
    if len(tiles) == 0 or (tiles["rank"] < 0).any():
        raise BenchError(f"{file.name} lacks tiles")
    return tiles


def shown(commands):
    """Commands as a reader can paste them: relative to the repository where they can be."""
    return [[str(part).replace(f"{ROOT}/", "") for part in command] for command in commands]


def kernel_cases(found):
    """What kernel_bench or gpu_bench measured by case, medians where it was repeated; both check their pixels."""
    cases = {}
    for entry in found["benchmarks"]:
        if entry.get("error_occurred"):
            raise BenchError(f"{entry['name']}: {entry.get('error_message')}")
        if entry.get("run_type") == "aggregate" and entry.get("aggregate_name") != "median":
            continue
        name = entry.get("run_name", entry["name"])
        name = re.sub(r"/(iterations:1|min_time:[^/]*|repeats:[^/]*|real_time)", "", name)
        cases[name] = entry
    if not cases:
        raise BenchError(f"{found['context']['executable']} has no such case")
    return dict(sorted(cases.items(), reverse=True))


def kernel(settings):
    """The kernels alone, in iterations a second, and how far cpu is ahead of reference."""
    need(KERNEL_BENCH)
    command = [KERNEL_BENCH, "--benchmark_format=json", f"--benchmark_filter={KERNEL_CASES}",
               f"--benchmark_repetitions={1 if settings.quick else settings.repeats}",
               "--benchmark_enable_random_interleaving=true"]
    cases = kernel_cases(json.loads(run(command).stdout))
    lines = []
    for name, case in cases.items():
        rate = case["items_per_second"]
        lines.append(line(name, rate / 1e9, "G iterations/s", KERNEL_GOALS.get(name)))
        truth = cases.get(name.replace("/cpu/plain/", "/reference/plain/"), case)
        if truth is not case:
            lines.append(line(f"{name} : reference", rate / truth["items_per_second"], "×", 25.0))
        if "/cpu/plain/" in name:
            # Measured beside each case, so it also tells a slow kernel from a busy machine.
            lines.append(line(f"{name}, share of what the FMA pipes allow", case["of_fma_limit"] * 100, "%"))
    return {"lines": lines, "commands": shown([command])}


def whole_job(settings):
    """A whole render against its own kernel: seahorse view, 20000 iterations, counts to HDF5."""
    size = settings.px(16384)
    walls, kernels = [], []

    def whole():
        done, file = render(settings, "whole-job", settings.ranks, *SEAHORSE,
                            "--size", f"{size}x{size}", "--iterations", 20000)
        tiles = tile_table(file)
        file.unlink()
        walls.append(done)
        # What all cores together need for the pixels and nothing else: measured inside the same run.
        kernels.append(float(tiles["compute_s"].sum()) / len(os.sched_getaffinity(0)))
        return number(done.report, "wall_s")

    ratios = [whole() / kernels[-1] for _ in range(settings.repeats)]
    done = walls[-1]
    startup_s = done.wall_s - number(done.report, "wall_s")
    return {
        "lines": [line(f"render {size}² : kernel alone", median(ratios), "×", 1.25, "lower"),
                  line("wall time", number(done.report, "wall_s"), "s"),
                  line("start and end of the processes", startup_s, "s", 0.5, "lower")],
        "ratios": ratios,
        "commands": shown([done.command]),
    }


def png(settings):
    """PNG of a stored file: reading, colouring and compressing, in pixels a second."""
    size = settings.px(16384)
    lines, commands = [], []
    for view, place in (("whole", ("--view", "whole")), ("seahorse", SEAHORSE)):
        _, file = render(settings, f"png-{view}", settings.ranks, *place, "--size", f"{size}x{size}")
        picture, report = file.with_suffix(".png"), settings.folder / f"png-{view}-color.json"
        command = tessera(settings.ranks, "color", file, picture, "--report", report, "--quiet")
        walls = []
        for _ in range(settings.repeats):
            picture.unlink(missing_ok=True)
            walls.append(number(run(command, report).report, "wall_s"))
        checked = run(["pngcheck", picture]).stdout
        if f"{size}x{size}, 24-bit RGB" not in checked:
            raise BenchError(f"pngcheck: {checked.strip()}")
        lines.append(line(f"{view} {size}² to RGB PNG", size * size / median(walls) / 1e6, "Mpx/s", 400.0))
        commands.append(command)
        file.unlink()
        picture.unlink()
    return {"lines": lines, "commands": shown(commands)}


def one_rank_and_two(settings, *options):
    """Renders by ranks of one thread, which must have the same counts: their pairs, the median ratio of whole processes,
    and the commands."""
    commands, files, whole_s = {}, {}, {1: [], 2: []}

    def seconds(ranks):
        done, files[ranks] = render(settings, f"ranks-{ranks}", ranks, *options, "--threads", 1)
        commands[ranks] = done.command
        whole_s[ranks].append(done.wall_s)
        return number(done.report, "wall_s")

    pairs = paired_ratio(lambda: seconds(1), lambda: seconds(2), settings.repeats)
    one, two = (tile_table(files[ranks]) for ranks in (1, 2))
    if (one["iterations"] != two["iterations"]).any():
        raise BenchError("one rank and two ranks counted different iterations")
    for file in files.values():
        file.unlink()
    return pairs, median(whole_s[1]) / median(whole_s[2]), list(commands.values())


def two_ranks(settings):
    """Two ranks of one thread against one: seahorse view, 20000 iterations; the same counts too."""
    size = settings.px(16384)
    pairs, _, commands = one_rank_and_two(settings, *SEAHORSE, "--size", f"{size}x{size}", "--iterations", 20000)
    return {"lines": [line(f"1 rank : 2 ranks of one thread, {size}²", pairs["ratio"], "×", 1.9)],
            "pairs": pairs, "commands": shown(commands)}


def in_little_memory(settings, free_gib, *options):
    """A large render under --memory 512M: what it did, and the size of its file."""
    if shutil.disk_usage(settings.folder).free < free_gib << 30:
        raise BenchError(f"less than {free_gib} GiB free in {settings.folder}")
    done, file = render(settings, "large", settings.ranks, *options, "--memory", "512M", watch=TESSERA.name)
    tile_table(file)
    stored_bytes = file.stat().st_size
    file.unlink()
    return done, stored_bytes


def huge(settings):
    """131072² pixels under --memory 512M: completes, and what each rank holds at most."""
    size = settings.px(131072)
    done, stored_bytes = in_little_memory(settings, 4, "--view", "whole", "--size", f"{size}x{size}", "--iterations", 200)
    return {"lines": [line(f"largest rank, {size}²", done.peak_bytes / 2**20, "MiB", 640.0, "lower"),
                      line("rate", size * size / number(done.report, "wall_s") / 1e6, "Mpx/s"),
                      line("file", stored_bytes / 2**20, "MiB")],
            "commands": shown([done.command])}
