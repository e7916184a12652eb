"""What calls work with: devices, threads, memory, MPI; and how they are watched."""

import atexit
import os
import threading
from collections import namedtuple

from tessera import _core
from tessera._errors import UsageError, integer_of

_UNITS = {"K": 10, "M": 20, "G": 30, "T": 40}


class Context:
    """Devices, threads and memory for calls that follow each other.

    device         as `--device` of the program: "auto", "cpu", "gpu", "cuda:0", "cpu+cuda"
    threads        0: all cores that this process may use
    memory         bound of a call, a number of bytes or "4G"
    device_memory  bound of each GPU; None: all of its free memory
    comm           an mpi4py communicator: each call is made by all of its ranks, and rank 0 has the result. Arrays in
                   memory are parts of one array, which are one behind the other in the order of the ranks
    heartbeat      seconds after which the other ranks continue without one that is silent; 0: they wait for ever
    program        path of the program `tessera`, which drives GPUs in processes of their own; None: the one
                   in PATH; "": GPUs are driven in this process

    >>> with Context(device="cpu", threads=2) as context:
    ...     float(sum([0.1] * 10, context=context))
    1.0
    """

    def __init__(self, *, device="auto", threads=0, memory="2G", device_memory=None, comm=None, heartbeat=10,
                 program=None):
        if program is None:
            program = find_program() if "cpu" not in device.split(",") else ""
        _core.prepare()  # under the GIL, so that no thread forks meanwhile
        self._process = os.getpid()
        self._comm = comm  # kept, since its address is used
        address = _address_of(comm) if comm is not None else 0
        limit = _bytes(device_memory) if device_memory is not None else 0
        self._inside = _core.Context(os.fspath(device), integer_of(threads, "threads"), _bytes(memory), limit, address,
                                     float(heartbeat), os.fspath(program))
        self._text = f"device={device!r}, threads={threads}, memory={memory!r}"

    def close(self):
        """Frees what it holds. Calls with it are refused from then on."""
        self._inside = None
        self._comm = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __repr__(self):
        return f"Context({self._text})"

    def __reduce__(self):
        raise TypeError("a Context belongs to its process; make one where it is needed")

    @property
    def is_shared(self):
        """Whether ranks of a communicator make the calls."""
        return self._comm is not None

    @property
    def is_root(self):
        """Whether this process has the results: it is alone, or rank 0 of `comm`."""
        return self._comm is None or self._comm.Get_rank() == 0

    def refuse(self, error):
        """Raises the error, on all ranks of a communicator, which make the call that this one cannot make."""
        if self._comm is not None:
            _core.refuse(self.inside(), str(error))
        raise error

    def inside(self):
        if self._inside is None:
            raise UsageError("this Context is closed")
        if self._process != os.getpid():
            raise UsageError(f"this Context belongs to process {self._process}; make one here, after the fork")
        return self._inside


def find_program():
    """The program that was installed with this package, or another one of the same version; "": there is none."""
    # They are seldom needed, and an import would take longer.
    import pathlib
    import shutil
    import subprocess

    parents = pathlib.Path(__file__).resolve().parents
    # PREFIX/lib/python3/dist-packages/tessera; a folder near the root has no such prefix.
    beside = parents[4] / "bin" / "tessera" if len(parents) > 4 else None
    if beside is not None and beside.is_file():
        return str(beside)
    found = shutil.which("tessera")
    if found is None:
        return ""
    try:
        told = subprocess.run([found, "--version"], capture_output=True, text=True, timeout=10).stdout
    except (OSError, subprocess.SubprocessError):
        return ""
    return found if told.split(maxsplit=1)[1:] == [_core.version() + "\n"] else ""


def _bytes(value):
    text = str(value).strip().upper().removesuffix("B").removesuffix("I")
    shift = _UNITS.get(text[-1:], 0)
    try:
        number = float(text[:-1] if shift else text) * 2**shift
        if number >= 2**24:
            return int(number)
    except (ValueError, OverflowError):
        pass
    raise UsageError(f"memory: {value!r} is no number of bytes, of at least 16M, such as '4G'")


def _address_of(comm):
    try:
        from mpi4py import MPI

        address, size = MPI._addressof(comm), MPI._sizeof(comm)
    except (ImportError, TypeError, AttributeError) as error:
        raise UsageError(f"comm: {comm!r} is no communicator of mpi4py") from error
    if size != _core.communicator_bytes():
        raise UsageError(f"comm: mpi4py uses another MPI than {_core.mpi_library()}")
    return address


_default = None
_lock = threading.Lock()


def default_context():
    """The Context of calls without one. A fork makes a new one."""
    global _default
    with _lock:
        if _default is None:
            _default = Context()
        return _default


def _after_fork():
    global _default, _lock
    _lock = threading.Lock()
    _default = None
    _core.forget_calls()


os.register_at_fork(after_in_child=_after_fork)
atexit.register(_core.end_calls)


def context_of(context):
    if context is None:
        context = default_context()
    elif not isinstance(context, Context):
        raise UsageError(f"context: {context!r} is no Context")
    return context


def progress_of(progress):
    """A callable of (stage, done, total), from None, True, a callable of (done, total), or a bar of tqdm."""
    if progress is None or progress is False:
        return None
    if progress is True:
        from tqdm.auto import tqdm

        progress = tqdm(leave=False)
    if hasattr(progress, "update") and hasattr(progress, "total"):
        return _Bar(progress)
    if not callable(progress):
        raise UsageError(f"progress: {progress!r} is neither True, a callable of (done, total) nor a bar of tqdm")
    return lambda stage, done, total: progress(done, total)


class _Bar:
    def __init__(self, bar):
        self._bar = bar

    def __call__(self, stage, done, total):
        bar = self._bar
        if bar.total != total:
            bar.total = total
            bar.reset(total) if hasattr(bar, "reset") else None
        bar.update(done - bar.n)


_logger = None


def log(level, line):
    """To logging, which is imported when there is something to say. Without a handler nothing is printed."""
    global _logger
    if _logger is None:
        import logging

        _logger = logging.getLogger("tessera")
        _logger.addHandler(logging.NullHandler())
    _logger.log(level, line)


class Device(namedtuple("Device", "name detail reason memory is_gpu")):
    """A device of this machine, or a backend that this build lacks.

    reason  why it cannot be used; "" if it can
    memory  bytes of its own; 0: none
    """

    __slots__ = ()


def devices(*, context=None, progress=None):
    """All devices of this machine.

    >>> "cpu" in [device.name for device in devices()]
    True
    """
    inside = context_of(context).inside()
    return [Device(*one) for one in _core.devices(inside, progress_of(progress), log)]
