"""What a test runs in, whatever this machine, its user and its load are. It begins with the import of this module."""

import atexit
import contextlib
import os
import resource
import shutil
import signal
import sys
import tempfile

# Whatever is not done by then hangs. Nothing here judges speed: a verdict that load can change is none.
HANG_S = 600

# In builds with fault points: a run that is asked to stop does not leave without its last items because the machine is busy.
PATIENT = "stop.patient@1+"
# Variables of a user, a batch system, a GPU or an earlier test that would reach the program.
FOREIGN = ("SLURM_", "PMI_", "PMIX_", "OMPI_COMM_WORLD_", "HDF5_", "TESSERA_FAULT", "TESSERA_CUDA_RUNTIME", "LC_", "LANGUAGE",
           "COLUMNS", "COLORTERM", "NO_COLOR", "OMP_", "CDPATH", "TESSERA_OPTIONS", "TESSERA_DEFAULTS", "XDG_CONFIG_HOME",
           "XDG_STATE_HOME")


def settle():
    """Gives this process and what it starts a home without settings, no plug-ins of HDF5, the locale C.UTF-8, and the
    limits and signals of a fresh login. Compiled OpenCL programs stay where they are: they take minutes."""
    environment = os.environ
    cache = environment.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    environment.setdefault("POCL_CACHE_DIR", os.path.join(cache, "pocl", "kcache"))
    for name in [name for name in environment if name.startswith(FOREIGN)]:
        del environment[name]
    own = tempfile.mkdtemp(prefix="tessera-surroundings-")
    atexit.register(remove, own, os.getpid())
    os.chmod(own, 0o755)  # a test may run the program as somebody else
    for folder in ("home", "plugins"):
        os.mkdir(os.path.join(own, folder))
    # mpirun refuses root without the last two.
    environment.update(HOME=os.path.join(own, "home"), HDF5_PLUGIN_PATH=os.path.join(own, "plugins"), XDG_CACHE_HOME=cache,
                       LANG="C.UTF-8", LC_ALL="C.UTF-8", TZ="UTC", TESSERA_FAULT=PATIENT,
                       OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    sys.dont_write_bytecode = True
    environment["PYTHONDONTWRITEBYTECODE"] = "1"
    os.umask(0o022)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    for number in (signal.SIGHUP, signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
    limit(resource.RLIMIT_CORE, 0)  # crashes are ordered, and their dumps would lie among a test's files
    for what in (resource.RLIMIT_FSIZE, resource.RLIMIT_AS, resource.RLIMIT_CPU):
        limit(what, resource.getrlimit(what)[1])


def limit(what, soft):
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(what, (soft, resource.getrlimit(what)[1]))


def remove(folder, owner):
    if os.getpid() == owner:  # not what it has forked
        shutil.rmtree(folder, ignore_errors=True)


settle()
