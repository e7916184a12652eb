"""What makes the program easy to use: help, short names, folders that are made, files that are never lost."""

import json
import os
import shutil
import subprocess

from images import h5py
from program import ProgramTest, main, why_missing
from runs import SLOWLY, RunTest

JOBS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "jobs")
SMALL = ("--size", "64x48", "--quiet")


class Help(ProgramTest):
    def test_help_takes_a_command(self):
        self.assertEqual(self.assert_done("help"), self.assert_done("--help"))
        for command in ("render", "devices"):
            self.assertEqual(self.assert_done("help", command), self.assert_done(command, "--help"))
        self.assert_refused(("help", "rendr"), 2, "rendr: no such command", "did you mean render?")

    def test_help_fits_the_terminal(self):
        for columns in ("80", "100", "200"):
            for command in ("help", "render", "reduce"):
                said = self.assert_done("help", command, env={**os.environ, "COLUMNS": columns})
                self.assertLessEqual(max(len(line) for line in said.splitlines()), int(columns))

    def test_devices_fits_the_terminal(self):
        said = self.assert_done("devices", env={**os.environ, "COLUMNS": "80"})
        self.assertLessEqual(max(len(line) for line in said.splitlines()), 80, said)

    def test_short_names(self):
        self.assertEqual(self.assert_done("render", "-q", "-o", "a.h5", "--size", "64x48"), "")
        self.assertTrue(os.path.exists(self.path("a.h5")))
        self.assertEqual(self.assert_done("-V"), self.assert_done("--version"))

    def test_lists_and_tables_fit_80_columns(self):
        for command in (("palettes",), ("render", "--size", "64x48", "-o", "a.h5")):
            for line in self.assert_done(*command).splitlines():
                self.assertLessEqual(len(line), 80, line)

    def test_the_beginning_of_a_name_is_a_hint(self):
        self.assert_refused(("render", "--out", "a.h5"), 2, "--out", "did you mean --output?")
        for given, words in (("--magnification", "take --zoom"), ("--maxiter", "take --iterations"), ("--aa", "take --supersample N"),
                             ("--skipna", "see tessera render --help")):
            self.assert_refused(("render", given, "3"), 2, given, words)
        self.assert_refused(("reduce", "a.npy", "--skipna"), 2, "take --nan skip")
        self.assert_refused(("render", "--de", "cpu"), 2, "--de: render takes no such argument; see")


class Devices(ProgramTest):
    def test_gpu_is_any_gpu_or_an_error(self):
        if why_missing("gpu"):
            self.assert_refused(("render", *SMALL, "--device", "gpu", "-o", "a.h5"), 3,
                                "--device gpu: no GPU with CUDA or OpenCL", "tessera devices lists")
        else:
            self.assert_done("render", *SMALL, "--device", "gpu", "-o", "a.h5")
            self.assertTrue(os.path.exists(self.path("a.h5")))


class Folders(ProgramTest):
    def test_are_made_for_every_output(self):
        self.assert_done("render", *SMALL, "-o", "a/b/a.h5", "--png", "c/a.png", "--report", "d/e/r.json",
                         "--trace", "f/t.json")
        self.assert_done("color", "a/b/a.h5", "g/a.png", "--report", "h/r.json", "-q")
        self.assert_done("merge", "i/m.h5", "a/b/a.h5", "-q")
        for output in ("j/s.npy", "k/s.h5"):
            self.assert_done("reduce", "a/b/a.h5:/iterations", "--op", "sum", "--axis", "0", "-o", output, "-q",
                             "--report", "l/r.json")
        self.assert_done("bench", "--device", "cpu", "--sizes", "8", "--iterations", "5", "--elements", "", "--repeats",
                         "1", "-q", "--plot", "m/b.svg", "--report", "m/b.json")
        for path in ("a/b/a.h5", "c/a.png", "d/e/r.json", "f/t.json", "g/a.png", "h/r.json", "i/m.h5", "j/s.npy",
                     "k/s.h5", "l/r.json", "m/b.svg", "m/b.json"):
            self.assertTrue(os.path.exists(self.path(path)), path)

    def test_are_not_made_by_a_command_that_is_refused(self):
        self.assert_refused(("render", *SMALL, "-o", "new/a.h5", "--memory", "16M", "--tile", "16384"), 2, "--memory")

    def test_job_files_run_from_anywhere_and_name_no_folder(self):
        for job in sorted(name for name in os.listdir(JOBS) if name.endswith(".toml")):
            self.assert_done("render", os.path.join(JOBS, job), "--size", "32x32", "--iterations", "100", "-q")
        self.assertEqual([name for name in os.listdir(self.folder) if os.path.isdir(self.path(name))], [])
        self.assertIn("first-light.png", os.listdir(self.folder))

    def test_the_shares_of_a_job_file_write_a_report_each(self):
        shutil.copy(os.path.join(JOBS, "poster.toml"), self.path("poster.toml"))
        for share, output in (("1/2", "first.h5"), ("2/2", "second.h5")):
            self.assert_done("render", "poster.toml", "--size", "64x64", "--tile", "16", "--png=", "--share", share,
                             "--output", output, "-q")
        self.assert_done("merge", "poster.h5", "first.h5.part", "second.h5.part", "-q")
        reports = [self.read_json(f"poster.share{share}.json") for share in (1, 2)]
        self.assertEqual([report["total"]["tiles"] for report in reports], [8, 8])


class Kept(ProgramTest):
    def test_reports_traces_and_plots_replace_their_own_kind_only(self):
        bench = ("bench", "--device", "cpu", "--sizes", "8", "--iterations", "5", "--elements", "", "--repeats", "1", "-q")
        render = ("render", *SMALL)
        for command, option, name in ((bench, "--plot", "a.svg"), (bench, "--report", "a.json"),
                                      (render, "--report", "b.json"), (render, "--trace", "c.json"),
                                      (("reduce", "linspace:0,1?count=9", "--op", "sum"), "--report", "d.json")):
            self.write(name, "mine, all mine\n")
            self.assert_refused((*command, option, name), 2, f"{option} {name}: is there already")
            self.assertEqual(open(self.path(name)).read(), "mine, all mine\n")
            self.write(name, "")
            for _ in range(2):
                self.assert_done(*command, option, name)
            self.assertGreater(os.path.getsize(self.path(name)), 100)

    def test_overwrite_replaces_any_report(self):
        self.write("r.json", "mine\n")
        self.assert_done("render", *SMALL, "--report", "r.json", "--overwrite")
        self.assertEqual(self.read_json("r.json")["command"], "render")


class Clean(RunTest):
    def leave_some(self):
        """An unfinished share with its log, a finished array with its note, a checkpoint, files that only look alike."""
        self.assert_done("render", "--size", "64x64", "--tile", "16", "--share", "1/2", "-q", "-o", "s.h5")
        self.assert_done("reduce", "linspace:0,1?count=100", "--op", "sum", "--axis", "0", "-o", "a.npy", "-q")
        stopped = self.start_program("reduce", "random:uniform?count=1e7", "--op", "sum", *SLOWLY, "--slice", "64K", "-q",
                                     "--checkpoint-file", "mine", hold=4)
        self.assert_held(stopped)
        stopped.terminate()
        self.finish(stopped)
        for name in ("b.part", "b.part.log", "b.done", "c.checkpoint", "notes.log"):
            self.write(name, "mine, all mine\n")
        return {"s.h5.part", "s.h5.part.log", "a.npy.done", "mine"}

    def listed(self, said):
        return {line.split()[0] for line in said.splitlines()[:-1]}

    def test_lists_what_belongs_to_what_and_removes_only_that(self):
        leftovers = self.leave_some()
        before = set(os.listdir(self.folder))
        said = self.assert_done("clean")
        self.assertEqual(self.listed(said), leftovers, said)
        for words in ("complete share 1/2 for merge, 8 of 16 tiles", "log of s.h5.part, 8 tiles",
                      "note on how a.npy was made", "checkpoint of a reduction"):
            self.assertIn(words, said)
        self.assertEqual(set(os.listdir(self.folder)), before)
        self.assertEqual(self.assert_done("clean", ranks=2), said)
        said = self.assert_done("clean", "--remove")
        self.assertEqual(said.count("removed; "), len(leftovers), said)
        self.assertEqual(set(os.listdir(self.folder)), before - leftovers)
        self.assertEqual(self.assert_done("clean"), "nothing is left over here\n")

    def test_leaves_what_a_run_is_writing(self):
        self.assert_held(self.start_program("render", "--size", "400x400", "--tile", "64", *SLOWLY, "-q", "-o", "r.h5", hold=4))
        said = self.assert_done("clean", "--remove")
        self.assertEqual(said.count("in use; "), 2, said)
        self.assertTrue(os.path.exists(self.path("r.h5.part")))

    def test_prints_one_document(self):
        leftovers = self.leave_some()
        listed = json.loads(self.assert_done("clean", "--json"))
        self.assertEqual({file["path"] for file in listed["files"]}, leftovers)
        self.assertEqual({(file["in_use"], file["removed"]) for file in listed["files"]}, {(False, False)})
        self.assertEqual(listed["bytes"], sum(os.path.getsize(self.path(name)) for name in leftovers))
        removed = json.loads(self.assert_done("clean", "--json", "--remove"))
        self.assertEqual((removed["removed_bytes"], removed["bytes"]), (listed["bytes"], listed["bytes"]))
        self.assertEqual(json.loads(self.assert_done("clean", "--json"))["files"], [])

    def test_a_lock_is_a_leftover_once_its_process_is_gone(self):
        machine = open("/proc/sys/kernel/random/boot_id").read().strip() + "/" + os.readlink("/proc/self/ns/pid")
        start = open("/proc/self/stat").read().rpartition(")")[2].split()[19]
        claim = "process 1 on node7 since 2024-05-01T12:00:00Z\n{} {} {} 1\n"
        self.write("gone.h5.part.lock", claim.format(machine, os.getpid(), int(start) + 1))
        self.write("held.h5.part.lock", claim.format(machine, os.getpid(), start))
        self.write("elsewhere.h5.part.lock", claim.format("boot/pid", 12, 99))
        self.write("mine.lock", "process of mine\n")
        said = self.assert_done("clean", "--remove")
        self.assertEqual(self.listed(said), {"gone.h5.part.lock", "held.h5.part.lock", "elsewhere.h5.part.lock"})
        self.assertIn("removed; lock of gone.h5.part by process 1 on node7", said)
        self.assertEqual(said.count("in use; "), 2, said)
        os.utime(self.path("elsewhere.h5.part.lock"), (0, 0))
        self.assertIn("removed; lock of elsewhere", self.assert_done("clean", "--remove"))
        self.assertEqual(set(os.listdir(self.folder)), {"held.h5.part.lock", "mine.lock"})

    def test_takes_a_folder(self):
        self.assert_refused(("clean", "nowhere"), 3, "nowhere")
        os.mkdir(self.path("f"))
        self.assert_done("render", "--size", "64x64", "--tile", "16", "--share", "1/2", "-q", "-o", "f/s.h5")
        self.assertEqual(self.listed(self.assert_done("clean", "f")), {"f/s.h5.part", "f/s.h5.part.log"})


class Manuals(ProgramTest):
    def setUp(self):
        super().setUp()
        self.assert_done("write-manuals", "m")

    def complete(self, *words):
        script = ('source m/share/bash-completion/completions/tessera; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); '
                  '_tessera; printf "%s\\n" "${COMPREPLY[@]}"')
        done = subprocess.run(["bash", "-c", script, "bash", "tessera", *words], cwd=self.folder, capture_output=True,
                              text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.split()

    def test_bash_completes_commands_options_values_and_files(self):
        self.assertEqual(self.complete("rend"), ["render"])
        self.assertEqual(self.complete("help", "rend"), ["render"])
        self.assertEqual(self.complete("render", "--vi"), ["--view"])
        self.assertEqual(self.complete("reduce", "--vi"), [])
        self.assertIn("seahorse", self.complete("render", "--view", "sea"))
        self.assertEqual(self.complete("render", "--device", "gp"), ["gpu"])
        # Lists continue.
        self.assertEqual(self.complete("reduce", "--op", "mean,med"), ["mean,median"])
        self.assertEqual(self.complete("render", "--fields", "iterations,sm"), ["iterations,smooth"])
        self.assertEqual(self.complete("render", "--device", "cuda,cp"), ["cuda,cpu"])
        self.assertEqual(self.complete("render", "--formula", "bur"), ["burning-ship"])
        self.assertEqual(self.complete("render", "--formula", "ju"), ["julia:"])
        self.assertEqual(self.complete("reduce", "--quantile-method", "haz"), ["hazen"])
        self.write("job.toml", "")
        self.assertEqual(self.complete("render", "jo"), ["job.toml"])
        self.assertEqual(self.complete("render", "--iterations", "jo"), [])

    def test_every_command_has_a_page_that_names_its_options(self):
        pages = os.listdir(self.path("m/share/man/man1"))
        commands = [line.split()[0] for line in self.assert_done("--help").split("Subcommands:")[1].splitlines()
                    if line.startswith("  ") and line[2] != " "]
        self.assertEqual(set(pages), {"tessera.1", *(f"tessera-{command}.1" for command in commands)})
        page = open(self.path("m/share/man/man1/tessera-render.1")).read()
        for words in ("\\-o, \\-\\-output", "\\-\\-size", "JOB.toml"):
            self.assertIn(words, page)
        self.assertIn("\\fIINPUT\\fP...", open(self.path("m/share/man/man1/tessera-reduce.1")).read())
        for name in pages:
            page = open(self.path("m/share/man/man1/" + name)).read()
            for section in ("DESCRIPTION", "FILES", "ENVIRONMENT", "SEE ALSO", *(["EXAMPLES"] if name != "tessera.1" else [])):
                self.assertIn(f".SH {section}\n", page, name)
        if shutil.which("groff"):
            for name in pages:
                done = subprocess.run(["groff", "-man", "-Tascii", "-ww", self.path("m/share/man/man1/" + name)],
                                      capture_output=True, text=True)
                self.assertEqual((done.returncode, done.stderr), (0, ""), name)

    def test_every_help_ends_in_three_examples_of_options_that_exist(self):
        for page in os.listdir(self.path("m/share/man/man1")):
            command = page[len("tessera-"):-len(".1")]
            if page == "tessera.1":
                continue
            said = self.assert_done(command, "--help")
            options, _, rest = said.partition("Examples:\n")
            lines = [line.strip() for line in rest.partition("\n\n")[0].splitlines() if not line.strip().startswith("#")]
            self.assertEqual(len(lines), 3, rest)
            self.assertLessEqual(max(map(len, rest.splitlines())), 80)
            for line in lines:
                self.assertIn("tessera ", line)
                if f"tessera {command}" not in line:
                    continue  # what comes before it
                for word in line.partition(f"tessera {command}")[2].split():
                    if word.startswith("--") or word in ("-o", "-q"):
                        self.assertIn(word.split("=")[0], options, line)

    def test_the_help_of_plan_has_what_changes_a_plan_and_the_rest_is_taken(self):
        said = self.assert_done("plan", "--help")
        self.assertIn("--supersample", said)
        for option in ("--serve", "--overwrite", "--png-depth", "--max-seconds"):
            self.assertNotIn(option, said)
        self.assertLess(len(said.splitlines()), 110)
        self.assert_done("plan", "--size", "64x64", "--png-depth", "16", "--png", "a.png", "--max-seconds", "1h", "-q")

    def test_other_shells_take_their_scripts(self):
        for shell, script in (("zsh", "zsh/site-functions/_tessera"), ("fish", "fish/vendor_completions.d/tessera.fish")):
            text = open(self.path("m/share/" + script)).read()
            self.assertIn("render", text)
            if shutil.which(shell):
                subprocess.run([shell, "-n", self.path("m/share/" + script)], check=True)


class Center(ProgramTest):
    def test_digits_beyond_f64_are_told(self):
        digits = "-0.74364388703715870475219150611477,0.13182590420531197049313205638514"
        done = self.run_program("render", "--size", "64x48", f"--center={digits}", "-o", "a.h5")
        self.assertIn("rounded to -0.7436438870371587,0.13182590420531198", done.stderr)
        for center in ("-0.75,0", "-0.7436438870371587,0.13182590420531197", "0.5000000000000000000000000,0"):
            done = self.run_program("render", "--size", "64x48", f"--center={center}", "-o", "a.h5", "--overwrite")
            self.assertNotIn("rounded", done.stderr)


class TileSize(ProgramTest):
    def test_a_slow_image_has_smaller_tiles_on_cores(self):
        for view, tile in (("deep-spiral", "128"), ("whole", "512")):
            said = self.assert_done("plan", "--view", view, "--size", "640x400", "--device", "cpu", "--output", "p.h5")
            self.assertRegex(said, rf"tiles .* of {tile} px\n")
        said = self.assert_done("plan", "--view", "deep-spiral", "--size", "640x400", "--device", "cpu", "--tile", "512", "--output", "p.h5")
        self.assertIn("of 512 px", said)

    def render(self, *options, name="a.h5"):
        done = self.run_program("render", "--size", "130x90", "--threads", "1", "--output", name, "--report", "r.json",
                                *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.read_json("r.json")["job"]["tile"], done.stderr

    def tile_of(self, name):
        with h5py.File(self.path(name)) as file:
            return int(file.attrs["tile"])

    def test_auto_is_512_for_cores(self):
        self.assertEqual(self.render("--device", "cpu")[0], "512")
        self.assertEqual(self.tile_of("a.h5"), 512)
        self.write("a.toml", "tile = 'auto'\nsize = '64x64'\noutput = 'b.h5'\ndevice = 'cpu'\n")
        self.assert_done("render", "a.toml", "--quiet")
        self.assertEqual(self.tile_of("b.h5"), 512)
        self.assertIn("of 512 px", self.assert_done("plan", "a.toml"))

    def test_auto_keeps_the_tile_of_a_file(self):
        for tile in ("16", "37", "1024"):
            self.render("--tile", tile, "--overwrite")
            again, said = self.render()
            self.assertEqual(again, tile)
            self.assertIn("is complete already", said)
            os.remove(self.path("a.h5"))
            self.render("--tile", tile, "--share", "1/2")
            again, said = self.render("--share", "1/2")
            self.assertEqual(again, tile)
            self.assertIn("resuming", said)
            self.assertEqual(self.render("--overwrite")[0], "512")

    def test_auto_keeps_the_tile_of_a_picture_alone(self):
        self.render("--tile", "1024", "--output=", "--png", "p.png")
        again, said = self.render("--output=", "--png", "p.png")
        self.assertEqual(again, "1024")
        self.assertIn("is complete already", said)

    def test_plan_says_the_tile_of_an_unfinished_file(self):
        command = ("plan", "--size", "130x90", "--device", "cpu", "--output", "a.h5")
        self.assertRegex(self.assert_done(*command), "of 512 px\n")
        self.render("--tile", "37", "--share", "1/2")
        before = os.stat(self.path("a.h5.part"))
        self.assertRegex(self.assert_done(*command), "4 x 3 = 12 of 37 px, as in its file\n")
        self.assertRegex(self.assert_done(*command, "--tile", "64"), "of 64 px\n")
        self.assertEqual(os.stat(self.path("a.h5.part")).st_mtime_ns, before.st_mtime_ns)

    def test_from_takes_the_tile_of_the_file(self):
        self.render("--tile", "37")
        self.assertEqual(self.render("--from", "a.h5", name="b.h5")[0], "37")
        self.assertEqual(self.render("--from", "a.h5", "--tile", "auto", name="c.h5")[0], "512")

    def test_from_takes_the_tile_of_the_picture(self):
        self.render("--tile", "37", "--png", "a.png")
        self.assertEqual(self.render("--from", "a.png", name="b.h5")[0], "37")
        self.assertEqual(self.render("--from", "a.png", "--tile", "auto", name="c.h5")[0], "512")


if __name__ == "__main__":
    main()
