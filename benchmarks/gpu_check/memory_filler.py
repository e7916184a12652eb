"""usage: memory_filler.py MIB

Holds the memory of the first GPU but for so many MiB, until it is killed, by calls of the driver alone. Says on stdout what
it holds; exits with 3, and the reason, where that is not possible.
"""

import ctypes
import signal
import sys

MIB = 1 << 20


def check(code, call):
    if code != 0:
        sys.exit(f"{call}: CUDA error {code}")


def driver():
    try:
        return ctypes.CDLL("libcuda.so.1")
    except OSError:
        print("libcuda.so.1 is missing, so the memory cannot be filled", file=sys.stderr)
        raise SystemExit(3)


def make_context(cuda):
    device, context = ctypes.c_int(), ctypes.c_void_p()
    check(cuda.cuInit(0), "cuInit")
    check(cuda.cuDeviceGet(ctypes.byref(device), 0), "cuDeviceGet")
    check(cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), device), "cuDevicePrimaryCtxRetain")
    check(cuda.cuCtxSetCurrent(context), "cuCtxSetCurrent")


def free_bytes(cuda):
    free, total = ctypes.c_size_t(), ctypes.c_size_t()
    check(cuda.cuMemGetInfo_v2(ctypes.byref(free), ctypes.byref(total)), "cuMemGetInfo")
    return free.value


def fill(cuda, left_bytes):
    """Pieces of 1 GiB, then smaller ones, until no more than `left_bytes` are free or none can be had."""
    held, piece = 0, 1024 * MIB
    while piece >= MIB:
        address = ctypes.c_uint64()
        fits = free_bytes(cuda) >= left_bytes + piece
        if fits and cuda.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(piece)) == 0:
            held += piece
        else:
            piece //= 2
    return held


def main():
    cuda = driver()
    make_context(cuda)
    held = fill(cuda, int(sys.argv[1]) * MIB)
    print(f"holds {held // MIB} MiB, {free_bytes(cuda) // MIB} MiB are free", flush=True)
    signal.pause()


if __name__ == "__main__":
    main()
