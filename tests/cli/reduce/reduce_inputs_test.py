"""tessera reduce: files of every layout, alone and several as one array, and what it refuses."""

from program import main
from reduction import ReduceTest, expected, h5py, np, read_value, same


class Layouts(ReduceTest):
    def test_every_order_of_bytes_and_dimensions(self):
        base = np.random.default_rng(6).integers(-9, 9, (13, 7, 5)).astype("f8")
        for order in "CF":
            for code in ("<f8", ">f8", "<f4", ">f4", "<f2", ">f2", "<i2", ">i2"):
                array = np.asarray(base, dtype=code, order=order)
                with self.subTest(order=order, code=code):
                    self.assert_right(array, "--slice", "4K")

    def test_ties_in_fortran_order_have_the_first_index_of_c_order(self):
        array = np.zeros((300, 301), order="F", dtype="f4")
        array[299, 0] = array[17, 300] = array[17, 299] = 5
        array[280, 3] = array[11, 290] = -5
        for device in ("reference", "cpu"):
            self.assert_answers(self.save(array), {"argmax": 17 * 301 + 299, "argmin": 11 * 301 + 290},
                                "--device", device, "--slice", "4K")
        report, _ = self.reduce("a.npy", ("argmax",))
        self.assertEqual(report["results"][0]["coordinates"], [17, 299])

    def test_versions_of_npy(self):
        array = np.arange(11, dtype="i4")
        for version in ((1, 0), (2, 0), (3, 0)):
            with open(self.path("v.npy"), "wb") as file:
                np.lib.format.write_array(file, array, version)
            self.assert_answers("v.npy", {"sum": 55})

    def test_raw_files(self):
        array = np.arange(-6, 6, dtype=">i2")
        with open(self.path("a.bin"), "wb") as file:
            file.write(b"head" + array.tobytes())
        self.assert_answers("a.bin?dtype=>i2&shape=3x4&offset=4", {"sum": -6, "argmax": 11, "min": -6})
        report, _ = self.reduce("a.bin?dtype=>i2&shape=3,4&offset=4", ("sum",))
        self.assertEqual((report["array"]["shape"], report["array"]["dtype"]), ([3, 4], "i2"))

    def test_slices_change_nothing(self):
        array = np.random.default_rng(7).standard_normal(50021) * 1e10
        array[[9, 40000]] = array.max() + 1
        wanted = expected(array)
        self.save(array)
        for size in ("4K", "4099", "64K", "8M"):
            self.assert_answers("a.npy", wanted, "--slice", size, "--threads", "2")

    def test_the_table_has_the_same_numbers(self):
        self.save(np.array([[1.5, -2.0], [3.25, 0.0]]))
        table = self.assert_done("reduce", "a.npy", "--op", "sum,argmin,minmax")
        self.assertIn("\nsum            2.75\n", table)
        self.assertIn("\nargmin         1  at [0, 1]\n", table)
        self.assertIn("\nminmax         -2 3.25\n", table)


class SeveralFiles(ReduceTest):
    def test_are_one_array_whatever_their_formats(self):
        random = np.random.default_rng(41)
        parts = [random.standard_normal((rows, 6)) for rows in (5, 1, 0, 7, 9)]
        parts[3][6, 5] = parts[4][0, 0] = 9
        whole = np.concatenate(parts)
        np.save(self.path("0.npy"), parts[0])
        np.save(self.path("1.npy"), parts[1].astype(">f8"))
        np.save(self.path("2.npy"), parts[2])
        np.save(self.path("3.npy"), np.asfortranarray(parts[3]))
        with h5py.File(self.path("4.h5"), "w") as file:
            file.create_dataset("x", data=parts[4], chunks=(4, 4), compression=1)
        inputs = ["0.npy", "1.npy", "2.npy", "3.npy", "4.h5:/x"]
        for ranks in (0, 2):
            self.assert_done("reduce", *inputs, "--op", ",".join(expected(whole)), "--slice", "4K", "--report",
                             "r.json", "--quiet", ranks=ranks)
            report = self.read_report()
            self.assertEqual(report["array"]["shape"], [22, 6])
            for result in report["results"]:
                read = tuple(read_value(value) for value in result["values"])
                wanted = expected(whole)[result["op"]]
                self.assertTrue(all(map(same, read, wanted if isinstance(wanted, tuple) else (wanted,))), result)

    def test_by_a_pattern(self):
        for i in range(11):
            np.save(self.path(f"part-{i:02}.npy"), np.array([i], dtype="i4"))
            with h5py.File(self.path(f"part-{i:02}.h5"), "w") as file:
                file["x"] = [i]
            np.array([i], dtype="i4").tofile(self.path(f"part-{i:02}.raw"))
        for pattern in ("part-*.npy", "part-*.h5:/x", "part-*.raw?dtype=i4&shape=1"):
            self.assert_answers(pattern, {"sum": 55, "argmax": 10, "argmin": 0})

    def test_that_do_not_fit_are_refused(self):
        np.save(self.path("a.npy"), np.zeros((3, 4)))
        for other in (np.zeros((3, 5)), np.zeros((3, 4), dtype="f4"), np.zeros(3), np.zeros((3, 4, 1))):
            np.save(self.path("b.npy"), other)
            self.assert_refused(["reduce", "a.npy", "b.npy", "--op", "sum"], 2, "b.npy", "cannot follow a.npy")
        self.assert_refused(["reduce", "none-*.npy", "--op", "sum"], 3, "none-*.npy", "no file matches")

    def test_a_damaged_chunk_is_named_with_its_file(self):
        for name in ("a.h5", "b.h5"):
            with h5py.File(self.path(name), "w") as file:
                file.create_dataset("x", data=np.arange(4000), chunks=(1000,), compression=1)
        with h5py.File(self.path("b.h5")) as file:
            chunk = file["x"].id.get_chunk_info(1)
        with open(self.path("b.h5"), "rb+") as file:
            file.seek(chunk.byte_offset + chunk.size // 2)
            file.write(b"\xff" * 8)
        self.assert_refused(["reduce", "a.h5:/x", "b.h5:/x", "--op", "sum"], 4, "b.h5:/x", "chunk at [1000]")


class BadInput(ReduceTest):
    def test_arguments(self):
        self.save(np.zeros(4))
        for arguments, words in {
            ("reduce",): ["INPUT"], ("reduce", "a.npy"): ["--op"], ("reduce", "a.npy", "--op", ""): ["--op"],
            ("reduce", "a.npy", "--op", "sum,sun"): ["'sun'", "'sum'"],
            ("reduce", "a.npy", "--op", "sum,sum"): ["twice"],
            ("reduce", "a.npy", "--op", "sum", "--ddof", "-1"): ["--ddof"],
            ("reduce", "a.npy", "--op", "sum", "--nan", "drop"): ["--nan", "propagate"],
            ("reduce", "a.npy", "--op", "sum", "--slice", "3"): ["--slice"],
            ("reduce", "a.npy", "--op", "sum", "--memory", "16M"): ["--memory", "needs"],
            ("reduce", "a.npy", "--op", "sum", "--axis", "0"): ["--axis"],
            ("reduce", "a.npy", "--op", "sum", "--report", "a.npy/r.json"): ["--report", "a.npy is no folder"],
            ("reduce", "a.png", "--op", "sum"): ["a.png", "FILE.npy"],
        }.items():
            with self.subTest(arguments=arguments):
                self.assert_refused(arguments, 2, *words)
        self.assert_refused(["reduce", "none.npy", "--op", "sum"], 3, "none.npy")
        self.assert_refused(["reduce", "none.npy", "--op", "sum"], 3, "none.npy", ranks=2)

    def test_types_that_are_no_numbers(self):
        for array in (np.array(["a"]), np.array([b"a"]), np.array([1j]),
                      np.array([(1, 2.0)], dtype=[("a", "i4"), ("b", "f8")]), np.array(["2024-01-01"], dtype="M8[D]")):
            self.assert_refused(["reduce", self.save(array), "--op", "sum"], 2, "a.npy", "type", "f2 f4 f8")

    def test_files_cut_off_or_of_another_kind(self):
        self.save(np.zeros(1000))
        with open(self.path("a.npy"), "rb") as file:
            whole = file.read()
        for length in (0, 3, 9, 50, 128, len(whole) - 1):
            with open(self.path("cut.npy"), "wb") as file:
                file.write(whole[:length])
            with self.subTest(length=length):
                self.assert_refused(["reduce", "cut.npy", "--op", "sum"], 2, "cut.npy")
        self.write("text.npy", "not an array at all")
        self.assert_refused(["reduce", "text.npy", "--op", "sum"], 2, "not a .npy file")
        self.assert_refused(["reduce", "text.npy?dtype=f8&shape=3", "--op", "sum"], 2, "cut off", "24 bytes")
        self.assert_refused(["reduce", ".?dtype=f8&shape=3", "--op", "sum"], 2, "not a file")


if __name__ == "__main__":
    main()
