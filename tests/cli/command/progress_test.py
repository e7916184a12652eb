"""Progress: on a terminal as wide as it is, with and without mpirun, and in a log."""

from program import main
from runs import SLOWLY, RunTest
from terminal import on_terminal, redrawn_lines

JOB = ("--size", "400x400", "--tile", "32", "--iterations", "20000", *SLOWLY)
BAR = r"^render \[#*\.*\] +\d+ %  \d+ of 169 tiles, .* left"


class Progress(RunTest):
    def test_a_bar_fits_the_terminal(self):
        for columns in (60, 80, 120):
            code, written = on_terminal("render", *JOB, "-o", f"{columns}.h5", columns=columns, cwd=self.folder)
            self.assertEqual(code, 0, written)
            lines = [line for line in redrawn_lines(written) if line.startswith("render ")]
            self.assertGreater(len(lines), 2, written)
            self.assertLess(max(len(line) for line in lines), columns)
            if columns >= 80:
                self.assertRegex(lines[-1], BAR)

    def test_a_bar_reaches_the_terminal_through_mpirun(self):
        code, written = on_terminal("render", *JOB, "-o", "a.h5", ranks=2, cwd=self.folder)
        self.assertEqual(code, 0, written)
        bars = [line for line in redrawn_lines(written) if line.startswith("render [")]
        self.assertGreater(len(bars), 2, written)
        self.assertRegex(bars[-1], BAR)
        self.assertLess(max(len(line) for line in bars), 80)

    def test_quiet_draws_nothing(self):
        code, written = on_terminal("render", *JOB, "-o", "a.h5", "-q", cwd=self.folder)
        self.assertEqual((code, written), (0, ""))

    def test_a_log_has_whole_lines_with_what_is_done(self):
        process = self.start_program("render", *JOB, "--iterations", "60000", "-o", "a.h5")
        said = self.finish_well(process)
        lines = [line for line in said.splitlines() if line.startswith("render: ")]
        self.assertGreaterEqual(len(lines), 1, said)
        self.assertRegex(lines[0], r"^render: \d.* % after .* s: \d+ of 169 tiles, .* left$")
        self.assertNotIn("\r", said)
        self.assertNotIn("\x1b", said)


if __name__ == "__main__":
    main()
