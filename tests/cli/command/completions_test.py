"""The completions of zsh and fish, in these shells."""

import os
import pty
import select
import shutil
import subprocess
import time
import unittest

from program import HANG_S, ProgramTest, main

MISSING = [shell for shell in ("zsh", "fish") if not shutil.which(shell)]


class Completions(ProgramTest):
    def setUp(self):
        super().setUp()
        self.assert_done("write-manuals", "m")
        for name in ("job.toml", "field.h5", "colours.txt"):
            self.write(name, "")


@unittest.skipIf("zsh" in MISSING, "no zsh")
class Zsh(Completions):
    def setUp(self):
        super().setUp()
        pid, self.terminal = pty.fork()
        if pid == 0:
            os.chdir(self.folder)
            os.execvpe("zsh", ["zsh", "-f", "-i"], {**os.environ, "TERM": "dumb"})
        self.addCleanup(os.waitpid, pid, 0)
        self.addCleanup(os.close, self.terminal)
        # What is typed runs this function, which says what the line has become.
        self.type("fpath=($PWD/m/share/zsh/site-functions $fpath); autoload -Uz compinit; compinit -u -D; "
                  "tessera() { print -r -- BEGIN $* 'E'ND }; print READ''Y\n", "READY")

    def type(self, text, end):
        os.write(self.terminal, text.encode())
        said, until = "", time.monotonic() + HANG_S
        while end not in said and time.monotonic() < until:
            if select.select([self.terminal], [], [], 0.1)[0]:
                said += os.read(self.terminal, 65536).decode(errors="replace")
        self.assertIn(end, said)
        return said

    def completed(self, line):
        said = self.type(line + "\t\n", " END")
        return said.rpartition("BEGIN ")[2].partition(" END")[0].strip()

    def test_completes_commands_options_values_and_files(self):
        for typed, word in (("rend", "render"), ("hel", "help"), ("help redu", "reduce"), ("--vers", "--version"),
                            ("render --vie", "--view"), ("render --size 9x9 --view porc", "porcelain"),
                            ("render --view=porc", "--view=porcelain"), ("render --palette emb", "ember"),
                            ("render --palette col", "colours.txt"), ("render jo", "job.toml"),
                            ("color fi", "field.h5"), ("render -o fi", "field.h5"), ("reduce --op argmi", "argmin"),
                            ("reduce --device gp", "gpu"), ("reduce --vie", "--vie"), ("render --iterations jo", "jo"),
                            ("reduce --op mean,medi", "mean,median"), ("render --fields iterations,sm", "iterations,smooth"),
                            ("render --formula burn", "burning-ship"), ("reduce --quantile-method haz", "hazen")):
            with self.subTest(typed):
                self.assertEqual(self.completed("tessera " + typed).split()[-1], word)


@unittest.skipIf("fish" in MISSING, "no fish")
class Fish(Completions):
    def completed(self, line):
        script = f"source m/share/fish/vendor_completions.d/tessera.fish; complete -C '{line}'"
        done = subprocess.run(["fish", "--no-config", "-c", script], cwd=self.folder, capture_output=True, text=True,
                              check=True, env={**os.environ, "HOME": self.folder})
        return [entry.split("\t")[0] for entry in done.stdout.splitlines()]

    def test_completes_commands_options_values_and_files(self):
        for typed, words in (("rend", ["render"]), ("hel", ["help"]), ("help redu", ["reduce"]), ("--vers", ["--version"]),
                             ("render --vie", ["--view"]), ("render --view porc", ["porcelain"]),
                             ("render --view=porc", ["--view=porcelain"]), ("render --palette emb", ["ember"]),
                             ("render --palette col", ["colours.txt"]), ("render jo", ["job.toml"]),
                             ("color fi", ["field.h5"]), ("render -o fi", ["field.h5"]),
                             ("reduce --op argmi", ["argmin"]), ("reduce --device gp", ["gpu"]), ("reduce --vie", []),
                             ("render --iterations jo", []), ("reduce --op mean,medi", ["mean,median"]),
                             ("render --fields iterations,sm", ["iterations,smooth"]),
                             ("render --formula burn", ["burning-ship"])):
            with self.subTest(typed):
                self.assertEqual(self.completed("tessera " + typed), words)


if __name__ == "__main__":
    for shell in MISSING:
        print(f"SKIPPED: no {shell}")
    main("neither zsh nor fish" if len(MISSING) == 2 else "")
