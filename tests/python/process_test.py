"""The module in the processes of others: forks, ends, signals, floating-point modes, files of h5py, MPI."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
import unittest


def run(script, *prefix, environment=None, quiet=True, **options):
    """What the script prints. It must end well and, if `quiet`, write nothing to stderr."""
    done = subprocess.run([*prefix, sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True,
                          timeout=300, env={**os.environ, **(environment or {})}, **options)
    if done.returncode != 0 or (quiet and done.stderr):
        raise AssertionError(f"{done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout


AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
MPIRUN = shutil.which("mpirun")
HAS_MPI = MPIRUN is not None and importlib.util.find_spec("mpi4py") is not None
ENDLESS = '"random:normal?count=1000000000000"'


class Process(unittest.TestCase):
    def test_an_import_leaves_signals_environment_and_threads_alone(self):
        run(
            """
            import os, signal, tempfile
            os.chdir(tempfile.mkdtemp())
            def state():
                tasks = len(os.listdir("/proc/self/task"))
                return [signal.getsignal(n) for n in signal.valid_signals()], dict(os.environ), tasks, os.listdir(".")
            signal.signal(signal.SIGTERM, lambda *_: None)
            before = state()
            import tessera as ts
            ts.sum(range(10))
            ts.median("random:normal?count=300000")
            ts.render("seahorse", size=(64, 64), device="cpu")
            assert state() == before
            ignored = open("/proc/self/status").read().split("SigCgt:")[1].split()[0]
            assert int(ignored, 16) >> 9 & 1 == 0, ignored  # SIGUSR1
            """
        )

    def test_a_comma_of_the_locale_changes_no_number(self):
        with tempfile.TemporaryDirectory() as folder:
            made = subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", os.path.join(folder, "de_DE.UTF-8")],
                                  capture_output=True, text=True, check=False) if shutil.which("localedef") else None
            if made is None or not os.path.isdir(os.path.join(folder, "de_DE.UTF-8")):
                self.skipTest("no locale with a comma can be made")
            run(
                """
                import locale, tessera as ts
                how = dict(center="-0.75,0.1", height="0.3", size=(16, 9), iterations=50, device="cpu")
                deep = dict(center="-0.75000000000000000000000,0.10000000000000000000000", width="1e-20", rotate=30, size=(8, 8), device="cpu")
                before = [ts.render(**how).place, ts.render(**deep).place]
                locale.setlocale(locale.LC_ALL, "de_DE.UTF-8")
                assert locale.str(0.5) == "0,5"
                assert [ts.render(**how).place, ts.render(**deep).place] == before
                """,
                environment={"LOCPATH": folder},
            )

    def test_ctrl_c_raises_and_the_next_call_works(self):
        out = run(
            f"""
            import os, signal, tessera as ts
            def interrupt(done, total):
                if total:
                    os.kill(os.getpid(), signal.SIGINT)
            slow = dict(center="-0.7436438870371587,0.1318259042053119", width="1e-9", size=(2000, 2000), iterations=10**8)
            for call in (lambda: ts.sum({ENDLESS}, progress=interrupt), lambda: ts.median({ENDLESS}, progress=interrupt),
                         lambda: ts.render(**slow, progress=interrupt)):
                try:
                    call()
                except KeyboardInterrupt:
                    print("interrupted", ts.sum([1, 2]))
            """
        )
        self.assertEqual(out, 3 * "interrupted 3\n")

    def test_a_signal_from_outside(self):
        script = f"import tessera as ts\nprint('begun', flush=True)\nts.sum({ENDLESS})"
        with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True) as child:
            child.stdout.readline()
            child.send_signal(2)
            errors = child.communicate(timeout=60)[1]
        self.assertEqual(errors.splitlines()[-1], "KeyboardInterrupt")

    def test_the_end_of_the_interpreter_during_a_run(self):
        for _ in range(5):
            run(
                f"""
                import threading, tessera as ts
                begun = threading.Event()
                def work():
                    try:
                        ts.sum({ENDLESS}, progress=lambda done, total: begun.set())
                    except ts.Stopped:
                        pass
                threading.Thread(target=work, daemon=True).start()
                begun.wait()
                """
            )

    def test_forks_during_a_run(self):
        run(
            f"""
            import os, threading, tessera as ts
            begun, over = threading.Event(), threading.Event()
            def progress(done, total):
                begun.set()
                if over.is_set():
                    raise StopIteration
            def work():
                try:
                    ts.sum({ENDLESS}, progress=progress)
                except StopIteration:
                    pass
            thread = threading.Thread(target=work)
            thread.start()
            begun.wait()
            for _ in range(20):
                child = os.fork()
                if child == 0:
                    os._exit(0 if ts.sum([1, 2]) == 3 and ts.median("linspace:0,1?count=300000") == 0.5 else 1)
                assert os.waitpid(child, 0)[1] == 0
            over.set()
            thread.join()
            """
        )

    def test_pools_of_processes(self):
        for method in ("fork", "spawn", "forkserver"):
            run(
                f"""
                import multiprocessing, math, tessera as ts
                from operator import methodcaller
                with multiprocessing.get_context({method!r}).Pool(2) as pool:
                    parts = pool.starmap(ts.partial, [([0.1 * i, 1e300], "sum") for i in range(4)])
                    all = parts[0] | parts[1] | parts[2] | parts[3]
                    assert all.results()["sum"] == math.fsum(0.1 * i for i in range(4)) + 4e300
                """
            )

    def test_flushed_subnormals_and_other_rounding(self):
        run(
            """
            import ctypes, numpy as np, tessera as ts
            x = np.random.default_rng(1).normal(size=400000)
            x[::4] = 5e-324
            expected = [ts.reduce(y, "sum,min,count_nonzero,median")["count_nonzero"] for y in (x, x[:1000])]
            image = ts.render("seahorse", size=(64, 64)).iterations
            libm = ctypes.CDLL("libm.so.6")
            FE_UPWARD = 0x800
            assert libm.fesetround(FE_UPWARD) == 0
            environment = (ctypes.c_char * 64)()
            libm.fegetenv(environment)
            mxcsr = int.from_bytes(environment[28:32], "little") | 0x8040
            environment[28:32] = mxcsr.to_bytes(4, "little")
            libm.fesetenv(environment)
            assert np.float64(5e-324) * 1 == 0  # flushed
            got = [ts.reduce(y, "sum,min,count_nonzero,median")["count_nonzero"] for y in (x, x[:1000])]
            again = ts.render("seahorse", size=(64, 64)).iterations
            same = bool((image == again).all())
            assert libm.fegetround() == FE_UPWARD
            libm.fesetround(0)
            assert got == expected == [400000, 1000], got
            assert same
            """
        )

    def test_files_that_h5py_has_open(self):
        try:
            import h5py  # noqa: F401
        except ImportError:
            self.skipTest("no h5py")
        run(
            """
            import h5py, numpy as np, os, tempfile, tessera as ts
            path = os.path.join(tempfile.mkdtemp(), "x.h5")
            with h5py.File(path, "w") as file:
                file.create_dataset("x", data=np.arange(1000.0), chunks=(100,))
                assert ts.sum(file["x"]) == 499500  # not flushed yet
            with h5py.File(path, "r") as file:
                assert ts.max(file["x"]) == 999
                lazy = ts.open(path, "x")
                assert lazy[10] == 10
                with h5py.File(path, "r") as again:
                    assert again["x"][3] == 3
            with h5py.File(path, "r+") as file:
                file["x"][0] = 1e6
                assert ts.max(file["x"]) == 1e6
            os.remove(path)
            """
        )

    def test_a_program_named_as_the_helper_is_not_run(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("device-process", "tessera"):
                path = os.path.join(folder, name)
                with open(path, "w") as file:
                    file.write("raise SystemExit('was run')")
            run("import tessera as ts; ts.render('seahorse', size=(64, 64)); ts.devices()", cwd=folder)

    def test_ranks_of_mpi4py(self):
        if not HAS_MPI:
            self.skipTest("no mpi4py or no mpirun")
        out = run(
            """
            from mpi4py import MPI
            import tessera as ts
            comm = MPI.COMM_WORLD.Split(MPI.COMM_WORLD.rank % 2, 0)
            with ts.Context(device="cpu", threads=1, comm=comm) as context:
                whole = ts.mean("random:normal?count=1000000&seed=3", context=context)
                assert (whole is None) == (comm.rank > 0)
                image = ts.render("seahorse", size=(100, 80), context=context)
                assert (image is None) == (comm.rank > 0)
                assert (ts.reduce("random:normal?count=1000", "sum", context=context) is None) == (comm.rank > 0)
                try:
                    ts.sum("nowhere.npy", context=context)
                    raise SystemExit("no error")
                except ts.MissingError:
                    pass
                mine = [0.1 * comm.rank, 1e300, -7.0 - comm.rank]  # parts of one array
                found = ts.reduce(mine, "sum,argmin,count_nonzero", context=context)
                assert (found is None) == (comm.rank > 0)
                if comm.rank == 0:
                    assert dict(found) == {"sum": 2e300 - 14.9, "argmin": 5, "count_nonzero": 5}, found
                wrong = [1j] if comm.rank else [1.0]
                bad = "nowhere.npy" if comm.rank else [1.0]
                for call in (lambda: ts.sum(wrong, context=context), lambda: ts.median([1.0], context=context),
                             lambda: ts.sum(bad, context=context), lambda: ts.sum([[1.0]], axis=0, context=context),
                             lambda: ts.sum([1, 2] if comm.rank else [1.0], context=context),
                             lambda: ts.reduce([1.0], "sum" if comm.rank else "mean", context=context),
                             lambda: ts.sum([1.0], skipna=comm.rank == 0, context=context),
                             lambda: ts.sum([[1.0] * (1 + comm.rank)], context=context)):
                    try:
                        call()
                        raise SystemExit("no error")
                    except ts.UsageError as error:
                        assert "\\n" not in str(error)
            parts = MPI.COMM_WORLD.gather(ts.partial([1e300, float(MPI.COMM_WORLD.rank)], "sum"))
            alone = ts.mean("random:normal?count=1000000&seed=3")
            if MPI.COMM_WORLD.rank == 0:
                assert whole == alone
                print((parts[0] | parts[1] | parts[2] | parts[3]).results()["sum"] == 4e300 + 6)
            """,
            MPIRUN, "-n", "4", "--oversubscribe", "--bind-to", "none", environment=AS_ROOT,
        )
        self.assertEqual(out, "True\n")


    def test_a_lost_rank(self):
        if not HAS_MPI or "(Open MPI) 4" not in subprocess.run([MPIRUN, "--version"], capture_output=True, text=True).stdout:
            self.skipTest("no mpi4py, or no mpirun that can be told to go on")
        for victim, expected in ((2, ["None", "done"]), (0, ["lost", "lost"])):
            out = run(
                f"""
                import os, time
                from mpi4py import MPI
                import tessera as ts
                comm = MPI.COMM_WORLD
                begun = time.process_time()
                def progress(done, total):
                    # Whoever has worked for a second is in the run, as are all others: MPI itself would wait for ever.
                    worked = time.process_time() - begun
                    if comm.rank == {victim} and worked > 1:
                        os.kill(os.getpid(), 9)
                    if comm.rank == 0 and worked > 4:
                        raise StopIteration
                context = ts.Context(device="cpu", threads=1, comm=comm, heartbeat=0.5)
                try:
                    ts.sum({ENDLESS}, context=context, progress=progress)
                except StopIteration:
                    print("done", flush=True)
                except ts.Stopped:
                    print("None", flush=True)
                except ts.Error as error:
                    assert "has not been heard of" in str(error), error
                    print("lost", flush=True)
                os._exit(0)  # MPI cannot be finalized without the rank
                """,
                MPIRUN, "--enable-recovery", "--mca", "orte_abort_on_non_zero_status", "0", "-n", "3", "--oversubscribe",
                "--bind-to", "none", environment=AS_ROOT, quiet=False,
            )
            # mpirun may put lines of ranks into each other.
            self.assertEqual(sorted(re.findall("None|done|lost", out)), expected, victim)


if __name__ == "__main__":
    unittest.main()
