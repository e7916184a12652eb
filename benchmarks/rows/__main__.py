"""tools/bench: chooses the rows, runs them, leaves JSON and a page of Markdown."""

import argparse
import json
import sys
from dataclasses import dataclass
from pathlib import Path

import browse
import deep
import explore
import expressions
import formats
import gpu
import gpu_reduce
import groups
import jobs
import measure
import page
import peers
import python_package
import quantiles
import reduce
import restart
import rows
import viewer


@dataclass(frozen=True)
class Settings:
    """What the rows need to know; sizes shrink with --quick, which only shows that everything runs."""

    repeats: int
    quick: bool
    ranks: int
    folder: Path
    bin: Path | None  # where tessera and gpu_bench are, if not in the release build

    def px(self, side):
        return side // 8 if self.quick else side


ROWS = {
    "kernel": rows.kernel,
    "whole-job": rows.whole_job,
    "png": rows.png,
    "two-ranks": rows.two_ranks,
    "huge": rows.huge,
    "reduce": reduce.reduce,
    "formats": formats.formats,
    "expressions": expressions.expressions,
    "quantiles": quantiles.quantiles,
    "groups": groups.groups,
    "python": python_package.python,
    "explore": explore.explore,
    "restart": restart.restart,
    "deep": deep.deep,
    "viewer": viewer.viewer,
    "browse": browse.browse,
    "gpu": gpu.gpu,
    "gpu-job": gpu.gpu_job,
    "gpu-deep": gpu.gpu_deep,
    "gpu-reduce": gpu_reduce.gpu_reduce,
    "peers": peers.peers,
    "jobs": jobs.jobs,
}


OF_PEERS = ("peers", "jobs")
ON_A_GPU = ("gpu", "gpu-job", "gpu-deep", "gpu-reduce")


def parse_arguments():
    parser = argparse.ArgumentParser(
        prog="tools/bench", formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Measures what docs/benchmarks/ reports; all rows but those of peers unless some are named.",
        epilog="rows:\n" + "\n".join(f"  {name:10} {row.__doc__.splitlines()[0]}" for name, row in ROWS.items()))
    parser.add_argument("rows", nargs="*", metavar="ROW", help=", ".join(ROWS))
    parser.add_argument("--peers", action="store_true",
                        help="also the rows peers and jobs; installs Dask, Numba and mpi4py where missing")
    parser.add_argument("--repeats", type=int, default=3, help="pairs per ratio (default 3)")
    parser.add_argument("--ranks", type=int, default=2, help="of the jobs that use the whole machine (default 2)")
    parser.add_argument("--quick", action="store_true", help="an eighth of each side: does it run? No results")
    parser.add_argument("--out", type=Path, default=measure.ROOT / "out" / "bench", help="default out/bench")
    parser.add_argument("--bin", type=Path, metavar="DIR",
                        help="programs of the rows that need a GPU, on a host that has a bundle but no build")
    arguments = parser.parse_args()
    for name in arguments.rows:
        if name not in ROWS:
            parser.error(f"no row '{name}'; there are: {', '.join(ROWS)}")
    if arguments.bin and (arguments.peers or not set(arguments.rows) <= set(ON_A_GPU)):
        parser.error(f"--bin is for the rows {', '.join(ON_A_GPU)}")
    if arguments.repeats < 1 or arguments.ranks < 1:
        parser.error("--repeats and --ranks are at least 1")
    return arguments


def main():
    arguments = parse_arguments()
    every = list(ON_A_GPU) if arguments.bin else [name for name in ROWS if name not in OF_PEERS]
    names = arguments.rows or every
    if arguments.peers:
        names += [name for name in OF_PEERS if name not in names]
    folder = arguments.out.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    programs = arguments.bin.resolve() if arguments.bin else None
    settings = Settings(arguments.repeats, arguments.quick, arguments.ranks, folder, programs)
    where = measure.provenance(programs)
    results, failures = [], 0
    for name in names:
        print(f"== {name}", file=sys.stderr, flush=True)
        try:
            result = {"row": name, **ROWS[name](settings)}
        except measure.Skipped as reason:
            result = {"row": name, "skipped": str(reason), "lines": []}
            print(f"bench: {name}: skipped: {reason}", file=sys.stderr)
        except measure.BenchError as error:
            failures += 1
            result = {"row": name, "error": str(error), "lines": []}
            print(f"bench: {name}: {error}", file=sys.stderr)
        result |= {"where": where, "quick": settings.quick, "repeats": settings.repeats}
        (folder / f"{name}.json").write_text(json.dumps(result, indent=1) + "\n")
        print(json.dumps(result), flush=True)
        results.append(result)
    text = page.markdown(results, where, sys.argv[1:])
    (folder / "results.md").write_text(text)
    print(f"== {folder / 'results.md'}\n{text}", file=sys.stderr)
    return 4 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
