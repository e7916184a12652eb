"""tessera reduce: inputs that are not as they seem, and files that it would write where it must not."""

import json
import os
import subprocess
import tokenize

from program import HANG_S, TESSERA, launched, main
from reduction import ReduceTest

# Behind reduction, which skips the test where these are not.
import h5py
import numpy as np


class Bools(ReduceTest):
    FLAGS = np.random.default_rng(51).random((23, 9)) < 0.3

    def wanted(self):
        counts = self.FLAGS.astype("i8")
        return {"sum": int(counts.sum()), "count_nonzero": int(counts.sum()), "any": True, "all": False,
                "argmax": int(counts.argmax()), "mean": float(counts.mean()), "max": 1}

    def test_of_numpy_are_bytes_of_0_and_1(self):
        for order in "CF":
            self.assert_answers(self.save(np.asarray(self.FLAGS, order=order)), self.wanted())
        report, _ = self.reduce("a.npy", ("sum",))
        self.assertEqual(report["array"]["dtype"], "u1")

    def test_of_h5py_are_too_however_they_are_stored(self):
        with h5py.File(self.path("a.h5"), "w") as file:
            for name, options in (("plain", {}), ("chunks", {"chunks": (5, 4), "compression": 1, "shuffle": True}),
                                  ("checked", {"chunks": (5, 4), "fletcher32": True})):
                file.create_dataset(name, data=self.FLAGS, **options)
            file.create_dataset("filled", (4, 4), "?", chunks=(2, 2), fillvalue=True)
        for name in ("plain", "chunks", "checked"):
            self.assert_answers(f"a.h5:/{name}", self.wanted())
        self.assert_answers("a.h5:/filled", {"sum": 16})

    def test_that_a_reduction_made_are_an_input_again(self):
        self.save(self.FLAGS.astype("f4"))
        self.assert_done("reduce", "a.npy", "--op", "any,all", "--axis", "1", "--output", "o.h5", "--quiet")
        self.assert_done("reduce", "a.npy", "--op", "any", "--axis", "1", "--output", "o.npy", "--quiet")
        rows = int(self.FLAGS.any(1).sum())
        for source in ("o.h5:/any", "o.npy"):
            self.assert_answers(source, {"sum": rows})
        self.assert_answers("o.h5:/all", {"sum": int(self.FLAGS.all(1).sum())})

    def test_other_enumerations_are_refused(self):
        with h5py.File(self.path("a.h5"), "w") as file:
            for i, names in enumerate(({"LAND": 0, "SEA": 1}, {"FALSE": 0, "TRUE": 2}, {"TRUE": 0, "FALSE": 1},
                                       {"FALSE": 0, "TRUE": 1, "MAYBE": 2})):
                file.create_dataset(f"x{i}", data=np.zeros(3, "i1"), dtype=h5py.enum_dtype(names, basetype="i1"))
        for i in range(4):
            self.assert_refused(["reduce", f"a.h5:/x{i}", "--op", "sum"], 2, f"/x{i}", "an enumeration")


class DamagedHeads(ReduceTest):
    def save_head(self, text, version=b"\x01\x00"):
        with open(self.path("a.npy"), "wb") as file:
            file.write(b"\x93NUMPY" + version + len(text).to_bytes(2, "little") + text + bytes(range(64)))

    def test_what_numpy_refuses_is_refused(self):
        head = b"{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }"
        self.save_head(head + b"    \n")
        wanted = np.load(self.path("a.npy"))
        self.assert_answers("a.npy", {"sum": float(wanted.astype("f8").sum()), "count_nonzero": 3})
        for text in (head + b"xyz\n", head + b"\x00", head.replace(b"(3,)", b"(3)"), head.replace(b"(3,)", b"(03,)")):
            self.save_head(text)
            with self.assertRaises((ValueError, tokenize.TokenError)):  # the latter from Python 3.12 on
                np.load(self.path("a.npy"))
            self.assert_refused(["reduce", "a.npy", "--op", "sum"], 2, "a.npy", ".npy head is damaged")
        self.save_head(head, b"\x01\x01")
        self.assert_refused(["reduce", "a.npy", "--op", "sum"], 2, "version 1.1")

    def test_names_of_files_are_shown_without_what_a_terminal_obeys(self):
        np.save(self.path("a\x1b[31m.npy"), np.ones(3))
        said = self.assert_done("reduce", "a*.npy", "--op", "sum")
        self.assertIn("a\\x1b[31m.npy", said)
        self.assertNotIn("\x1b", said)

    def test_no_bytes_of_theirs_reach_the_terminal(self):
        evil = b"\x1b]0;owned\x07\x9b2J\r"
        for head in (b"{'descr': '" + evil + b"', 'fortran_order': False, 'shape': (3,), }",
                     b"{'descr': '<f4', 'fortran_order': False, 'shape': (" + evil + b",), }"):
            self.save_head(head)
            for ranks in (0, 2):
                command = [TESSERA, "reduce", "a.npy", "--op", "sum", "--status-file", "s"]
                done = subprocess.run(launched(command, ranks), cwd=self.folder, capture_output=True)
                self.assertEqual(done.returncode, 2)
                with open(self.path("s"), "rb") as status:
                    said = done.stderr + status.read()
                self.assertIn(b"\\x1b]0;owned\\x07\\x9b2J", said)
                for byte in b"\x1b\x07\x9b\r":
                    self.assertNotIn(byte, said)

    def test_names_of_datasets_and_files_do_not_either(self):
        name = "d\x1b[31m"
        with h5py.File(self.path("a.h5"), "w") as file:
            file[name] = ["text"]
        done = self.run_program("reduce", "a.h5:/x", "--op", "sum")
        self.assertEqual(done.returncode, 3)
        self.assertIn("/d\\x1b[31m", done.stderr)
        self.assertNotIn("\x1b", done.stderr)
        with open(self.path("na\x1bme ä.npy"), "w"):
            pass
        self.assert_refused(["reduce", "na*.npy", "--op", "sum"], 2, "na\\x1bme ä.npy: not a .npy file")


class OtherFiles(ReduceTest):
    def test_that_a_dataset_needs_and_that_are_not_there_are_named(self):
        with h5py.File(self.path("part.h5"), "w") as file:
            file["x"] = np.arange(4)
        layout = h5py.VirtualLayout((8,), "i8")
        layout[:4] = h5py.VirtualSource("part.h5", "x", (4,))
        layout[4:] = h5py.VirtualSource("gone.h5", "x", (4,))
        with h5py.File(self.path("a.h5"), "w") as file:
            file.create_virtual_dataset("virtual", layout, fillvalue=-1)
            file.create_dataset("external", (6,), "f4", external=[(self.path("gone.bin"), 0, 24)])
        self.assert_refused(["reduce", "a.h5:/virtual", "--op", "sum"], 3, "a.h5:/virtual", "gone.h5")
        self.assert_refused(["reduce", "a.h5:/external", "--op", "sum"], 3, "a.h5:/external", "gone.bin")
        os.rename(self.path("part.h5"), self.path("gone.h5"))
        self.assert_refused(["reduce", "a.h5:/virtual", "--op", "sum"], 3, "a.h5:/virtual", "part.h5")
        with h5py.File(self.path("gone.h5")) as source, h5py.File(self.path("part.h5"), "w") as to:
            source.copy("x", to)
        self.assert_answers("a.h5:/virtual", {"sum": 12})

    def test_beside_a_file_in_another_folder_are_found(self):
        os.mkdir(self.path("there"))
        with h5py.File(self.path("there/part.h5"), "w") as file:
            file["x"] = np.arange(4)
        layout = h5py.VirtualLayout((4,), "i8")
        layout[:] = h5py.VirtualSource("part.h5", "x", (4,))
        with h5py.File(self.path("there/a.h5"), "w") as file:
            file.create_virtual_dataset("virtual", layout)
        self.assert_answers("there/a.h5:/virtual", {"sum": 6})


class ManyFiles(ReduceTest):
    def test_are_read_though_fewer_may_be_open(self):
        for i in range(150):
            with h5py.File(self.path(f"part{i:03}.h5"), "w") as file:
                file.create_dataset("x", data=np.full(4, i), chunks=(2,), compression=1)
        command = [TESSERA, "reduce", "part*.h5:/x", "--op", "sum", "--quiet", "--report", "r.json"]
        done = subprocess.run(["bash", "-c", 'ulimit -S -n 100; exec "$@"', "bash", *command], cwd=self.folder,
                              capture_output=True, text=True, timeout=HANG_S)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(self.read_report()["results"][0]["values"][0]["decimal"], str(4 * sum(range(150))))


class WhatWouldBeOverwritten(ReduceTest):
    def setUp(self):
        super().setUp()
        for i in range(3):
            np.save(self.path(f"part{i}.npy"), np.full((2, 3), i))

    def bytes_of(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def assert_kept(self, arguments, name):
        before = self.bytes_of(name)
        self.assert_refused(arguments, 2, "INPUT", name, "another name")
        self.assertEqual(self.bytes_of(name), before)

    def test_an_input_that_a_pattern_stands_for(self):
        self.assert_kept(["reduce", "part*.npy", "--op", "sum", "--axis", "0", "--output", "part1.npy", "--overwrite"],
                         "part1.npy")
        self.assert_kept(["reduce", "part*.npy", "--op", "sum", "--report", "part2.npy"], "part2.npy")

    def test_an_input_by_the_report(self):
        self.assert_kept(["reduce", "part0.npy", "--op", "sum", "--report", "part0.npy"], "part0.npy")
        self.assert_kept(["reduce", "part0.npy", "--op", "dot", "--with", "part1.npy", "--report", "./part1.npy"],
                         "part1.npy")
        self.assert_kept(["reduce", "part0.npy", "--op", "sum", "--axis", "0", "--output", "o.npy", "--report",
                          "part0.npy"], "part0.npy")

    def test_an_input_by_the_trace(self):
        self.assert_kept(["reduce", "part0.npy", "--op", "sum", "--trace", "part0.npy"], "part0.npy")
        self.assert_refused(["reduce", "part0.npy", "--op", "sum", "--trace", "part0.npy/t.json"], 2, "part0.npy/t.json")
        self.assert_refused(["reduce", "part0.npy", "--op", "sum", "--trace", "r.json", "--report", "r.json"], 2,
                            "--trace", "--report")

    def test_nothing_by_datasets_of_one_file(self):
        with h5py.File(self.path("a.h5"), "w") as file:
            file["x"], file["y"] = np.ones((2, 3)), np.ones((4, 3))
        self.assert_done("reduce", "a.h5:/x", "a.h5:/y", "--op", "sum", "--axis", "0", "--output", "o.npy", "--quiet")
        self.assertEqual(np.load(self.path("o.npy")).tolist(), [6.0] * 3)


class Outputs(ReduceTest):
    def test_that_nobody_takes_are_an_error(self):
        self.save(np.ones(3))
        with open("/dev/full", "w") as full:
            done = subprocess.run([TESSERA, "reduce", "a.npy", "--op", "sum", "--checkpoint-file", "c"], cwd=self.folder,
                                  stdout=full, stderr=subprocess.PIPE, text=True, timeout=HANG_S)
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn("tessera: standard output: cannot write", done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assert_refused(["reduce", "a.npy", "--op", "sum", "--report", "/dev/full"], 4, "/dev/full", "No space left")

    def test_go_to_devices_of_folders_that_cannot_be_written_to(self):
        self.save(np.ones(3))
        said = self.assert_done("reduce", "a.npy", "--op", "sum", "--quiet", "--report", "/dev/stdout")
        self.assertEqual(json.loads(said)["results"][0]["values"][0]["decimal"], "3")

    def test_in_folders_that_cannot_be_made_or_written_to(self):
        self.save(np.ones((3, 4)))
        command = ["reduce", "a.npy", "--op", "sum", "--axis", "0", "--output"]
        self.assert_refused([*command, "a.npy/o.npy"], 2, "a.npy/o.npy", "a.npy is no folder")
        self.assert_refused([*command, "a.npy/b/o.npy"], 2, "a.npy/b/o.npy", "a.npy is no folder")
        os.mkdir(self.path("closed"), mode=0o555)
        if os.access(self.path("closed"), os.W_OK):
            self.skipTest("may write everywhere")  # as root
        self.assert_refused([*command, "closed/o.npy"], 2, "closed/o.npy", "cannot write")


if __name__ == "__main__":
    main()
