#!/usr/bin/env python3
"""Names of files, datasets and columns that look like something else, and what is said of names that lead nowhere.
tests/oracle/names_oracle.py does the same at random."""

import ast
import csv
import json
import os

from program import main
from reduction import ReduceTest

# Behind reduction, which skips the test where these are not.
import h5py
import numpy as np


class Inputs(ReduceTest):
    def save_as(self, *names, array=np.arange(6.0)):
        for name in names:
            os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
            with open(self.path(name), "wb") as file:
                np.save(file, array)

    def assert_sum(self, text, wanted, *options):
        said = self.assert_done("reduce", text, "--op", "sum", "--quiet", *options)
        self.assertEqual(float(said), wanted, text)

    def test_an_existing_file_is_named_by_its_name(self):
        for name in ("what?.npy", "a?dtype=f4.npy", "x:/y.npy", "a,b.npy", "a=b.npy", "back\\slash.npy", "x\\x41.npy",
                     "[1].npy", "new\nline.npy", "%41.npy", "o'clock \"5\".npy", "ü.npy", " .npy"):
            with self.subTest(name=name):
                self.save_as(name)
                self.assert_sum(name, 15)
                self.assert_done("info", name)
                self.assert_sum("".join(f"\\x{byte:02x}" for byte in name.encode()), 15)
                os.remove(self.path(name))

    def test_bytes_that_are_not_utf8(self):
        self.save_as(os.fsdecode(b"\xff.npy"))
        self.assert_sum(os.fsdecode(b"\xff.npy"), 15)
        self.assert_sum("\\xff.npy", 15)
        said = self.assert_done("reduce", "\\xff.npy", "--op", "sum", "--json")
        self.assertEqual(json.loads(said)["array"]["input"], "\\xff.npy")

    def test_raw_files_with_question_marks(self):
        for name in ("r?.raw", "r?dtype=f4", "r"):
            np.arange(4, dtype="u1").tofile(self.path(name))
            self.assert_sum(name + "?dtype=u1&shape=2x2", 6)
            os.remove(self.path(name))

    def test_datasets(self):
        names = ("valid?", "a?dtype=f4&shape=3", "a:b", "c,d", "e=f", "x\\x41", "*", "n\nl", "ü", "%41", "[0]")
        with h5py.File(self.path("n.h5"), "w") as file:
            for i, name in enumerate(names):
                file[name] = np.arange(3) + i
            file[b"\xfe"] = np.arange(2)
        for i, name in enumerate(names):
            with self.subTest(name=name):
                self.assert_sum("n.h5:/" + name, 3 + 3 * i)
                self.assert_sum("n.h5:/" + "".join(f"\\x{byte:02x}" for byte in name.encode()), 3 + 3 * i)
                self.assert_done("info", "n.h5:/" + name)
        self.assert_sum("n.h5:/\\xfe", 1)
        listed = json.loads(self.assert_done("info", "n.h5", "--json"))["files"][0]["datasets"]
        self.assertEqual({one["name"] for one in listed}, {"/" + name for name in names} | {"/\\xfe"})
        self.assertTrue(all("shape" in one for one in listed), listed)

    def test_patterns_know_the_star_alone(self):
        self.save_as("run[1]/p1.npy", "run[1]/p2.npy", "run1/p3.npy", "s*.npy", "s2.npy", "q?1.npy", "qx1.npy")
        self.assert_sum("run[1]/p*.npy", 30)
        self.assert_sum("s*.npy", 30)
        self.assert_sum("s\\x2a.npy", 15)
        self.assert_sum("q?*.npy", 15)

    def test_two_readings_are_refused(self):
        self.save_as("a=x.npy", "x.npy")
        self.assert_refused(["reduce", "--map", "a*2", "a=x.npy", "--op", "sum"], 2, "a=x.npy", "both there", "\\x3d")
        self.assert_sum("a=./x.npy", 30, "--map", "a*2")
        self.assert_sum("a\\x3dx.npy", 30, "--map", "a*2")
        self.save_as("k,k.npy", "k")
        self.save_as("k.npy", array=np.arange(6) % 2)
        np.zeros(4, "u1").tofile(self.path("r.raw"))
        self.save_as("r.raw?dtype=u1&shape=4")
        self.assert_refused(["reduce", "r.raw?dtype=u1&shape=4", "--op", "sum"], 2, "both there", "\\x3f")
        self.assert_sum("r\\x2eraw?dtype=u1&shape=4", 0)
        self.assert_refused(["reduce", "x.npy", "--by", "k,k.npy", "--op", "sum"], 2, "k,k.npy", "both there")

    def test_equals_signs_in_paths(self):
        self.save_as("year=2024/x.npy")
        self.assert_sum("year=2024/x.npy", 30, "--map", "a*2")
        self.assert_sum("b=year=2024/x.npy", 30, "--map", "b*2")
        self.assert_done("map", "a*2", "year=2024/x.npy", "--output", "o.npy")
        self.save_as("dot=1.npy")
        self.assert_done("reduce", "year=2024/x.npy", "--op", "dot", "--with", "dot=1.npy")

    def test_commas_in_lists_of_keys(self):
        keys = np.arange(6) % 3
        self.save_as("x.npy")
        self.save_as("a,b.npy", "k.npy", "  d/g,h.npy", array=keys)
        with h5py.File(self.path("k.h5"), "w") as file:
            file["c,d"] = keys
        keys.astype("u1").tofile(self.path("k.raw"))
        for by, columns in (("a,b.npy", ["a,b"]), ("k.npy,a,b.npy", ["k", "a,b"]), ("a,b.npy,k.npy", ["a,b", "k"]),
                            ("a\\x2cb.npy", ["a,b"]), ("k.h5:/c,d", ["c,d"]), ("k.h5:/c,d,k.npy", ["c,d", "k"]),
                            ("k.raw?dtype=u1&shape=6,k.npy", ["k", "k_key1"]), ("  d/g,h.npy", ["g,h"]),
                            ("  d/g,h.npy,k.npy", ["g,h", "k"])):
            with self.subTest(by=by):
                said = self.assert_done("reduce", "x.npy", "--by", by, "--op", "sum", "--json")
                self.assertEqual(json.loads(said)["groups"]["columns"], [*columns, "count", "sum"])
        self.assert_refused(["reduce", "x.npy", "--by", "g,h.npy", "--op", "sum"], 2, "--by g,h.npy", "\\x2c")


class Outputs(ReduceTest):
    def columns(self, output):
        path = self.path(output)
        if output.endswith(".h5"):
            with h5py.File(path) as file:
                return set(file)
        if output.endswith(".npy"):
            return set(np.load(path).dtype.names)
        with open(path, encoding="utf8", newline="") as file:
            return set(json.load(file)[0] if output.endswith(".json") else next(csv.reader(file)))

    def test_keys_keep_their_names_in_every_format(self):
        self.save(np.arange(6.0))
        for name in ("o'clock", "back\\slash", "ü", "日本", "a,b", 'say "a"', "new\nline", "\x1b[31m", "\\'", " x ", "\ufeffk"):
            np.save(self.path(name + ".npy"), np.arange(6) % 2)
            for output in ("t.npy", "t.json", "t.csv", "t.h5"):
                with self.subTest(name=name, output=output):
                    self.assert_done("reduce", "a.npy", "--by", name + ".npy", "--op", "sum", "--output", output, "--overwrite")
                    self.assertEqual(self.columns(output), {name, "count", "sum"})

    def test_a_long_head_is_of_version_2(self):
        self.save(np.arange(4.0))
        self.save(np.arange(4) % 2, "k.npy")
        self.assert_done("reduce", "a.npy", "--by", "k.npy", "--op", "topk=4000", "--output", "t.npy", "--quiet")
        with open(self.path("t.npy"), "rb") as file:
            self.assertEqual(file.read(8), b"\x93NUMPY\2\0")
            head = ast.literal_eval(file.read(int.from_bytes(file.read(4), "little")).decode("latin1"))
            self.assertEqual(file.tell() % 64, 0)
            self.assertEqual(np.fromfile(file, head["descr"])["topk_1"].tolist(), [2, 3])

    def test_no_two_columns_are_equal(self):
        self.save(np.arange(6.0))
        for name in ("minmax_min", "quantile_0.5", "topk_1", "count", "sum", "sum_key1", "v_from", "v"):
            np.save(self.path(name + ".npy"), np.arange(6) % 2)
        for by, operations in (("minmax_min", "minmax"), ("quantile_0.5", "quantile=0.5"), ("topk_1", "topk=1"),
                               ("count", "sum"), ("sum_key1,sum", "sum"), ("v,v", "sum")):
            with self.subTest(by=by):
                keys = ",".join(name + ".npy" for name in by.split(","))
                self.assert_done("reduce", "a.npy", "--by", keys, "--op", operations, "--output", "t.npy", "--overwrite")
                names = np.load(self.path("t.npy")).dtype.names
                self.assertEqual(len(set(names)), len(names), names)
        self.assert_done("reduce", "a.npy", "--by", "v_from.npy,a.npy", "--bins", "0,6,2", "--op", "sum", "--output", "t.h5")
        self.assertEqual(self.columns("t.h5"), {"v_from", "a_from", "a_to", "count", "sum"})
        self.assert_refused(["reduce", "a.npy", "--by", "v.npy", "--op", "quantile=0.5,0.50"], 2, "quantile", "0.5", "twice")

    def test_arrays_have_the_very_names_that_were_given(self):
        self.save(np.arange(3.0))
        for output in ("what?.npy", "%41.npy", "x\\x41.npy", "a,b.npy", "./c=d.npy", "o.h5:/a?b=c", "p.h5:/ü,\\x41"):
            with self.subTest(output=output):
                self.assert_done("map", "a*2", "a.npy", "--output", output)
                self.assertEqual(float(self.assert_done("reduce", output, "--op", "sum", "--quiet")), 6)
                self.assertTrue(os.path.exists(self.path(output.split(":/")[0])))
        os.mkdir(self.path("f.h5:"))
        self.assert_done("map", "a*2", "a.npy", "--output", "f.h5:/o.npy")
        self.assertTrue(os.path.exists(self.path("f.h5:/o.npy")))

    def test_homes(self):
        self.save(np.arange(3.0))
        home = dict(os.environ, HOME=self.path("home"))
        for arguments, made in ((("map", "a*2", "a.npy", "--output=~/r/o.npy", "--report=~/r.json"), ("r/o.npy", "r.json")),
                                (("map", "a=a+1", "~/r/o.npy", "--output", "a=~/p.npy"), ("p.npy",)),
                                (("reduce", "~/p.npy", "--op", "sum", "--checkpoint-file=~/c"), ()),
                                (("render", "--size=8x8", "--output=~/i.h5", "--png=~/i.png"), ("i.h5", "i.png")),
                                (("color", "~/i.h5", "~/j.png"), ("j.png",)),
                                (("info", "~/i.h5", "~/r/o.npy"), ())):
            self.assert_done(*arguments, env=home)
            for name in made:
                self.assertTrue(os.path.exists(self.path("home/" + name)), name)
        self.write("job.toml", 'size = "8x8"\noutput = "~/j.h5"\n')
        self.assert_done("render", "job.toml", env=home)
        self.assertTrue(os.path.exists(self.path("home/j.h5")))
        self.assertFalse(os.path.exists(self.path("~")))
        self.assert_refused(["map", "a", "a.npy", "--output=~nobody-here/o.npy"], 2, "--output ~nobody-here/o.npy", "no user", "./~")
        self.assert_refused(["render", "--png=~nobody-here/o.png"], 2, "--png ~nobody-here/o.png", "no user")

    def test_one_document_on_standard_output(self):
        self.save(np.arange(3.0))
        for options in (("--json", "--report", "-"), ("--json", "--trace", "/dev/stdout"), ("--report", "-", "--trace", "-")):
            self.assert_refused(["reduce", "a.npy", "--op", "sum", *options], 2, options[-2], "standard output")
            self.assert_refused(["map", "a", "a.npy", "--output", "o.npy", *options], 2, "standard output")
            self.assert_refused(["render", "--size", "8x8", "--output", "o.h5", *options], 2, options[-2])
        self.assert_refused(["bench", "--json", "--plot", "-"], 2, "--plot -", "--json")
        json.loads(self.assert_done("reduce", "a.npy", "--op", "sum", "--report", "-"))


class Messages(ReduceTest):
    def test_addresses(self):
        for text in ("https://host/x.h5:/d", "s3://bucket/x.npy", "file:///tmp/x.npy"):
            self.assert_refused(["reduce", text, "--op", "sum"], 2, text, "is a URL")
            self.assert_refused(["info", text], 2, text, "is a URL")
            self.assert_refused(["render", "--from", text], 2, text, "is a URL")
            self.assert_refused(["render", text], 2, text, "is a URL")
        self.save(np.arange(3.0))
        self.assert_refused(["map", "a", "a.npy", "--output", "s3://bucket/x.npy"], 2, "s3://bucket/x.npy", "is a URL")
        self.assert_refused(["render", "--png", "s3://bucket/x.png"], 2, "s3://bucket/x.png", "is a URL")
        self.assert_refused(["reduce", "a.npy", "--op", "sum", "--report", "s3://bucket/r"], 2, "s3://bucket/r", "is a URL")

    def test_broken_links(self):
        for name in ("l.npy", "l.h5", "l.toml"):
            os.symlink("gone " + name, self.path(name))
        self.assert_refused(["reduce", "l.npy", "--op", "sum"], 3, "l.npy", "link to gone l.npy")
        self.assert_refused(["reduce", "l.h5:/d", "--op", "sum"], 3, "l.h5", "link to gone l.h5")
        self.assert_refused(["info", "l.h5"], 3, "l.h5", "link to gone l.h5")
        self.assert_refused(["render", "l.toml"], 3, "l.toml", "link to gone l.toml")

    def test_pictures(self):
        self.assert_done("render", "--size", "64x36", "--png", "p.png", "--quiet")
        with open(self.path("p.png"), "rb") as file:
            whole = file.read()
        for length in (5, 8, 200, len(whole) - 1):
            with open(self.path("cut.png"), "wb") as file:
                file.write(whole[:length])
            for command in (["info", "cut.png"], ["render", "--from", "cut.png"]):
                self.assert_refused(command, 2, "cut.png", "PNG picture that is cut off")
        with open(self.path("x.jpg"), "wb") as file:
            file.write(b"\xff\xd8\xff\xe0\0\x10JFIF" + bytes(100))
        self.assert_refused(["info", "x.jpg"], 2, "x.jpg", "JPEG")
        self.assert_refused(["render", "--from", "x.jpg"], 2, "x.jpg", "JPEG")
        self.assert_refused(["color", "p.png", "o.png"], 2, "p.png", "PNG picture", "FILE.h5")

    def test_places_of_other_programs(self):
        self.write("x.kfr", "Re: -1.75\r\nIm: 0.01\r\nZoom: 1.5E20\r\nIterations: 2000\r\n")
        self.write("a.toml", 'location.real = "-1.75"\nlocation.imag = "0.01"\nlocation.zoom = "3e20"\n')
        for name, words in (("x.kfr", "Kalles Fraktaler (.kfr)"), ("a.toml", "Fraktaler-3")):
            self.assert_refused(["info", name], 2, name, words, "--from", "tessera place")

    def test_more_slices_than_there_is_memory_for(self):
        self.assert_refused(["reduce", "random:uniform?count=4611686018427387904", "--op", "sum", "--slice", "4K"], 2,
                            "--slice 4K", "9007199254740992 slices")

    def test_sizes_beyond_64_bits(self):
        np.zeros(24, "f4").tofile(self.path("r.raw"))
        self.assert_refused(["reduce", "r.raw?dtype=f8&shape=2305843009213693953", "--op", "sum"], 2, "18446744073709551624 bytes")
        self.assert_refused(["reduce", "r.raw?dtype=f8&shape=3&offset=9223372036854775807", "--op", "sum"], 2,
                            "9223372036854775831 bytes")
        head = b"{'descr': '<f8', 'fortran_order': False, 'shape': (0, 4611686018427387904, 8), }"
        with open(self.path("z.npy"), "wb") as file:
            file.write(b"\x93NUMPY\1\0" + (len(head) + 1).to_bytes(2, "little") + head + b"\n")
        self.assert_refused(["reduce", "z.npy", "--axis", "0", "--op", "sum", "--output", "o.h5"], 2, "z.npy", "2^62")


class Edges(ReduceTest):
    def bins(self, name):
        said = self.assert_done("reduce", "a.npy", "--by", "a.npy", "--bins", name, "--op", "count_nonzero", "--json")
        return json.loads(said)["groups"]["rows"]

    def test_as_numpy_and_pandas_have_them(self):
        self.save(np.array([-np.inf, -5, 1, 1.5, 2, np.inf, np.nan]))
        np.savetxt(self.path("e.txt"), [0, 1, 3], header="edges in m\nof 2024")
        self.assertEqual([row[:3] for row in self.bins("e.txt")], [[1, 3, 3]])
        np.save(self.path("e.npy"), np.array([-np.inf, 0, np.inf]))
        np.savetxt(self.path("i.txt"), [-np.inf, 0, np.inf])
        self.write("j.txt", "-Infinity, 0 # all below\n+inf\n")
        for name in ("e.npy", "i.txt", "j.txt"):
            self.assertEqual([row[:3] for row in self.bins(name)], [[None, 0, 2], [0, None, 4]])
        for name, text in (("n.txt", "nan 0 1"), ("w.txt", "0 1 edge"), ("d.txt", "0 0 1"), ("f.txt", "inf 0")):
            self.write(name, text)
            self.assert_refused(["reduce", "a.npy", "--by", "a.npy", "--bins", name, "--op", "max"], 2, "--bins", name)

    def test_files_whose_names_have_commas(self):
        self.save(np.arange(6.0))
        self.write("a,b,c.txt", "0 3 6")
        self.assertEqual(len(self.bins("a,b,c.txt")), 2)
        self.write("0,6,1", "0 3 6")
        self.assertEqual(len(self.bins("0,6,1")), 1)
        self.assertEqual(len(self.bins("./0,6,1")), 2)


if __name__ == "__main__":
    main()
