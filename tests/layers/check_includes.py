#!/usr/bin/env python3
"""Holds the include rules of docs/architecture.md over src/ and kernels/.

usage: check_includes.py ROOT        one line on stderr for each include that breaks a rule; exit 1
       check_includes.py --self-test breaks every rule in a temporary tree and expects to be told

A room is a folder of src/; includes go one way through the rooms, and the headers of a library that
few rooms may know stay in those rooms.
"""

import re
import sys
import tempfile
from pathlib import Path

# Rooms that each room may include besides itself. "main" stands for the sources directly in src/.
ROOMS = {
    "base": [],
    "codec": ["base"],
    "color": ["base"],
    "job": ["base", "kernels"],
    "plan": ["base", "job"],
    "device": ["base", "job", "plan", "kernels"],
    "comm": ["base", "job", "plan"],
    "store": ["base", "codec", "job", "plan"],
    "report": ["base", "job", "plan"],
    "run": ["base", "codec", "color", "job", "plan", "device", "comm", "store", "report"],
    "main": ["base", "codec", "color", "job", "plan", "device", "comm", "store", "report", "run"],
    "kernels": [],
}

# Library headers, by what they look like, and the only rooms, or folders of rooms, that may include them.
LIBRARIES = [
    (r"mpi\.h$|mpi-ext\.h$", {"comm"}),
    (r"H5\w+\.h$|hdf5(_hl)?\.h$", {"store"}),
    (r"png(conf|libconf)?\.h$", {"store"}),
    (r"hwy/", {"device", "codec", "color", "kernels"}),
    (r"isa-l\.h$|isa-l/|igzip_lib\.h$|libdeflate\.h$|zlib\.h$", {"codec"}),
    (r"CLI/", {"job", "run"}),
    (r"boost/", {"kernels"}),
    (r"toml\+\+/|toml\.hpp$", {"job"}),
    (r"cuda\w*\.h(pp)?$|cuda/|nvrtc\.h$|nvml\.h$", {"device/cuda", "kernels"}),
    (r"CL/|OpenCL/", {"device/opencl"}),
    (r"nvtx3/", {"report"}),
]

SOURCES = {".hpp", ".cpp", ".h", ".c", ".inl", ".cu", ".cuh", ".cl"}
INCLUDE = re.compile(r'^\s*#\s*include\s*(?:<([^>]+)>|"([^"]+)")')


def room_of(root, path):
    """The room that a source lies in; None outside src/ and kernels/."""
    parts = path.relative_to(root).parts
    if parts[0] == "kernels":
        return "kernels"
    if parts[0] != "src" or len(parts) < 2:
        return None
    return "main" if len(parts) == 2 else parts[1]


def folder_of(root, path):
    """Room and folder in it of a source, "device/cuda", or "" for one that lies in the room itself."""
    parts = path.relative_to(root).parts
    return "/".join(parts[1:3]) if parts[0] == "src" and len(parts) == 4 else ""


def included_file(root, source, name):
    """The project's own file that `#include "name"` in `source` means, or None for a library's."""
    for folder in (source.parent, root / "src", root, root / "kernels"):
        candidate = (folder / name).resolve()
        if candidate.is_file() and root in candidate.parents:
            return candidate
    return None


def problem_with(root, source, name):
    """What is wrong with an include, in words, or None."""
    room = room_of(root, source)
    target = included_file(root, source, name)
    if target is not None:
        other = room_of(root, target)
        if other is None:
            return "is neither in src nor in kernels"
        if other != room and other not in ROOMS[room]:
            allowed = ", ".join(ROOMS[room]) or "nothing"
            return f"is in {other}; {room} may include {allowed}"
        return None
    for pattern, places in LIBRARIES:
        if re.match(pattern, name) and not places & {room, folder_of(root, source)}:
            return f"stays in {', '.join(sorted(places))}"
    return None


def check(root):
    """Every broken rule of the tree as 'file:line: include "x" ...', and the number of files read."""
    root = Path(root).resolve()
    problems = []
    sources = sorted(
        path for top in ("src", "kernels") for path in (root / top).rglob("*") if path.suffix in SOURCES
    )
    for source in sources:
        place = source.relative_to(root)
        if room_of(root, source) not in ROOMS:
            problems.append(f"{place}: room '{room_of(root, source)}' has no rule in {Path(__file__).name}")
            continue
        for number, line in enumerate(source.read_text(encoding="utf-8").splitlines(), 1):
            found = INCLUDE.match(line)
            name = found and (found[1] or found[2])
            problem = name and problem_with(root, source, name)
            if problem:
                problems.append(f"{place}:{number}: {name} {problem}")
    return problems, len(sources)


# Files of a tree that breaks no rule, and for each rule one file more that does.
GOOD = {
    "src/base/a.hpp": "#include <vector>\n",
    "src/job/job.hpp": '#include "base/a.hpp"\n',
    "src/job/other.hpp": '#include "job.hpp"\n#include <CLI/CLI.hpp>\n',
    "src/store/file.cpp": '#include <hdf5.h>\n#include <png.h>\n#include "job/job.hpp"\n',
    "src/comm/world.cpp": "#include <mpi.h>\n",
    "src/codec/chunk.hpp": '#include "base/a.hpp"\n#include <isa-l.h>\n',
    "src/device/cpu.cpp": '#include "kernels/orbit.hpp"\n#include "hwy/highway.h"\n',
    "src/run/run.hpp": '#include "codec/chunk.hpp"\n#include "job/job.hpp"\n',
    "src/device/cuda/cuda.cpp": "#include <cuda_runtime.h>\n",
    "src/main.cpp": '#include "run/run.hpp"\n',
    "kernels/orbit.hpp": "#include <cmath>\n",
}
BAD = {
    "src/base/up.hpp": '#include "job/job.hpp"\n',
    "src/codec/knows_jobs.cpp": '#include "job/job.hpp"\n',
    "src/report/sideways.cpp": '#include "codec/chunk.hpp"\n',
    "src/report/around.cpp": '#include "../codec/chunk.hpp"\n',
    "src/comm/kernel.cpp": '#include "kernels/orbit.hpp"\n',
    "src/run/mpi.cpp": "  #  include <mpi.h>\n",
    "src/run/hdf5.cpp": "#include <hdf5.h>\n",
    "src/run/h5.cpp": "#include <H5public.h>\n",
    "src/codec/png.cpp": '#include "png.h"\n',
    "src/store/simd.cpp": '#include "hwy/highway.h"\n',
    "src/store/deflate.cpp": "#include <libdeflate.h>\n",
    "src/store/isal.cpp": "#include <isa-l/igzip_lib.h>\n",
    "src/report/options.cpp": "#include <CLI/CLI.hpp>\n",
    "src/run/toml.cpp": "#include <toml++/toml.h>\n",
    "src/run/big_integers.cpp": "#include <boost/multiprecision/cpp_int.hpp>\n",
    "src/run/cuda.cpp": "#include <cuda_runtime.h>\n",
    "src/run/opencl.cpp": "#include <CL/cl.h>\n",
    "src/device/cuda.cpp": "#include <cuda_runtime.h>\n",
    "src/device/gpu/opencl.cpp": "#include <CL/cl.h>\n",
    "src/run/ranges.cpp": "#include <nvtx3/nvToolsExt.h>\n",
    "kernels/knows_src.hpp": '#include "base/a.hpp"\n',
    "src/attic/new_room.hpp": "#include <vector>\n",
}


def write_tree(root, files):
    for name, text in files.items():
        path = Path(root) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def self_test():
    """None when the check passes the good tree and names each bad file added to it, else what failed."""
    with tempfile.TemporaryDirectory() as root:
        write_tree(root, GOOD)
        problems, _ = check(root)
        if problems:
            return "finds fault with a good tree: " + "; ".join(problems)
        write_tree(root, BAD)
        problems, _ = check(root)
        unseen = [name for name in BAD if not any(p.startswith(name) for p in problems)]
        if unseen:
            return "does not see what is wrong in " + ", ".join(unseen)
        if len(problems) != len(BAD):
            return f"{len(problems)} problems in {len(BAD)} bad files: " + "; ".join(problems)
    return None


def main(arguments):
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    if arguments[0] == "--self-test":
        failure = self_test()
        print(f"self-test {failure}" if failure else f"self-test: {len(BAD)} broken rules seen")
        return 1 if failure else 0
    problems, files = check(arguments[0])
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"{files} files, {len(problems)} broken rules")
    return 1 if problems or files == 0 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
