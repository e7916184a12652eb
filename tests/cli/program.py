"""Runs the program in a scratch folder and looks at what it said and left behind."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

from surroundings import HANG_S

TESSERA = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else "tessera"


def seed():
    """Of what a test leaves to chance; tools/soak gives each repetition another."""
    return int(os.environ.get("TESSERA_SEED", "7"))


def times():
    """How many times more often than usual a test does what it leaves to chance."""
    return int(os.environ.get("TESSERA_SOAK", "1"))


def preloading(library):
    """The environment in which a program has the calls of `library` before those of libc. LD_PRELOAD takes a
    space for the end of a path, so that its folder goes another way."""
    folder, name = os.path.split(library)
    beside = os.environ.get("LD_LIBRARY_PATH")
    return {**os.environ, "LD_PRELOAD": name, "LD_LIBRARY_PATH": f"{folder}:{beside}" if beside else folder}


def launched(command, ranks):
    """The command on so many ranks; as it is where that is 0."""
    return ["mpirun", "-q", "-n", str(ranks), "--oversubscribe", "--bind-to", "none", *command] if ranks else list(command)


def lines_of(said):
    """The program's own lines, among those of mpirun and of drivers."""
    return [line for line in said.splitlines() if line.startswith("tessera: ")]


# Starts a program whose files may not become longer than so many bytes: a full disk, to the byte.
LIMITED = """
import os, resource, signal, sys
limit = int(sys.argv[1])
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
os.execv(sys.argv[2], sys.argv[2:])
"""


class ProgramTest(unittest.TestCase):
    def setUp(self):
        # Where tools/soak wants the evidence of a failure, it removes the folders of the others.
        kept = os.environ.get("TESSERA_KEEP")
        if kept:
            self.folder = tempfile.mkdtemp(prefix="files ", dir=kept)
            return
        folder = tempfile.TemporaryDirectory(prefix="tessera cli ")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w") as file:
            file.write(text)
        return name

    def read_json(self, name):
        with open(self.path(name)) as file:
            return json.load(file)

    def small_disk(self, size):
        """A folder with room for `size` (as mount takes it), and no more."""
        folder = self.path("disk")
        os.mkdir(folder)
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder], capture_output=True)
        if mounted.returncode != 0:
            self.skipTest("needs leave to mount a small disk")
        self.addCleanup(subprocess.run, ["umount", "-l", folder], check=True)
        return folder

    def run_program(self, *arguments, ranks=0, timeout=HANG_S, **options):
        return subprocess.run(launched([TESSERA, *arguments], ranks), cwd=self.folder, capture_output=True, text=True,
                              timeout=timeout, **options)

    def assert_refused(self, arguments, code, *words, ranks=0, **options):
        """One line on stderr with these words, that exit code, no new file, nothing on stdout."""
        before = set(os.listdir(self.folder))
        done = self.run_program(*arguments, ranks=ranks, **options)
        said = lines_of(done.stderr)
        context = f"{arguments}: exit {done.returncode}, stderr {done.stderr!r}"
        self.assertEqual(done.returncode, code, context)
        self.assertEqual(len(said), 1, context)
        if not ranks:
            self.assertEqual(done.stderr, said[0] + "\n", context)
        for word in words:
            self.assertIn(word, said[0], context)
        self.assertEqual(done.stdout, "", context)
        self.assertEqual(set(os.listdir(self.folder)), before, context)

    def assert_done(self, *arguments, **options):
        done = self.run_program(*arguments, **options)
        self.assertEqual(done.returncode, 0, f"{arguments}: {done.stderr}")
        return done.stdout


def why_missing(device):
    """What the program says where there is no such device; "" where there is one."""
    probe = subprocess.run([TESSERA, "reduce", "random:uniform?count=10", "--op", "sum", "--device", device, "--quiet"],
                           capture_output=True, text=True, timeout=HANG_S)
    return probe.stderr.strip() if probe.returncode == 3 else ""


def main(skipped=""):
    """Runs the tests of the file, or none of them for the reason `skipped`."""
    if skipped:
        print(f"SKIPPED: {skipped}")
        raise SystemExit(77)
    unittest.main(argv=[sys.argv[0], *sys.argv[1:]])
