"""docs/options.md is what the program writes, so that the page cannot be stale.

usage: options_page_test.py PROGRAM SOURCE_DIR
"""

import os
import subprocess
import sys
import tempfile
import unittest

import pages

PROGRAM = os.path.abspath(sys.argv.pop(1))
PAGE = os.path.join(sys.argv.pop(1), "docs", "options.md")


def written():
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([PROGRAM, "write-manuals", folder], check=True, timeout=pages.HANG_S)
        with open(os.path.join(folder, "options.md")) as file:
            return file.read()


class OptionsPageTest(unittest.TestCase):
    def test_the_page_is_what_the_program_writes(self):
        with open(PAGE) as file:
            self.assertEqual(file.read(), written(), "copy src/manuals/options.md of the build to docs")

    def test_the_command_is_hidden(self):
        said = subprocess.run([PROGRAM, "--help"], capture_output=True, text=True, check=True, timeout=pages.HANG_S).stdout
        self.assertNotIn("write-manuals", said)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[1:]])
