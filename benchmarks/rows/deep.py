"""The row of deep zoom: pixels beside the loop that others use, computing pixels again, two ranks, a large image in little
memory, and reference orbits beside a plain loop of MPFR."""

import itertools
import json

from measure import BUILD, number, run
from rows import in_little_memory, line, need, one_rank_and_two, shown

DEEP_BENCH = BUILD / "benchmarks" / "deep_bench"
# Named views, and by how much the loop of others may be slower: at 2^-24 and at 2^-53.
PLACES = {"islands": (3, None), "e50": (3, 24), "e113": (4, 10), "e227": (2.2, 11), "e533": None, "e1086": None,
          "julia-leaves": None, "deep-ship": None, "deep-tricorn": None, "curls": None}
# Beyond f64, of the time of e50.
DEEPEST_GOALS = {"e533": 4 / 5.2, "e1086": 5 / 5.2}
ORBITS = {1086: None, 8000: 1.5, 22522: 1.5}


def place_lines(found, e50_s):
    name, seconds = found["place"], found["quick_s"]
    lines = [line(f"{name}, 1024², 1 core", seconds, "s")]
    for bits, goal in zip((24, 53), PLACES[name] or ()):
        lines.append(line(f"{name}: bilinear at 2^-{bits} ({found[f'peer_{bits}_wrong']:.2%} wrong) : Tessera",
                          found[f"peer_{bits}_s"] / seconds, "×", goal))
    if name in DEEPEST_GOALS:
        lines.append(line(f"{name} : e50", seconds / e50_s, "×", DEEPEST_GOALS[name], "lower"))
    again = found["exact_s"] / seconds - 1
    lines.append(line(f"{name}: {found['uncertain']:.2%} of the pixels again", 100 * again, "%", 15.0, "lower"))
    lines.append(line(f"{name}: distances besides", 100 * (found["distance_s"] / seconds - 1), "%", 40.0, "lower"))
    lines.append(line(f"{name}: orbit and table, {found['iterations']} iterations",
                      found["orbit_s"] + found["table_s"], "s"))
    return lines


def two_ranks(settings):
    """Two ranks of one thread against one."""
    lines, commands = [], []
    for view, side in itertools.product(("e50", "e113"), map(settings.px, (768, 1536))):
        pairs, of_processes, used = one_rank_and_two(settings, "--view", view, "--size", f"{side}x{side}", "--tile", 64)
        what = f"{view}, {side}²: 1 rank : 2 ranks of one thread"
        lines += [line(what, pairs["ratio"], "×", 1.9),
                  line(f"{what}, with the start of mpirun", of_processes, "×")]
        commands += used
    return lines, commands


def large(settings):
    side = settings.px(16384)
    done, _ = in_little_memory(settings, 2, "--view", "e113", "--size", f"{side}x{side}")
    return [line(f"e113, {side}², --memory 512M: largest rank", done.peak_bytes / 2**20, "MiB", 640.0, "lower"),
            line(f"e113, {side}²", side * side / number(done.report, "wall_s") / 1e6, "Mpx/s")], [done.command]


def deep(settings):
    """Deep pixels : the loop of other programs, redo of uncertain ones, ranks, memory, reference orbits."""
    need(DEEP_BENCH)
    command = [DEEP_BENCH, "--side", 64 if settings.quick else 192, "--repeats", settings.repeats, *PLACES,
               *(word for places in ORBITS for word in ("--orbits", places))]
    found = json.loads(run(command).stdout)
    e50_s = next(one["quick_s"] for one in found["places"] if one["place"] == "e50")
    lines = [one for place in found["places"] for one in place_lines(place, e50_s)]
    for orbit, (places, goal) in zip(found["orbits"], ORBITS.items()):
        what = f"orbit with {orbit['bits']} bits (1e-{places}): plain MPFR : Tessera"
        lines.append(line(f"{what}, processor time of 1 thread", orbit["ratio"], "×"))
        lines.append(line(f"{what}, 2 threads", orbit["two_threads"], "×", goal))
        lines.append(line(f"{orbit['bits']} bits: two multiplications on 1 thread : 2, at best", orbit["two_threads_at_best"], "×"))
        lines.append(line(f"orbit with {orbit['bits']} bits", orbit["us"], "µs/iteration"))
    commands = [command]
    for part in (two_ranks, large):
        more, used = part(settings)
        lines += more
        commands += used
    return {"lines": lines, "places": found["places"], "commands": shown(commands)}
