"""tools/gpu-check: runs the steps, each in a process of its own with a time limit, and keeps a page up to date."""

import argparse
import json
import os
import shlex
import shutil
import signal
import sys
import time
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "rows"))

import measure
from checks import BenchError, Checks, Failed, Skipped, first_lines
from run import Run
from steps import STEPS

# Names on the page, and of the files.
PROGRAMS = {"tessera": "tessera", "gpu_bench": "gpu_bench", "gpu_reduce_bench": "gpu_reduce_bench",
            "gpu_parity": "gpu_parity_test"}
# Where a build has them.
BUILD_FOLDERS = ("", "src", "benchmarks", "tests/device")
TOOLS = ("mpirun", "nvidia-smi", "nsys")
MINUTES = 9


def programs_in(folder):
    """Those of the folder, of a bundle or of a build, and what PATH has."""
    found = {name: path for name in TOOLS if (path := shutil.which(name))}
    for name, file in PROGRAMS.items():
        for path in (folder / below / file for below in BUILD_FOLDERS):
            if path.is_file() and os.access(path, os.X_OK):
                found.setdefault(name, path)
    return found


def default_folder():
    packed = measure.ROOT / "bin"
    return packed if (packed / "tessera").exists() else measure.BUILD


def parse_arguments():
    parser = argparse.ArgumentParser(
        prog="tools/gpu-check", formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Checks and measures Tessera on the GPU of this machine; writes gpu-check.md and gpu-check.json.",
        epilog="exit codes: 0 all steps passed or were skipped with a reason; 2 wrong usage; 4 a step failed or was not done\n"
        "in its time; 130 or 143 interrupted. Numbers that miss a goal are on top of the page, and no failure.")
    parser.add_argument("steps", nargs="*", metavar="STEP", help="the steps to do, if not all; --list shows them")
    parser.add_argument("--only", nargs="+", metavar="STEP", default=[], help="the same")
    parser.add_argument("--out", type=Path, default=Path("out/gpu-check"), metavar="DIR",
                        help="for the page and the files of the steps (default out/gpu-check); put it on a fast disk")
    parser.add_argument("--bin", type=Path, metavar="DIR",
                        help="the programs: bin of a bundle, or a build folder (default: this bundle's, or build/release)")
    parser.add_argument("--quick", action="store_true", help="small sizes: does it run? No results")
    parser.add_argument("--minutes", type=float, default=MINUTES, metavar="N",
                        help=f"steps that do not begin within N minutes are skipped (default {MINUTES})")
    parser.add_argument("--limit", type=float, metavar="S", help="no step may take longer than S seconds")
    parser.add_argument("--list", action="store_true", help="print the steps in their order, and their time limits")
    parser.add_argument("--step", help=argparse.SUPPRESS)  # the process of a step
    arguments = parser.parse_args()
    known = {step.name for step in STEPS}
    arguments.only += arguments.steps
    for name in arguments.only:
        if name not in known:
            parser.error(f"no step '{name}'; there are: {', '.join(step.name for step in STEPS)}")
    if arguments.minutes <= 0:
        parser.error("--minutes is more than 0")
    arguments.out = arguments.out.resolve()
    arguments.bin = (arguments.bin or default_folder()).resolve()
    arguments.programs = programs_in(arguments.bin)
    if "tessera" not in arguments.programs and not arguments.list:
        parser.error(f"there is no tessera in {arguments.bin}; --bin names the folder")
    return arguments


def end_step(number, _):
    """SIGTERM: the step has no time left, or gpu-check has ended."""
    from processes import end_all_below
    end_all_below(os.getpid())
    os._exit(128 + number)


def unusable_mpirun(found):
    """What the step machine has found out about the one in PATH, if it was done."""
    return found.exists() and json.loads(found.read_text()).get("mpirun") is False


def do_step(arguments):
    """In a process of its own: what a step crashes or hangs in takes nothing else along."""
    from processes import adopt_orphans, end_with_parent
    signal.signal(signal.SIGTERM, end_step)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    end_with_parent()
    adopt_orphans()
    step = next(step for step in STEPS if step.name == arguments.step)
    folder = arguments.out / "files" / step.name
    folder.mkdir(parents=True, exist_ok=True)
    if unusable_mpirun(arguments.out / "steps" / "machine.json"):
        arguments.programs.pop("mpirun", None)
    checks = Checks(arguments.programs, folder, arguments.out / "steps" / f"{step.name}.json", arguments.quick)
    try:
        step.work(checks)
    except Skipped as reason:
        checks.found["skipped"] = checks.without_paths(str(reason))
    except (Failed, BenchError) as error:
        checks.found["failed"] = checks.without_paths(first_lines(str(error)))
    checks.found["done"] = True
    checks.save()
    shutil.rmtree(folder, ignore_errors=True)


def in_order(steps, programs):
    """Without gpu_parity, whole runs have to show first that the bits are right."""
    whole_runs = ("machine", "parity", "renders", "arrays")
    return steps if "gpu_parity" in programs else sorted(steps, key=lambda step: step.name not in whole_runs)


def main():
    arguments = parse_arguments()
    if arguments.list:
        for step in STEPS:
            print(f"{step.name:10} {step.limit_s:4.0f} s  {step.what}")
        return 0
    if arguments.step:
        do_step(arguments)
        return 0
    chosen = [step for step in STEPS if not arguments.only or step.name in arguments.only]
    call = shlex.join(["tools/gpu-check", *(["--quick"] if arguments.quick else []), *arguments.only])
    return Run(arguments, in_order(chosen, arguments.programs), call).all()


if __name__ == "__main__":
    sys.exit(main())
