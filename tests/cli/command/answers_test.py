"""Answers for scripts: bare numbers with --quiet, JSON with --json, "-" for standard streams, attributes with types."""

import json
import os
import subprocess

from program import TESSERA, ProgramTest, launched, main
from reduction import ReduceTest, h5py, np

SMALL = ("--size", "300x200", "--tile", "64")


class Answers(ProgramTest):
    def document(self, *arguments, **options):
        """The one JSON document that a command prints."""
        document = json.loads(self.assert_done(*arguments, "--json", **options))
        self.assertRegex(document["schema"], r"tessera-\w+-1")
        return document

    def test_every_command_prints_one_document(self):
        render = self.document("render", *SMALL, "--output", "a.h5")
        self.assertEqual((render["command"], render["found_complete"], render["total"]["tiles"]), ("render", False, 20))
        self.assertTrue(self.document("render", *SMALL, "--output", "a.h5", ranks=2)["found_complete"])
        info = self.document("info", "a.h5")["files"][0]
        self.assertEqual((info["kind"], info["stored_tiles"], info["tiles"]), ("image", 20, 20))
        self.assertEqual(info["attributes"]["iterations"], 1000)
        self.assertEqual(info["datasets"][0], {"name": "/iterations", "dtype": "u2", "shape": [200, 300],
                                               "chunk": [64, 64]})
        self.assertEqual(self.document("verify", "a.h5")["recomputed_tiles"], 20)
        self.assertEqual(self.document("color", "a.h5", "a.png")["command"], "color")
        plan = self.document("plan", *SMALL)
        self.assertEqual((plan["pixels"], plan["tiles"], plan["ranks"]), (60000, 20, 1))
        self.assertNotIn("simulated", plan)
        large = ("--view", "seahorse", "--size", "1600x1200", "--tile", "64", "--iterations", "50000")
        simulated = self.document("plan", *large, "--ranks", "1,4,4000", "--threads", "1", "--device", "cpu")["simulated"]
        self.assertEqual([run["ranks"] for run in simulated], [1, 4, 4000])
        self.assertGreater(simulated[0]["efficiency"], 2 * simulated[2]["efficiency"])
        self.assertLess(simulated[2]["efficiency"], 0.05)  # of 475 tiles
        self.assertNotEqual(simulated[2]["limit"], "")
        self.assertGreaterEqual(simulated[0]["wall_s"], simulated[1]["wall_s"])
        self.assertEqual([run["writers"] for run in simulated], [1, 1, 1])
        several = self.document("plan", *large, "--ranks", "1,4,4000", "--writers", "90", "--device", "cpu")["simulated"]
        self.assertEqual([run["writers"] for run in several], [1, 4, 19])  # no more than rows of tiles
        slow = ("--ranks", "1,4,4000", "--disk", "1K", "--compress", "0", "--device", "cpu")
        auto = self.document("plan", *large, *slow, "--writers", "auto")["simulated"]
        self.assertEqual([run["writers"] for run in auto], [1, 4, 19])
        for bad in (("--ranks", "x"), ("--ranks", ""), ("--ranks", "4,0"), ("--ranks", "1", "--disk", "0")):
            self.assert_refused(("plan", *SMALL, *bad), 2, bad[-2])
        views = self.document("views")["views"]
        self.assertEqual((views[0]["name"], views[0]["center_re"]), ("whole", -0.75))
        palettes = self.document("palettes")["palettes"]
        self.assertEqual((palettes[0]["name"], palettes[0]["colors"][0][0]), ("twilight", "#"))
        self.assertEqual(self.document("clean")["files"], [])
        self.assertEqual(self.document("bench", "--sizes", "64", "--elements", "", "--quiet")["command"], "bench")

    def test_a_merge_is_a_document_too(self):
        for share in ("1/2", "2/2"):
            self.assert_done("render", *SMALL, "--share", share, "--output", share[0] + ".h5", "--quiet")
        first = self.document("merge", "m.h5", "1.h5", "2.h5")
        self.assertEqual((first["tiles"], first["found_complete"]), (20, False))
        self.assertTrue(self.document("merge", "m.h5", "1.h5", "2.h5")["found_complete"])

    def test_a_damaged_file_is_a_document_and_an_error(self):
        self.assert_done("render", *SMALL, "--output", "a.h5", "--quiet")
        with h5py.File(self.path("a.h5"), "r+", libver=("v110", "v110")) as file:
            tiles = file["tiles"][...]
            tiles["checksum"][3] += 1
            file["tiles"][...] = tiles
        done = self.run_program("verify", "a.h5", "--json")
        self.assertEqual(done.returncode, 4)
        verdict = json.loads(done.stdout)
        self.assertEqual((verdict["wrong_tiles"], len(verdict["problems"])), (1, 1))
        self.assertEqual(self.document("verify", "a.h5", "--repair")["wrong_tiles"], 0)

    def test_a_dash_is_a_standard_stream(self):
        text = 'size = "300x200"\noutput = "a.h5"\nquiet = true\n'
        self.assert_done("render", "-", input=text)
        self.assert_done("render", "-", "--output", "b.h5", input=text, ranks=2)
        report = json.loads(self.assert_done("render", "-", "--output", "c.h5", "--report", "-", input=text))
        self.assertEqual(report["job"]["size"], "300x200")
        trace = json.loads(self.assert_done("render", *SMALL, "--output", "d.h5", "--trace", "-"))
        self.assertIn("traceEvents", trace)
        self.assertEqual(sorted(os.listdir(self.folder)), ["a.h5", "b.h5", "c.h5", "d.h5"])
        self.assert_refused(["render", "-"], 2, "standard input:1: size", "a string in quotes", input="size = 3\n")
        self.assert_refused(["render", *SMALL, "--output", "-"], 2, "--output -: cannot be standard output")

    def test_a_picture_goes_to_standard_output_alone(self):
        self.assert_done("render", *SMALL, "--output", "a.h5", "--quiet")
        for ranks in (0, 2):
            done = subprocess.run(launched([TESSERA, "color", "a.h5", "-"], ranks), cwd=self.folder, capture_output=True,
                                  check=True)
            self.assertEqual(done.stdout, self.read_picture(), done.stderr)
        report = self.read_json("r.json")
        self.assertEqual(report["output_bytes"], len(done.stdout))
        for option in (("--json",), ("--report", "-"), ("--trace", "-")):
            self.assert_refused(["color", "a.h5", "-", *option], 2, "OUT.png -", "writes to standard output, too")
        with open("/dev/full", "wb") as full:
            done = subprocess.run([TESSERA, "color", "a.h5", "-"], cwd=self.folder, stdout=full, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 4)
        self.assertIn(b"standard output: cannot write: No space left", done.stderr)
        terminal, its_end = os.openpty()
        done = subprocess.run([TESSERA, "color", "a.h5", "-"], cwd=self.folder, stdout=its_end, stderr=subprocess.PIPE)
        os.close(its_end)
        os.close(terminal)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"is a terminal", done.stderr)

    def read_picture(self):
        """The same picture as a file, under the name that a piped one gives itself."""
        self.assert_done("color", "a.h5", "picture.png", "--overwrite", "--report", "r.json", "--quiet")
        with open(self.path("picture.png"), "rb") as file:
            return file.read()

    def test_attributes_of_other_programs_are_read_and_kept(self):
        self.assert_done("render", *SMALL, "--share", "1/2", "--output", "a.h5", "--quiet")
        with h5py.File(self.path("a.h5.part"), "r+", libver=("v110", "v110")) as file:
            file.attrs["bytes"] = b"of Python"
            file.attrs["text"] = "of Python, too"
            file.attrs["fixed"] = np.bytes_(b"of NumPy")
            file.attrs["not UTF-8"] = b"\xff\xfe"
        self.assert_done("render", *SMALL, "--output", "a.h5", "--quiet")
        info = self.document("info", "a.h5")["files"][0]["attributes"]
        self.assertEqual([info[name] for name in ("bytes", "text", "fixed")], ["of Python", "of Python, too", "of NumPy"])
        self.assert_done("verify", "a.h5")
        with h5py.File(self.path("a.h5")) as file:  # as the other program has written them
            self.assertEqual((file.attrs["bytes"], file.attrs["text"]), ("of Python", "of Python, too"))
            self.assertTrue(file.attrs.get_id("bytes").get_type().is_variable_str())

    def test_an_attribute_that_cannot_be_read_is_named(self):
        self.assert_done("render", *SMALL, "--output", "a.h5", "--quiet")
        with h5py.File(self.path("a.h5"), "r+", libver=("v110", "v110")) as file:
            file.attrs["note"] = "mine"
        with open(self.path("a.h5"), "rb+") as file:
            file.seek(file.read().rindex(b"GCOL"))
            file.write(b"LOCG")
        for command in ("verify", "info"):
            self.assert_refused([command, "a.h5"], 4, "a.h5: ", "the attribute 'note' is damaged, or of an unknown kind")

    def test_what_is_complete_is_one_line_and_nothing_with_quiet(self):
        arguments = ("render", *SMALL, "--output", "a.h5")
        self.assert_done(*arguments)
        done = self.run_program(*arguments)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", "render: a.h5 is complete already\n"))
        done = self.run_program(*arguments, "--quiet")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_info_of_an_unfinished_file_has_no_zeros(self):
        self.assert_done("render", *SMALL, "--share", "1/2", "--output", "a.h5", "--quiet")
        said = self.assert_done("info", "a.h5.part")
        self.assertIn("10 of 20 (50.0 %)", said)
        for zeros in ("wall time", "load balance", "time in each stage", " 0 B"):
            self.assertNotIn(zeros, said)

    def test_attributes_have_their_types_and_every_digit(self):
        center, width = "-0.743643887037158704752191506114774,0.1318259042053119704930811", "2.5e-3"
        self.assert_done("render", *SMALL, "--center", center, "--width", width, "--output", "a.h5", "--quiet")
        with h5py.File(self.path("a.h5")) as file:
            attributes = dict(file.attrs)
        for name, value in (("center", center), ("width_text", width), ("size", "300x200"), ("status", "complete"),
                            ("format", "tessera-image")):
            self.assertEqual(attributes[name], value.encode())
        for name, value in (("iterations", 3250), ("tile", 64), ("compress", 1), ("format_version", 2)):
            self.assertEqual((attributes[name].dtype, attributes[name]), (np.int64, value))
        re, im = map(float, center.split(","))
        for name, value in (("center_re", re), ("center_im", im), ("width", 0.0025), ("bailout", 2.0)):
            self.assertEqual((attributes[name].dtype, attributes[name]), (np.float64, value))
        self.assertGreater(attributes["wall_s"], 0)
        for name in ("overwrite", "quiet", "device", "device-timeout", "output", "png", "palette"):
            self.assertNotIn(name, attributes)
        self.assertIn("20 of 20", self.assert_done("verify", "a.h5"))

    def test_the_fields_have_axes(self):
        self.assert_done("render", "--size", "31x20", "--center=-0.5,0.25", "--width", "3.1", "--fields", "iterations,smooth",
                         "--bailout", "4", "--output", "a.h5", "--quiet")
        with h5py.File(self.path("a.h5")) as file:
            self.assertTrue(h5py.h5ds.is_scale(file["re"].id))
            for field in ("iterations", "smooth"):
                rows, columns = file[field].dims
                self.assertEqual((rows[0].name, columns[0].name), ("/im", "/re"))
            np.testing.assert_allclose(file["re"][()], -0.5 + (np.arange(31) + .5 - 15.5) * 3.1 / 31, atol=1e-15)
            np.testing.assert_allclose(file["im"][()], 0.25 + (10 - np.arange(20) - .5) * 3.1 / 31, atol=1e-15)

    def test_a_file_of_version_1_is_read_and_finished(self):
        """All its attributes are text of fixed length."""
        self.assert_done("render", *SMALL, "--share", "1/2", "--output", "a.h5", "--quiet")
        self.assert_done("render", *SMALL, "--output", "truth.h5", "--quiet")
        for name in ("a.h5.part", "truth.h5"):
            with h5py.File(self.path(name), "r+", libver=("v110", "v110")) as file:
                width = file.attrs["width_text"].decode()
                for key, value in dict(file.attrs).items():
                    text = value.decode() if isinstance(value, bytes) else str(value)
                    file.attrs[key] = np.bytes_({"format_version": "1", "width": width, "bailout": "2"}.get(key, text))
                del file.attrs["width_text"]
        self.assertIn("20 of 20", self.assert_done("verify", "truth.h5"))
        self.assertIn("complete already", self.run_program("render", *SMALL, "--output", "truth.h5").stderr)
        self.assert_done("render", *SMALL, "--output", "a.h5", "--quiet")
        with h5py.File(self.path("a.h5")) as file:
            self.assertEqual((file.attrs["format_version"], file.attrs["width"], file.attrs["status"]), (2, float(width), b"complete"))

    def test_a_width_that_is_two_numbers_is_refused(self):
        self.assert_done("render", *SMALL, "--output", "a.h5", "--quiet")
        with h5py.File(self.path("a.h5"), "r+", libver=("v110", "v110")) as file:
            file.attrs["width"] = 4.0
        self.assert_refused(["verify", "a.h5"], 2, "'width' and 'width_text' are two numbers: 4 and 3")


class Reductions(ReduceTest):
    def test_a_shell_can_take_an_answer(self):
        self.save(np.arange(12.0).reshape(3, 4))
        self.assertEqual(self.assert_done("reduce", "a.npy", "--op", "mean", "--quiet"), "5.5\n")
        self.assertEqual(self.assert_done("reduce", "a.npy", "--op", "minmax,argmax,any", "--quiet", ranks=2),
                         "0\n11\n11\ntrue\n")

    def test_values_are_numbers_beside_their_exact_text(self):
        self.save(np.array([1] + [2**62] * 4))
        for options in (("--json",), ("--report", "-")):
            report = json.loads(self.assert_done("reduce", "a.npy", "--op", "sum,mean,all", *options))
            values = [result["values"][0] for result in report["results"]]
            self.assertEqual(values[0], {"value": 2.0**64, "decimal": str(2**64 + 1), "hex": None})
            self.assertEqual((values[1]["value"], values[2]["value"]), (2**64 / 5, True))
        self.save(np.array([np.nan]))
        report = json.loads(self.assert_done("reduce", "a.npy", "--op", "sum", "--json"))
        self.assertEqual(report["results"][0]["values"], [{"value": None, "decimal": "nan", "hex": "nan"}])

    def test_an_extreme_names_its_file_and_files_are_in_natural_order(self):
        for number, rows in ((1, 2), (2, 3), (10, 4)):
            self.save(np.full((rows, 3), number, "i4"), f"p{number}.npy")
        for ranks in (0, 2):
            said = self.assert_done("reduce", "p*.npy", "--op", "argmax,min,minmax,sum", ranks=ranks)
            self.assertIn("argmax         15  at [5, 0]  in p10.npy at [0, 0]\n", said)
            self.assertIn("min            1  in p1.npy at [0, 0]\n", said)
            self.assertIn("minmax         1 10  in p1.npy at [0, 0] and p10.npy at [0, 0]\n", said)
            self.assertRegex(said, r"\nsum +144\n")
        self.assertNotIn(" in p", self.assert_done("reduce", "p2.npy", "--op", "min,argmax"))

    def test_a_finished_array_is_one_line_and_nothing_with_quiet(self):
        self.save(np.ones((3, 4)))
        arguments = ("reduce", "a.npy", "--op", "sum", "--axis", "0", "--output", "o.npy")
        self.assert_done(*arguments)
        done = self.run_program(*arguments)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", "reduce: o.npy is complete already\n"))
        done = self.run_program(*arguments, "--quiet")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_an_array_file_says_how_it_was_made_and_has_the_edges_of_bins(self):
        self.save(np.linspace(0, 1, 60).reshape(6, 10))
        self.assert_done("reduce", "a.npy", "--op", "var,histogram=10,0,1", "--axis", "0", "--ddof", "1", "--output", "o.h5",
                         "--quiet")
        with h5py.File(self.path("o.h5")) as file:
            attributes = dict(file.attrs)
            self.assertEqual(file["histogram_edges"][()].tobytes(), np.linspace(0, 1, 11).tobytes())
        self.assertEqual(sorted(attributes), ["axis", "ddof", "format", "input", "nan", "op", "version"])
        self.assertEqual((attributes["op"], attributes["ddof"]), ("var,histogram=10,0,1", 1))
        info = self.assert_done("info", "o.h5", "a.npy")
        for line in ("  /histogram          i64, 10x10\n", "  /var                f64, 10\n", "a.npy: npy, C order, 608 B\n"):
            self.assertIn(line, info)

    def test_hints_that_lead_on(self):
        with h5py.File(self.path("h.h5"), "w") as file:
            file["c"] = np.ones(3, complex)
        self.save(np.ones((2, 3)))
        for arguments, words in ((("h.h5:c",), ("begins with a slash, as h.h5:/c",)),
                                 (("h.h5:/c",), ("holds complex numbers",)),
                                 (("a.npy", "--op", "nanmean"), ("take mean with --nan skip",)),
                                 (("a.npy", "--op", "percentile"), ("no operation 'percentile'", "quantile=Q")),
                                 (("a.npy", "--axis", "0", "1"), ("1: not an INPUT", "--axis 0,1")),
                                 (("a.npy", "--axis", "2", "--output", "o.npy"), ("so axes are 0 to 1",))):
            self.assert_refused(["reduce", *arguments, *(() if "--op" in arguments else ("--op", "sum"))], 2, *words)
        self.assertIn("complex numbers", self.run_program("reduce", "h.h5:/c", "--op", "sum").stderr)
        self.save(np.array([1, np.nan]))
        self.assertIn("1 NaN (--nan skip leaves them out)", self.assert_done("reduce", "a.npy", "--op", "sum"))


main()
