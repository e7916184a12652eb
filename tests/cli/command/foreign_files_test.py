"""Files that are not Tessera's stay; outputs go where links lead, with the permissions that they had."""

import json
import os
import stat
import subprocess
import time

try:
    import h5py
    import numpy as np
except ImportError as missing:
    print(f"SKIPPED: {missing} (Debian: python3-h5py python3-numpy)")
    raise SystemExit(77)

from program import TESSERA, main
from runs import SLOWLY, RunTest
from surroundings import HANG_S

MAP = ("map", "a*2", "x.npy", "--device", "cpu", "--quiet", "--output")
RENDER = ("render", "--size", "64x48", "--iterations", "50", "--tile", "32", "--device", "cpu", "--quiet", "--output")
MINE = "mine, all mine\n"


class Folder(RunTest):
    def setUp(self):
        super().setUp()
        np.save(self.path("x.npy"), np.arange(3.))
        np.save(self.path("k.npy"), np.arange(3))

    def contents(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def commands(self):
        """One for each kind of output: its name, and the command without it."""
        by = ("reduce", "x.npy", "--by", "k.npy", "--op", "sum", "--device", "cpu", "--quiet", "--output")
        axis = ("reduce", "x.npy", "--axis", "0", "--op", "sum", "--device", "cpu", "--quiet", "--output")
        yield from {"m.npy": MAP, "m.h5": MAP, "i.h5": RENDER, "t.csv": by, "t.json": by, "t.npy": by, "t.h5": by,
                    "r.npy": axis, "p.png": ("palettes", "viridis", "--preview"), "c.png": ("color", "image.h5")}.items()

    def start_long(self, output, *options):
        return self.start_program("reduce", "random:uniform?count=1e11", "--axis", "0", "--op", "sum", "--quiet", *SLOWLY, "--output",
                                  output, *options)

    def render_image(self):
        self.assert_done(*RENDER, "image.h5")


class Beside(Folder):
    """Files of the user under the names of what a run leaves beside its output."""

    def test_an_orbit_that_is_none_stays(self):
        deep = (*RENDER[:-1], "--center=-1.99999911758766165543764649311537154663,0", "--zoom", "1e30", "--output")
        for name, command in (("flat.h5", RENDER), ("deep.h5", deep)):
            self.write(name + ".orbit", MINE)
            self.assert_done(*command, name)
            self.assertEqual(self.contents(name + ".orbit"), MINE.encode())
        self.write("mine", MINE)
        os.symlink("mine", self.path("link.h5.orbit"))
        self.assert_done(*deep, "link.h5")
        self.assertEqual(self.contents("mine"), MINE.encode())

    def test_a_log_that_is_none_stays_beside_a_complete_image(self):
        self.assert_done(*RENDER, "a.h5")
        self.write("a.h5.part.log", MINE)
        self.assert_done(*RENDER, "a.h5")
        self.assertEqual(self.contents("a.h5.part.log"), MINE.encode())

    def test_a_name_of_a_stream_stays(self):
        os.symlink("/proc/self/fd/2", self.path("err"))
        with open(self.path("said"), "w") as said:
            code = subprocess.run([TESSERA, "reduce", "x.npy", "--op", "sum", "--quiet", "--device", "cpu", "--status-file",
                                   self.path("err")], cwd=self.folder, stdout=subprocess.DEVNULL, stderr=said).returncode
        self.assertEqual(code, 0)
        self.assertTrue(os.path.islink(self.path("err")))
        self.assertTrue(self.contents("said").startswith(b"0\n"), self.contents("said"))


class Marks(Folder):
    def old(self, name, text):
        self.write(name, text)
        two_hours = time.time() - 7200
        os.utime(self.path(name), (two_hours, two_hours))

    def test_clean_keeps_texts_about_tessera(self):
        self.render_image()
        self.assert_done(*RENDER, "share.h5", "--share", "1/2")
        words = ("tessera bench", '"schema": "tessera-reduce-1"', '{"displayTimeUnit":"ms","traceEvents":[',
                 '<meta name="generator" content="tessera">', "TSRRED01", "TSRRED02", "TSGROUPS", "TSRGRP02", "TSRROW02", "TSRLOG01",
                 "TSRORB02", "tessera: what the file beside this one was made of\n", "process 12 on node since today\nboot/1 2 three\n")
        names = []
        for suffix in (".part", ".part.new", ".part.log", ".part.rows", ".part.groups", ".part.checkpoint", ".done", ".orbit",
                       ".lock", ".pyramid", ".checkpoint"):
            for number, word in enumerate(words):
                if suffix == ".part.checkpoint" and word.startswith("TSRRED"):
                    continue  # what a damaged checkpoint looks like
                names.append(f"talk{number}{suffix}")
                self.old(names[-1], word + " is what I talk about\n")
        self.old("picture.part", "\x89PNG\r\n is how a picture of Tessera begins")
        said = self.assert_done("clean", "--remove")
        for name in (*names, "picture.part"):
            self.assertTrue(os.path.exists(self.path(name)), f"{name} is gone: {said}")
        self.assertFalse(os.path.exists(self.path("share.h5.part")))

    def test_a_complete_share_is_not_called_unfinished(self):
        self.assert_done(*RENDER, "share.h5", "--share", "1/2", "--report-html", "r.html")
        for said in (self.assert_done("clean"), self.assert_done("info", "share.h5.part")):
            self.assertIn("share 1/2", said)
            self.assertNotIn("unfinished render", said)
            self.assertNotIn("status              unfinished", said)
        with open(self.path("r.html")) as file:
            self.assertNotIn('"state":"unfinished"', file.read())
        self.assert_done(*RENDER, "two.h5", "--share", "2/2")
        self.assert_done("merge", "all.h5", "share.h5.part", "two.h5.part", "--quiet")
        with h5py.File(self.path("all.h5")) as file:
            self.assertEqual(file.attrs["status"], b"complete")

    def test_texts_of_others_are_not_replaced(self):
        self.render_image()
        for text in ('The report has "schema": "tessera-reduce-1" in it.\n', "#!/bin/sh\n# runs tessera bench every night\n",
                     '{"displayTimeUnit":"ms","traceEvents":[]}\n', '<p><meta name="generator" content="tessera"></p>\n',
                     '{\n  "schema": "tessera-notes-1",\n  "command": "none"\n}\n'):
            self.write("mine", text)
            for command in (("reduce", "x.npy", "--op", "sum", "--report", "mine"), ("reduce", "x.npy", "--op", "sum", "--trace", "mine"),
                            ("reduce", "x.npy", "--op", "sum", "--report-html", "mine"), ("info", "image.h5", "--html", "mine"),
                            ("bench", "--sizes", "", "--elements", "1000", "--plot", "mine"),
                            ("reduce", "x.npy", "--op", "sum", "--status-file", "mine")):
                self.assert_refused(command, 2, "mine")
                self.assertEqual(self.contents("mine").decode(), text)

    def test_own_texts_are_replaced(self):
        self.render_image()
        for name, command in (("r.json", ("reduce", "x.npy", "--op", "sum", "--report")),
                              ("t.json", ("color", "image.h5", "c.png", "--overwrite", "--trace")),
                              ("p.html", ("info", "image.h5", "--html")), ("s", ("info", "image.h5", "--status-file")),
                              ("b.svg", ("bench", "--sizes", "", "--elements", "1000", "--repeats", "1", "--device", "cpu", "--plot"))):
            for _ in range(2):
                self.assert_done(*command, name)
            self.assertGreater(os.path.getsize(self.path(name)), 4)
        self.assertEqual(json.loads(self.contents("t.json"))["otherData"]["program"], "tessera")


class Parts(Folder):
    def test_of_others_stay(self):
        self.render_image()
        for name, command in self.commands():
            for suffix in (".part", ".part.checkpoint", ".part.checkpoint.new", ".part.log", ".part.rows", ".part.groups"):
                with self.subTest(name=name, suffix=suffix):
                    self.write(name + suffix, MINE)
                    done = self.run_program(*command, name)
                    self.assertEqual(self.contents(name + suffix).decode(), MINE)
                    if done.returncode != 0:  # it was in the way
                        self.assertEqual(done.returncode, 2, done.stderr)
                        self.assertIn(name + suffix, done.stderr)
                        self.assertFalse(os.path.exists(self.path(name)))
                    else:
                        self.assertNotEqual(suffix, ".part")
                        os.remove(self.path(name))
                    os.remove(self.path(name + suffix))
                    if os.path.exists(self.path(name + ".done")):
                        os.remove(self.path(name + ".done"))

    def test_of_texts_stay_and_are_seen_before_the_work(self):
        self.write("r.json.part", MINE)
        self.assert_refused(("reduce", "x.npy", "--op", "sum", "--report", "r.json"), 2, "r.json.part")
        self.assertEqual(self.contents("r.json.part").decode(), MINE)

    def test_overwrite_replaces_them(self):
        for name, command in self.commands():
            if name == "c.png":
                self.render_image()
            self.write(name + ".part", MINE)
            self.assert_done(*command, name, "--overwrite")
            self.assertFalse(os.path.exists(self.path(name + ".part")))

    def test_of_a_killed_picture_are_replaced(self):
        self.render_image()
        self.assert_done("color", "image.h5", "c.png", "--quiet")
        with open(self.path("d.png.part"), "wb") as file:
            file.write(self.contents("c.png")[:300])
        self.assert_done("color", "image.h5", "d.png", "--quiet")

    def test_names_of_any_length(self):
        self.render_image()
        for name, command in self.commands():
            stem, suffix = os.path.splitext(name)
            for length in (216, 245, 255):
                long = stem + "y" * (length - len(name)) + suffix
                self.assertEqual(len(long), length)
                done = self.run_program(*command, long)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertTrue(os.path.exists(self.path(long)))
        left = [name for name in os.listdir(self.folder) if ".part" in name]
        self.assertEqual(left, [])
        self.assert_done("render", "--size", "64x48", "--iterations", "50", "--quiet", "--png", "y" * 251 + ".png")

    def test_what_a_run_with_a_long_name_has_left_is_known(self):
        name = "z" * 251 + ".npy"
        process = self.start_long(name)
        self.assert_reaches(process, "its checkpoint", lambda: any(left.endswith(".part.checkpoint") for left in os.listdir(self.folder)))
        self.kill(process)
        self.assertIn("~", self.assert_done("clean"))
        self.assertIn("unfinished array", self.assert_done("clean", "--remove"))


class Pipes(Folder):
    def test_keep_nobody_waiting(self):
        self.render_image()
        for name in ("X.part", "X.part.checkpoint", "X.checkpoint", "X.part.log", "m.npy.part.checkpoint", "X.done", "X.lock"):
            os.mkfifo(self.path(name))
        self.write("Y.part", "a")
        os.mkfifo(self.path("Y.part.checkpoint"))
        self.assert_done("clean", "--remove")
        for command in (("reduce", "X.part"), ("info", "X.part"), ("verify", "X.part"), ("color", "X.part", "c.png"),
                        (*MAP, "m.npy"), ("render", "--from", "X.part", "--output", "o.h5"),
                        ("reduce", "random:uniform?count=100", "--op", "sum", "--checkpoint-file", "X.checkpoint"),
                        ("reduce", "random:uniform?count=100", "--op", "sum", "--checkpoint-file", "X.checkpoint", "--overwrite")):
            with self.subTest(command=command):
                done = self.run_program(*command)
                self.assertEqual(done.returncode, 2, done.stderr)
        os.mkfifo(self.path("i.h5.part"))
        self.assertEqual(self.run_program(*RENDER, "i.h5").returncode, 2)
        self.assertTrue(stat.S_ISFIFO(os.stat(self.path("X.checkpoint")).st_mode))

    def test_are_no_outputs_that_a_rename_would_replace(self):
        self.render_image()
        for name, command in self.commands():
            os.mkfifo(self.path(name))
            self.assert_refused((*command, name, "--overwrite"), 2, name)
            self.assertTrue(stat.S_ISFIFO(os.stat(self.path(name)).st_mode))


class Access(Folder):
    def mode(self, name):
        return stat.S_IMODE(os.stat(self.path(name)).st_mode)

    def test_of_outputs_stays(self):
        self.render_image()
        for name, command in self.commands():
            for mode in (0o600, 0o640, 0o664):
                with open(self.path(name), "wb"):
                    os.chmod(self.path(name), mode)
                self.assert_done(*command, name, "--overwrite")
                self.assertEqual(self.mode(name), mode, name)
        self.assert_done("reduce", "x.npy", "--op", "sum", "--report", "r.json")
        os.chmod(self.path("r.json"), 0o600)
        self.assert_done("reduce", "x.npy", "--op", "sum", "--report", "r.json")
        self.assertEqual(self.mode("r.json"), 0o600)

    def test_of_new_outputs_is_what_the_umask_leaves(self):
        self.render_image()
        for name, command in self.commands():
            done = subprocess.run([TESSERA, *command, name], cwd=self.folder, capture_output=True, text=True, timeout=HANG_S,
                                  preexec_fn=lambda: os.umask(0o027))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(self.mode(name), 0o640, name)

    def test_of_unfinished_private_files_is_private(self):
        with open(self.path("o.npy"), "wb"):
            os.chmod(self.path("o.npy"), 0o600)
        process = self.start_long("o.npy", "--overwrite")
        self.assert_reaches(process, "its checkpoint", lambda: os.path.exists(self.path("o.npy.part.checkpoint")))
        for name in ("o.npy.part", "o.npy.part.checkpoint"):
            self.assertEqual(self.mode(name), 0o600, name)

    def test_links_lead_to_the_output(self):
        self.render_image()
        os.makedirs(self.path("far/away"))
        for name, command in self.commands():
            for target, old in ((f"far/{name}", True), (f"far/away/{name}", False), (self.path(f"far/absolute{name}"), False)):
                if old:
                    self.write(target, "")
                os.symlink(target, self.path("link"))
                os.symlink("link", self.path(name))  # a chain
                self.assert_done(*command, name, "--overwrite")
                self.assertTrue(os.path.islink(self.path(name)), name)
                self.assertTrue(os.path.islink(self.path("link")), name)
                self.assertGreater(os.path.getsize(os.path.join(self.folder, target)), 0, name)
                self.assertEqual([left for left in os.listdir(self.path("far")) if ".part" in left], [])
                os.remove(self.path(name))
                os.remove(self.path("link"))
        os.symlink("b", self.path("a.npy"))
        os.symlink("a.npy", self.path("b"))
        self.assert_refused((*MAP, "a.npy", "--overwrite"), 2, "a.npy", "symbolic link")

    def test_a_link_and_its_target_are_one_output(self):
        os.symlink("o.npy", self.path("link.npy"))
        self.assert_refused(("map", "c = a + 1", "d = a * 2", "x.npy", "--output", "c=link.npy", "--output", "d=o.npy"), 2, "would overwrite")


class Datasets(Folder):
    def setUp(self):
        super().setUp()
        with h5py.File(self.path("r.h5"), "w") as file:
            file["precious"] = np.arange(5.)
            file["g/deep"] = np.arange(7)
            file["c"] = np.arange(9)
            file.attrs["mine"] = "yes"

    def assert_kept(self, without):
        with h5py.File(self.path("r.h5")) as file:
            self.assertEqual(list(file["precious"]), [0, 1, 2, 3, 4])
            self.assertEqual(file.attrs["mine"], "yes")
            if "g/deep" not in without:
                self.assertEqual(len(file["g/deep"]), 7)

    def test_beside_a_new_one_stay(self):
        replaced = set()
        for options in ((), ("--compress", "1"), ("--chunk", "2")):
            for name in ("new", "c", "g/deep", "h/i/new"):
                self.assert_done(*MAP, f"r.h5:/{name}", "--overwrite", *options)
                with h5py.File(self.path("r.h5")) as file:
                    self.assertEqual(list(file[name]), [0, 2, 4])
                    self.assertEqual(file[name].attrs["format"], "tessera-map")
                replaced.add(name)
                self.assert_kept(replaced)
                said = self.run_program(*MAP[:-2], "--output", f"r.h5:/{name}", *options).stderr
                self.assertIn("complete already", said)
        self.assertEqual([name for name in os.listdir(self.folder) if ".part" in name], [])

    def test_a_file_of_one_array_describes_that(self):
        for expression in ("a + 1", "a * 3"):
            self.assert_done("map", expression, "x.npy", "--device", "cpu", "--quiet", "--output", "one.h5:/one", "--overwrite")
            with h5py.File(self.path("one.h5")) as file:
                for described in (file.attrs, file["one"].attrs):
                    self.assertEqual(described.get("map", expression), expression)
                self.assertTrue("map" in file.attrs or "map" in file["one"].attrs)

    def test_are_not_replaced_without_leave(self):
        self.assert_refused((*MAP, "r.h5:/new"), 2, "r.h5", "--overwrite")

    def test_what_is_no_place_for_an_array_is_refused(self):
        self.assert_refused((*MAP, "r.h5:/g", "--overwrite"), 2, "r.h5:/g")
        self.assert_refused((*MAP, "r.h5:/precious/x", "--overwrite"), 2, "r.h5:/precious")
        self.write("text.h5", MINE)
        self.assert_refused((*MAP, "text.h5:/new", "--overwrite"), 2, "text.h5")
        self.assert_kept(())


if __name__ == "__main__":
    main()
