#!/usr/bin/env python3
"""Holds the include rules of docs/architecture.md over src/ and kernels/.

usage: check_includes.py ROOT        one line on stderr for each include that breaks a rule; exit 1
       check_includes.py --self-test breaks every rule in a temporary tree and expects a message

A room is a folder of src/; includes go one way through the rooms, and the headers of a library that
few rooms may know stay in those rooms.
"""

import re
import sys
import tempfile
from pathlib import Path

from rules import main, write_tree

# Rooms that each room may include besides itself. A source belongs to the longest folder of src/ that is
# named here: "device" is the contract of devices, "device/cpu/sums" a room of its own, and "store" has all
# folders below it. A header may be allowed alone. "main" stands for the sources directly in src/.
PURE = ["base", "plane", "job", "plan", "kernels", "statistics"]
ENGINE = ["base", "plane", "job", "plan", "comm", "report", "device", "device/host", "device/select", "farm", "binding"]
PRODUCT = [*ENGINE, "run", "codec", "store", "deep", "device/pixels"]
CPU = ["device/cpu/simd", "device/cpu/passes", "device/cpu/sums", "device/cpu/columns"]
# What a backend of GPUs implements, and what drives it.
STREAMS = ["device/gpu/queue", "device/gpu/pixels", "device/gpu/arrays/stream", "device/gpu"]
ARRAYS = ["device", "device/gpu/queue", "device/gpu/arrays/stream"]
ROOMS = {
    "kernels": [],
    "base": [],
    "codec": ["base"],
    "color": ["base"],
    "plane": ["base"],
    "job": ["base", "kernels", "plane"],
    "plan": ["base", "job"],
    "comm": ["base"],
    "run": ["base", "comm"],
    "report": ["base", "job", "plan"],
    "statistics": ["base", "job", "plan", "kernels"],
    "expression": ["base", "kernels", "statistics/half.hpp"],
    "store": ["base", "codec", "job", "plan", "statistics/half.hpp"],
    "place": ["base", "job", "plane", "store"],
    "deep": ["base", "kernels", "plane"],
    "find": ["base", "kernels", "plane", "deep"],
    "device": [*PURE],
    "device/host": [*PURE, "device"],
    "device/groups": [*PURE, "device"],
    "device/pixels": [*PURE, "deep", "device"],
    "device/powers": [*PURE, "device", "device/groups"],
    "device/reference": [*PURE, "device", "device/host", "device/pixels"],
    "device/cpu/simd": [*PURE],
    "device/cpu/pixels": [*PURE, "deep", "device", "device/pixels", "device/cpu/simd"],
    "device/cpu/passes": [*PURE, "device", *CPU[:1]],
    "device/cpu/sums": [*PURE, "device", *CPU[:2]],
    "device/cpu/columns": [*PURE, "device", *CPU[:3]],
    "device/cpu/groups": [*PURE, "device", *CPU[:1]],
    "device/cpu": [
        *PURE, "deep", "device", "device/groups", "device/host", "device/pixels", *CPU, "device/cpu/groups",
        "device/cpu/pixels",
    ],
    "device/gpu/queue": [*PURE, "device"],
    "device/gpu/pixels": [*PURE, "deep", "device", "device/pixels", "device/gpu/queue"],
    "device/gpu/arrays/stream": [*PURE, "device", "device/gpu/queue"],
    "device/gpu/arrays/order": [*PURE, *ARRAYS],
    "device/gpu/arrays/elements": [*PURE, *ARRAYS, "device/gpu/arrays/order"],
    "device/gpu/arrays/axes": [*PURE, *ARRAYS, "device/gpu/arrays/order"],
    "device/gpu/arrays/groups": [*PURE, *ARRAYS, "device/groups"],
    "device/gpu": [
        *PURE, *ARRAYS, "deep", "device/pixels", "device/gpu/pixels", "device/gpu/arrays/elements",
        "device/gpu/arrays/axes", "device/gpu/arrays/groups",
    ],
    "device/cuda": [*PURE, "device", "device/host", *STREAMS],
    "device/opencl": [*PURE, "device", "device/host", *STREAMS],
    "device/process": [*PURE, "device", *STREAMS],
    "device/select": [
        *PURE, "device", "device/host", "device/reference", "device/cpu", "device/cuda", "device/opencl",
        "device/process",
    ],
    "farm": ["base", "plan", "comm", "report", "device/device_error.hpp"],
    "binding": ENGINE,
    "post": [*PRODUCT, "color", "place"],
    "view": [*PRODUCT, "color", "post"],
    "explore": [*PRODUCT, "kernels", "color", "post", "view", "device/process/child_process.hpp"],
    "render": [*PRODUCT, "color", "post"],
    "pool": [*PRODUCT, "post", "render", "reduce/input", "reduce", "reduce/reduce"],
    "reduce/input": ["base", "codec", "job", "plan", "statistics", "expression", "store", "device"],
    "reduce": [*PRODUCT, "statistics", "reduce/input", "device/powers"],
    "reduce/axes": [*PRODUCT, "statistics", "expression", "reduce/input", "reduce", "device/powers"],
    "reduce/groups": [*PRODUCT, "statistics", "reduce/input", "reduce", "device/powers"],
    "reduce/reduce": ["base", "job", "report", "run", "reduce", "reduce/axes", "reduce/groups"],
    "browse": [*PRODUCT, "statistics/half.hpp", "view", "reduce/input", "reduce", "reduce/axes", "reduce/reduce"],
    "bench": ["base", "job", "plan", "codec", "report", "store", "device", "device/select"],
    "api": [*PRODUCT, "statistics", "color", "post", "render", "reduce/input", "reduce", "reduce/axes", "reduce/reduce",
            "reduce/groups/table_sink.hpp", "device/powers"],
    "include": [],
    "command": [*PRODUCT, "find", "place", "device/process", "color", "post", "view", "explore", "browse", "render", "pool", "reduce", "reduce/reduce", "bench"],
    "main": ["base", "command", "device/select", "device/process"],
}

# Library headers, by what they look like, and the only rooms, or folders of rooms, that may include them.
LIBRARIES = [
    (r"mpi\.h$|mpi-ext\.h$", {"comm"}),
    (r"H5\w+\.h$|hdf5(_hl)?\.h$", {"store"}),
    (r"png(conf|libconf)?\.h$", {"store"}),
    (r"tiff(io)?\.h$", {"store"}),
    (r"OpenEXR/|Imath/", {"store"}),
    (r"hwy/", {"device/cpu", "statistics", "expression", "codec", "color", "kernels"}),
    (r"isa-l\.h$|isa-l/|igzip_lib\.h$|libdeflate\.h$|zlib\.h$", {"base", "codec"}),
    (r"zstd\w*\.h$|lz4\w*\.h$|libaec\.h$|szlib\.h$|blosc\.h$", {"codec"}),
    (r"CLI/", {"command"}),
    (r"boost/(asio|beast)/", {"view"}),
    (r"boost/(?!asio/|beast/)", {"kernels"}),
    (r"mpfr\.h$", {"deep", "find", "plane"}),
    (r"gmp\.h$", {"deep", "device", "find", "plane"}),
    (r"toml\+\+/|toml\.hpp$", {"job", "place"}),
    (r"cuda\w*\.h(pp)?$|cuda/|nvml\.h$", {"device/cuda", "kernels"}),
    (r"CL/|OpenCL/", {"device/opencl"}),
    (r"nvtx3/", {"report"}),
    (r"tessera/", {"api", "include"}),
]

SOURCES = {".hpp", ".cpp", ".h", ".c", ".inl", ".cu", ".cuh", ".cl"}
INCLUDE = re.compile(r'^\s*#\s*include\s*(?:<([^>]+)>|"([^"]+)")')


def room_of(root, path):
    """The room that a source lies in; None outside src/ and kernels/, or in a folder without a rule."""
    parts = path.relative_to(root).parts
    if parts[0] in ("kernels", "include"):
        return parts[0]
    if parts[0] != "src" or len(parts) < 2:
        return None
    if len(parts) == 2:
        return "main"
    folders = ["/".join(parts[1:end]) for end in range(len(parts) - 1, 1, -1)]
    door = "/".join(parts[1:]).removesuffix(path.suffix)  # a header and its source may be a room: the door of others
    return next((room for room in [door, *folders] if room in ROOMS), None)


def lies_in(room, places):
    """Whether a room is one of `places` or below one of them."""
    return any(room == place or room.startswith(place + "/") for place in places)


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
        header = "/".join(target.relative_to(root).parts[1:])
        if other != room and not {other, header} & set(ROOMS[room]):
            allowed = ", ".join(ROOMS[room]) or "nothing"
            return f"is in {other}; {room} may include {allowed}"
        return None
    if room == "include" and "." in name and not name.startswith("tessera/"):
        return "is not of the standard library, and users of include/tessera may not have it"
    for pattern, places in LIBRARIES:
        if re.match(pattern, name) and not lies_in(room, places):
            return f"stays in {', '.join(sorted(places))}"
    return None


def check(root):
    """Every broken rule of the tree as 'file:line: include "x" ...', and the number of files read."""
    root = Path(root).resolve()
    problems = []
    sources = sorted(
        path for top in ("src", "kernels", "include") for path in (root / top).rglob("*") if path.suffix in SOURCES
    )
    for source in sources:
        place = source.relative_to(root)
        if room_of(root, source) is None:
            problems.append(f"{place}: its folder has no rule in {Path(__file__).name}")
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
    "include/tessera/array.hpp": "#include <vector>\n",
    "include/tessera/all.hpp": '#include "tessera/array.hpp"\n',
    "src/api/array.cpp": '#include "tessera/array.hpp"\n',
    "src/base/a.hpp": "#include <vector>\n",
    "src/base/file/view.hpp": '#include "base/a.hpp"\n',
    "src/job/job.hpp": '#include "base/a.hpp"\n',
    "src/job/other.hpp": '#include "job.hpp"\n',
    "src/command/syntax.cpp": "#include <CLI/CLI.hpp>\n",
    "src/store/hdf5/file.cpp": '#include <hdf5.h>\n#include <png.h>\n#include "job/job.hpp"\n',
    "src/comm/world.cpp": "#include <mpi.h>\n",
    "src/codec/chunk.hpp": '#include "base/a.hpp"\n#include <isa-l.h>\n',
    "src/statistics/partial.hpp": '#include "kernels/exact/orbit.hpp"\n',
    "src/statistics/half.hpp": "#include <bit>\n",
    "src/expression/program.hpp": '#include "base/a.hpp"\n#include "statistics/half.hpp"\n',
    "src/device/device_error.hpp": '#include "base/a.hpp"\n',
    "src/device/device.hpp": '#include "device/device_error.hpp"\n#include "statistics/partial.hpp"\n',
    "src/device/cpu/simd/vectors.hpp": '#include "kernels/exact/orbit.hpp"\n#include "hwy/highway.h"\n',
    "src/device/cpu/passes/passes.hpp": '#include "device/cpu/simd/vectors.hpp"\n',
    "src/device/cpu/sums/sum.hpp": '#include "device/cpu/passes/passes.hpp"\n#include "device/device.hpp"\n',
    "src/device/pixels/block.hpp": '#include "device/device.hpp"\n',
    "src/device/gpu/queue/queue.hpp": '#include "device/device.hpp"\n',
    "src/device/gpu/arrays/stream/stream.hpp": '#include "device/gpu/queue/queue.hpp"\n',
    "src/device/gpu/arrays/groups/groups.hpp": '#include "device/gpu/arrays/stream/stream.hpp"\n',
    "src/device/gpu/gpu.hpp": '#include "device/gpu/arrays/groups/groups.hpp"\n',
    "src/device/opencl/opencl.hpp": '#include "device/gpu/gpu.hpp"\n',
    "src/device/cuda/cuda.cpp": '#include <cuda_runtime.h>\n#include "device/gpu/arrays/stream/stream.hpp"\n',
    "src/device/select/registry.hpp": '#include "device/opencl/opencl.hpp"\n',
    "src/farm/farm.hpp": '#include "device/device_error.hpp"\n',
    "src/post/color/color.hpp": '#include "codec/chunk.hpp"\n#include "farm/farm.hpp"\n',
    "src/render/render.hpp": '#include "post/color/color.hpp"\n',
    "src/reduce/input/reader.hpp": '#include "statistics/partial.hpp"\n',
    "src/reduce/session.hpp": '#include "reduce/input/reader.hpp"\n',
    "src/reduce/axes/axes.hpp": '#include "reduce/session.hpp"\n',
    "src/reduce/reduce.hpp": '#include "reduce/axes/axes.hpp"\n',
    "src/bench/bench.hpp": '#include "device/select/registry.hpp"\n',
    "src/command/run.hpp": '#include "render/render.hpp"\n#include "reduce/reduce.hpp"\n',
    "src/main.cpp": '#include "command/run.hpp"\n',
    "kernels/exact/orbit.hpp": "#include <cmath>\n",
}
BAD = {
    "include/tessera/needs_more.hpp": "#include <mpi.h>\n",
    "include/tessera/shows_rooms.hpp": '#include "base/a.hpp"\n',
    "src/render/knows_the_public.hpp": "#include <tessera/array.hpp>\n",
    "src/base/up.hpp": '#include "job/job.hpp"\n',
    "src/base/file/up.hpp": '#include "job/job.hpp"\n',
    "src/codec/knows_jobs.cpp": '#include "job/job.hpp"\n',
    "src/report/sideways.cpp": '#include "codec/chunk.hpp"\n',
    "src/report/around.cpp": '#include "../codec/chunk.hpp"\n',
    "src/comm/kernel.cpp": '#include "kernels/exact/orbit.hpp"\n',
    "src/statistics/knows_devices.hpp": '#include "device/device.hpp"\n',
    "src/expression/knows_jobs.hpp": '#include "job/job.hpp"\n',
    "src/expression/knows_sums.hpp": '#include "statistics/partial.hpp"\n',
    "src/device/knows_backends.hpp": '#include "device/gpu/gpu.hpp"\n',
    "src/device/knows_pixels.hpp": '#include "device/pixels/block.hpp"\n',
    "src/device/cuda/knows_opencl.hpp": '#include "device/opencl/opencl.hpp"\n',
    "src/device/cuda/knows_groups.hpp": '#include "device/gpu/arrays/groups/groups.hpp"\n',
    "src/device/gpu/queue/up.hpp": '#include "device/gpu/arrays/stream/stream.hpp"\n',
    "src/device/gpu/pixels/knows_arrays.hpp": '#include "device/gpu/arrays/stream/stream.hpp"\n',
    "src/device/gpu/arrays/axes/sideways.hpp": '#include "device/gpu/arrays/groups/groups.hpp"\n',
    "src/device/gpu/arrays/stream/up.hpp": '#include "device/gpu/gpu.hpp"\n',
    "src/device/cpu/simd/up.hpp": '#include "device/cpu/passes/passes.hpp"\n',
    "src/device/cpu/passes/up.hpp": '#include "device/cpu/sums/sum.hpp"\n',
    "src/device/cpu/pixels/sums.hpp": '#include "device/cpu/sums/sum.hpp"\n',
    "src/device/opencl/sideways.hpp": '#include "device/cpu/sums/sum.hpp"\n',
    "src/device/process/up.hpp": '#include "device/select/registry.hpp"\n',
    "src/farm/knows_devices.hpp": '#include "device/device.hpp"\n',
    "src/farm/knows_products.hpp": '#include "render/render.hpp"\n',
    "src/post/knows_renders.hpp": '#include "render/render.hpp"\n',
    "src/post/knows_sums.hpp": '#include "statistics/partial.hpp"\n',
    "src/render/knows_reductions.hpp": '#include "reduce/reduce.hpp"\n',
    "src/reduce/knows_renders.hpp": '#include "render/render.hpp"\n',
    "src/reduce/knows_axes.hpp": '#include "reduce/axes/axes.hpp"\n',
    "src/reduce/knows_the_door.hpp": '#include "reduce/reduce.hpp"\n',
    "src/reduce/axes/knows_the_door.hpp": '#include "reduce/reduce.hpp"\n',
    "src/command/passes_the_door.hpp": '#include "reduce/axes/axes.hpp"\n',
    "src/reduce/input/knows_axes.hpp": '#include "reduce/axes/axes.hpp"\n',
    "src/reduce/input/up.hpp": '#include "reduce/session.hpp"\n',
    "src/bench/knows_renders.hpp": '#include "render/render.hpp"\n',
    "src/render/mpi.cpp": "  #  include <mpi.h>\n",
    "src/post/hdf5.cpp": "#include <hdf5.h>\n",
    "src/reduce/h5.cpp": "#include <H5public.h>\n",
    "src/codec/png.cpp": '#include "png.h"\n',
    "src/store/image/simd.cpp": '#include "hwy/highway.h"\n',
    "src/device/gpu/simd.cpp": '#include "hwy/highway.h"\n',
    "src/store/image/deflate.cpp": "#include <libdeflate.h>\n",
    "src/store/zstd.cpp": "#include <zstd.h>\n",
    "src/store/isal.cpp": "#include <isa-l/igzip_lib.h>\n",
    "src/report/options.cpp": "#include <CLI/CLI.hpp>\n",
    "src/job/image/options.cpp": "#include <CLI/CLI.hpp>\n",
    "src/command/toml.cpp": "#include <toml++/toml.h>\n",
    "src/reduce/big_integers.cpp": "#include <boost/multiprecision/cpp_int.hpp>\n",
    "src/render/cuda.cpp": "#include <cuda_runtime.h>\n",
    "src/device/opencl/cuda.cpp": "#include <cuda_runtime.h>\n",
    "src/device/gpu/opencl.cpp": "#include <CL/cl.h>\n",
    "src/farm/ranges.cpp": "#include <nvtx3/nvToolsExt.h>\n",
    "kernels/knows_src.hpp": '#include "base/a.hpp"\n',
    "src/attic/new_room.hpp": "#include <vector>\n",
}


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


if __name__ == "__main__":
    sys.exit(main(__doc__, check, self_test, f"{len(BAD)} broken rules seen"))
