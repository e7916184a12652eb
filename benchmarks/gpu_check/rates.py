"""How fast: the rows of tools/bench that need a GPU, piece by piece, and what they leave out."""

import json
import shutil
import time
from types import SimpleNamespace

import gpu
import gpu_reduce
from checks import Failed, first_lines
from images import ALL_FIELDS, Render
from measure import Skipped, number, run

# CPU and GPU together are no slower than the faster one.
TOGETHER_GOAL = 1.0


def settings_of(checks, repeats=1):
    """As the rows of tools/bench want them."""
    return SimpleNamespace(repeats=repeats, quick=checks.quick, folder=checks.folder, bin=checks.programs["tessera"].parent,
                           px=lambda side: checks.px(side, max(side // 256, 256)))


def program(checks, name):
    if name not in checks.programs:
        raise Skipped(f"{name} is not beside tessera; tools/bundle --bench brings it")
    return checks.programs[name]


def the_gpu(checks):
    """As gpu_bench lists it."""
    found = gpu.devices(program(checks, "gpu_bench"))
    for device in found:
        if device["name"] == "cuda:0" and not device["reason"]:
            return device
    raise Skipped(f"gpu_bench has no CUDA device: {gpu.reasons(found)}")


def measured(checks, names):
    """gpu_bench on the named devices."""
    command, cases = gpu.measure_kernels(program(checks, "gpu_bench"), 1, f"/({'|'.join(names)})/")
    checks.did(command, 0, 0)
    return cases


def need_disk(checks, gib):
    if not checks.quick and shutil.disk_usage(checks.folder).free < gib << 30:
        raise Skipped(f"less than {gib} GiB are free in the folder of --out")


def rates(checks):
    """kernels of the GPU: iterations a second of three views, with and without shortcuts, and CuPy's"""
    with checks.check("gpu_bench on cuda:0"):
        device = the_gpu(checks)
        cases = measured(checks, [device["name"]])
        checks.lines(gpu.case_lines(device, cases))
    if checks.found["lines"]:
        with checks.check("CuPy's kernels of the same views"):
            checks.lines(gpu.cupy_lines(cases))


def job(checks):
    """131072² counts of the whole set from the GPU to a file"""
    with checks.check("131072² by cuda:0, three times"):
        device = the_gpu(checks)
        need_disk(checks, 4)
        settings = settings_of(checks)
        side = settings.px(131072)
        rates_found, counts = [], set()
        for _ in range(1 if checks.quick else 3):
            done, stored_bytes = gpu.render_job(settings, checks.tessera, "cuda:0")
            checks.did(done.command, 0, done.wall_s)
            rates_found.append(side * side / number(done.report, "wall_s") / 1e9)
            counts.add(sum(rank["iterations"] for rank in done.report["ranks"]))
            checks.note(f"{side}² by cuda:0: {rates_found[-1]:.3g} Gpx/s, {done.wall_s:.2f} s start to end, "
                        f"{stored_bytes / 2**20:.0f} MiB")
        goal = gpu.JOB_GOAL_GPX_PER_S if gpu.is_whole_h200(device) else None
        checks.line(f"render {side}² by cuda:0, median", sorted(rates_found)[len(rates_found) // 2], "Gpx/s", goal)
        checks.need(len(counts) == 1, f"the same job came to different sums of iterations: {sorted(counts)}")


def deep_view(checks, view, devices):
    settings, size = settings_of(checks), checks.px(4096, 24)
    counts, seconds = set(), {}
    for found in devices:
        with checks.check(f"{view} {size}² by {found['name']}"):
            done = gpu.render_deep(settings, checks.tessera, found["name"], size, view)
            checks.did(done.command, 0, done.wall_s)
            checks.lines(gpu.deep_lines(found, done.report, size, view))
            counts.add(sum(rank["iterations"] for rank in done.report["ranks"]))
            seconds[found["name"]] = gpu.deep_seconds(done.report)[1]
    with checks.check(f"{view}: the same counts"):
        checks.need(len(seconds) == len(devices) and len(counts) == 1, f"sums of iterations: {sorted(counts)}")
        if "cpu" in seconds:
            checks.line(f"{view}: cpu : cuda:0", seconds["cpu"] / seconds["cuda:0"], "×")


def deep(checks):
    """views by perturbation, 4096² counts: e50 by the GPU and by the cores, and e227, where many pixels are uncertain"""
    device = the_gpu(checks)
    deep_view(checks, "e50", (device, {"name": "cpu", "detail": ""}))
    deep_view(checks, "e227", (device,))


def exact(checks):
    """wide images with --arithmetic exact, 8192² counts: against the cores, and against plain counts"""
    size = checks.px(8192, 200)
    for view in ("whole", "seahorse", "porcelain"):
        with checks.check(f"{view} {size}²"):
            seconds = {}
            for arithmetic, device in (("plain", "cuda:0"), ("exact", "cpu"), ("exact", "cuda:0")):
                render = Render(checks, f"{size}x{size}", "--view", view, "--arithmetic", arithmetic, fields=("iterations",))
                name = "truth" if device == "cpu" else "image"
                report = render.on(device, name=name)
                seconds[arithmetic, device] = gpu.deep_seconds(report)[1]
                checks.line(f"{view} {size}², {arithmetic}, by {device}, without the opening", seconds[arithmetic, device], "s")
            render.same_as_truth()
            on_gpu = seconds["exact", "cuda:0"]
            checks.line(f"{view}: exact : plain, by cuda:0", on_gpu / seconds["plain", "cuda:0"], "×")
            checks.line(f"{view}: cpu : cuda:0, exact", seconds["exact", "cpu"] / on_gpu, "×")
            left = report["total"]
            checks.note(f"{view}: {left['uncertain_pixels']} pixels open after f64, {left['uncertain_on_gpu']} of them counted by "
                        f"the GPU, {left['uncertain_with_more_bits']} with more bits")


def cub(checks):
    """exact sums of the GPU's memory against cub::DeviceReduce::Sum"""
    with checks.check("gpu_reduce_bench"):
        device, bench = the_gpu(checks), program(checks, "gpu_reduce_bench")
        done = run([bench, "--device", 0, "--repeats", 9, "--mib", checks.px(8192, 256)])
        checks.did(done.command, 0, done.wall_s)
        resident = json.loads(done.stdout)
        checks.lines(gpu_reduce.resident_lines(resident, gpu.is_whole_h200(device)))
        checks.line("page-locked memory over PCIe", resident["pinned_bytes_per_s"] / 1e9, "GB/s")


def terapixel(checks):
    """a terapixel of the whole set to a file, killed in the middle and continued by the same command"""
    side = checks.px(1 << 20, 2048)
    need_disk(checks, 16)
    render = Render(checks, f"{side}x{side}", "--view", "whole", "--iterations", 1000, fields=("iterations",))
    options = ("--memory", checks.px("64G", "1G"))
    with checks.check(f"{side}² by cuda:0, through kill -9"):
        running = checks.start(*render.command("cuda:0", "image", *options))
        time.sleep(checks.px(8, 0.5))
        running.process.kill()
        killed = checks.finish(running, codes=())
        done = checks.run(*render.command("cuda:0", "image", *options))
        report = render.report("image")
        checks.need(sum(rank["pixels"] for rank in report["ranks"]) <= side * side, "more pixels than the image has")
        checks.line(f"{side}²: both parts, start to end", killed.wall_s + done.wall_s, "s")
        checks.line(f"{side}²: the second part", number(report, "pixels_per_s") / 1e9, "Gpx/s")
        render.verify("cpu", sample=checks.px(1, 4))


def resident(checks):
    """groups and medians of arrays that the GPU makes, against the cores: whether these kernels are worth having"""
    settings = settings_of(checks)
    count = checks.px(1 << 28, 5000)
    source = f"random:normal?count={count}"
    keys = f"random:uniform?count={count}&dtype=u2&seed=2"
    for what, operations in (("median", ("--op", "median")), ("sum by 65536 keys", ("--op", "sum", "--by", keys)),
                             ("median by 65536 keys", ("--op", "median", "--by", keys))):
        with checks.check(f"{what} of {source}"):
            output = checks.folder / "groups.npy" if "--by" in operations else None
            made = gpu_reduce.Reductions(settings, checks.tessera, source, *operations, output=output)
            found, cores = (made.bytes_per_s(device) for device in ("cuda:0", "cpu"))
            checks.lines(gpu_reduce.compared(what, found, cores, "cuda:0"))
            for command in made.commands:
                checks.did(command, 0, 0)


def files(checks):
    """reductions of a file of 8 GiB and of generated arrays: by the GPU, and by the cores"""
    settings = settings_of(checks)
    rows = {"a file": lambda: gpu_reduce.lines_of_file(settings, checks.tessera, "cuda:0", checks.px(8 << 30, 1 << 20)),
            "generated arrays": lambda: gpu_reduce.made_lines(settings, checks.tessera, "cuda:0",
                                                              checks.px(1 << 32, 10_000))}
    for what, row in rows.items():
        with checks.check(what):
            need_disk(checks, 10)
            found, commands = row()
            checks.lines(found)
            for command in commands:
                checks.did(command, 0, 0)


def pixels_per_s(checks, render, device):
    """Median of three."""
    found = sorted(number(render.on(device, "--tile", checks.px(2048, 32)), "pixels_per_s")
                   for _ in range(1 if checks.quick else 3))
    return found[len(found) // 2]


def compare(checks, what, rate, scale, unit):
    found = {device: rate(device) / scale for device in ("cuda:0", "cpu", "cuda:0,cpu")}
    for device, value in found.items():
        checks.line(f"{what} by {device}", value, unit)
    checks.line(f"{what}: cuda:0,cpu : the faster one", found["cuda:0,cpu"] / max(found["cuda:0"], found["cpu"]), "×",
                None if checks.quick else TOGETHER_GOAL)


def together(checks):
    """CPU and GPU together against either: a render and a reduction"""
    side = checks.px(32768, 256)
    render = Render(checks, side, "--view", "seahorse", "--iterations", checks.px(2000, 200), fields=("iterations",))
    with checks.check("a render"):
        compare(checks, f"{side}², seahorse", lambda device: pixels_per_s(checks, render, device), 1e9, "Gpx/s")
    with checks.check("a reduction"):
        settings = settings_of(checks, repeats=1 if checks.quick else 3)
        source = f"random:normal?count={checks.px(1 << 31, 5000)}"
        made = gpu_reduce.Reductions(settings, checks.tessera, source)
        compare(checks, "sum of random:normal", made.bytes_per_s, 1e9, "GB/s")
        for command in made.commands:
            checks.did(command, 0, 0)


def opencl(checks):
    """the same GPU through OpenCL: its kernels and a job, against CUDA"""
    found = gpu.devices(program(checks, "gpu_bench"))
    cuda = the_gpu(checks)
    same = [device for device in found if device["name"].startswith("opencl") and not device["reason"]
            and device["detail"] == cuda["detail"]]
    if not same:
        raise Skipped(f"OpenCL does not list this GPU: {gpu.reasons([d for d in found if d['name'].startswith('opencl')])}")
    with checks.check("kernels"):
        cases = measured(checks, [cuda["name"], same[0]["name"]])
        checks.lines(gpu.case_lines(same[0], cases) + gpu.opencl_against_cuda([cuda, same[0]], cases))
    for arithmetic in ("plain", "exact", "perturbation"):
        with checks.check(f"pixels, {arithmetic}"):
            render = Render(checks, checks.px("1501x1003", "203x151"), "--view", "seahorse", "--iterations",
                            checks.px(3000, 400), "--arithmetic", arithmetic, fields=ALL_FIELDS)
            render.take_truth("cuda:0")
            render.on(same[0]["name"])
            render.same_as_truth()
    with checks.check("131072²"):
        settings = settings_of(checks)
        rates_found = {}
        for device in (cuda, same[0]):
            done, _ = gpu.render_job(settings, checks.tessera, device["name"])
            checks.did(done.command, 0, done.wall_s)
            rates_found[device["name"]] = number(done.report, "pixels_per_s")
            checks.line(f"131072² by {device['name']}", rates_found[device["name"]] / 1e9, "Gpx/s")
        checks.line(f"131072²: {same[0]['name']} : cuda:0", rates_found[same[0]["name"]] / rates_found["cuda:0"], "×",
                    gpu.OPENCL_GOAL)


def stages(checks, report):
    """Where the time of the workers goes."""
    total = report["total"]
    of_workers = report["wall_s"] * total["workers"]
    for stage, seconds in total["stages"].items():
        checks.line(f"stage {stage[:-2]}, of workers × wall time", 100 * seconds / of_workers, "%")


def busiest(checks, trace):
    """Of a timeline: the spans with the most time in all."""
    events = json.loads(trace.read_text())
    events = events["traceEvents"] if isinstance(events, dict) else events
    seconds, calls = {}, {}
    for event in events:
        if event.get("ph") == "X":
            seconds[event["name"]] = seconds.get(event["name"], 0) + event["dur"] / 1e6
            calls[event["name"]] = calls.get(event["name"], 0) + 1
    for name in sorted(seconds, key=seconds.get, reverse=True)[:8]:
        checks.note(f"trace: {name}: {seconds[name]:.3f} s in {calls[name]} spans")


def profile(checks):
    """where the time of a job goes: its report and trace, with more and fewer threads, and nsys"""
    side = checks.px(65536, 512)
    render = Render(checks, side, "--view", "whole", "--iterations", 1000, fields=("iterations",))
    options = ("--memory", "32G")
    with checks.check("report and trace"):
        report = render.on("cuda:0", *options, "--trace", checks.folder / "trace.json")
        checks.line(f"{side}², whole set, with a trace", report["pixels_per_s"] / 1e9, "Gpx/s")
        stages(checks, report)
        busiest(checks, checks.folder / "trace.json")
    for threads in (2,) if checks.quick else (2, 4, 8):
        with checks.check(f"--threads {threads}"):
            report = render.on("cuda:0", *options, "--threads", threads)
            checks.line(f"{side}², whole set, --threads {threads}", report["pixels_per_s"] / 1e9, "Gpx/s")
    with checks.check("nsys"):
        nsys_of(checks, render, options)


def nsys_of(checks, render, options):
    if "nsys" not in checks.programs:
        raise Skipped("nsys is missing")
    done = checks.run(checks.programs["nsys"], "profile", "--force-overwrite=true", "--stats=true", "--output=nsys",
                      *render.command("cuda:0", "image", "--overwrite", "--isolate", "off", *options), limit_s=40)
    for table in ("cuda_gpu_kern_sum", "cuda_gpu_mem_time_sum", "cuda_api_sum"):
        at = done.out.find(table)
        if at >= 0:
            checks.note(f"nsys {table}:\n{first_lines(done.out[at:at + 4000])}")


def crossover(checks):
    """tessera bench: first and later calls, and the size above which the GPU is faster than the cores"""
    with checks.check("tessera bench"):
        small = ("--sizes", "64", "--iterations", "50", "--elements", "1000", "--repeats", "1")
        options = small if checks.quick else ("--within", "25")
        done = checks.run(checks.tessera, "bench", "--device", "cuda:0,cpu", *options)
        if "cuda:0" not in done.out:
            raise Failed(done.out)
        checks.found["said"] = checks.without_paths(done.out)
