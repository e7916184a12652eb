"""tessera info: what it says of an HDF5 file that is no image, of what it cannot read too."""

import json
import os

from program import main
from reduction import ReduceTest, h5py, np


def no_constant(name):
    raise ValueError(f"{name} is no JSON")


class Info(ReduceTest):
    def setUp(self):
        super().setUp()
        os.mkdir(self.path("plugins"))
        self.environment = {**os.environ, "HDF5_PLUGIN_PATH": self.path("plugins")}

    def info(self, name):
        """The lines by their keys, and the document."""
        said = self.assert_done("info", name, env=self.environment)
        lines = dict(line.split(None, 1) for line in said.splitlines()[1:])
        text = self.assert_done("info", name, "--json", env=self.environment)
        return lines, json.loads(text, parse_constant=no_constant)["files"][0]

    def test_datasets_of_any_kind(self):
        with h5py.File(self.path("a.h5"), "w") as file:
            file["valid?"] = np.arange(6.0).reshape(2, 3)
            file["a=b"] = np.arange(3, dtype=">i2")
            file.create_dataset("lzf", data=np.arange(10.0), chunks=(5,), compression="lzf")
            data = file.create_dataset("mafisc", (4,), "f4", chunks=(4,), compression=32002, compression_opts=(0,),
                                       allow_unknown_filter=True)
            data.id.write_direct_chunk((0,), bytes(16), 0)
            file["texts"] = np.array([b"a", b"b"])
            file["records"] = np.zeros((2, 2), [("x", "f8"), ("y", "i4"), ("z", "u1")])
            file["complex"] = np.zeros(3, "c16")
            file["one"] = np.zeros(3, [("x", "f4")])
            file["empty"] = h5py.Empty("f4")
        lines, document = self.info("a.h5")
        self.assertEqual({name: line for name, line in lines.items() if name != "/mafisc"},
                         {"/valid?": "f64, 2x3", "/a=b": "i16, 3", "/lzf": "f64, 10", "/texts": "strings, 2",
                          "/records": "records of 3 members, 2x2", "/complex": "complex numbers, 3", "/one": "f32, 3",
                          "/empty": "f32, 0"})
        self.assertRegex(lines["/mafisc"], r"^f32, 4; cannot be read: .*filter 32002.*plug-in")
        datasets = {data["name"]: data for data in document["datasets"]}
        self.assertEqual(datasets["/valid?"], {"name": "/valid?", "dtype": "f8", "shape": [2, 3]})
        self.assertEqual(datasets["/texts"], {"name": "/texts", "shape": [2], "holds": "strings"})
        self.assertIn("32002", datasets["/mafisc"]["problem"])
        self.assertEqual((datasets["/mafisc"]["dtype"], datasets["/mafisc"]["shape"]), ("f4", [4]))

    def test_a_virtual_dataset_whose_source_is_missing(self):
        layout = h5py.VirtualLayout((4,), "f8")
        layout[...] = h5py.VirtualSource("gone.h5", "d", (4,))
        with h5py.File(self.path("v.h5"), "w", libver="latest") as file:
            file.create_virtual_dataset("v", layout)
        lines, document = self.info("v.h5")
        self.assertRegex(lines["/v"], r"^f64, 4; cannot be read: .*gone\.h5")
        self.assertIn("gone.h5", document["datasets"][0]["problem"])

    def test_attributes_of_every_kind(self):
        written = {
            "u8": (np.uint64(2**64 - 1), 2**64 - 1), "i8": (np.int64(-2**63), -2**63), "u1": (np.uint8(255), 255),
            "f8": (0.1, 0.1), "f4": (np.float32(0.1), 0.1), "f2": (np.float16(0.5), 0.5), "big": (np.array(3, ">i4"), 3),
            "nan": (np.nan, "nan"), "inf": (np.inf, "inf"), "minus": (np.float32(-np.inf), "-inf"),
            "list": ([1, 2, 3], [1, 2, 3]), "one": ([7], [7]), "none": (np.zeros(0), []),
            "square": (np.array([[1.0, np.nan], [0.5, 2.0]]), [[1.0, "nan"], [0.5, 2.0]]),
            "text": ("gr\u00fcn", "gr\u00fcn"), "bytes": (np.bytes_(b"fixed"), "fixed"),
            "texts": (["a", "bc"], ["a", "bc"]), "fixed": (np.array([b"a", b"bc"]), ["a", "bc"]),
            "true": (np.bool_(True), True), "flags": (np.array([True, False]), [True, False]),
            "void": (h5py.Empty("f8"), None), "opaque": (np.void(b"abc"), "opaque bytes"),
            "record": (np.array((1, 2.0), [("a", "i4"), ("b", "f8")]), "records of 2 members"),
        }
        with h5py.File(self.path("a.h5"), "w", track_order=True) as file:
            for name, (value, _) in written.items():
                file.attrs[name] = value
            file.attrs.create("colour", 1, dtype=h5py.enum_dtype({"RED": 0, "BLUE": 1}, "u1"))
            file["d"] = np.ones(2)
            file.attrs["reference"] = file["d"].ref
            file.attrs["region"] = file["d"].regionref[:1]
        wanted = {name: value for name, (_, value) in written.items()} | {
            "colour": "BLUE", "reference": "reference to /d", "region": "region of /d"}
        lines, document = self.info("a.h5")
        self.assertEqual(document["attributes"], wanted)
        for name, line in {"u8": "18446744073709551615", "f4": "0.1", "nan": "nan", "list": "[1, 2, 3]", "none": "[]",
                           "square": "[1, nan, 0.5, 2] (2x2)", "texts": "[a, bc]", "true": "true", "void": "empty",
                           "minus": "-inf", "colour": "BLUE"}.items():
            self.assertEqual(lines[name], line)

    def test_a_long_attribute_is_short_as_text(self):
        with h5py.File(self.path("a.h5"), "w") as file:
            file.attrs["long"] = np.arange(1000)
            file.attrs["short"] = np.arange(12)
        lines, document = self.info("a.h5")
        self.assertEqual(lines["long"], "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, ...] (1000)")
        self.assertEqual(lines["short"], "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]")
        self.assertEqual(document["attributes"]["long"], list(range(1000)))

    def test_an_image_with_attributes_of_somebody_else(self):
        self.assert_done("render", "--size", "8x8", "--output", "a.h5", "--quiet")
        with h5py.File(self.path("a.h5"), "r+") as file:
            file.attrs["missing"] = np.nan
            file.attrs["seed"] = np.uint64(2**64 - 1)
        said = self.assert_done("info", "a.h5", "--json")
        document = json.loads(said, parse_constant=no_constant)["files"][0]
        self.assertEqual((document["attributes"]["missing"], document["attributes"]["seed"]), ("nan", 2**64 - 1))


if __name__ == "__main__":
    main()
