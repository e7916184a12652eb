"""The row of order statistics: a median of an array in the page cache, and quantiles of a large file."""

import arrays
from measure import BenchError, paired_ratio, run, thread_seconds
from rows import TESSERA, line, need, shown

QUANTILES = (0.01, 0.5, 0.99)


def normal_file(settings, name, dtype, count):
    """Normal numbers, raw; the source as tessera takes it, and the path."""
    numpy, _ = arrays.modules()
    path, random, block = settings.folder / name, numpy.random.default_rng(1), 1 << 24
    with open(path, "wb") as file:
        for first in range(0, count, block):
            random.standard_normal(min(block, count - first), dtype).tofile(file)
    return f"{path}?dtype={dtype}&shape={count}", path


def value_of(report, place):
    return float.fromhex(report["results"][0]["values"][place]["hex"])


def check_rank(path, dtype, count, q, value):
    """Fails unless `value` lies between the two elements at that quantile."""
    numpy, _ = arrays.modules()
    array, block = numpy.memmap(path, dtype), 1 << 26
    below = sum(int((array[first:first + block] < value).sum()) for first in range(0, count, block))
    up_to = sum(int((array[first:first + block] <= value).sum()) for first in range(0, count, block))
    position = q * (count - 1)
    if not below <= position + 1 or not position < up_to + 1:
        raise BenchError(f"{path}: {below} below {value!r} and {up_to} up to it, for the position {position}")


def medians(settings):
    """The median of an f8 array against numpy.partition and numpy.median, one thread each."""
    numpy, _ = arrays.modules()
    count = (1 << 27) // (8 if settings.quick else 1)
    source, path = normal_file(settings, "median.raw", "f8", count)
    array, report = numpy.fromfile(path, "f8"), settings.folder / "reduce-report.json"
    truth = float(numpy.median(array))
    command = [TESSERA, "reduce", source, "--op", "median", "--threads", 1, "--report", report, "--quiet"]

    def tessera_seconds():
        """Of the whole process, with its start, the sample and the selection."""
        done = run(command, report)
        if value_of(done.report, 0) != truth:
            raise BenchError(f"median {value_of(done.report, 0)!r}, not {truth!r}")
        return done.cpu_s

    lines = []
    for name, goal, function in (("partition", 8.0, lambda: numpy.partition(array, [count // 2 - 1, count // 2])),
                                 ("median", None, lambda: numpy.median(array))):
        pairs = paired_ratio(lambda: thread_seconds(function), tessera_seconds, settings.repeats)
        lines.append(line(f"median of {count * 8 >> 20} MiB of f8, 1 thread, processor time : numpy.{name}", pairs["ratio"], "×", goal))
    lines.append(line("median of f8, 1 thread: time of an element", pairs["faster_s"] / count * 1e9, "ns"))
    path.unlink()
    return lines, command


def readings(settings):
    """Quantiles of a file of f4: how often it is read, and how fast."""
    count = (1 << 31) // (64 if settings.quick else 1)
    source, path = normal_file(settings, "quantiles.raw", "f4", count)
    report = settings.folder / "reduce-report.json"
    lines = []
    for memory in ("2G", "256M"):
        command = [TESSERA, "reduce", source, "--op", "quantile=" + ",".join(map(str, QUANTILES)), "--threads", 2,
                   "--memory", memory, "--report", report, "--quiet"]
        done = run(command, report, watch=TESSERA.name)
        for place, q in enumerate(QUANTILES):
            check_rank(path, "f4", count, q, value_of(done.report, place))
        what = f"3 quantiles of {count * 4 / 2**30:g} GiB of f4, --memory {memory}, 2 threads"
        lines += [line(f"{what}: readings", done.report["total"]["elements"] / count, "", 2.0, "lower"),
                  line(f"{what}: largest rank", done.peak_bytes / 2**20, "MiB"),
                  line(f"{what}: wall time", done.report["wall_s"], "s")]
    path.unlink()
    return lines, command


def quantiles(settings):
    """Order statistics: a median against NumPy, and how often quantiles read a file."""
    need(TESSERA)
    lines, commands = [], []
    for part in (medians, readings):
        more, command = part(settings)
        lines += more
        commands.append(command)
    return {"lines": lines, "commands": shown(commands)}
