"""Pastes the shell blocks of README.md and docs/*.md, page by page, and compares what they print.

usage: paste_test.py PROGRAM SOURCE_DIR [PAGE.md...]
"""

import glob
import os
import re
import subprocess
import sys
import tempfile
import unicodedata
import unittest

import pages

PROGRAM = os.path.abspath(sys.argv.pop(1))
SOURCE = os.path.abspath(sys.argv.pop(1))
PAGES = [sys.argv.pop(1) for _ in sys.argv[1:] if sys.argv[1].endswith(".md")]


def all_pages():
    docs = sorted(os.path.relpath(path, SOURCE) for path in glob.glob(os.path.join(SOURCE, "docs", "*.md")))
    return PAGES or ["README.md", *docs]


def read(page):
    with open(os.path.join(SOURCE, page)) as file:
        return file.read()


def anchors(text):
    """Of the headings, as GitHub makes them."""
    headings = re.findall(r"(?m)^#+ (.*)$", re.sub(r"(?ms)^```.*?^```", "", text))
    plain = [re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).strip().lower() for heading in headings]
    kept = lambda c: c in " -_" or unicodedata.category(c) in ("Ll", "Lu", "Lo", "Nd")
    return {"".join(c for c in heading if kept(c)).replace(" ", "-") for heading in plain}


def paste(page, text):
    """The faults of a page that is pasted in a fresh folder, and how many blocks were only parsed."""
    with tempfile.TemporaryDirectory(prefix="tessera-paste-") as top:
        folder = os.path.join(top, "clone")
        os.mkdir(folder)
        pages.link_clone(SOURCE, folder)
        environment = pages.paste_environment(PROGRAM, sys.executable, os.path.join(top, "bin"))
        return pages.check_page(page, text, folder, environment)


class PagesTest(unittest.TestCase):
    def test_every_page_runs_as_pasted(self):
        for page in all_pages():
            with self.subTest(page=page):
                faults, ran, skipped = paste(page, read(page))
                print(f"{page}: {ran} commands ran, {skipped} blocks were only parsed", flush=True)
                self.assertEqual(faults, [], "\n" + "\n\n".join(faults))

    def test_links_lead_somewhere(self):
        for page in all_pages():
            for target, anchor in re.findall(r"\]\(([^)#\s]*)(?:#([^)\s]*))?\)", read(page)):
                if target.startswith(("http:", "https:", "mailto:")):
                    continue
                path = os.path.normpath(os.path.join(os.path.dirname(page), target)) if target else page
                self.assertTrue(os.path.exists(os.path.join(SOURCE, path)), f"{page}: there is no {target}")
                if anchor:
                    self.assertIn(anchor, anchors(read(path)), f"{page}: {path} has no such heading")

    def test_tables_have_no_empty_lines(self):
        for page in all_pages():
            lines = read(page).splitlines()
            for number, (before, line, row, under) in enumerate(zip(lines, lines[1:], lines[2:], lines[3:] + [""]), 2):
                inside = not line and before.startswith("|") and row.startswith("|")
                self.assertFalse(inside and not under.startswith("|--"), f"{page}:{number}")

    def test_readme_links_every_page(self):
        linked = set(re.findall(r"\]\(([^)#\s]+)", read("README.md")))
        missing = {page for page in all_pages() if page.startswith("docs/")} - linked
        self.assertEqual(missing, set())


class MachineryTest(unittest.TestCase):
    """The test itself: each kind of fault in a page is found."""

    def faults(self, text):
        return paste("page.md", text)[0]

    def assert_fault(self, text, *words):
        faults = self.faults(text)
        self.assertEqual(len(faults), 1, faults)
        for word in words:
            self.assertIn(word, faults[0])

    def assert_page_error(self, text, *words):
        with self.assertRaises(pages.PageError) as raised:
            self.faults(text)
        for word in words:
            self.assertIn(word, str(raised.exception))

    def test_a_right_page_has_no_faults(self):
        self.assertEqual(self.faults("```console\n$ tessera --version\ntessera ...\n```\n"), [])
        self.assertEqual(self.faults("```sh\nx=5\n```\n\n```console\n$ echo $x\n5\n```\n"), [])

    def test_a_wrong_output_is_found(self):
        self.assert_fault("```console\n$ echo four\nfive\n```\n", "page.md:2", "five", "four")
        self.assert_fault("```console\n$ echo four\n```\n", "page.md:2")
        self.assert_fault("```console\n$ true\nfive\n```\n", "page.md:2")
        self.assert_fault("```console\n$ printf '1\\n2\\n3\\n'\n1\n3\n```\n", "page.md:2")

    def test_a_failing_line_is_found(self):
        self.assert_fault("```sh\ntrue\nfalse\ntrue\n```\n", "page.md:3", "exit code 1")
        self.assert_fault("```sh\ntessera render --no-such-option\n```\n", "exit code 2")
        self.assert_fault("```sh\nno-such-program\n```\n", "exit code 127")
        self.assert_fault("```python\nraise SystemExit(3)\n```\n", "exit code 3")

    def test_an_expected_failure_is_shown_with_its_code(self):
        self.assertEqual(self.faults("```console\n$ (exit 3)\n$ echo $?\n3\n```\n"), [])
        self.assert_fault("```console\n$ (exit 3)\n$ echo $?\n2\n```\n", "page.md:3")

    def test_dots_stand_for_what_varies(self):
        page = "```console\n$ printf 'a 1 b\\nc\\nd\\ne\\n'\na ... b\n...\ne\n```\n"
        self.assertEqual(self.faults(page), [])
        self.assert_fault(page.replace("e\n```", "f\n```"), "page.md:2")

    def test_commands_may_take_several_lines(self):
        self.assertEqual(self.faults("```sh\nfor i in 1 2; do\n  echo $i\ndone > n\ntest $(wc -l < n) = 2\n```\n"), [])
        self.assertEqual(self.faults("```console\n$ echo a \\\n> b\na b\n```\n"), [])
        self.assert_fault("```sh\ncat <<X\nfalse\nX\nfalse\n```\n", "page.md:5")

    def test_a_shell_that_ends_early_is_found(self):
        self.assert_fault("```sh\ntrue\nexit 0\ntrue\n```\n", "page.md:3", "ended")

    def test_a_marked_block_is_parsed_and_counted(self):
        self.assertEqual(paste("page.md", "```sh skip=slurm\nfalse\n```\n"), ([], 0, 1))
        self.assert_page_error("```sh skip=slurm\nfor x in\n```\n", "page.md:2")

    def test_a_command_that_nothing_marks_is_found(self):
        self.assert_page_error("text\n\n    tessera views\n", "page.md:3", "outside")
        self.assert_page_error("    x=$(tessera reduce a.npy)\n", "page.md:1", "outside")
        self.assert_page_error("```\ntessera views\n```\n", "page.md:1", "names no language")
        self.assert_page_error("```sh skip=bored\ntessera views\n```\n", "page.md:1", "skip=bored")

    def test_each_page_has_a_folder_of_its_own(self):
        self.assertEqual(self.faults("```sh\ntest ! -e left\ntouch left\ntest -d jobs\n```\n"), [])
        self.assertEqual(self.faults("```sh\ntest ! -e left\n```\n"), [])


if __name__ == "__main__":
    for module in ("numpy", "h5py"):
        if subprocess.run([sys.executable, "-c", f"import {module}"], capture_output=True).returncode != 0:
            print(f"SKIPPED: this Python has no {module}")
            raise SystemExit(77)
    unittest.main(argv=[sys.argv[0], *sys.argv[1:]])
