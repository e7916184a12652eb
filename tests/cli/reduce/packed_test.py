#!/usr/bin/env python3
"""Packed numbers and missing values, docs/packed-data.md: what each row of attributes comes to, and what is refused."""

import json
import os
import unittest

from program import ProgramTest, main

try:
    import h5py
    import numpy as np
except ImportError as missing:
    main(f"{missing} (Debian: python3-h5py python3-numpy)")

NAN = float("nan")
FILL = 9.969209968386869e36

# Stored type, elements, attributes; the type and the numbers, NaN where an element is missing. Attributes are numbers
# with a type, or texts.
DECODED = [
    ("i2", [1, 2, -32768, 3], {"_FillValue": ("i2", -32768)}, "i2", [1, 2, NAN, 3]),
    ("f4", [1, NAN, 2], {"_FillValue": ("f4", NAN)}, "f4", [1, NAN, 2]),
    ("f8", [1, 2, -999, 3], {"missing_value": ("f8", -999)}, "f8", [1, 2, NAN, 3]),
    ("i2", [1, -99, -98, 2], {"missing_value": ("i2", [-99, -98])}, "i2", [1, NAN, NAN, 2]),
    ("i2", [1, -99, -98, 2], {"_FillValue": ("i2", -99), "missing_value": ("i2", -98)}, "i2", [1, NAN, NAN, 2]),
    ("i2", [1, -9, -32767], {"_FillValue": ("i2", -9)}, "i2", [1, NAN, -32767]),
    ("i2", [1, -5, 200, 2], {"valid_min": ("i2", 0), "valid_max": ("i2", 100)}, "i2", [1, NAN, NAN, 2]),
    ("f4", [1, -5, 200, NAN], {"valid_range": ("f8", [0, 100])}, "f4", [1, NAN, NAN, NAN]),
    ("i4", [1, 2, 3], {"valid_range": ("f8", [1.5, 2.5])}, "i4", [NAN, 2, NAN]),
    ("i2", [10, 20, 300], {"valid_range": ("i2", [0, 100]), "scale_factor": ("f8", 0.5)}, "f8", [5, 10, NAN]),
    ("i2", [10, 20, 300], {"valid_range": ("f8", [0, 25.5]), "scale_factor": ("f8", 0.5)}, "f8", [5, 10, 150]),
    ("i2", [10, 20, 300], {"valid_range": ("f4", [0, 25]), "scale_factor": ("f8", 0.5)}, "f8", [5, 10, 150]),
    ("i2", [100, 150], {"_FillValue": ("i2", 100)}, "i2", [NAN, 150]),
    ("i2", [1], {"scale_factor": ("f4", 0.1)}, "f4", [float(np.float32(0.1))]),
    ("i2", [3], {"scale_factor": ("f8", 0.1)}, "f8", [0.30000000000000004]),
    ("i2", [12345], {"scale_factor": ("f4", 0.01), "add_offset": ("f4", 273.15)}, "f4", [396.5999755859375]),
    ("i2", [12345], {"scale_factor": ("f8", 0.01), "add_offset": ("f8", 273.15)}, "f8", [396.59999999999997]),
    ("i2", [12345, 7], {"scale_factor": ("f8", 0.01), "add_offset": ("f8", 273.15), "_FillValue": ("i2", 7)}, "f8",
     [396.59999999999997, NAN]),
    ("i2", [12345], {"scale_factor": ("f8", 0.01), "add_offset": ("f4", 273.15)}, "f8", [396.59999389648436]),
    ("i2", [12345], {"scale_factor": ("f4", 0.01), "add_offset": ("f8", 273.15)}, "f8", [396.59999724067745]),
    ("i2", [12345], {"add_offset": ("f4", 273.15)}, "f4", [12618.150390625]),
    ("i4", [123456789], {"scale_factor": ("f4", 0.01)}, "f8", [1234567.8624052573]),
    ("i4", [123456789], {"scale_factor": ("f4", 0.01), "add_offset": ("f4", 273.15)}, "f8", [1234841.0123991538]),
    ("i2", [20000], {"scale_factor": ("i4", 2)}, "f8", [40000]),
    ("i2", [20000], {"scale_factor": ("i2", 2)}, "f8", [40000]),
    ("f4", [0.1], {"scale_factor": ("f8", 10)}, "f8", [1.0000000149011612]),
    ("i2", [3], {"scale_factor": ("f4", 1), "add_offset": ("f4", 0)}, "f4", [3]),
    ("f8", [-0.0], {"scale_factor": ("f8", 1)}, "f8", [-0.0]),
    ("i2", [3], {"scale_factor": ("f8", 0)}, "f8", [0]),
    ("i1", [1, -1, -2, 5], {"_Unsigned": "true"}, "u1", [1, 255, 254, 5]),
    ("i1", [1, -1, -2, 5], {"_Unsigned": "True", "_FillValue": ("i1", -1)}, "u1", [1, NAN, 254, 5]),
    ("i1", [1, -1, -2, 5], {"_Unsigned": "true", "missing_value": ("i2", 255)}, "u1", [1, NAN, 254, 5]),
    ("i1", [1, -1, -2, 5], {"_Unsigned": "true", "_FillValue": ("i1", -1), "scale_factor": ("f4", 0.5),
                            "add_offset": ("f4", 10)}, "f4", [10.5, NAN, 137, 12.5]),
    ("i1", [1, -1, -2, 5], {"_Unsigned": "true", "valid_range": ("i1", [0, -2])}, "u1", [1, NAN, 254, 5]),
    ("u1", [1, 255, 2], {"_Unsigned": "false"}, "i1", [1, -1, 2]),
    ("f4", [1, 2], {"_Unsigned": "true"}, "f4", [1, 2]),
    ("i2", [1, -32768], {"_FillValue": ("f4", -32768)}, "i2", [1, NAN]),
    ("i2", [-32768, 1], {"_FillValue": ("i4", 40000)}, "i2", [-32768, 1]),
    ("f4", [-999.9, 1], {"_FillValue": ("f8", -999.9)}, "f4", [NAN, 1]),
    ("f8", [-999.9, 1], {"missing_value": ("f4", -999.9)}, "f8", [-999.9, 1]),
    ("i2", [-999, 1], {"scale_factor": ("f8", 0.1), "missing_value": ("f8", -99.9)}, "f8", [-99.9, 0.1]),
    ("i2", [-99, 1], {"missing_value": "-99"}, "i2", [-99, 1]),
    ("i2", [2, 1], {"scale_factor": ("f8", [0.1])}, "f8", [0.2, 0.1]),
    ("f4", [0.0, -0.0, 5], {"_FillValue": ("f4", 0)}, "f4", [NAN, NAN, 5]),
    ("i1", [0, 1, 3], {"dtype": "bool"}, "u1", [0, 1, 1]),
    ("f4", [1, 2], {"units": "days since 1970-01-01"}, "f4", [1, 2]),
    ("f4", [np.inf, 1], {"_FillValue": ("f8", 1e300)}, "f4", [np.inf, 1]),
]

REFUSED = [
    ({"scale_factor": "0.1"}, "scale_factor"),
    ({"scale_factor": ("f8", [0.1, 0.2])}, "scale_factor"),
    ({"scale_factor": ("f8", NAN)}, "scale_factor"),
    ({"add_offset": ("f8", np.inf)}, "add_offset"),
    ({"add_offset": "1"}, "add_offset"),
    ({"valid_range": ("i2", [1, 2, 3])}, "valid_range"),
    ({"valid_range": "0 100"}, "valid_range"),
    ({"valid_min": ("f8", NAN)}, "valid_min"),
    ({"valid_range": ("i2", [50, 60])}, "valid_range"),
    ({"_FillValue": ("i2", [1, 2])}, "_FillValue"),
    ({"_Unsigned": "maybe"}, "_Unsigned"),
    ({"_Unsigned": ("i2", 1)}, "_Unsigned"),
]

# Attributes that match nothing or are not used, and the word that the line about them has.
TOLD = [
    ("i2", [1, 2], {"_FillValue": ("i4", 40000)}, "40000"),
    ("i2", [1, 2], {"missing_value": "-99"}, "missing_value"),
    ("f8", [1, 2], {"missing_value": ("f4", -999.9)}, "-999.9"),
    ("i2", [1, 2], {"scale_factor": ("f8", 0.5), "valid_range": ("f8", [0, 1])}, "valid_range"),
    ("f4", [1, FILL], {}, "default fill"),
    ("i4", [1, -2147483647], {"long_name": "x"}, "default fill"),
    ("i8", [1, -2**63], {"units": "days since 2000-01-01"}, "NaT"),
]


def number(given):
    return given if isinstance(given, str) else np.array(given[1], given[0])


class Packed(ProgramTest):
    def write_packed(self, name, dtype, elements, attributes, **options):
        with h5py.File(self.path("x.nc"), "a") as file:
            if name in file:
                del file[name]
            data = file.create_dataset(name, data=np.array(elements, dtype), **options)
            for key, value in attributes.items():
                data.attrs[key] = number(value)
        return f"x.nc:/{name}"

    def reduced(self, *arguments):
        return json.loads(self.assert_done("reduce", *arguments, "--json"))

    def values(self, *arguments):
        return {result["op"]: [v["decimal"] for v in result["values"]] for result in self.reduced(*arguments)["results"]}

    def test_attributes_say_what_elements_are(self):
        for case, (dtype, elements, attributes, decoded, numbers) in enumerate(DECODED):
            with self.subTest(attributes=attributes, dtype=dtype):
                packed = self.write_packed(f"d{case}", dtype, elements, attributes)
                present = np.array(numbers)
                if "_FillValue" in attributes or "valid_range" in attributes or dtype[0] != "f":
                    present = present[~np.isnan(present)]
                report = self.reduced(packed, "--op", "sum,mean", "--nan", "skip")
                self.assertEqual(report["array"]["dtype"], decoded)
                np.save(self.path("p.npy"), present.astype(decoded))
                wanted = self.reduced("p.npy", "--op", "sum,mean", "--nan", "skip")
                self.assertEqual(report["results"], wanted["results"])
                if decoded in ("i8", "u8"):
                    continue
                self.assert_done("map", "a", packed, "--output", "m.npy", "--overwrite", "--quiet")
                np.testing.assert_array_equal(np.load(self.path("m.npy")).astype("f8"), np.array(numbers, "f8"))

    def test_what_is_ambiguous_is_refused_by_its_name(self):
        for case, (attributes, name) in enumerate(REFUSED):
            with self.subTest(attributes=attributes):
                packed = self.write_packed(f"r{case}", "i2", [1, 2, 70], attributes)
                self.assert_refused(["reduce", packed, "--op", "sum", "--quiet"], 2, name, "--raw")
                self.assertEqual(self.values(packed, "--op", "sum", "--raw")["sum"], ["73"])

    def test_what_does_not_count_is_told(self):
        for case, (dtype, elements, attributes, word) in enumerate(TOLD):
            with self.subTest(attributes=attributes):
                packed = self.write_packed(f"t{case}", dtype, elements, attributes)
                done = self.run_program("reduce", packed, "--op", "sum,max,min")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn(word, done.stderr)
                self.assertEqual(self.run_program("reduce", packed, "--op", "max", "--quiet").stderr, "")

    def test_integers_of_64_bits_stay_exact(self):
        packed = self.write_packed("l", "i8", [2**53 + 1, -99, 2**53 + 3], {"_FillValue": ("i8", -99)})
        found = self.values(packed, "--op", "sum,min,max,argmax,median,mode,nunique")
        self.assertEqual([found[op][0] for op in ("sum", "min", "max", "argmax", "nunique")],
                         [str(2**54 + 4), str(2**53 + 1), str(2**53 + 3), "2", "2"])
        self.assert_refused(["map", "a + 1", packed, "--output", "o.npy"], 2, "_FillValue", "i8")

    def test_missing_elements_of_an_output_leave_nan(self):
        packed = self.write_packed("m", "i2", [[1, 2, -9], [-9, -9, -9], [4, -9, 6]], {"_FillValue": ("i2", -9)})
        self.assert_done("reduce", packed, "--axis", "1", "--op", "sum,mean,min,max,argmin,count_nonzero,topk=2",
                         "--output", "o.h5", "--quiet")
        with h5py.File(self.path("o.h5")) as file:
            self.assertEqual(file["min"].dtype, np.dtype("f4"))
            np.testing.assert_array_equal(file["sum"][()], [3, 0, 10])
            np.testing.assert_array_equal(file["mean"][()], [1.5, NAN, 5])
            np.testing.assert_array_equal(file["min"][()], [1, NAN, 4])
            np.testing.assert_array_equal(file["argmin"][()], [0, -1, 0])
            np.testing.assert_array_equal(file["count_nonzero"][()], [2, 0, 2])
            np.testing.assert_array_equal(file["topk"][()], [[2, 1], [NAN, NAN], [6, 4]])
        wide = self.write_packed("w", "i8", [[1, 2], [-9, -9]], {"_FillValue": ("i8", -9)})
        self.assert_done("reduce", wide, "--axis", "1", "--op", "sum", "--output", "s.npy", "--quiet")
        self.assertEqual(np.load(self.path("s.npy")).tolist(), [3, 0])
        self.assert_refused(["reduce", wide, "--axis", "1", "--op", "min", "--output", "n.npy", "--quiet"], 4, "min", "i8")

    def test_a_nan_that_is_an_element_is_told_from_a_missing_one(self):
        packed = self.write_packed("n", "f4", [[1, -9, 2], [NAN, -9, 3]], {"_FillValue": ("f4", -9)})
        self.assertEqual(self.values(packed, "--op", "sum,argmin"), {"sum": ["nan"], "argmin": ["3"]})
        self.assertEqual(self.values(packed, "--op", "sum,argmin", "--nan", "skip"), {"sum": ["6"], "argmin": ["0"]})
        for device in ("reference", "cpu"):
            self.assert_done("reduce", packed, "--axis", "1", "--op", "sum,argmax,median,count_nonzero", "--output",
                             "o.h5", "--overwrite", "--quiet", "--device", device)
            with h5py.File(self.path("o.h5")) as file:
                np.testing.assert_array_equal(file["sum"][()], [3, NAN])
                np.testing.assert_array_equal(file["argmax"][()], [2, 0])
                np.testing.assert_array_equal(file["median"][()], [1.5, NAN])
                np.testing.assert_array_equal(file["count_nonzero"][()], [2, 2])

    def test_all_missing_are_the_results_of_an_empty_array(self):
        for dtype in ("i2", "i8", "f4"):
            packed = self.write_packed("a" + dtype, dtype, [-9] * 5, {"_FillValue": (dtype, -9)})
            found = self.values(packed, "--op", "sum,mean,min,max,median,argmax,any,all,count_nonzero")
            self.assertEqual([v[0] for v in found.values()], ["0", "nan", "nan", "nan", "nan", "-1", "false", "true", "0"])

    def test_groups_leave_out_missing_elements_and_keys(self):
        packed = self.write_packed("x", "i2", [1, 2, -9, 4, 5, 6], {"_FillValue": ("i2", -9)})
        keys = self.write_packed("k", "i4", [1, 1, 1, 2, -1, 2], {"_FillValue": ("i4", -1)})
        report = self.reduced(packed, "--by", keys, "--op", "sum,max,median")
        self.assertEqual([row[1:] for row in report["groups"]["rows"]], [[2, 3, 2, 1.5], [2, 10, 6, 5]])
        self.assertEqual(report["array"]["missing"], {"fill": 1, "range": 0})
        self.assertEqual(report["groups"]["left_out_missing"], 1)
        packed_keys = self.write_packed("b", "i2", [10, 20, 30, 40, -1, 60],
                                        {"_FillValue": ("i2", -1), "scale_factor": ("f8", 0.1)})
        report = self.reduced(packed, "--by", packed_keys, "--bins", "0,8,2", "--op", "sum")
        self.assertEqual([row[-1] for row in report["groups"]["rows"]], [3, 10])

    def test_pairs_with_a_missing_element_are_left_out(self):
        x = self.write_packed("x", "i2", [1, 2, -9, 4], {"_FillValue": ("i2", -9)})
        y = self.write_packed("y", "f8", [10, -1, 30, 40], {"missing_value": ("f8", -1)})
        self.assertEqual(self.values(x, "--with", y, "--op", "dot,sum"), {"dot": ["170"], "sum": ["7"]})

    def test_missing_is_for_any_file(self):
        np.save(self.path("a.npy"), np.array([1.0, -999, 3, NAN]))
        self.assertEqual(self.values("a.npy", "--op", "sum,argmax", "--missing=-999", "--nan", "skip"),
                         {"sum": ["4"], "argmax": ["2"]})
        self.assertEqual(self.values("a.npy", "--op", "sum", "--missing=-999"), {"sum": ["nan"]})
        np.array([1, -1, 3], ">i2").tofile(self.path("a.raw"))
        self.assertEqual(self.values("a.raw?dtype=>i2&shape=3", "--op", "min,max", "--missing=-1,3"),
                         {"min": ["1"], "max": ["1"]})
        self.assertEqual(self.values("a.raw?dtype=>i2&shape=3", "--op", "sum", "--missing=-1,nan"), {"sum": ["nan"]})
        self.assertEqual(self.values("a.raw?dtype=>i2&shape=3", "--op", "sum", "--missing=-1,nan", "--nan", "skip"),
                         {"sum": ["4"]})
        self.assert_refused(["reduce", "a.npy", "--op", "sum", "--missing="], 2, "--missing")
        self.assert_refused(["reduce", "a.npy", "--op", "sum", "--missing", "x"], 2, "--missing")

    def test_missing_is_exact_for_integers_of_64_bits(self):
        np.save(self.path("w.npy"), np.array([9007199254740992, 9007199254740993, 5]))
        for text in ("9007199254740993", "+9007199254740993", "9007199254740993.0", "9007199254740993e0"):
            self.assertEqual(self.values("w.npy", "--op", "sum", "--missing=" + text), {"sum": ["9007199254740997"]}, text)
        np.save(self.path("u.npy"), np.array([0, 2**64 - 1, 2**63 + 5, 7], "u8"))
        self.assertEqual(self.values("u.npy", "--op", "sum,count", f"--missing={2**64 - 1}"), {"sum": [str(2**63 + 12)], "count": ["3"]})

    def test_missing_matches_no_bool(self):
        np.save(self.path("x.npy"), np.array([1, -999, 3, 4], "f4"))
        np.save(self.path("m.npy"), np.array([True, True, False, True]))
        self.assertEqual(self.values("x.npy", "--with", "m.npy", "--op", "dot", "--missing=-999"), {"dot": ["5"]})

    def test_bools_of_xarray_are_0_or_1_as_floats_too(self):
        packed = self.write_packed("m", "i1", [0, 1, 5, -1, -9], {"dtype": "bool", "_FillValue": ("i1", -9)})
        self.assertEqual(self.values(packed, "--op", "sum"), {"sum": ["3"]})
        self.assertEqual(self.values(packed, "--map", "a", "--op", "sum", "--nan", "skip"), {"sum": ["3"]})

    def test_joined_files_may_be_packed_in_different_ways(self):
        a = self.write_packed("a", "i2", [1, 2, -9], {"_FillValue": ("i2", -9), "scale_factor": ("f8", 0.5)})
        b = self.write_packed("b", "u1", [0, 4], {"_FillValue": ("u1", 0), "add_offset": ("f8", 1)})
        self.assertEqual(self.values(a, b, "--op", "sum,max,argmax"), {"sum": ["6.5"], "max": ["5"], "argmax": ["4"]})
        c = self.write_packed("c", "i2", [1, 2], {"_FillValue": ("i2", -9)})
        d = self.write_packed("d", "i2", [1, -9], {"_FillValue": ("i2", 1)})
        self.assertEqual(self.values(c, c, "--op", "sum"), {"sum": ["6"]})
        self.assert_refused(["reduce", c, d, "--op", "sum", "--quiet"], 2, "_FillValue")

    def test_another_decoding_is_another_job(self):
        packed = self.write_packed("x", "i2", [1, 2, -9], {"_FillValue": ("i2", -9), "scale_factor": ("f8", 0.5)})
        make = ["reduce", packed, "--axis", "0", "--op", "sum", "--output", "o.npy", "--quiet"]
        self.assert_done(*make)
        self.assertEqual(np.load(self.path("o.npy")).tolist(), 1.5)
        self.assertNotEqual(self.run_program(*make, "--raw").returncode, 0)
        self.assert_done(*make, "--raw", "--overwrite")
        self.assertEqual(np.load(self.path("o.npy")).tolist(), -6)
        self.assert_done(*make, "--missing=1", "--overwrite")
        self.assertEqual(np.load(self.path("o.npy")).tolist(), 1)

    def test_ranks_agree(self):
        rng = np.random.default_rng(3)
        elements = rng.integers(-100, 100, (60, 70))
        packed = self.write_packed("x", "i2", elements, {"_FillValue": ("i2", 7), "scale_factor": ("f4", 0.1)},
                                   chunks=(13, 11), compression="gzip", shuffle=True)
        arguments = [packed, "--op", "sum,mean,argmax,median", "--slice", "4K"]
        alone = self.reduced(*arguments)
        self.assertEqual(alone["array"]["missing"]["fill"], int((elements == 7).sum()))
        several = json.loads(self.assert_done("reduce", *arguments, "--json", ranks=2))
        self.assertEqual(several["results"], alone["results"])
        self.assertEqual(several["array"], alone["array"])

    def test_hdf5_is_known_by_its_contents(self):
        self.write_packed("t", "i2", [1, 2], {})
        for name in ("noname", "UPPER.NC4", "a.he5", "b.h5ad", "c.mat", "d.dat"):
            os.rename(self.path("x.nc"), self.path(name))
            self.assertEqual(self.values(f"{name}:/t", "--op", "sum"), {"sum": ["3"]})
            self.assert_refused(["reduce", name, "--op", "sum"], 2, "/t")
            os.rename(self.path(name), self.path("x.nc"))
        self.assert_refused(["reduce", "x.nc", "--op", "sum"], 2, "/t")
        self.assert_refused(["reduce", "none.nc", "--op", "sum"], 3, "no such file")

    def test_info_and_the_report_show_it(self):
        packed = self.write_packed("x", "i2", [1, 2, -9, 100], {"_FillValue": ("i2", -9), "scale_factor": ("f8", 0.5),
                                                               "valid_max": ("i2", 50)})
        said = self.assert_done("info", packed)
        for word in ("_FillValue", "-9", "scale_factor", "0.5"):
            self.assertIn(word, said)
        info = json.loads(self.assert_done("info", packed, "--json"))
        self.assertIn("scale_factor", info["files"][0]["datasets"][0]["packed"])
        array = self.reduced(packed, "--op", "sum")["array"]
        self.assertEqual(array["missing"], {"fill": 1, "range": 1})
        self.assertEqual(array["decoded"], {"scale_factor": 0.5, "add_offset": None, "type": "f8", "stored": "i2"})
        self.assertIn("missing", self.assert_done("reduce", packed, "--op", "sum"))


if __name__ == "__main__":
    main()
