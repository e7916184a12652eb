#!/usr/bin/env python3
"""`tessera publish`: the pictures are those of the viewer, in a folder and in a PMTiles archive, read by its specification."""

import gzip
import io
import json
import os
import shutil
import struct

from program import main
from served import Image, Served, Server, h5py


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at


def entries_of(packed):
    """(number, run, bytes, offset) of each entry of a directory."""
    data = gzip.decompress(packed)
    count, at = varint(data, 0)
    columns = []
    for _ in range(4):
        column = []
        for _ in range(count):
            value, at = varint(data, at)
            column.append(value)
        columns.append(column)
    assert at == len(data)
    numbers, total = [], 0
    for step in columns[0]:
        total += step
        numbers.append(total)
    offsets = []
    for i, offset in enumerate(columns[3]):
        offsets.append(offset - 1 if offset else offsets[-1] + columns[2][i - 1])
    return list(zip(numbers, columns[1], columns[2], offsets))


def place_of(number):
    """Zoom, column and row: Hilbert's curve by its definition, quadrant by quadrant."""
    zoom = 0
    while number >= 4**zoom:
        number -= 4**zoom
        zoom += 1

    def at(level, index):
        if level == 0:
            return 0, 0
        quarter, rest = divmod(index, 4 ** (level - 1))
        x, y = at(level - 1, rest)
        half = 2 ** (level - 1)
        return [(y, x), (x, y + half), (x + half, y + half), (2 * half - 1 - y, half - 1 - x)][quarter]

    return zoom, *at(zoom, number)


def read_pmtiles(path):
    """Header numbers, metadata, and PNG by zoom, column and row."""
    with open(path, "rb") as file:
        data = file.read()
    assert data[:8] == b"PMTiles\x03"
    head = dict(zip(("root", "root_bytes", "metadata", "metadata_bytes", "leaves", "leaves_bytes", "tiles", "tiles_bytes", "addressed",
                     "entries", "contents"), struct.unpack("<11Q", data[8:96])))
    head.update(zip(("clustered", "internal", "compression", "type", "min_zoom", "max_zoom"), data[96:102]))
    assert head["root"] + head["root_bytes"] <= 16384
    entries = []
    for entry in entries_of(data[head["root"]:head["root"] + head["root_bytes"]]):
        if entry[1]:
            entries.append(entry)
        else:
            leaf = head["leaves"] + entry[3]
            entries += entries_of(data[leaf:leaf + entry[2]])
    assert len(entries) == head["entries"]
    tiles = {}
    for number, run, size, offset in entries:
        for i in range(run):
            tiles[place_of(number + i)] = data[head["tiles"] + offset:head["tiles"] + offset + size]
    metadata = gzip.decompress(data[head["metadata"]:head["metadata"] + head["metadata_bytes"]])
    return head, json.loads(metadata), tiles


def pixels(png):
    """igzip may write the same pixels in other bytes."""
    with Image.open(io.BytesIO(png)) as picture:
        return picture.mode, picture.tobytes()


class Publish(Served):
    def files(self, folder):
        """PNG of a folder, by zoom, column and row."""
        found = {}
        for base, _, names in os.walk(self.path(f"{folder}/tiles")):
            for name in names:
                x, zoom = os.path.basename(base), os.path.basename(os.path.dirname(base))
                with open(os.path.join(base, name), "rb") as file:
                    found[int(zoom), int(x), int(name.removesuffix(".png"))] = file.read()
        return found

    def served(self, name, query, levels, sizes):
        server = Server(self, name)
        server.wait_for_scales(query=query)
        return {(levels - 1 - level, x, y): server.get(f"/tiles/0/{level}/{x}/{y}.png?{query}").body
                for level, (width, height) in enumerate(sizes) for x in range(width) for y in range(height)}

    def test_the_pictures_are_those_of_the_viewer(self):
        self.render()  # 1100 x 700
        sizes = [(5, 3), (3, 2), (2, 1), (1, 1)]
        wanted = self.served("a.h5", "palette=ember", 4, sizes)
        self.assert_done("publish", "a.h5", "folder", "--palette", "ember", "--quiet")
        self.assert_done("publish", "a.h5", "file", "--palette", "ember", "--tiles", "file", "--quiet")
        files = self.files("folder")
        self.assertEqual(files.keys(), wanted.keys())
        for place, png in wanted.items():
            self.assertTrue(pixels(files[place]) == pixels(png), place)
        head, metadata, tiles = read_pmtiles(self.path("file/image.pmtiles"))
        self.assertEqual(tiles.keys(), wanted.keys())
        for place, png in wanted.items():
            self.assertTrue(pixels(tiles[place]) == pixels(png), place)
        self.assertEqual((head["addressed"], head["contents"]), (len(wanted), len(set(tiles.values()))))
        self.assertEqual([head[key] for key in ("internal", "compression", "type", "min_zoom", "max_zoom")], [2, 1, 2, 0, 3])
        self.assertEqual(metadata["name"], "a.h5")
        facts = self.read_json("file/image.json")
        self.assertEqual([facts[key] for key in ("width", "height", "levels", "tiles")], [1100, 700, 4, "image.pmtiles"])
        self.assertEqual(self.read_json("folder/image.json")["tiles"], "tiles")

    def test_many_pictures_are_one_file(self):
        """With leaves of the directory, and equal pictures stored once."""
        self.assert_done("render", "--view", "whole", "--size", "40000x40000", "--iterations", "50", "--fields", "iterations", "--device",
                         "cpu", "--quiet", "--output", "big.h5")
        self.assert_done("publish", "big.h5", "big", "--quiet")
        head, _, tiles = read_pmtiles(self.path("big/image.pmtiles"))
        self.assertEqual(len(tiles), sum((-(-40000 // (256 << level))) ** 2 for level in range(9)))
        self.assertGreater(head["leaves_bytes"], 0)
        self.assertLess(head["contents"], head["addressed"] / 4)
        server = Server(self, "big.h5")
        server.wait_for_scales()
        for place in ((8, 0, 0), (8, 100, 77), (8, 156, 156), (7, 33, 40), (0, 0, 0)):
            zoom, x, y = place
            self.assertTrue(pixels(tiles[place]) == pixels(server.get(f"/tiles/0/{8 - zoom}/{x}/{y}.png").body), place)

    def test_an_edge_and_an_unfinished_file(self):
        self.render("--fields", "iterations,smooth,distance,gradient")
        self.assert_done("publish", "a.h5", "plain", "--quiet")
        for site, option in (("edge", ("--distance", "1")), ("lit", ("--light", "90"))):
            self.assert_done("publish", "a.h5", site, *option, "--quiet")
            for place in ((3, 0, 0), (0, 0, 0)):
                self.assertNotEqual(self.files(site)[place], self.files("plain")[place])
        self.assert_done("render", *self.place(), "--share", "1/2", "--output", "half.h5", "--device", "cpu", "--quiet")
        done = self.run_program("publish", "half.h5.part", "half")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("is not complete", done.stderr)

    @staticmethod
    def place():
        return ("--view", "seahorse", "--size", "1100x700", "--iterations", "500", "--tile", "128")

    def test_what_is_there_is_kept(self):
        self.render()
        os.mkdir(self.path("full"))
        self.write("full/thesis.tex", "all of it")
        self.assert_refused(["publish", "a.h5", "full"], 2, "OUT full", "other files")
        self.assert_refused(["publish", "a.h5", "a.h5"], 2, "is a file")
        self.assert_refused(["publish", "no.h5", "site"], 3, "no.h5")
        self.assert_refused(["publish", "a.h5", "site", "--distance", "1"], 2, "--distance", "no distances")
        self.assert_refused(["publish", "a.h5", "site", "--light", "1"], 2, "--light", "no gradient")
        self.assert_refused(["publish", "a.h5", "site", "--tiles", "zip"], 2, "--tiles", "'zip'")
        self.assert_done("publish", "a.h5", "site", "--quiet")
        self.assert_refused(["publish", "a.h5", "site"], 2, "OUT site", "--overwrite")
        before = self.files("site")
        self.assert_done("publish", "a.h5", "site", "--overwrite", "--palette", "ocean", "--quiet")
        self.assertNotEqual(self.files("site"), before)

    def contents(self, folder):
        """Bytes by name of all that is below."""
        found = {}
        for base, _, names in os.walk(self.path(folder)):
            for name in names:
                with open(os.path.join(base, name), "rb") as file:
                    found[os.path.relpath(os.path.join(base, name), self.path(folder))] = file.read()
        return found

    def test_a_page_stays_whole_until_the_new_one_is(self):
        self.render("--compress", "0")
        self.assert_done("publish", "a.h5", "site", "--quiet")
        self.write("site/CNAME", "fractals.example")
        before = self.contents("site")
        for options in (("--palette", "none.map"), ("--inside", "mauve"), ("--distance", "1"), ("--palette-scale", "linear:x")):
            done = self.run_program("publish", "a.h5", "site", "--overwrite", *options)
            self.assertIn(done.returncode, (2, 3), done.stderr)
            self.assertEqual(self.contents("site"), before, options)
        shutil.copy(self.path("a.h5"), self.path("bad.h5"))
        with h5py.File(self.path("bad.h5"), "r+") as file:
            mask, stored = file["iterations"].id.read_direct_chunk((128, 128))
            file["iterations"].id.write_direct_chunk((128, 128), stored[:-1] + bytes([stored[-1] ^ 1]), mask)
        for site in ("site", "other"):
            done = self.run_program("publish", "bad.h5", site, "--overwrite")
            self.assertEqual(done.returncode, 4, done.stderr)
            self.assertIn("bad.h5: tile row 1, column 1", done.stderr)
        self.assertEqual(self.contents("site"), before)
        self.assertFalse(os.path.exists(self.path("other")))
        # The other kind of pictures goes, and what is not of a page stays.
        self.assert_done("publish", "a.h5", "site", "--overwrite", "--tiles", "file", "--quiet")
        after = self.contents("site")
        self.assertEqual(after.keys(), {name for name in before if not name.startswith("tiles")} | {"image.pmtiles"})
        self.assertEqual(after["CNAME"], b"fractals.example")

    def test_what_a_killed_run_left_is_replaced(self):
        self.render()
        os.makedirs(self.path("site/new-page.part.d/tiles"))
        self.write("site/new-page.part.d/.unfinished", "")
        self.write("site/new-page.part", "")
        self.assert_done("publish", "a.h5", "site", "--quiet")
        self.assertFalse([name for name in os.listdir(self.path("site")) if name.startswith("new-page")])

    def test_the_image_is_not_replaced_by_its_page(self):
        self.render()
        self.assert_done("publish", "a.h5", "site", "--quiet")
        os.rename(self.path("a.h5"), self.path("site/tiles/a.h5"))
        self.assert_refused(["publish", "site/tiles/a.h5", "site", "--overwrite"], 2, "site/tiles/a.h5: lies in OUT site")
        self.assertTrue(os.path.exists(self.path("site/tiles/a.h5")))

    def test_a_page_has_no_pictures_of_16_bits(self):
        self.render()
        self.assert_refused(["publish", "a.h5", "site", "--png-depth", "16"], 2, "--png-depth")

    def test_counts_of_0_are_shown_at_all_scales(self):
        """An orbit that begins outside escapes at once."""
        self.assert_done("render", "--formula", "julia:-0.8,0.156", "--center", "0,0", "--width", "12", "--size", "1024x1024", "--tile",
                         "128", "--iterations", "200", "--fields", "iterations", "--device", "cpu", "--quiet", "--output", "a.h5")
        self.assert_done("publish", "a.h5", "site", "--quiet")
        for place, png in self.files("site").items():
            self.assertEqual(pixels(png)[0], "RGB", place)  # nothing is transparent

    def test_a_stop_leaves_no_page_that_claims_to_be_whole(self):
        self.render(output="b.h5")
        disk = self.small_disk("300k")
        done = self.run_program("publish", "b.h5", os.path.join(disk, "site"))
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn("No space left", done.stderr)
        self.assertFalse(os.path.exists(os.path.join(disk, "site/image.json")))

    def test_smaller_scales_without_room_end_it(self):
        self.render(output="b.h5")
        size = os.path.getsize(self.path("b.h5"))
        disk = self.small_disk(f"{size // 1024 + 64}k")
        shutil.copy(self.path("b.h5"), disk)
        done = self.run_program("publish", os.path.join(disk, "b.h5"), "site")
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn("b.h5: its smaller scales cannot be made", done.stderr)


if __name__ == "__main__":
    main()
