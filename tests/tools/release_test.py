"""tools/release, in a clone: what it writes, tags and refuses. usage: release_test.py CHECKOUT"""

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest


class Release(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="tessera release ")
        self.addCleanup(folder.cleanup)
        self.folder = os.path.join(folder.name, "clone")
        done = subprocess.run(["git", "clone", "-q", "--no-tags", CHECKOUT, self.folder], capture_output=True, text=True)
        if done.returncode != 0:
            self.skipTest("no Git repository: " + done.stderr)
        self.git("config", "user.name", "A")
        self.git("config", "user.email", "a@b")
        # What is tested is the checkout as it is, whether it is committed or not.
        for name in ("tools/release", "tools/sbom", "CMakeLists.txt", "CHANGELOG.md", "CITATION.cff", "docs/install.md", "docs/cpp.md", "docs/report.md",
                     "include/tessera/context.hpp", "tests/install/project/CMakeLists.txt"):
            shutil.copy(os.path.join(CHECKOUT, name), self.path(name))
        shutil.rmtree(self.path("packaging"), ignore_errors=True)
        shutil.copytree(os.path.join(CHECKOUT, "packaging"), self.path("packaging"))
        with open(self.path("CHANGELOG.md")) as file:
            text = file.read()
        with open(self.path("CHANGELOG.md"), "w") as file:
            file.write(text.replace("## [Unreleased]", "## [Unreleased]\n\n- A change.", 1))
        self.git("add", "-A")
        self.git("commit", "-qm", "as it is")

    def path(self, name):
        return os.path.join(self.folder, name)

    def read(self, name):
        with open(self.path(name)) as file:
            return file.read()

    def git(self, *arguments):
        return subprocess.run(["git", *arguments], cwd=self.folder, capture_output=True, text=True, check=True).stdout

    def release(self, *arguments):
        return subprocess.run([self.path("tools/release"), *arguments, "--no-test", "--no-package"],
                              capture_output=True, text=True)

    def assert_refused(self, *words, arguments):
        done = self.release(*arguments)
        self.assertEqual(done.returncode, 2, done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)
        self.assertEqual(self.git("tag"), "")

    def test_it_writes_the_version_and_the_date_and_tags(self):
        before = re.search(r"project\(tessera VERSION (\S+)", self.read("CMakeLists.txt"))[1]
        done = self.release("99.0.1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("project(tessera VERSION 99.0.1 ", self.read("CMakeLists.txt"))
        self.assertRegex(self.read("CITATION.cff"), r"(?m)^version: 99\.0\.1\ndate-released: \d{4}-\d\d-\d\d$")
        self.assertRegex(self.read("CHANGELOG.md"),
                         r"## \[Unreleased\]\n\n## \[99\.0\.1\] - \d{4}-\d\d-\d\d\n\n- A change\.")
        self.assertEqual(self.git("tag", "--points-at", "HEAD"), "v99.0.1\n")
        self.assertEqual(self.git("status", "--porcelain"), "")
        with tarfile.open(self.path("out/release/tessera-99.0.1.tar.gz")) as archive:
            lists = archive.extractfile("tessera-99.0.1/CMakeLists.txt").read()
        self.assertIn(b"VERSION 99.0.1 ", lists)
        self.assertIn('version("99.0.1")', self.read("packaging/spack/packages/tessera/package.py"))
        [recipe] = os.listdir(self.path("packaging/easybuild"))
        self.assertIn("-99.0.1-", recipe)
        self.assertIn("version = '99.0.1'", self.read("packaging/easybuild/" + recipe))
        for name in ("docs/install.md", "docs/cpp.md", "docs/report.md", "include/tessera/context.hpp",
                     "tests/install/project/CMakeLists.txt"):
            self.assertNotIn(before, self.read(name), name)
            self.assertIn("99.0", self.read(name), name)
        self.assertIn("find_package(Tessera 99.0 REQUIRED)", self.read("docs/cpp.md"))
        self.assertIn("| `libtessera99.0` | `libtessera.so.99.0`;", self.read("docs/install.md"))
        bill = json.loads(self.read("out/release/tessera-99.0.1.cdx.json"))
        self.assertEqual((bill["bomFormat"], bill["metadata"]["component"]["version"]), ("CycloneDX", "99.0.1"))
        self.assertEqual({row["name"]: row.get("version") for row in bill["components"]}["HDF5"], ">=1.10.5")
        self.assertIn("tessera-99.0.1.cdx.json", self.read("out/release/SHA256SUMS"))

    def test_it_refuses_what_is_no_release(self):
        self.assert_refused("three numbers", arguments=["99.0"])
        self.assert_refused("does not come after", arguments=["0.0.1"])
        with open(self.path("README.md"), "a") as file:
            file.write("more\n")
        self.assert_refused("not committed", arguments=["99.0.1"])
        self.git("checkout", "-q", "README.md")
        text = self.read("CHANGELOG.md")
        begin = text.index("## [Unreleased]")
        with open(self.path("CHANGELOG.md"), "w") as file:
            file.write(text[:begin] + "## [Unreleased]\n\n## [0.0.1] - 2000-01-01\n\n- Nothing.\n")
        self.git("commit", "-qam", "nothing new")
        self.assert_refused("nothing under [Unreleased]", arguments=["99.0.1"])

    def test_a_failure_leaves_the_checkout_as_it_was(self):
        with open(self.path("out"), "w") as file:  # where a folder is to be made
            file.write("mine")
        self.git("add", "-f", "out")
        self.git("commit", "-qm", "in the way")
        self.assertNotEqual(self.release("99.0.1").returncode, 0)
        self.assertEqual((self.git("status", "--porcelain"), self.git("tag")), ("", ""))


if __name__ == "__main__":
    CHECKOUT = os.path.abspath(sys.argv.pop(1))
    unittest.main()
