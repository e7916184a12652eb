"""tools/modulefile: the module files that it prints. usage: modulefile_test.py CHECKOUT TESSERA"""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest


class Modulefile(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="tessera module ")
        self.addCleanup(folder.cleanup)
        self.prefix = os.path.join(os.path.realpath(folder.name), "a prefix")
        os.makedirs(os.path.join(self.prefix, "bin"))
        os.symlink(TESSERA, os.path.join(self.prefix, "bin/tessera"))
        said = subprocess.run([TESSERA, "--version"], capture_output=True, text=True, check=True).stdout
        self.version = said.split()[1]

    def run_tool(self, *arguments):
        return subprocess.run([os.path.join(CHECKOUT, "tools/modulefile"), *arguments], capture_output=True, text=True)

    def test_a_file_of_lmod_names_the_prefix_and_the_version(self):
        done = self.run_tool(self.prefix)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f'prepend_path("PATH", "{self.prefix}/bin")', done.stdout)
        self.assertIn(f'prepend_path("MANPATH", "{self.prefix}/share/man")', done.stdout)
        self.assertIn(f'whatis("Version: {self.version}")', done.stdout)

    def test_a_file_of_environment_modules_is_tcl(self):
        done = self.run_tool("--tcl", self.prefix)
        self.assertTrue(done.stdout.startswith("#%Module1.0\n"), done.stdout)
        self.assertIn(f'prepend-path PATH "{self.prefix}/bin"', done.stdout)
        tclsh = shutil.which("tclsh")
        if not tclsh:
            self.skipTest("no tclsh to run it")
        commands = "foreach name {module-whatis conflict prepend-path setenv} { proc $name args { puts $args } }\n"
        ran = subprocess.run([tclsh], input=commands + done.stdout, capture_output=True, text=True)
        self.assertIn(f"PATH {{{self.prefix}/bin}}", ran.stdout, ran.stderr)

    def test_what_is_no_installation_is_refused(self):
        for arguments, code in (([], 2), (["--lua", self.prefix], 2), ([self.prefix + "/bin"], 3), ([self.prefix, "b"], 2)):
            done = self.run_tool(*arguments)
            self.assertEqual(done.returncode, code, arguments)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
            self.assertEqual(done.stdout, "")


CHECKOUT, TESSERA = (os.path.abspath(path) for path in sys.argv[1:3])
if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
