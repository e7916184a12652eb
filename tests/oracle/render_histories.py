"""What may happen to an image until it is there: each history ends with the right pixels or with a plain refusal."""

import os
import random
import re
import shutil
import signal

import render_checks
import render_damage
from render_jobs import PALETTES
from render_runs import CODES, REFUSALS, Difference, Stop, stored_tiles

OUTPUT = "o.h5"


class Case:
    """An image, its truth, and the folder in which a history happens to it."""

    def __init__(self, rng, job, truth, runner, devices):
        self.rng, self.job, self.truth, self.runner = rng, job, truth, runner
        self.devices = devices  # that may be asked for
        self.used, self.most_ranks = set(), 1
        self.steps = int(truth.iterations.sum(dtype="u8"))
        self.image = job.options()
        if rng.random() < .2:
            with open(runner.path("job.toml"), "w") as file:
                file.write(job.toml(rng))
            self.image = ["job.toml"]

    def path(self, name):
        return self.runner.path(name)

    def resources(self, slow=False):
        """Options that decide no pixel, and the ranks."""
        rng = self.rng
        device = "reference" if slow else rng.choice(self.devices)
        self.used.update({"auto": ("cpu", "cuda", "opencl")}.get(device, (device,)))
        options = ["--device", device, "--threads", str(1 if slow else rng.choice([0, 1, 1, 2, 3, 4]))]
        if rng.random() < .15:
            options += ["--memory", rng.choice(["256M", "1G", "3000000K"])]
        if rng.random() < .15:
            options += ["--checkpoint", str(rng.choice([1, 2, 86400]))]
        if rng.random() < .8:
            options.append("--quiet")
        ranks = rng.choice([1, 2, 3, 4]) if rng.random() < .07 else 0
        self.most_ranks = max(self.most_ranks, ranks)
        return options, ranks

    def render(self, *options, output=OUTPUT, slow=False, **more):
        """One run with resources of its own."""
        resources, ranks = self.resources(slow)
        more.setdefault("ranks", ranks)
        return self.runner.run("render", *self.image, *resources, "--output", output, *options, **more)

    def render_well(self, *options, **more):
        done = self.render(*options, **more)
        if done.code != 0:
            raise Difference(f"exit {done.code} of a render that should succeed: {done.said.strip()[-300:]}")
        return done

    def check(self, output=OUTPUT):
        """All of a finished file, and that nothing of its making is left."""
        left = [name for name in os.listdir(self.runner.folder) if name.startswith(output + ".part")]
        if left:
            raise Difference(f"{left} is left of a finished render")
        render_checks.apart(render_checks.check_image, self.path(output), self.job, self.truth, self.used,
                            self.most_ranks)

    def check_after_damage(self, done, *names):
        """Right, or refused; and what is refused can be begun anew."""
        if done.code == 0:
            return self.check()
        if done.code not in REFUSALS:
            raise Difference(f"exit {done.code} for a damaged file")
        self.runner.check_refusal(done, *names, extra=("render:",))
        self.render_well("--overwrite")
        return self.check()


def plain(case):
    """One run, then what people do with its file."""
    case.render_well()
    case.check()
    for what in (again_elsewhere, verify, complete_already, picture):
        if case.rng.random() < .35:
            what(case)


def again_elsewhere(case):
    """The same bits, those of smooth too, on another device at other ranks and threads."""
    case.render_well(output="again.h5")
    case.check("again.h5")
    one, other = (render_checks.apart(render_checks.read_fields, case.path(name), case.job)
                  for name in (OUTPUT, "again.h5"))
    if one != other:
        raise Difference("two renders of one job have other bits")


def verify(case, name=OUTPUT):
    case.runner.succeed("verify", name, "--threads", "2", ranks=case.rng.choice([0] * 9 + [2]))


def complete_already(case):
    before = os.stat(case.path(OUTPUT)).st_mtime_ns
    case.render_well()
    if os.stat(case.path(OUTPUT)).st_mtime_ns != before:
        raise Difference("a finished file was written again")


def picture(case):
    """From the render and from the stored data: the same, at any ranks and threads, and one colour a value."""
    rng, job = case.rng, case.job
    palette = rng.choice(PALETTES)
    options = ["--overwrite"] if rng.random() < .5 else []
    case.render_well("--png", "p.png", "--palette", palette, *options)
    case.check()
    # The render colours the last field; so does color where none is named.
    field = rng.choice([[], ["--field", job.fields[-1]]])
    case.runner.succeed("color", OUTPUT, "q.png", "--palette", palette, *field, "--threads", str(rng.choice([1, 2, 3])),
                        "--quiet", ranks=rng.choice([0] * 6 + [2, 3]))
    one, other = (render_checks.read_picture(case.path(name), job.width_px, job.height) for name in ("p.png", "q.png"))
    if not (one == other).all():
        raise Difference("--png and color made two different pictures")
    values = render_checks.apart(render_checks.read_values, case.path(OUTPUT), job.fields[-1])
    render_checks.check_colours(values, one)
    x, y = rng.randrange(job.width_px), rng.randrange(job.height)
    width, height = rng.randint(1, job.width_px - x), rng.randint(1, job.height - y)
    case.runner.succeed("color", OUTPUT, "part.png", "--palette", palette, "--region", f"{x},{y},{width},{height}",
                        "--quiet")
    part = render_checks.read_picture(case.path("part.png"), width, height)
    if not (part == one[y:y + height, x:x + width]).all():
        raise Difference("a region has other colours than the whole picture")


def random_stop(case):
    """At any tile, or at any moment of a run by one thread of `reference`."""
    rng = case.rng
    number = rng.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGUSR1, signal.SIGINT])
    if rng.random() < .6:
        return Stop(number, rng.randint(0, case.job.tiles), 5)
    return Stop(number, 10**9, rng.random() * (.06 + 5e-9 * case.steps))


def interrupted(case, *options, output=OUTPUT):
    """A run that something stops, or not; its exit code, None where it was killed. What it had stored is not lost."""
    rng = case.rng
    kind = rng.random()
    before = stored_tiles(case.path(output))
    if kind < .12:
        done = case.render(*options, "--max-seconds", "1", output=output, slow=True)
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
    case.render_well("--report", "report.json")
    case.check()
    check_report(case, stored)


def check_report(case, stored):
    import json
    with open(case.path("report.json")) as file:
        report = json.load(file)
    if report["damaged_tiles"] or report["found_tiles"] < stored:
        raise Difference(f"{stored} tiles were stored; {report['found_tiles']} were found, {report['damaged_tiles']} damaged")


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
    """Shares that are merged, all at once or in two goes, or merged as far as they are there and rendered to the end."""
    rng = case.rng
    names = make_shares(case)
    first = names[:rng.randint(1, len(names))] if rng.random() < .4 else names
    again = [rng.choice(first)] if rng.random() < .2 else []
    done = case.runner.run("merge", OUTPUT, *first, *again)
    if len(first) == len(names):
        if done.code != 0:
            raise Difference(f"merge of all shares: exit {done.code}: {done.said}")
    elif done.code != 0:
        # Small images have shares without a tile, so that some may be all.
        if done.code != 4 or "are in none of the parts" not in done.said:
            raise Difference(f"merge of some shares: exit {done.code}: {done.said}")
        if rng.random() < .5:
            case.runner.succeed("merge", OUTPUT, *names)
        else:
            case.render_well()
    check_merged(case)


def check_merged(case):
    case.check()
    verify(case)


def leave_unfinished(case):
    """An image in the making; false where it was finished before that could be had."""
    rng = case.rng
    if rng.random() < .6:
        of = rng.randint(2, 5)
        case.render_well("--share", f"{rng.randint(1, of)}/{of}")
    else:
        interrupted(case)
    return os.path.exists(case.path(OUTPUT + ".part"))


def keep_copies(case):
    """Of the files as they are now, for whoever looks into a difference."""
    folder = case.path("before")
    shutil.rmtree(folder, ignore_errors=True)
    os.mkdir(folder)
    for name in os.listdir(case.runner.folder):
        if ".h5" in name:
            shutil.copy2(case.path(name), folder)


def damaged_unfinished(case):
    """A resume from damaged files, after a look at them, perhaps stopped on its way and damaged again."""
    rng = case.rng
    if not leave_unfinished(case):
        case.render_well()  # finished, or killed before it began
        return case.check()
    for _ in range(rng.choice([1, 1, 1, 2])):
        for line in render_damage.damage_unfinished(rng, case.path(OUTPUT)):
            case.runner.note(line)
        keep_copies(case)
        look_at(case, OUTPUT + ".part")
        if rng.random() < .25:
            stop = Stop(rng.choice([signal.SIGTERM, signal.SIGKILL]), 10**9, rng.random() * .15)
            done = case.render(stop=stop, watched=OUTPUT)
            if done.code in REFUSALS or done.code == 0:
                return case.check_after_damage(done, OUTPUT)
            keep_copies(case)
    return case.check_after_damage(case.render(), OUTPUT)


def look_at(case, name):
    """info and verify take any file without falling over."""
    for command in (["info", name], ["verify", name]):
        if case.rng.random() < .3:
            done = case.runner.run(*command)
            if done.code != 0:
                case.runner.check_refusal(done, name, extra=(name,))


def damaged_finished(case):
    """verify names the file, or what HDF5 reads of it is right all the same. What else reads it does not fall over."""
    rng = case.rng
    case.render_well()
    case.check()
    name = case.path(OUTPUT)
    case.runner.note(render_damage.damage(rng, name))
    keep_copies(case)
    done = case.runner.run("verify", OUTPUT, "--sample", str(rng.choice([1, 16, 10000])))
    if done.code == 0:
        render_checks.apart(render_checks.check_pixels, name, case.job, case.truth)
    else:
        case.runner.check_refusal(done, OUTPUT, extra=(OUTPUT,))
    for command in (["info", OUTPUT], ["color", OUTPUT, "p.png"], ["render", *case.image, "--output", OUTPUT],
                    ["reduce", OUTPUT + ":/iterations", "--op", "sum,max"]):
        if rng.random() < .4:
            done = case.runner.run(*command)
            if done.code != 0:
                case.runner.check_refusal(done, OUTPUT, extra=(OUTPUT, "render:"))
    case.render_well("--overwrite")
    case.check()


def damaged_shares(case):
    """merge takes what is sound of damaged parts and says what is not there."""
    rng = case.rng
    names = [name.removesuffix(".part") + ".part" for name in make_shares(case, most=3, stopped=0)]
    victim = rng.choice(names)
    for line in render_damage.damage_unfinished(rng, case.path(victim.removesuffix(".part"))):
        case.runner.note(line)
    keep_copies(case)
    done = case.runner.run("merge", OUTPUT, *names)
    if done.code == 0:
        return check_merged(case)
    case.runner.check_refusal(done, victim, OUTPUT, extra=names)
    # The rest of it is rendered where merge left it, or all of it.
    case.render_well()
    return case.check()


def refused_memory(case):
    """Too little memory is refused with a number that is enough."""
    done = case.render("--memory", case.rng.choice(["16M", "90M", "100M", "110M", "128M"]), ranks=0)
    if done.code != 0:
        case.runner.check_refusal(done, "--memory", extra=None)
        enough = re.search(r"need (\d+(?:\.\d+)?) (K|M|G)iB a rank", done.said)
        if not enough:
            raise Difference(f"no number that would be enough: {done.said!r}")
        threads = case.runner.history[-2].split("--threads ")[1].split()[0]
        used = case.runner.history[-2].split("--device ")[1].split()[0]
        done = case.runner.run("render", *case.image, "--output", OUTPUT, "--device", used, "--threads", threads,
                               "--memory", f"{int(float(enough[1])) + 1}{enough[2]}", "--quiet")
        if done.code != 0:
            raise Difference(f"refused with the memory that it asked for: {done.said!r}")
    case.check()


# In which a run is interfered with, so that it should last.
LONG = (resumed, shares, damaged_unfinished)
HISTORIES = {plain: 32, resumed: 22, shares: 10, damaged_unfinished: 22, damaged_finished: 9, damaged_shares: 4,
             refused_memory: 1}


def random_history(rng: random.Random):
    return rng.choices(list(HISTORIES), list(HISTORIES.values()))[0]
