"""The row of what it costs that nothing is lost: with it and without, and how soon a killed run goes on."""

import os
import signal
import subprocess
import time

from measure import SEAHORSE, BenchError, number, paired_ratio, run
from rows import TESSERA, line, need, render, shown, tessera

OFTEN = ("--checkpoint", 1)
NEVER = ("--heartbeat", 0, "--checkpoint", 86400)
LOG_HEADER_BYTES, LOG_RECORD_BYTES = 256, 120  # docs/file-format.md
PATIENCE_S = 120


def of_a_render(settings, what, *options):
    commands = {}

    def seconds(*how):
        done, file = render(settings, "restart", settings.ranks, *options, *how)
        file.unlink()
        commands[how] = done.command
        return number(done.report, "wall_s")

    pairs = paired_ratio(lambda: seconds(*OFTEN), lambda: seconds(*NEVER), settings.repeats)
    return line(f"{what}, pulses and a sync each second : none", pairs["ratio"], "×", 1.03, "lower"), commands.values()


def of_a_reduction(settings):
    count = settings.px(8) << 28
    report = settings.folder / "restart-reduce.json"
    commands = {}

    def seconds(*how):
        command = tessera(settings.ranks, "reduce", f"random:uniform?count={count}", "--op", "sum,var,histogram=65536,0,1",
                          "--device", "cpu", "--checkpoint-file", settings.folder / "restart.checkpoint",
                          "--report", report, "--quiet", *how)
        commands[how] = command
        return number(run(command, report).report, "wall_s")

    pairs = paired_ratio(lambda: seconds(*OFTEN), lambda: seconds(*NEVER), settings.repeats)
    what = f"reduction of {count:.2g} made elements to 65536 bins, pulses and a checkpoint each second : none"
    return line(what, pairs["ratio"], "×", 1.03, "lower"), commands.values()


def kill_late(command, file, tiles):
    """Ends a render by SIGKILL when nearly all of its tiles are stored; how many there were then."""
    log = file.with_name(file.name + ".part.log")
    until = time.monotonic() + PATIENCE_S
    with subprocess.Popen([str(part) for part in command], stderr=subprocess.DEVNULL) as process:
        stored = 0
        while stored < 0.9 * tiles and process.poll() is None and time.monotonic() < until:
            time.sleep(0.005)
            stored = max(0, os.path.getsize(log) - LOG_HEADER_BYTES) // LOG_RECORD_BYTES if log.exists() else 0
        process.send_signal(signal.SIGKILL)
    if file.exists() or stored < 0.9 * tiles:
        raise BenchError(f"a render could not be killed behind nine tenths: {stored} of {tiles} tiles were stored")
    return stored


def going_on(settings):
    size, tile = settings.px(16000), 16
    tiles = (size // tile) ** 2
    file, report = settings.folder / "restart.h5", settings.folder / "restart-report.json"
    command = [TESSERA, "render", "--view", "whole", "--size", f"{size}x{size}", "--tile", tile, "--iterations", 500,
               "--device", "cpu", "--quiet", "--report", report, "--output", file]
    for name in (file, file.with_name(file.name + ".part"), file.with_name(file.name + ".part.log")):
        name.unlink(missing_ok=True)
    stored = kill_late(command, file, tiles)
    info = run([TESSERA, "info", file.with_name(file.name + ".part")])
    done = run(command, report)
    if number(done.report, "found_tiles") < 0.9 * tiles or number(done.report, "damaged_tiles") != 0:
        raise BenchError("the run that went on did not find what was stored")
    file.unlink()
    what = f"{tiles} tiles of which {stored} are stored, after SIGKILL"
    return [line(f"info, {what}", info.wall_s, "s", 2.0, "lower"),
            line(f"going on to the complete file, {what}", done.wall_s, "s", 2.0, "lower")], [command]


def restart(settings):
    """What it costs that nothing is lost, and how soon a killed run of a million tiles goes on."""
    need(TESSERA)
    size = settings.px(16384)
    image = ("--size", f"{size}x{size}")
    measured = [of_a_render(settings, f"seahorse {size}², 2000 iterations", *SEAHORSE, *image, "--iterations", 2000),
                of_a_render(settings, f"whole {size}², 1000 iterations", "--view", "whole", *image, "--iterations", 1000),
                of_a_reduction(settings)]
    soon, commands = going_on(settings)
    return {"lines": [first for first, _ in measured] + soon,
            "commands": shown([*(command for _, several in measured for command in several), *commands])}
