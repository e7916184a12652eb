"""Runs to which nothing happens, and what people do with their files."""

import os
import re

import render_checks
from render_case import OUTPUT
from render_jobs import PALETTES
from render_runs import Difference
from render_truth import Truth


def plain(case):
    """One run, then what people do with its file."""
    case.render_well()
    case.check()
    for what, chance in {again_elsewhere: .35, verify: .35, complete_already: .3, picture: .35, stranger: .1}.items():
        if case.rng.random() < chance:
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
    cycle = rng.choice([[], ["--palette-cycle", "0.35"]])
    case.render_well("--png", "p.png", "--palette", palette, *cycle, *options)
    case.check()
    if rng.random() < .5:
        # Another picture by that name takes its place, or the command is refused.
        palette = rng.choice(PALETTES)
        done = case.render("--png", "p.png", "--palette", palette, *cycle, ranks=0)
        if done.code:
            case.runner.check_refusal(done, "p.png")
            os.remove(case.path("p.png"))
            case.render_well("--png", "p.png", "--palette", palette, *cycle)
    # The render colours the last field; so does color where none is named.
    field = rng.choice([[], ["--field", job.fields[-1]]])
    case.runner.succeed("color", OUTPUT, "q.png", "--palette", palette, *cycle, *field, "--threads",
                        str(rng.choice([1, 2, 3])), "--quiet", ranks=rng.choice([0] * 6 + [2, 3]))
    one, other = (render_checks.read_picture(case.path(name), job.width_px, job.height) for name in ("p.png", "q.png"))
    if not (one == other).all():
        raise Difference("--png and color made two different pictures")
    values = render_checks.apart(render_checks.read_values, case.path(OUTPUT), job.fields[-1])
    render_checks.check_colours(values, one)
    if job.deep and not cycle:
        return  # equalized: the colours of a region are those of its own values
    x, y = rng.randrange(job.width_px), rng.randrange(job.height)
    width, height = rng.randint(1, job.width_px - x), rng.randint(1, job.height - y)
    case.runner.succeed("color", OUTPUT, "part.png", "--palette", palette, *cycle, "--region",
                        f"{x},{y},{width},{height}", "--quiet")
    part = render_checks.read_picture(case.path("part.png"), width, height)
    if not (part == one[y:y + height, x:x + width]).all():
        raise Difference("a region has other colours than the whole picture")


def stranger(case):
    """What lies where the picture is to be, and is none of ours, is neither replaced nor taken for it."""
    with open(case.path("p.png"), "wb") as file:
        file.write(case.rng.choice([b"", b"a letter\n", case.rng.randbytes(5000)]))
    before = open(case.path("p.png"), "rb").read()
    done = case.render("--png", "p.png", ranks=0)
    if done.code == 0:
        raise Difference("exit 0 with a file of another kind where the picture should be")
    case.runner.check_refusal(done, "p.png")
    if open(case.path("p.png"), "rb").read() != before:
        raise Difference("a file that is no picture of ours was replaced")


def rivals(case):
    """Two commands at once that want the same output: one gets it, the other one is refused; neither mixes them."""
    rng = case.rng
    other = case.job.neighbour()
    same = rng.random() < .3
    images = [case.image, case.image if same else other.options()]
    done = case.runner.run_rivals(*(["render", *image, *case.resources(slow=rng.random() < .5)[0], "--output", OUTPUT]
                                    for image in images))
    for one in done:
        if one.code not in (0, 2):
            raise Difference(f"exit {one.code} of one of two runs at once")
        if one.code:
            case.runner.check_refusal(one, OUTPUT)
    winners = [at for at, one in enumerate(done) if one.code == 0]
    if not winners or (len(winners) == 2 and not same):
        raise Difference(f"{len(winners)} of two runs with one output have exit 0")
    if winners[0] == 1 and not same:
        case.job, case.truth = other, Truth(other)
    case.check()


def refused_memory(case):
    """Too little memory is refused with a number that is enough."""
    done = case.render("--memory", case.rng.choice(["16M", "90M", "100M", "110M", "128M"]), ranks=0)
    if done.code != 0:
        case.runner.check_refusal(done, "--memory")
        enough = re.search(r"need (\d+(?:\.\d+)?) (?:(K|M|G)i)?B a rank", done.said)
        if not enough:
            raise Difference(f"no number that would be enough: {done.said!r}")
        threads = case.runner.history[-2].split("--threads ")[1].split()[0]
        used = case.runner.history[-2].split("--device ")[1].split()[0]
        done = case.runner.run("render", *case.image, "--output", OUTPUT, "--device", used, "--threads", threads,
                               "--memory", f"{int(float(enough[1])) + 1}{enough[2] or ''}", "--quiet")
        if done.code != 0:
            raise Difference(f"refused with the memory that it asked for: {done.said!r}")
    case.check()
