"""Runs that are stopped, killed or fail, and those of shares: the same command, or merge, brings them to their end."""

import json
import os
import signal

from render_case import OUTPUT
from render_plain import verify
from render_runs import CODES, Difference, Stop, stored_tiles


def random_stop(case):
    """At any tile, or at any moment of a run by one thread of `reference`."""
    rng = case.rng
    number = rng.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGUSR1, signal.SIGINT])
    if rng.random() < .6:
        # From the last tile on the file is being finished.
        return Stop(number, rng.choice([rng.randint(0, case.job.tiles), case.job.tiles]), 5)
    return Stop(number, 10**9, rng.random() * (.06 + 5e-9 * case.steps))


def interrupted(case, *options, output=OUTPUT):
    """A run that something stops, or not; its exit code, None where it was killed. What it had stored is not lost."""
    rng = case.rng
    kind = rng.random()
    before = stored_tiles(case.path(output))
    if kind < .12:
        done = case.render(*options, "--max-seconds", "1", output=output, slow=True)
    elif kind < .18:
        # A disk that is full sooner or later.
        most_bytes = round(rng.uniform(100, 9000 + 9 * case.job.pixels))
        done = case.render(*options, output=output, most_bytes=most_bytes, ranks=0)
        if done.code:
            case.runner.check_refusal(done, output)
    elif kind < .25:
        fault = f"device.kernel@{rng.randint(1, case.job.height * case.job.tile_columns + 3)}" + rng.choice(["", "+"])
        done = case.render(*options, output=output, fault=fault)
    else:
        stop = random_stop(case)
        done = case.render(*options, output=output, slow=rng.random() < .7, stop=stop, watched=output)
        if done.interfered and done.code not in CODES:
            return None
    allowed = {0, 75, 4} if .12 <= kind < .25 else {0, 75}
    if done.code not in allowed:
        raise Difference(f"exit {done.code} of a run that was stopped: {done.said.strip()[-300:]}")
    now = stored_tiles(case.path(output))
    if done.code != 0 and now < before:
        raise Difference(f"{before} tiles were stored before a run that was stopped, {now} after it")
    return done.code


def resumed(case):
    """Stopped once or more, and brought to its end by the same command."""
    for _ in range(case.rng.choice([1, 1, 2, 4])):
        if interrupted(case) == 0:
            break
    stored = stored_tiles(case.path(OUTPUT))
    finished = os.path.exists(case.path(OUTPUT))
    case.render_well("--report", "report.json")
    case.check()
    check_report(case, case.job.tiles if finished else stored)


def check_report(case, stored):
    with open(case.path("report.json")) as file:
        report = json.load(file)
    if report["damaged_tiles"] or report["found_tiles"] < stored:
        raise Difference(f"{stored} tiles were stored; {report['found_tiles']} were found, "
                         f"{report['damaged_tiles']} damaged")


def make_shares(case, most=4, stopped=.3):
    """Files of the K-th of N parts, in random order, each perhaps stopped on the way."""
    rng = case.rng
    of = rng.randint(2, most)
    numbers = list(range(1, of + 1))
    rng.shuffle(numbers)
    for number in numbers:
        name, option = f"s{number}.h5", ("--share", f"{number}/{of}")
        while rng.random() < stopped and interrupted(case, *option, output=name) != 0:
            pass
        case.render_well(*option, output=name)
    rng.shuffle(numbers)
    return [f"s{number}.h5" + rng.choice(["", ".part"]) for number in numbers]


def shares(case):
    """Shares that are merged, all at once or in two goes, or merged as far as they go and rendered to the end."""
    rng = case.rng
    names = make_shares(case)
    first = names[:rng.randint(1, len(names))] if rng.random() < .4 else names
    again = [rng.choice(first)] if rng.random() < .2 else []
    if rng.random() < .2:
        stop = Stop(signal.SIGKILL, rng.choice([1, case.job.tiles]), rng.random() * .15)
        case.runner.run("merge", OUTPUT, *first, stop=stop, watched=OUTPUT)
    done = case.runner.run("merge", OUTPUT, *first, *again)
    if len(first) == len(names):
        if done.code != 0:
            raise Difference(f"merge of all shares: exit {done.code}: {done.said}")
    elif done.code != 0:
        # Small images have shares without a tile, so that some may be all.
        if done.code != 4 or "in none of the parts" not in done.said:
            raise Difference(f"merge of some shares: exit {done.code}: {done.said}")
        if rng.random() < .5:
            case.runner.succeed("merge", OUTPUT, *names)
        else:
            case.render_well()
    check_merged(case)


def check_merged(case):
    case.check()
    verify(case)
