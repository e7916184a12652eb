"""The rows that need a GPU: its kernels, and a whole job from one GPU to disk. Each says so where there is none."""

import json
import shutil
import sys

import measure
from measure import BenchError, Skipped, number, run
from rows import kernel_cases, line, need, shown

CUPY = measure.ROOT / "benchmarks" / "peers" / "cupy_mandelbrot.py"
# What the kernels of one H200 should reach without shortcuts, in T iterations a second.
H200_GOALS = {"whole_set": 2.9, "seahorse": 1.8, "elephant": 3.3}
OPENCL_GOAL = 0.9
JOB_GOAL_GPX_PER_S = 20.0
# Seconds of an H100 or H200 for the pixels of deep views, 4096².
DEEP_GOALS_S = {"e50": 0.5, "e227": 2.0}
# Means differ by pixels that fused and separate operations decide differently; here all operations are the same.
MEAN_TOLERANCE = 1e-6


def programs(settings):
    """tessera and gpu_bench: those of the release build, or of the folder that --bin names."""
    if not settings.bin:
        found = measure.BUILD / "src" / "tessera", measure.BUILD / "benchmarks" / "gpu_bench"
        for program in found:
            need(program)
        return found
    found = settings.bin / "tessera", settings.bin / "gpu_bench"
    for program in found:
        if not program.exists():
            raise BenchError(f"--bin: there is no {program}; tools/bundle --bench makes such a folder")
    return found


def devices(gpu_bench):
    """What there is, each with a reason if it cannot be used."""
    return json.loads(run([gpu_bench, "--list"]).stdout)


def reasons(found):
    return "; ".join(f"{device['name']}: {device['reason'] or 'no GPU'}" for device in found)


def described(device):
    return f"{device['name']}: {device['detail']}, {device['driver']}"


def is_whole_hopper(device):
    return any(name in device["detail"] for name in ("H100", "H200")) and "MIG" not in device["detail"]


def is_whole_h200(device):
    return "H200" in device["detail"] and "MIG" not in device["detail"]


def case_lines(device, cases):
    """Of one device: without shortcuts by view, and what the shortcuts make of it."""
    # Where no GPU is meant to be fast there is nothing to reach.
    goals = H200_GOALS if device["name"].startswith("cuda") and is_whole_h200(device) else {}
    lines = []
    for name, case in cases.items():
        view, owner, mode = name.split("/")
        if owner != device["name"]:
            continue
        goal = goals.get(view) if mode == "plain" else None
        lines += [line(name, case["items_per_second"] / 1e12, "T iterations/s", goal),
                  line(f"{name}, executed", case["executed"] / 1e12, "T iterations/s"),
                  line(f"{name}, pixels", case["pixels"] / 1e9, "Gpx/s")]
        if "of_fp64_limit" in case:
            lines.append(line(f"{name}, share of what the FP64 pipes allow", case["of_fp64_limit"] * 100, "%"))
    return lines


def opencl_against_cuda(usable, cases):
    """The same GPU through both, by its name."""
    lines = []
    for cuda in usable:
        for opencl in usable:
            same = cuda["detail"] == opencl["detail"]
            if not (same and cuda["name"].startswith("cuda") and opencl["name"].startswith("opencl")):
                continue
            for view in H200_GOALS:
                rate = {device["name"]: cases[f"{view}/{device['name']}/plain"]["items_per_second"]
                        for device in (cuda, opencl)}
                lines.append(line(f"{view}: {opencl['name']} : {cuda['name']}",
                                  rate[opencl["name"]] / rate[cuda["name"]], "×", OPENCL_GOAL))
    return lines


def cupy_lines(cases):
    """CuPy's kernels on the same views and size, and Tessera's against the better of them."""
    found = json.loads(run([sys.executable, CUPY, 16384], optional=True).stdout)
    lines = []
    for view in H200_GOALS:
        ours = cases[f"{view}/cuda:0/plain"]
        theirs = {mode: found[f"{view}/{mode}"] for mode in ("plain", "blocks")}
        for mode, what in (("plain", "one test an iteration"), ("blocks", "blocks of 16")):
            if abs(theirs[mode]["mean"] / ours["mean"] - 1) > MEAN_TOLERANCE:
                raise BenchError(f"CuPy {mode}, {view}: mean count {theirs[mode]['mean']}, Tessera {ours['mean']}")
            lines.append(line(f"{view}: CuPy, {what}", theirs[mode]["iterations_per_s"] / 1e12, "T iterations/s"))
        best = max(one["iterations_per_s"] for one in theirs.values())
        lines.append(line(f"{view}: Tessera : CuPy's better", ours["items_per_second"] / best, "×"))
    return lines


def measure_kernels(gpu_bench, repetitions, cases=""):
    """The command, and what it measured; of the cases whose names match, if that is said."""
    command = [gpu_bench, "--benchmark_format=json", "--benchmark_enable_random_interleaving=true",
               f"--benchmark_repetitions={repetitions}", *([f"--benchmark_filter={cases}"] if cases else [])]
    return command, kernel_cases(json.loads(run(command).stdout))


def gpu(settings):
    """The kernels of every OpenCL and CUDA device, 16384² (1024² where it is no GPU), and CuPy's."""
    tessera, gpu_bench = programs(settings)
    found = devices(gpu_bench)
    usable = [device for device in found if not device["reason"]]
    if not usable:
        raise Skipped(reasons(found))
    command, cases = measure_kernels(gpu_bench, 1 if settings.quick else settings.repeats)
    lines = [entry for device in usable for entry in case_lines(device, cases)]
    lines += opencl_against_cuda(usable, cases)
    notes = [described(device) for device in usable]
    if not any(device["is_gpu"] for device in usable):
        notes.append(f"no GPU, so nothing to reach ({reasons(found)})")
    commands = [command]
    if any(device["name"] == "cuda:0" for device in usable):
        try:
            lines += cupy_lines(cases)
            commands.append([sys.executable, CUPY, 16384])
        except Skipped as reason:
            notes.append(f"without CuPy: {reason}")
    return {"lines": lines, "notes": notes, "commands": shown(commands)}


def render_job(settings, tessera, device):
    """131072² of the whole set by one process on `device`, to a file; its report."""
    size = settings.px(131072)
    file, report = settings.folder / "gpu-job.h5", settings.folder / "gpu-job-report.json"
    command = [tessera, "render", "--view", "whole", "--size", f"{size}x{size}", "--iterations", 1000,
               "--device", device, "--memory", "32G", "--output", file, "--overwrite",
               "--report", report, "--quiet"]
    done = run(command, report)
    pixels = sum(rank["pixels"] for rank in done.report["ranks"])
    if pixels != size * size:
        raise BenchError(f"{device} rendered {pixels} pixels of {size * size}")
    stored_bytes = file.stat().st_size
    file.unlink()
    return done, stored_bytes


def gpu_job(settings):
    """131072² counts of the whole set, 1000 iterations, from one GPU to chunks on disk."""
    tessera, gpu_bench = programs(settings)
    found = devices(gpu_bench)
    gpus = [device for device in found if device["is_gpu"] and not device["reason"]]
    # The first of each backend: one job is about one GPU.
    chosen = {device["name"].split(":")[0]: device for device in reversed(gpus)}
    if not chosen:
        raise Skipped(reasons(found))
    if shutil.disk_usage(settings.folder).free < 4 << 30:
        raise BenchError(f"less than 4 GiB free in {settings.folder}")
    size, lines, commands, counts = settings.px(131072), [], [], set()
    for backend, device in sorted(chosen.items()):
        walls = []
        for _ in range(settings.repeats):
            done, stored_bytes = render_job(settings, tessera, device["name"])
            walls.append((number(done.report, "wall_s"), done.wall_s))
            counts.add(sum(rank["iterations"] for rank in done.report["ranks"]))
        wall_s, process_s = sorted(walls)[len(walls) // 2]
        goal = JOB_GOAL_GPX_PER_S if backend == "cuda" and is_whole_h200(device) else None
        lines += [line(f"render {size}² by {device['name']}", size * size / wall_s / 1e9, "Gpx/s", goal),
                  line("wall time", wall_s, "s"),
                  line("start and end of the process", process_s - wall_s, "s"),
                  line("file", stored_bytes / 2**20, "MiB")]
        commands.append(done.command)
    if len(counts) != 1:
        raise BenchError(f"the same job came to different sums of iterations: {sorted(counts)}")
    return {"lines": lines, "notes": [described(device) for device in chosen.values()],
            "commands": shown(commands)}


def render_deep(settings, tessera, device, size, view="e50"):
    """A view by perturbation on `device`, without its file."""
    file, report = settings.folder / "gpu-deep.h5", settings.folder / "gpu-deep-report.json"
    done = run([tessera, "render", "--view", view, "--size", f"{size}x{size}", "--device", device, "--output", file,
                "--overwrite", "--report", report, "--quiet"], report)
    file.unlink()
    return done


def deep_seconds(report):
    """Until the tiles begin, mostly the reference orbit and its table; and from then on."""
    opening_s = max(thread["stages"]["open_s"] for rank in report["ranks"] for thread in rank["threads"])
    return opening_s, number(report, "wall_s") - opening_s


def deep_lines(device, report, size, view="e50"):
    before_s, pixels_s = deep_seconds(report)
    name = device["name"]
    goal = DEEP_GOALS_S.get(view) if name.startswith("cuda") and is_whole_hopper(device) else None
    again = sum(rank["uncertain_pixels"] for rank in report["ranks"])
    return [line(f"{view} {size}² by {name}, pixels", pixels_s, "s", goal, better="lower"),
            line(f"{view}: {name}, reference orbit, table and opening", before_s, "s"),
            line(f"{view}: pixels that 53 bits left uncertain", again / size**2 * 100, "%")]


def gpu_deep(settings):
    """The view e50 by perturbation, 4096² counts, on each GPU and on the cores, which must have the same counts."""
    tessera, gpu_bench = programs(settings)
    found = devices(gpu_bench)
    chosen = [device for device in found if device["is_gpu"] and not device["reason"]]
    if not chosen:
        raise Skipped(reasons(found))
    size, lines, commands, counts, seconds = settings.px(4096), [], [], set(), {}
    for device in [*chosen, {"name": "cpu", "detail": ""}]:
        runs = sorted((render_deep(settings, tessera, device["name"], size) for _ in range(settings.repeats)),
                      key=lambda done: deep_seconds(done.report)[1])
        middle = runs[len(runs) // 2]
        lines += deep_lines(device, middle.report, size)
        seconds[device["name"]] = deep_seconds(middle.report)[1]
        counts |= {sum(rank["iterations"] for rank in done.report["ranks"]) for done in runs}
        commands.append(middle.command)
    if len(counts) != 1:
        raise BenchError(f"the same image came to different sums of iterations: {sorted(counts)}")
    lines += [line(f"e50: cpu : {device['name']}", seconds["cpu"] / seconds[device["name"]], "×") for device in chosen]
    return {"lines": lines, "notes": [described(device) for device in chosen], "commands": shown(commands)}
