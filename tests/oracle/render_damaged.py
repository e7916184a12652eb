"""Files that are damaged on the way or afterwards: the right pixels, or one line that names the file."""

import os
import shutil
import signal

import render_checks
from render_case import OUTPUT
from render_damage import damage, damage_unfinished
from render_runs import REFUSALS, Stop
from render_stopped import check_merged, interrupted, make_shares

ENDINGS = (".part", ".part.log")


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


def other_files(case):
    """The .part file, its log or both are those of another moment or of another image, as after a backup that was put
    back or a name that was mistaken; or the same ones at another place on the disk. What was done."""
    rng = case.rng
    copies = case.path("copies")
    shutil.rmtree(copies, ignore_errors=True)
    os.mkdir(copies)
    source = rng.choice(["copies", "an earlier state", "another image"])
    other = f"{copies}/{OUTPUT}"
    if source == "another image":
        image = case.job.neighbour()
        case.runner.succeed("render", *image.options(), "--output", other, "--share", "1/2", "--quiet")
    else:
        for ending in ENDINGS:
            if os.path.exists(case.path(OUTPUT + ending)):
                shutil.copy2(case.path(OUTPUT + ending), copies)
        if source == "an earlier state" and interrupted(case) == 0:
            return ["finished meanwhile"]
    said = []
    for ending in rng.choice([ENDINGS, ENDINGS[:1], ENDINGS[1:]]):
        if os.path.exists(other + ending):
            os.replace(other + ending, case.path(OUTPUT + ending))
            said.append(f"{OUTPUT}{ending} replaced by that of {source}")
    return said


def damaged_unfinished(case):
    """A resume from damaged files, after a look at them, perhaps stopped on its way and damaged again."""
    rng = case.rng
    if not leave_unfinished(case):
        case.render_well()  # finished, or killed before it began
        return case.check()
    for _ in range(rng.choice([1, 1, 1, 2])):
        if os.path.exists(case.path(OUTPUT)):
            break  # it was finished meanwhile
        lines = other_files(case) if rng.random() < .2 else damage_unfinished(rng, case.path(OUTPUT))
        for line in lines:
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
    case.runner.note(damage(rng, name))
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
                case.runner.check_refusal(done, OUTPUT, extra=(OUTPUT,))
    case.render_well("--overwrite")
    case.check()


def damaged_shares(case):
    """merge takes what is sound of damaged parts and says what is not there."""
    rng = case.rng
    names = [name.removesuffix(".part") + ".part" for name in make_shares(case, most=3, stopped=0)]
    victim = rng.choice(names)
    for line in damage_unfinished(rng, case.path(victim.removesuffix(".part"))):
        case.runner.note(line)
    keep_copies(case)
    done = case.runner.run("merge", OUTPUT, *names)
    if done.code == 0:
        return check_merged(case)
    case.runner.check_refusal(done, victim, OUTPUT, extra=names)
    # The rest of it is rendered where merge left it, or all of it.
    case.render_well()
    return case.check()
