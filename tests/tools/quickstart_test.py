"""tools/quickstart leaves the picture and the data where it says, from what this build has made.

usage: quickstart_test.py SOURCE_DIR PROGRAM"""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE, PROGRAM = (os.path.abspath(name) for name in sys.argv[1:3])
del sys.argv[1:3]


class Quickstart(unittest.TestCase):
    def test_renders_first_light_into_out(self):
        with tempfile.TemporaryDirectory(prefix="tessera quickstart ") as folder:
            for name in ("tools", "jobs"):
                shutil.copytree(os.path.join(SOURCE, name), os.path.join(folder, name))
            os.makedirs(os.path.join(folder, "build/release/src"))
            os.symlink(PROGRAM, os.path.join(folder, "build/release/src/tessera"))
            os.mkdir(os.path.join(folder, "bin"))
            for command in ("cmake", "dpkg-query"):  # the program is built, and its packages are installed
                with open(os.path.join(folder, "bin", command), "w") as file:
                    file.write('#!/bin/sh\ntest "$(basename "$0")" = cmake || for name; do echo "installed $name"; done\n')
                os.chmod(file.name, 0o755)
            path = f"{folder}/bin:{os.environ['PATH']}"
            done = subprocess.run(["tools/quickstart"], cwd=folder, capture_output=True, text=True,
                                  env={**os.environ, "PATH": path})
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            for name in ("first-light.h5", "first-light.png"):
                self.assertGreater(os.path.getsize(os.path.join(folder, "out", name)), 1000)
                self.assertIn(f"{folder}/out/{name}", done.stdout)
            self.assertEqual(set(os.listdir(folder)), {"bin", "build", "jobs", "out", "tools"})


if __name__ == "__main__":
    unittest.main(verbosity=2)
