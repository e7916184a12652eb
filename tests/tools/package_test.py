"""tools/package: what is in the package, and the first picture of somebody who installs it on a clean system.

usage: package_test.py PACKAGE_TOOL BUILD_FOLDER VERSION. Exit 77 where no clean system can be made."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

# Runs in the clean system. The time is from the package to the picture.
FIRST_HOUR = r"""
set -e
cd /srv
began=$(date +%s)
apt-get install -y --no-install-recommends ./tessera_*.deb >install.log 2>&1 || { tail -20 install.log; exit 1; }
tessera render --png first.png --size 1280x720 --quiet
echo "from the package to the picture: $(($(date +%s) - began)) s"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
mpirun -n 2 --oversubscribe --bind-to none tessera render /usr/share/tessera/jobs/first-light.toml --size 320x180 \
  --output two.h5 --png two.png --report= --trace= --quiet
tessera verify two.h5
tessera --version
apt-get install -y --no-install-recommends ./libtessera0*.deb ./python3-tessera_*.deb >>install.log 2>&1 || { tail -20 install.log; exit 1; }
python3 -c 'import tessera; print("sum", tessera.sum([0.1] * 10)); print(tessera.open_image("two.h5").smooth.shape)'
apt-get purge -y tessera python3-tessera $(dpkg-query -f '${Package} ' -W 'libtessera*') >/dev/null
test ! -e /usr/bin/tessera -a ! -e /usr/share/tessera -a ! -e /usr/lib/python3/dist-packages/tessera
"""


def skip(why):
    print("skipped:", why)
    sys.exit(77)


def codename():
    with open("/etc/os-release") as file:
        keys = dict(line.rstrip().split("=", 1) for line in file if "=" in line)
    return keys.get("VERSION_CODENAME", "").strip('"')


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="tessera_package_")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        done = subprocess.run([TOOL, cls.folder, "--build-dir", BUILD], capture_output=True, text=True)
        if done.returncode != 0:
            raise AssertionError(done.stdout + done.stderr)
        cls.debs = {os.path.basename(name).partition("_")[0]: name for name in done.stdout.split()}
        cls.deb = cls.debs["tessera"]

    def query(self, *arguments):
        return subprocess.run(["dpkg-deb", *arguments], capture_output=True, text=True, check=True).stdout

    def test_it_names_its_version_and_what_it_needs(self):
        self.assertTrue(os.path.basename(self.deb).startswith(f"tessera_{VERSION}-1~"), self.deb)
        needs = self.query("-f", self.deb, "Depends")
        for library in ("libc6", "libhdf5", "libpng16", "libopenmpi", "openmpi-bin"):
            self.assertIn(library, needs)

    def test_it_holds_the_program_jobs_and_pages(self):
        names = {line.split()[5].removeprefix("./") for line in self.query("-c", self.deb).splitlines()}
        for name in ("usr/bin/tessera", "usr/bin/tessera-slurm", "usr/share/tessera/jobs/first-light.toml",
                     "usr/share/doc/tessera/README.md", "usr/share/doc/tessera/docs/reduce.md",
                     "usr/share/doc/tessera/copyright", "usr/share/man/man1/tessera.1",
                     "usr/share/bash-completion/completions/tessera", "usr/share/zsh/vendor-completions/_tessera",
                     "usr/share/fish/vendor_completions.d/tessera.fish"):
            self.assertIn(name, names)

    def names_in(self, package):
        return {line.split()[5].removeprefix("./") for line in self.query("-c", self.debs[package]).splitlines()}

    def test_others_hold_the_library_its_headers_and_the_python_package(self):
        minor = VERSION.rpartition(".")[0]
        self.assertIn(f"usr/lib/libtessera.so.{minor}", self.names_in(f"libtessera{minor}"))
        for name in ("usr/include/tessera/tessera.hpp", "usr/lib/libtessera.so", "usr/lib/cmake/Tessera/TesseraConfig.cmake"):
            self.assertIn(name, self.names_in("libtessera-dev"))
        self.assertIn(f"libtessera{minor} (= {VERSION}-1~", self.query("-f", self.debs["libtessera-dev"], "Depends"))
        self.assertNotIn("usr/include", {name[:11] for name in self.names_in("tessera")})
        if "python3-tessera" in self.debs:
            folder = "usr/lib/python3/dist-packages"
            for name in ("tessera/__init__.py", "tessera/py.typed", f"tessera-{VERSION}.dist-info/entry_points.txt"):
                self.assertIn(f"{folder}/{name}", self.names_in("python3-tessera"))
            self.assertIn("python3-numpy", self.query("-f", self.debs["python3-tessera"], "Depends"))

    def test_it_makes_the_first_picture_on_a_clean_system(self):
        if os.geteuid() != 0 or not shutil.which("mmdebstrap"):
            self.skipTest("a clean system takes root and mmdebstrap")
        script = os.path.join(self.folder, "first_hour")
        with open(script, "w") as file:
            file.write(FIRST_HOUR)
        root = os.path.join(tempfile.mkdtemp(prefix="tessera_root_"), "root")
        self.addCleanup(shutil.rmtree, os.path.dirname(root), ignore_errors=True)
        # Hooks are shell lines; the names hold blanks.
        copies = [f"--customize-hook=copy-in '{name}' /srv" for name in (*self.debs.values(), script)]
        done = subprocess.run(["mmdebstrap", "--mode=root", "--variant=apt", *copies,
                               '--customize-hook=chroot "$1" bash /srv/first_hour',
                               f"--customize-hook=copy-out /srv/first.png '{self.folder}'", codename(), "/dev/null"],
                              capture_output=True, text=True, timeout=600)
        if done.returncode != 0 and "first_hour" not in done.stderr:  # it failed before the hooks
            self.skipTest("no clean system here: " + done.stderr[-300:])
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        print(*(line for line in (done.stdout + done.stderr).splitlines() if "to the picture" in line))
        with open(os.path.join(self.folder, "first.png"), "rb") as file:
            head = file.read(24)
        self.assertEqual((head[:8], int.from_bytes(head[16:20], "big")), (b"\x89PNG\r\n\x1a\n", 1280))


if __name__ == "__main__":
    TOOL, BUILD, VERSION = sys.argv[1:4]
    del sys.argv[1:4]
    if not shutil.which("dpkg-shlibdeps"):
        skip("no dpkg-dev")
    unittest.main(verbosity=2)
