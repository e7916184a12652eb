#!/usr/bin/env python3
"""`tessera serve` of arrays against NumPy: values, colours, smaller scales, statistics, and requests that make no sense."""

import os
import socket

import served
from array_files import write_netcdf3
from program import main
from runs import RunTest, wait_until
from served import Server, h5py, np

GRAY = "palette=gray&"


def gray(values, low, high):
    """Rows of gray pixels, as the palette `gray` has them; alpha 0 where a value is missing."""
    part = np.clip((values.astype(float) - low) / (high - low), 0, 1)
    there = ~np.isnan(part)
    return np.where(there, np.floor(np.where(there, part, 0) * 255 + 0.5), 0).astype(int), there


def means(values, level):
    """Of the numbers in each square of 2^level x 2^level elements; NaN where there is none."""
    side = 2**level
    height, width = (-(-size // side) for size in values.shape)
    whole = np.full((height * side, width * side), np.nan)
    whole[:values.shape[0], :values.shape[1]] = values
    squares = whole.reshape(height, side, width, side)
    there = ~np.isnan(squares)
    counts = there.sum(axis=(1, 3))
    return np.where(counts, np.where(there, squares, 0).sum(axis=(1, 3)) / np.maximum(counts, 1), np.nan)


class ArraysTest(RunTest):
    def setUp(self):
        super().setUp()
        random = np.random.default_rng(7)
        self.t = random.normal(280, 9, (5, 300, 400)).astype("f4")
        self.t[2, 10:20, 30:50] = np.nan
        self.packed = random.integers(-300, 300, (300, 400)).astype("i2")
        with h5py.File(self.path("a.h5"), "w") as file:
            t = file.create_dataset("t", data=self.t, chunks=(2, 64, 100), compression="gzip", shuffle=True)
            t.attrs["units"] = "K"
            for d, (name, values) in enumerate({"time": np.arange(5) * 6.0, "lat": np.linspace(-60, 60, 300), "lon": np.arange(400.0)}.items()):
                scale = file.create_dataset(name, data=values)
                scale.make_scale(name)
                t.dims[d].attach_scale(scale)
            file["time"].attrs["units"] = "hours since 2001-02-03"
            file["mask"] = np.arange(12).reshape(3, 4) % 5 == 0
            file["text"] = "no numbers"
            packed = file.create_dataset("packed", data=self.packed, chunks=(300, 7))
            packed.attrs.update({"scale_factor": 0.5, "add_offset": 10.0, "_FillValue": np.int16(-300)})
        self.real = np.where(self.packed == -300, np.nan, self.packed * 0.5 + 10)

    def plane(self, server, name, query=""):
        ids = {one["name"]: one["id"] for one in server.json("/api/arrays")["arrays"]}
        return ids[name], server.json(f"/api/arrays/{ids[name]}/plane?{query}")

    def built(self, server, array, query=""):
        wait_until("all scales are made", lambda: server.json(f"/api/arrays/{array}/plane?{query}")["built"] == 1)

    def assert_gray(self, server, array, values, level=0, query="", low=0, high=1):
        """Compares all pictures of a level with the values; at smaller scales a step of gray may differ."""
        height, width = values.shape
        wanted, there = gray(values, low, high)
        for y in range(0, height, 256):
            for x in range(0, width, 256):
                answer = server.get(f"/planes/{array}/{level}/{x // 256}/{y // 256}.png?{GRAY}low={low}&high={high}&{query}")
                self.assertEqual(answer.status, 200, answer.body)
                part = np.s_[y:y + 256, x:x + 256]
                shape = wanted[part].shape
                pixels = answer.pixels()
                self.assertEqual(pixels.shape, (256, 256, 4))
                np.testing.assert_array_equal(pixels[:shape[0], :shape[1], 3] > 0, there[part])
                self.assertFalse(pixels[shape[0]:, :, 3].any() or pixels[:, shape[1]:, 3].any(), "beyond the plane")
                self.assertLessEqual(np.abs(pixels[:shape[0], :shape[1], 0] - wanted[part]).max(), 1 if level else 0)

    def test_lists_what_has_numbers_with_names_and_coordinates(self):
        server = Server(self, "a.h5")
        names = [one["name"] for one in server.json("/api/arrays")["arrays"]]
        self.assertCountEqual(names, [f"a.h5:/{name}" for name in ("t", "time", "lat", "lon", "mask", "packed")])
        facts = server.json(f"/api/arrays/{names.index('a.h5:/t')}")
        self.assertEqual((facts["type"], facts["shape"]), ("f4", [5, 300, 400]))
        self.assertEqual([one["name"] for one in facts["dimensions"]], ["time", "lat", "lon"])
        self.assertEqual(facts["dimensions"][0]["coordinates"], [0, 6, 12, 18, 24])
        self.assertEqual(facts["dimensions"][0]["attributes"]["units"], "hours since 2001-02-03")
        self.assertEqual(server.json("/api/images")["arrays"], True)

    def test_coordinates_have_the_digits_of_their_type(self):
        scales = {"single": np.float32([0.1, 2e-7]), "large": np.int64([2**60 + 1, -3]), "small": np.uint8([200, 7]),
                  "half": np.float16([0.5, np.nan]), "real": np.float64([0.1 + 0.2, np.inf])}
        with h5py.File(self.path("c.h5"), "w") as file:
            data = file.create_dataset("d", data=np.zeros((2,) * 5))
            for d, (name, values) in enumerate(scales.items()):
                file[name] = values
                file[name].make_scale(name)
                data.dims[d].attach_scale(file[name])
        server = Server(self, "c.h5")
        array, _ = self.plane(server, "c.h5:/d")
        dimensions = server.json(f"/api/arrays/{array}")["dimensions"]
        wanted = [[0.1, 2e-7], [str(2**60 + 1), -3], [200, 7], [0.5, None], [0.1 + 0.2, None]]
        self.assertEqual([one["coordinates"] for one in dimensions], wanted)
        for query, index in (("x=0&y=0&at=0,0,0,0,0", 0), ("x=1&y=1&at=1,1,1,0,0", 1)):
            self.assertEqual(server.json(f"/api/arrays/{array}/value?{query}")["coordinates"], [one[index] for one in wanted])

    def test_pictures_have_the_elements(self):
        server = Server(self, "a.h5")
        array, plane = self.plane(server, "a.h5:/t", "at=2,0,0")
        self.assertEqual([plane[key] for key in ("width", "height", "levels")], [400, 300, 2])
        self.built(server, array, "at=2,0,0")
        self.assert_gray(server, array, self.t[2], query="at=2,0,0", low=260, high=300)
        # Other dimensions, in both orders.
        for query, values in (("rows=0&columns=2&at=0,17,0", self.t[:, 17, :]), ("rows=2&columns=0&at=0,17,0", self.t[:, 17, :].T),
                              ("rows=2&columns=1&at=4,0,0", self.t[4].T), ("rows=0&columns=1&at=0,0,399", self.t[:, :, 399])):
            self.built(server, array, query)
            self.assert_gray(server, array, values, query=query, low=260, high=300)

    def test_the_range_is_that_of_elements(self):
        random = np.random.default_rng(11)
        noise = random.normal(0, 1, (1000, 1301))
        rain = np.where(random.random((700, 900)) < 0.6, 0, random.lognormal(0, 1, (700, 900))).astype("f4")
        small = random.integers(0, 1000, (200, 300)).astype("i2")
        for name, values in (("noise", noise), ("rain", rain), ("small", small), ("row", noise.ravel()), ("none", np.zeros((3, 3)))):
            np.save(self.path(name + ".npy"), values)
        server = Server(self, *(name + ".npy" for name in ("noise", "rain", "small", "row", "none")))
        for array in range(5):
            self.built(server, array)
        ranges = [server.json(f"/api/arrays/{array}/plane") for array in range(5)]
        for got, values in zip(ranges, (noise, rain, small, noise)):
            for end, part, spread in (("low", 0.02, 0.01), ("high", 0.98, 0.01)):
                near = np.quantile(values, (part - spread, part + spread))
                self.assertTrue(near[0] <= got[end] <= near[1], (got, end, near))
        for end, part in (("low", 0.02), ("high", 0.98)):
            near = np.quantile(rain[rain > 0], (part - 0.01, part + 0.01))
            self.assertTrue(near[0] <= ranges[1]["positive"][end] <= near[1], (ranges[1], near))
        # All elements of a small plane: the rank below.
        self.assertEqual([ranges[2][end] for end in ("low", "high")], np.quantile(small, (0.02, 0.98), method="lower").tolist())
        self.assertEqual((ranges[4]["low"], ranges[4]["high"], ranges[4]["positive"]), (0, 0, None))

    def test_smaller_scales_are_means_of_what_is_there(self):
        server = Server(self, "a.h5")
        array, _ = self.plane(server, "a.h5:/t", "at=2,0,0")
        self.built(server, array, "at=2,0,0")
        self.assert_gray(server, array, means(self.t[2], 1), level=1, query="at=2,0,0", low=260, high=300)

    def test_a_plane_that_memory_does_not_hold_is_read_and_averaged(self):
        values = np.random.default_rng(1).random((2100, 1800))
        values[500:900, 300:800] = np.nan
        np.save(self.path("big.npy"), values)
        np.save(self.path("big_f.npy"), np.asfortranarray(values))
        server = Server(self, "big.npy", "big_f.npy", "--memory", "66M")
        for array in (0, 1):
            self.built(server, array)
            self.assert_gray(server, array, values)
            for level in (1, 2, 3):
                self.assert_gray(server, array, means(values, level), level=level)

    def test_a_value_is_the_element_and_its_coordinates(self):
        server = Server(self, "a.h5")
        array, _ = self.plane(server, "a.h5:/t")
        got = server.json(f"/api/arrays/{array}/value?at=3,0,0&x=17&y=250")
        self.assertEqual(np.float32(got["value"]), self.t[3, 250, 17])
        self.assertEqual(got["index"], [3, 250, 17])
        np.testing.assert_allclose(got["coordinates"], [18, np.linspace(-60, 60, 300)[250], 17], rtol=0, atol=0)
        mask, _ = self.plane(server, "a.h5:/mask")
        self.assertEqual(server.json(f"/api/arrays/{mask}/value?x=1&y=1")["value"], "true")

    def test_packed_elements_are_the_numbers_that_they_stand_for(self):
        server = Server(self, "a.h5")
        array, _ = self.plane(server, "a.h5:/packed")
        self.built(server, array)
        self.assert_gray(server, array, self.real, low=-143, high=161.7)
        y, x = np.argwhere(self.packed == -300)[0]
        self.assertEqual(server.json(f"/api/arrays/{array}/value?x={x}&y={y}")["value"], "missing")

    def test_integers_of_64_bits_that_may_be_missing(self):
        random = np.random.default_rng(3)
        signed = random.integers(-2**63, 2**63, (40, 300), dtype="i8")
        signed[0, :3] = [2**63 - 1, -2**63, 2**53 + 1]
        natural = random.integers(0, 2**64, (40, 300), dtype="u8")
        small = random.integers(0, 200, (40, 300)).astype("i8")
        gone = random.random((40, 300)) < 0.2
        gone[0, :3] = False
        gone[:, 9] = True
        with h5py.File(self.path("wide.h5"), "w") as file:
            for name, values, fill in (("signed", signed, -999), ("natural", natural, 2**64 - 1), ("small", small, -2**63)):
                values[gone] = fill
                file.create_dataset(name, data=values, chunks=(16, 64)).attrs["_FillValue"] = values.dtype.type(fill)
            file["bounded"] = signed
            file["bounded"].attrs["valid_range"] = np.array([-2**62, 2**62 + 1])
        server = Server(self, "wide.h5")
        for name, values in (("signed", signed), ("natural", natural)):
            array, _ = self.plane(server, f"wide.h5:/{name}")
            self.assertEqual(server.json(f"/api/arrays/{array}")["type"], values.dtype.str[1:])
            for x in range(12):
                value = server.json(f"/api/arrays/{array}/value?x={x}&y=0")["value"]
                self.assertEqual(value, "missing" if gone[0, x] else str(values[0, x]))
            got = server.json(f"/api/arrays/{array}/statistics?detail=true")
            there = values[~gone].astype(object)
            self.assertEqual((got["elements"], got["missing"]), (values.size, gone.sum()))
            self.assertEqual((int(got["least"]), int(got["greatest"])), (there.min(), there.max()))
            self.assertEqual(got["mean"], int(there.sum()) / len(there))
            self.assertEqual(sum(got["histogram"]["counts"]), len(there))
            self.assertEqual([place for place, mean in enumerate(got["columns"]["means"]) if mean is None], [9])
        array, _ = self.plane(server, "wide.h5:/bounded")
        inside = (signed >= -2**62) & (signed <= 2**62 + 1)
        self.assertEqual(server.json(f"/api/arrays/{array}/statistics")["missing"], (~inside).sum())
        shown = np.where(gone, np.nan, small)
        array, _ = self.plane(server, "wide.h5:/small")
        self.built(server, array)
        self.assert_gray(server, array, shown, high=255)
        self.assert_gray(server, array, means(shown, 1), level=1, high=255)
        # A difference is of f8, and what is missing in one of them is missing.
        other, _ = self.plane(server, "wide.h5:/signed")
        value = server.json(f"/api/arrays/{array}/value?minus={other}&x=0&y=0")["value"]
        self.assertEqual(float(value), float(small[0, 0]) - float(2**63 - 1))
        self.assertEqual(server.json(f"/api/arrays/{array}/value?minus={other}&x=9&y=0")["value"], "missing")

    def test_statistics_through_a_further_dimension(self):
        server = Server(self, "a.h5")
        array, _ = self.plane(server, "a.h5:/t")
        t = self.t.astype("f8")
        for query, part, axes in (("dimension=0&x=20&y=5&width=90&height=70", t[:, 5:75, 20:110], (1, 2)),
                                  ("dimension=1&rows=2&columns=0&x=1&y=7&width=3&height=11", t[1:4, :, 7:18], (0, 2))):
            got = server.json(f"/api/arrays/{array}/through?{query}")
            np.testing.assert_allclose(got["means"], np.nanmean(part, axis=axes), rtol=1e-12)
            np.testing.assert_array_equal(got["least"], np.nanmin(part, axis=axes))
            np.testing.assert_array_equal(got["greatest"], np.nanmax(part, axis=axes))
        gone = server.json(f"/api/arrays/{array}/through?dimension=0&x=30&y=10&width=20&height=10")
        self.assertEqual([mean is None for mean in gone["means"]], [False, False, True, False, False])
        for query, word in (("dimension=2", "the plane has it"), ("dimension=1", "the plane has it"), ("dimension=3", "dimension"), ("", "dimension")):
            answer = server.get(f"/api/arrays/{array}/through?{query}")
            self.assertEqual(answer.status, 400)
            self.assertIn(word, answer.json()["error"])
        mask, _ = self.plane(server, "a.h5:/mask")
        self.assertEqual(server.get(f"/api/arrays/{mask}/through?dimension=0").status, 400)

    def test_a_histogram_beyond_2_to_53_has_both_ends(self):
        np.save(self.path("ends.npy"), np.array([2**53 + 1, 2**53 + 3, 2**53 + 7]))
        server = Server(self, "ends.npy")
        got = server.json("/api/arrays/0/statistics?detail=true")
        self.assertEqual((got["least"], got["greatest"]), (str(2**53 + 1), str(2**53 + 7)))
        self.assertEqual(sum(got["histogram"]["counts"]), 3)

    def test_statistics_are_exact(self):
        server = Server(self, "a.h5")
        array, _ = self.plane(server, "a.h5:/t")
        got = server.json(f"/api/arrays/{array}/statistics?at=2,0,0&x=20&y=5&width=90&height=70&detail=true")
        part = self.t[2, 5:75, 20:110].astype("f8")
        there = part[~np.isnan(part)]
        self.assertEqual((got["elements"], got["missing"]), (part.size, np.isnan(part).sum()))
        self.assertEqual((got["least"], got["greatest"]), (there.min(), there.max()))
        self.assertAlmostEqual(got["mean"], there.mean(), delta=1e-10)
        for key, q in (("p2", 0.02), ("median", 0.5), ("p98", 0.98)):
            self.assertAlmostEqual(got[key], np.quantile(there, q), delta=1e-10)
        self.assertEqual(sum(got["histogram"]["counts"]), there.size)
        np.testing.assert_allclose(got["columns"]["means"], np.nanmean(part, axis=0), rtol=1e-12)
        np.testing.assert_allclose(got["rows"]["means"], np.nanmean(part, axis=1), rtol=1e-12)
        # The same of a plane that is turned.
        turned = server.json(f"/api/arrays/{array}/statistics?rows=2&columns=1&at=2,0,0&y=20&x=5&height=90&width=70&detail=true")
        self.assertEqual(turned["median"], got["median"])
        self.assertEqual((turned["rows"], turned["columns"]), (got["columns"], got["rows"]))

    def test_a_difference_of_two_arrays(self):
        np.save(self.path("b.npy"), self.t[0] * 2)
        server = Server(self, "a.h5", "b.npy", "a.h5:/t[0]")
        arrays = {one["name"]: one["id"] for one in server.json("/api/arrays")["arrays"]}
        query = f"minus={arrays['a.h5:/t[0]']}"
        array = arrays["b.npy"]
        self.built(server, array, query)
        self.assert_gray(server, array, self.t[0] * 2 - self.t[0], query=query, low=260, high=300)
        wrong = server.get(f"/api/arrays/{array}/plane?minus={arrays['a.h5:/time']}")
        self.assertEqual(wrong.status, 400)

    def test_one_dimension_is_a_row(self):
        np.save(self.path("line.npy"), np.arange(1000) / 999)
        server = Server(self, "line.npy")
        self.assertEqual([server.json("/api/arrays/0/plane")[key] for key in ("width", "height")], [1000, 1])
        self.built(server, 0)
        self.assert_gray(server, 0, (np.arange(1000) / 999)[None])
        got = server.json("/api/arrays/0/statistics?x=10&width=20&detail=true")
        self.assertEqual(got["columns"]["means"], list(np.arange(10, 30) / 999))

    def test_work_ends_when_nobody_waits_for_it(self):
        np.save(self.path("small.npy"), np.arange(12.0).reshape(3, 4))
        server = Server(self, "random:uniform?count=10000000000000", "small.npy", "--threads", "1")
        # Hours, one at a time: the answer about the small array comes because the clients of the others have gone.
        for _ in range(3):
            with socket.create_connection(("127.0.0.1", server.port)) as client:
                client.sendall(b"GET /api/arrays/0/statistics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        self.assertEqual(server.json("/api/arrays/1/statistics")["mean"], 5.5)
        with socket.create_connection(("127.0.0.1", server.port)) as client:
            client.sendall(b"GET /api/arrays/0/statistics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            self.assertEqual(server.stop()[0], 0)

    def test_all_that_is_missing(self):
        np.save(self.path("none.npy"), np.full((40, 50), np.nan))
        server = Server(self, "none.npy")
        self.built(server, 0)
        self.assert_gray(server, 0, np.full((40, 50), np.nan))
        self.assertEqual(server.json("/api/arrays/0/statistics?detail=true"), {"elements": 2000, "missing": 2000})

    def test_formats_and_folders(self):
        os.mkdir(self.path("folder"))
        write_netcdf3(self.path("folder/c.nc"), {"v": (np.arange(6, dtype="i2").reshape(2, 3), {"units": "m"})})
        np.savez(self.path("folder/d.npz"), p=np.ones((3, 3)), q=np.zeros(4))
        with open(self.path("folder/readme.txt"), "w", encoding="ascii") as text:
            text.write("no array")
        np.arange(12, dtype="<u2").tofile(self.path("raw.bin"))
        server = Server(self, "folder", "raw.bin?dtype=u2&shape=3x4")
        names = [one["name"] for one in server.json("/api/arrays")["arrays"]]
        self.assertEqual(names, ["folder/c.nc:/v", "folder/d.npz:/p", "folder/d.npz:/q", "raw.bin?dtype=u2&shape=3x4"])
        self.assertEqual(server.json("/api/arrays/0/value?x=2&y=1")["value"], "5")
        self.assertEqual(server.json("/api/arrays/3/value?x=3&y=2")["value"], "11")

    def test_images_and_arrays_together(self):
        self.assert_done("render", *served.PLACE, "--device", "cpu", "--quiet", "--output", "image.h5")
        server = Server(self, ".")
        self.assertEqual([one["name"] for one in server.json("/api/images")["images"]], ["image.h5"])
        self.assertEqual({one["name"].split(":")[0] for one in server.json("/api/arrays")["arrays"]}, {"a.h5"})

    def test_a_damaged_chunk_is_said_and_the_rest_is_shown(self):
        values = np.random.default_rng(3).random((600, 600))
        with h5py.File(self.path("bad.h5"), "w") as file:
            data = file.create_dataset("x", data=values, chunks=(300, 300), compression="gzip")
            file.flush()
            place = data.id.get_chunk_info(3)
        with open(self.path("bad.h5"), "r+b") as file:
            file.seek(place.byte_offset + 100)
            file.write(b"\xff" * 64)
        server = Server(self, "bad.h5")
        self.built(server, 0)
        self.assertIn("chunk", server.json("/api/arrays/0/plane")["problem"])
        values[300:, 300:] = np.nan
        self.assert_gray(server, 0, values)
        self.assertEqual(server.get("/api/arrays/0/statistics").status, 500)
        self.assertEqual(server.get("/api/arrays/0/statistics?width=300&height=300").status, 200)

    def test_a_difference_is_missing_where_an_element_is(self):
        with h5py.File(self.path("m.h5"), "w") as file:
            file["whole"] = np.int16([[1, 2, 3, -9]])
            file["holes"] = np.int16([[5, -9, 7, 8]])
            file["holes"].attrs["_FillValue"] = np.int16(-9)
            file["real"] = [[np.nan, 1.5, np.inf, 0]]
        server = Server(self, "m.h5")
        ids = {one["name"].split("/")[1]: one["id"] for one in server.json("/api/arrays")["arrays"]}

        def values(array, minus):
            return [server.json(f"/api/arrays/{ids[array]}/value?x={x}&y=0&minus={ids[minus]}")["value"] for x in range(4)]
        self.assertEqual(values("whole", "holes"), ["-4", "missing", "-4", "-17"])
        self.assertEqual(values("holes", "whole"), ["4", "missing", "4", "17"])
        self.assertEqual(values("real", "real"), ["nan", "0", "nan", "0"])

    def test_a_file_that_is_written_again_is_read_again(self):
        def write(name, values):
            if name.endswith(".npy"):
                return np.save(self.path(name), values)
            with h5py.File(self.path(name), "w") as file:
                return file.create_dataset("d", data=values, chunks=values.shape)
        names = ("in-place.npy", "in-place.h5", "replaced.h5")
        for name in names:
            write(name, np.full((40, 50), 3.0))
        server = Server(self, *names)
        for array in range(3):
            self.built(server, array)
            self.assertEqual(server.json(f"/api/arrays/{array}/value?x=1&y=1")["value"], "3")
        before = [server.json(f"/api/arrays/{array}/plane") for array in range(3)]
        values = np.arange(60 * 70.0).reshape(60, 70)
        write("in-place.npy", values)
        write("in-place.h5", values)
        write("new.h5", values)
        os.replace(self.path("new.h5"), self.path("replaced.h5"))
        for array in range(3):
            self.assertEqual(server.json(f"/api/arrays/{array}/value?x=69&y=59")["value"], "4199", names[array])
            plane = server.json(f"/api/arrays/{array}/plane")
            self.assertEqual((plane["width"], plane["height"]), (70, 60))
            self.assertNotEqual(plane["state"], before[array]["state"])
            self.assert_gray(server, array, values, high=4199)
            self.assertEqual(server.json(f"/api/arrays/{array}/statistics")["greatest"], 4199)

    def test_requests_that_make_no_sense(self):
        server = Server(self, "a.h5")
        array, _ = self.plane(server, "a.h5:/t")
        for target, status in (("/api/arrays/99", 404), ("/api/arrays/-1", 404), (f"/api/arrays/{array}/plane?at=5,0,0", 400),
                               (f"/api/arrays/{array}/plane?at=1,0", 400), (f"/api/arrays/{array}/plane?rows=2&columns=2", 400),
                               (f"/api/arrays/{array}/plane?rows=3", 400), (f"/api/arrays/{array}/value?x=400&y=0", 400),
                               (f"/api/arrays/{array}/statistics?x=0&width=401", 400), (f"/planes/{array}/2/0/0.png", 404),
                               (f"/planes/{array}/0/2/0.png", 404), (f"/planes/{array}/0/0/0.jpg", 404),
                               (f"/planes/{array}/0/0/0.png?low=x", 400), (f"/planes/{array}/0/0/0.png?palette=none", 400),
                               (f"/planes/{array}/0/0/0.png?scale=log&low=0", 400),
                               (f"/planes/{array}/0/0/0.png?low=3&high=2", 400), (f"/planes/{array}/0/0/0.png?low=-1e308&high=1e308", 400), (f"/planes/{array}/0/0/0.png?minus=99", 400)):
            answer = server.get(target)
            self.assertEqual(answer.status, status, target)
            self.assertTrue(answer.json()["error"], target)

    def test_what_is_no_array_is_refused_at_the_start(self):
        with h5py.File(self.path("empty.h5"), "w") as file:
            file["text"] = "no numbers"
        self.assert_refused(["serve", "empty.h5"], 2, "empty.h5", "holds no array of numbers")
        self.assert_refused(["serve", "no.npy"], 3, "no.npy")


if __name__ == "__main__":
    main()
