#!/usr/bin/env python3
"""Breaks the host code of the CUDA backend on purpose, one mistake at a time, and says which tests notice.

usage: tests/cuda_runtime/mutations.py BUILD_FOLDER [NAME...]

Changes sources in place, builds, runs the tests with the label cuda-host, and puts the sources back. Prints a table in
Markdown; exit 1 if a mistake is not noticed. Takes a minute or two for a mistake, so that CI does not run it: run it after a
change of src/device/cuda or of this folder, and put the table into docs/benchmarks/2026-11-cuda-host.md.
"""

import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
QUEUE, MEMORY, STREAM, ARRAYS = (f"src/device/cuda/{name}" for name in
                                 ("cuda_queue.hpp", "memory.cpp", "cuda_stream.cpp", "cuda_array_stream.cpp"))
# Work in flight is waited for twice when something fails: by what calls the stream, and by who owns the memory.
NO_WAIT_BY_CALLERS = ("src/device/gpu/queue/device_queue.hpp", "    settle(queue);\n", "    static_cast<void>(queue);\n")
# Tried first; the others only where these notice nothing.
QUICK = "cuda_host[.](threads|Pair|Shuffled|Views|Thresholds)|cuda_threads_tsan"
PROGRAMS = ("cuda_threads_test", "cuda_host_parity_test", "tessera_cuda_host", "cuda_threads_tsan_test")

# Name; then file, what is there, what stands there instead, and so on.
MUTATIONS = (
    ("a wait is dropped", MEMORY,
     '  check(cudaEventSynchronize(done_.get()), "cudaEventSynchronize", work);\n', ""),
    ("an event is not recorded again", MEMORY,
     "const cudaError_t recorded = cudaEventRecord(done_.get(), stream_.get());",
     "static thread_local int records = 0;\n  const cudaError_t recorded =\n"
     "      records++ % 2 == 0 ? cudaEventRecord(done_.get(), stream_.get()) : cudaSuccess;"),
    ("the arguments of a copy are swapped", QUEUE,
     "add(cudaMemcpyAsync(to.data(), from, to.size(), cudaMemcpyDeviceToHost, stream()),",
     "add(cudaMemcpyAsync(const_cast<void*>(from), to.data(), to.size(), cudaMemcpyHostToDevice, stream()),"),
    ("the device is not made the current one", QUEUE,
     'check(cudaSetDevice(stream_->device()), "cudaSetDevice", work_);', "static_cast<void>(0);"),
    ("a buffer has half its size", QUEUE,
     "device_memory_.try_make(bytes + spare_bytes_);", "device_memory_.try_make(bytes / 2 + spare_bytes_);"),
    ("no bytes to spare behind elements", ARRAYS, "CudaQueue(device, budget, TS_VECTOR_BYTES,", "CudaQueue(device, budget, 0,"),
    ("a copy is too short", STREAM,
     "copy_from_device(read_slots_->bytes(), stats_.get());",
     "copy_from_device(read_slots_->bytes().first(read_slots_->bytes().size() / 2), stats_.get());"),
    ("statistics are not reset", STREAM,
     "  copy_to_device(stats_.get(), no_pixels_->bytes());\n", ""),
    ("memory is not cleared", STREAM, "  set_to_zero(memory(), bytes);\n", "  static_cast<void>(bytes);\n"),
    ("a host buffer is freed while a copy is in flight", "src/device/cuda/memory.hpp",
     "~StreamBuffer() override { stream_->settle(); }", "~StreamBuffer() override = default;", *NO_WAIT_BY_CALLERS),
    ("memory is unlocked while a copy is in flight", MEMORY, "            stream->settle();\n", "",
     *NO_WAIT_BY_CALLERS, "src/device/process/stream_server.cpp", "  ~StreamServer() { settle(stream_); }\n", ""),
    ("elements go to the wrong place", ARRAYS, "memory() + at_byte", "memory() + at_byte / 2"),
    ("a launch lacks its last block", "kernels/cuda/pixels.cu", "<<<blocks_of(tile), TS_BLOCK_SIZE",
     "<<<blocks_of(tile) - (blocks_of(tile) > 1 ? 1 : 0), TS_BLOCK_SIZE"),
    ("residuals are not cleared", ARRAYS,
     "  set_to_zero(spill_.get(), kResidualWords * sizeof(kernels::TS_U64));\n", ""),
)


def run(*command, timeout=1500):
    return subprocess.run(command, capture_output=True, text=True, timeout=timeout)


def tests_that_notice(build):
    done = run("cmake", "--build", build, "--target", *PROGRAMS)
    if done.returncode != 0:
        raise SystemExit(f"does not compile: {done.stdout[-2000:]}")
    return failing(build, "-R", QUICK) or failing(build, "-L", "cuda-host")


def failing(build, *tests):
    said = run("ctest", "--test-dir", build, *tests, "-j", "2", "--timeout", "120").stdout
    return sorted(set(re.findall(r"Test +#\d+: (\S+) .*(?:Failed|Timeout|Exception)", said.replace("***", " "))))


def change(path, old, new):
    with open(path) as file:
        source = file.read()
    if source.count(old) != 1:
        raise SystemExit(f"{path} has changed; the text to replace is there {source.count(old)} times: {old}")
    with open(path, "w") as file:
        file.write(source.replace(old, new))


def mutate(build, name, *edits):
    edits = [(os.path.join(ROOT, edits[i]), *edits[i + 1:i + 3]) for i in range(0, len(edits), 3)]
    before = {}
    for path, _, _ in edits:
        with open(path) as file:
            before[path] = file.read()
    try:
        for edit in edits:
            change(*edit)
        noticed = tests_that_notice(build)
    finally:
        for path, source in before.items():
            with open(path, "w") as file:
                file.write(source)
    print(f"| {name} | {', '.join(noticed) or '**nothing**'} |", flush=True)
    return bool(noticed)


def main():
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    build, names = os.path.abspath(sys.argv[1]), sys.argv[2:]
    if unknown := set(names) - {mutation[0] for mutation in MUTATIONS}:
        raise SystemExit(f"no such mistake: {', '.join(unknown)}")
    print("| mistake | tests that notice it |\n|---|---|", flush=True)
    noticed = [mutate(build, *mutation) for mutation in MUTATIONS if not names or mutation[0] in names]
    raise SystemExit(0 if all(noticed) else 1)


if __name__ == "__main__":
    main()
