"""What the machine is."""

import ctypes
import json
import os
import platform
import shutil
from importlib.util import find_spec

from checks import Failed
from measure import Skipped, cpu_name

# Of nvidia-smi; every one knows the first four.
GPU_FIELDS = ("name", "driver_version", "memory.total", "memory.used", "compute_mode", "mig.mode.current",
              "pcie.link.gen.current", "pcie.link.gen.max", "pcie.link.width.current", "clocks.max.sm", "power.limit",
              "ecc.mode.current", "utilization.gpu")
PACKAGES = ("numpy", "h5py", "cupy")


def smi(checks, *fields, table="gpu"):
    """Rows of what nvidia-smi says, as text."""
    if "nvidia-smi" not in checks.programs:
        raise Skipped("nvidia-smi is missing")
    done = checks.run(checks.programs["nvidia-smi"], f"--query-{table}={','.join(fields)}",
                      "--format=csv,noheader,nounits", limit_s=20)
    return [[part.strip() for part in row.split(",")] for row in done.out.splitlines() if row.strip()]


def used_mib(checks):
    """Memory in use on the first GPU."""
    said = smi(checks, "memory.used")[0][0]
    if not said.isdigit():
        raise Skipped(f"nvidia-smi does not know the memory in use: {said}")
    return int(said)


def listed(checks, *options):
    """The devices of a rank, each with a reason if it cannot be used."""
    done = checks.run(checks.tessera, "devices", "--json", *options, limit_s=60)
    return json.loads(done.out)["ranks"][0]["devices"]


def the_gpu(checks):
    """The device that is checked. The program says why there is none."""
    return next(device for device in listed(checks, "--device", "cuda") if device["name"] == "cuda:0")


def of_gpus(checks):
    try:
        rows = smi(checks, *GPU_FIELDS)
    except Failed:
        rows = smi(checks, *GPU_FIELDS[:4])
    for row in rows:
        checks.note("nvidia-smi: " + ", ".join(f"{field} {value}" for field, value in zip(GPU_FIELDS, row)))


def of_host(checks):
    with open("/proc/meminfo") as file:
        memory_gib = int(file.readline().split()[1]) / 2**20
    free_gib = shutil.disk_usage(checks.folder).free / 2**30
    locked = os.popen("ulimit -l").read().strip()
    try:
        ctypes.CDLL("libcuda.so.1")
        cuda = "loads"
    except OSError:
        cuda = "does not load"
    packages = ", ".join(name for name in PACKAGES if find_spec(name)) or "none"
    checks.note(f"{cpu_name()}, {len(os.sched_getaffinity(0))} cores, {memory_gib:.0f} GiB, Linux {platform.release()}, "
                f"load {os.getloadavg()[0]:.1f}")
    checks.note(f"{free_gib:.0f} GiB free for results; limit of locked memory {locked}; libcuda.so.1 "
                f"{cuda}; Python {platform.python_version()}, "
                f"packages: {packages}")


def machine(checks):
    """the GPU, its driver, PCIe, cores, MPI, and what else the other steps can use"""
    with checks.check("the program starts"):
        checks.note(checks.run(checks.tessera, "--version", limit_s=20).out.splitlines()[0])
    with checks.check("the host"):
        of_host(checks)
    with checks.check("a CUDA device is there"):
        gpu = the_gpu(checks)
        checks.found["device"] = gpu
        checks.note(f"{gpu['name']}: {gpu['what']}, {gpu['memory_bytes'] / 2**30:.1f} GiB, {gpu['driver']}, "
                    f"compute capability {gpu['compute']}, near the cores: {gpu['near']}")
    with checks.check("nvidia-smi answers"):
        of_gpus(checks)
    with checks.check("mpirun starts two ranks of one run"):
        checks.note(checks.run(checks.mpirun(), "--version", limit_s=20).out.splitlines()[0])
        checks.found["mpirun"] = False
        done = checks.run(checks.tessera, "devices", "--json", ranks=2)
        # Two programs of another MPI than mpirun's would be two runs of one rank.
        ranks = done.out.count('"rank":')
        checks.need(ranks == 2 and done.out.count('"schema"') == 1, f"{ranks} ranks, not 2 of one run")
        checks.found["mpirun"] = True
