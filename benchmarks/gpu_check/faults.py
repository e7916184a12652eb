"""Faults on the real driver: the result is right, or the run says why there is none."""

import os
import signal
import sys
import time

from checks import Failed, same
from images import Render
from measure import Skipped
from processes import device_processes

# A run that is disturbed takes at least so long undisturbed, and is disturbed when this part of its file is there.
LEAST_S, DISTURBED_AT = 1.2, 0.25
TRIES = 3
FILLER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "memory_filler.py")


class Disturbed:
    """A render that takes long enough to be disturbed; its tiles are many, so that its file grows evenly."""

    def __init__(self, checks):
        self.checks, self.side = checks, checks.px(8192, 256)
        self.tile = checks.px(256, 16)
        self.size_bytes, self.silence_s = 0, checks.px(2, 1)
        self.render = None

    def prepare(self):
        """Doubles the side until the run is long enough; its image is the truth."""
        least_s = self.checks.px(LEAST_S, 0.3)
        while True:
            self.render = Render(self.checks, self.side, "--view", "deep-spiral", "--arithmetic", "plain", "--iterations",
                                 self.checks.px(20000, 500), fields=("iterations",))
            self.render.on("cuda:0", "--tile", self.tile, name="truth")
            if self.render.report("truth")["wall_s"] >= least_s or self.side >= 32768:
                break
            self.side *= 2
        self.render.verify("cpu", sample=self.checks.px(32, 4), name="truth")
        self.size_bytes = (self.checks.folder / "truth.h5").stat().st_size
        self.checks.note(f"runs that are disturbed: {self.side}² in tiles of {self.tile}, "
                         f"{self.render.report('truth')['wall_s']:.1f} s undisturbed")

    def stored_bytes(self):
        try:
            return (self.checks.folder / "image.h5.part").stat().st_size
        except OSError:
            return 0

    def is_under_way(self, running):
        """Waits until a part of the file is there; false where the run has ended before."""
        while running.process.poll() is None:
            if self.stored_bytes() > DISTURBED_AT * self.size_bytes:
                return True
            time.sleep(0.002)
        return False

    def run(self, device, disturb, *options, codes=(0,), ranks=0):
        """Starts the run, calls disturb(process ids) in the middle of it, and waits for its end."""
        for _ in range(TRIES):
            # What an earlier run left must not pass for the progress of this one.
            (self.checks.folder / "image.h5.part").unlink(missing_ok=True)
            running = self.checks.start(*self.render.command(device, "image", "--overwrite", "--tile", self.tile, *options),
                                        ranks=ranks)
            disturbed = self.is_under_way(running) and disturb(running.process.pid)
            done = self.checks.finish(running, codes if disturbed else ())
            if disturbed:
                return done
        raise Skipped(f"the run ended too soon to be disturbed, {TRIES} times")

    def report(self):
        return self.render.report("image")


def signal_devices(number, most=1):
    """Sends it to one process that drives the GPU."""
    def disturb(pid):
        found = device_processes(pid)
        for device in found[:most]:
            os.kill(device, number)
        return bool(found)
    return disturb


def signal_run(number):
    def disturb(pid):
        os.kill(pid, number)
        return True
    return disturb


def one_line(done, *words):
    said = [entry for entry in done.err.splitlines() if entry.startswith("tessera: ")]
    if not said or not any(word in done.err for word in words):
        raise Failed(f"exit {done.code}, and nothing of {' or '.join(words)} in\n{done.err or '(no output)'}")


def killed(checks, run):
    with checks.check("kill -9 of the process that drives the GPU: another one goes on"):
        run.run("cuda", signal_devices(signal.SIGKILL))
        restarted = run.report()["ranks"][0]["restarted"]
        checks.need(restarted, "the report names no process that was started again")
        run.render.same_as_truth()
    with checks.check("the same with --device cuda,cpu"):
        run.run("cuda,cpu", signal_devices(signal.SIGKILL))
        run.render.same_as_truth()
    with checks.check("the same in one of two ranks"):
        run.run("cuda", signal_devices(signal.SIGKILL), ranks=2)
        run.render.same_as_truth()
    with checks.check("kill -9 of the whole run, and the same command resumes"):
        run.run("cuda", signal_run(signal.SIGKILL), codes=(-signal.SIGKILL,))
        checks.run(*run.render.command("cuda", "image", "--tile", run.tile))
        checks.need(run.report()["found_tiles"] > 0, "nothing was resumed")
        run.render.same_as_truth()


def silent(checks, run):
    with checks.check("SIGSTOP of the process that drives the GPU: it is given up, and the run says so"):
        done = run.run("cuda", signal_devices(signal.SIGSTOP), "--device-timeout", run.silence_s, codes=(4,))
        one_line(done, "silent")
    with checks.check("the run that it left is resumed"):
        checks.need((checks.folder / "image.h5.part").exists(), "nothing to resume")
        checks.run(*run.render.command("cuda", "image", "--tile", run.tile))
        run.render.same_as_truth()
    with checks.check("SIGSTOP under --device cuda,cpu: the cores go on, or the run can be resumed"):
        # As long as the cores take for the rest, but no longer than a step may.
        done = run.run("cuda,cpu", signal_devices(signal.SIGSTOP), "--device-timeout", run.silence_s, "--max-seconds", 15,
                       codes=(0, 75))
        one_line(done, "silent")
        if done.code == 75:
            checks.run(*run.render.command("cuda", "image", "--tile", run.tile))
        run.render.same_as_truth()


def faults(checks):
    """kill -9 and SIGSTOP of the process that drives the GPU, of a rank and of the run"""
    run = Disturbed(checks)
    with checks.check("undisturbed"):
        run.prepare()
    if run.size_bytes:
        killed(checks, run)
        silent(checks, run)


class Filler:
    """A process that holds the memory of the GPU but for so many MiB."""

    def __init__(self, checks, left_mib):
        self.checks = checks
        self.running = checks.start(sys.executable, FILLER, left_mib)

    def __enter__(self):
        said = self.running.process.stdout.readline().strip()
        if not said.startswith("holds"):
            done = self.running.wait(5)
            raise Skipped((done.err.strip() or said or "no answer").splitlines()[-1])
        self.checks.note(f"memory filler: {said}")

    def __exit__(self, *_):
        self.running.end()


def without_room(checks, render):
    for left_mib in (0, 400):
        with checks.check(f"--device cuda with {left_mib} MiB of its memory left: done, or one line says why not"):
            with Filler(checks, left_mib):
                done = checks.run(*render.command("cuda", "image", "--overwrite"), codes=(0, 3, 4))
            if done.code:
                one_line(done, "cuda")
                checks.note(f"{left_mib} MiB left: exit {done.code}: {done.err.strip().splitlines()[-1]}")
            else:
                render.same_as_truth()
        for device in ("cuda,cpu", "auto"):
            with checks.check(f"--device {device} with {left_mib} MiB of its memory left"):
                with Filler(checks, left_mib):
                    render.on(device)
                render.same_as_truth()
    with checks.check("a reduction with 0 MiB left: done, or one line says why not"):
        with Filler(checks, 0):
            done = checks.run(checks.tessera, "reduce", "random:normal?count=1000000", "--op", "sum", "--device", "cuda",
                              "--quiet", codes=(0, 3, 4))
        if done.code:
            one_line(done, "cuda")


def limits(checks):
    """a GPU without memory, and one that the process may not see"""
    render = Render(checks, checks.px("3001x2003", "203x151"), "--view", "galaxies", "--iterations", checks.px(3000, 400))
    with checks.check("the image"):
        render.take_truth("cpu")
    with checks.check("CUDA_VISIBLE_DEVICES empty: --device cuda is refused with the reason"):
        hidden = {"CUDA_VISIBLE_DEVICES": ""}
        one_line(checks.run(*render.command("cuda", "image", "--overwrite"), environment=hidden, codes=(3,)),
                 "CUDA_VISIBLE_DEVICES")
    with checks.check("CUDA_VISIBLE_DEVICES empty: auto takes the cores"):
        report = render.on("auto", environment={"CUDA_VISIBLE_DEVICES": ""})
        same("cuda" in report["ranks"][0]["device"], False, "the GPU was used")
        render.same_as_truth()
    without_room(checks, render)
