"""tessera reduce: datasets that have elements in other files. What HDF5 fills in silently is an error that names the
file: each damage of a source, in each way to reach it."""

import os
import pathlib
import resource
import subprocess

from program import TESSERA, main
from reduction import ReduceTest, h5py, np
from surroundings import HANG_S

ROWS = 10
UNLIMITED = h5py.h5s.UNLIMITED


def rows(number):
    return np.arange(ROWS * 10, dtype="f8").reshape(ROWS, 10) + 1000 * number


def write_source(path, number=0, name="d", **options):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with h5py.File(path, "w") as file:
        file.create_dataset(name, data=rows(number), **options)


def write_virtual(path, *parts, dtype="f8", name="v", fill=-1):
    layout = h5py.VirtualLayout((ROWS * len(parts), 10), dtype)
    for i, (file, dataset) in enumerate(parts):
        layout[i * ROWS:(i + 1) * ROWS] = h5py.VirtualSource(file, dataset, (ROWS, 10))
    with h5py.File(path, "a", libver="latest") as file:
        file.create_virtual_dataset(name, layout, fillvalue=fill)


def write_numbered(path, file_name, dataset_name, *, first=0, blocks_each=1, most=UNLIMITED):
    """A virtual dataset without an end, of blocks with %b in their names."""
    stride = ROWS * blocks_each
    space = h5py.h5s.create_simple((ROWS, 10), (most, 10))
    space.select_hyperslab((first * ROWS, 0), (UNLIMITED, 1), (stride, 1), (ROWS, 10))
    plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    plist.set_virtual(space, file_name.encode(), dataset_name.encode(), h5py.h5s.create_simple((ROWS, 10)))
    with h5py.File(path, "w", libver="latest") as file:
        whole = h5py.h5s.create_simple((0, 10), (UNLIMITED, 10))
        h5py.h5d.create(file.id, b"v", h5py.h5t.IEEE_F64LE, whole, plist)


# ---- what may have happened to a source: how, the exit code, a word of the message beside the source's name

def rewrite(path, write):
    os.remove(path)
    with h5py.File(path, "w") as file:
        write(file)


def chunk_of_filter(file, filter_id, options):
    data = file.create_dataset("d", (ROWS, 10), "f8", chunks=(ROWS, 10), compression=filter_id,
                               compression_opts=options, allow_unknown_filter=True)
    data.id.write_direct_chunk((0, 0), bytes(800), 0)


def cut(path):
    with open(path, "r+b") as file:
        file.truncate(os.path.getsize(path) - 300)


def text(path):
    with open(path, "w") as file:
        file.write("words\n" * 1000)


def folder(path):
    os.remove(path)
    os.mkdir(path)


def short_raw(path):
    raw = os.path.join(os.path.dirname(path), "raw.bin")
    rows(1)[:5].tofile(raw)
    rewrite(path, lambda file: file.create_dataset("d", (ROWS, 10), "f8", external=[(raw, 0, 800)]))


def empty(path):
    os.truncate(path, 0)


DAMAGES = {
    "gone": (os.remove, 3, "not there"),
    "empty": (empty, 2, "not an HDF5 file"),
    "another format": (text, 2, "not an HDF5 file"),
    "cut off": (cut, 2, "truncated"),
    "a folder": (folder, 2, "folder"),
    "without the dataset": (lambda path: rewrite(path, lambda file: file.create_dataset("e", data=1)), 3, "has no"),
    "a group": (lambda path: rewrite(path, lambda file: file.create_group("d")), 2, "group"),
    "fewer rows": (lambda path: rewrite(path, lambda file: file.create_dataset("d", data=rows(1)[1:])), 2, "9x10"),
    "more rows": (lambda path: rewrite(path, lambda file: file.create_dataset("d", (ROWS + 1, 10), "f8")), 2, "11x10"),
    "another rank": (lambda path: rewrite(path, lambda file: file.create_dataset("d", (ROWS,), "f8")), 2, "of 10 "),
    "strings": (lambda path: rewrite(path, lambda file: file.create_dataset("d", (ROWS, 10), "S4")), 2, "another kind"),
    "a broken soft link": (lambda path: rewrite(path, lambda file: file.update(d=h5py.SoftLink("/lost"))), 3, "/lost"),
    "a broken external link": (
        lambda path: rewrite(path, lambda file: file.update(d=h5py.ExternalLink("lost.h5", "/d"))), 3, "lost.h5"),
    "a filter that is not there": (
        lambda path: rewrite(path, lambda file: chunk_of_filter(file, 32002, (0,))), 3, "32002"),
    "bitshuffle with zstd": (
        lambda path: rewrite(path, lambda file: chunk_of_filter(file, 32008, (0, 3, 8, 0, 3))), 3, "32008"),
    "raw data that end": (short_raw, 2, "raw.bin"),
}


class Reached(ReduceTest):
    """Each way to reach s1.h5: its path, what reads it, and the environment. s0.h5 is always sound."""

    def setUp(self):
        super().setUp()
        os.mkdir(self.path("plugins"))
        self.environment = {**os.environ, "HDF5_PLUGIN_PATH": self.path("plugins")}

    def directly(self, folder):
        write_virtual(folder + "v.h5", ("s0.h5", "d"), ("s1.h5", "d"))
        return {}

    def through_a_virtual_one(self, folder):
        write_virtual(folder + "inner.h5", ("s1.h5", "d"))
        write_virtual(folder + "v.h5", ("s0.h5", "d"), ("inner.h5", "v"))
        return {}

    def through_two_virtual_ones(self, folder):
        write_virtual(folder + "innermost.h5", ("s1.h5", "d"))
        write_virtual(folder + "inner.h5", ("innermost.h5", "v"))
        write_virtual(folder + "v.h5", ("s0.h5", "d"), ("inner.h5", "v"))
        return {}

    def through_one_in_the_same_file(self, folder):
        write_virtual(folder + "v.h5", ("s1.h5", "d"), name="inner")
        write_virtual(folder + "v.h5", ("s0.h5", "d"), ("v.h5", "inner"))
        return {}

    def through_an_external_link(self, folder):
        with h5py.File(folder + "link.h5", "w") as file:
            file["there"] = h5py.ExternalLink("s1.h5", "/d")
        write_virtual(folder + "v.h5", ("s0.h5", "d"), ("link.h5", "there"))
        return {}

    def through_a_soft_link(self, folder):
        with h5py.File(folder + "link.h5", "w") as file:
            file["there"] = h5py.ExternalLink("s1.h5", "/d")
            file["group/soft"] = h5py.SoftLink("/there")
        write_virtual(folder + "v.h5", ("s0.h5", "d"), ("link.h5", "group/soft"))
        return {}

    def by_number(self, folder):
        write_numbered(folder + "v.h5", "s%b.h5", "d")
        return {}

    def under_a_prefix(self, folder):
        os.mkdir(folder + "moved")
        for name in ("s0.h5", "s1.h5"):
            os.rename(folder + name, folder + "moved/" + name)
        write_virtual(folder + "v.h5", ("/nowhere/s0.h5", "d"), ("s1.h5", "d"))
        return {"HDF5_VDS_PREFIX": "/nowhere:" + folder + "moved"}

    WAYS = (directly, through_a_virtual_one, through_two_virtual_ones, through_one_in_the_same_file,
            through_an_external_link, through_a_soft_link, by_number, under_a_prefix)

    ALL_DAMAGES = (directly, through_a_virtual_one, through_an_external_link)
    SOME = ("gone", "cut off", "without the dataset", "bitshuffle with zstd", "raw data that end")

    def made(self, name, way):
        """v.h5:/v in a folder of its own, and the path of s1.h5 and the environment."""
        folder = self.path(name) + "/"
        for number in range(2):
            write_source(f"{folder}s{number}.h5", number)
        environment = {**self.environment, **way(self, folder)}
        path = folder + ("moved/s1.h5" if os.path.exists(folder + "moved") else "s1.h5")
        return f"{name}/v.h5:/v", path, environment

    def test_are_read_where_nothing_is_wrong(self):
        wanted = str(float(np.concatenate([rows(0), rows(1)]).sum())).removesuffix(".0")
        for number, way in enumerate(self.WAYS):
            with self.subTest(way=way.__name__):
                source, _, environment = self.made(f"{number}", way)
                said = self.assert_done("reduce", source, "--op", "sum", "--quiet", env=environment)
                self.assertEqual(said, wanted + "\n")

    def test_are_refused_by_name_with_any_damage_in_any_way(self):
        for number, way in enumerate(self.WAYS):
            for damage, (harm, code, word) in DAMAGES.items():
                if way not in self.ALL_DAMAGES and damage not in self.SOME:
                    continue
                if way is Reached.by_number and damage == "gone":
                    continue  # the array is shorter then: see below
                with self.subTest(way=way.__name__, damage=damage):
                    source, path, environment = self.made(f"{number} {damage}", way)
                    harm(path)
                    self.assert_refused(["reduce", source, "--op", "sum"], code, "v.h5:/v", word, env=environment)

    def test_are_not_replaced_by_what_is_made_of_them(self):
        write_source(self.path("src.h5"))
        write_virtual(self.path("v.h5"), ("src.h5", "d"))
        os.symlink("src.h5", self.path("link.h5"))
        for output in ("src.h5", "./src.h5:/other", "link.h5"):
            self.assert_refused(("map", "x + 1", "x=v.h5:/v", "--output", output, "--overwrite"), 2, "would overwrite INPUT")
        self.assert_done("map", "x + 1", "x=v.h5:/v", "--output", "new.h5", "--quiet")
        self.assert_done("map", "x + 2", "x=v.h5:/v", "--output", "new.h5", "--overwrite", "--quiet")

    def test_are_refused_wherever_an_array_is_taken(self):
        source, path, environment = self.made("a", Reached.directly)
        np.save(self.path("y.npy"), np.ones((2 * ROWS, 10)))
        os.remove(path)
        for command in (["reduce", source, "--op", "sum", "--axis", "0", "--output", "o.npy"],
                        ["reduce", "y.npy", "--op", "dot", "--with", source], ["reduce", "y.npy", "--by", source, "--op", "sum"],
                        ["reduce", source, "--op", "median"], ["map", "a+b", "y.npy", source, "--output", "o.npy"],
                        ["info", source]):
            self.assert_refused(command, 3, "s1.h5", env=environment)


class Numbered(ReduceTest):
    def test_sources_end_where_the_last_one_is(self):
        for number in range(3):
            write_source(self.path(f"s{number}.h5"), number)
        write_numbered(self.path("v.h5"), "s%b.h5", "d")
        self.assert_answers("v.h5:/v", {"sum": sum(rows(n).sum() for n in range(3))})

    def test_a_missing_source_among_others_is_named(self):
        for number in (0, 1, 4):
            write_source(self.path(f"s{number}.h5"), number)
        write_numbered(self.path("v.h5"), "s%b.h5", "d")
        self.assert_refused(["reduce", "v.h5:/v", "--op", "sum"], 3, "s2.h5", "s4.h5")

    def test_sources_behind_a_gap_are_looked_for_so_far(self):
        write_source(self.path("s0.h5"))
        write_numbered(self.path("v.h5"), "s%b.h5", "d")
        write_source(self.path("s102.h5"))
        self.assert_answers("v.h5:/v", {"sum": rows(0).sum()})
        write_source(self.path("s101.h5"))
        self.assert_refused(["reduce", "v.h5:/v", "--op", "sum"], 3, "s1.h5", "s101.h5")

    def test_a_missing_dataset_among_others_is_named(self):
        with h5py.File(self.path("s.h5"), "w") as file:
            for number in (0, 1, 3):
                file[f"d{number}"] = rows(number)
        write_numbered(self.path("v.h5"), "s.h5", "d%b")
        self.assert_refused(["reduce", "v.h5:/v", "--op", "sum"], 3, "d2", "d3")
        with h5py.File(self.path("s.h5"), "a") as file:
            file["d2"] = rows(2)
        self.assert_answers("v.h5:/v", {"sum": sum(rows(n).sum() for n in range(4))})

    def test_two_percent_signs_are_one(self):
        write_source(self.path("50%.h5"))
        write_virtual(self.path("v.h5"), ("50%%.h5", "d"))
        self.assert_answers("v.h5:/v", {"sum": rows(0).sum()})
        os.remove(self.path("50%.h5"))
        self.assert_refused(["reduce", "v.h5:/v", "--op", "sum"], 3, "50%.h5")

    def growing(self, *lengths):
        """Sources without an end, whose rows alternate."""
        whole = h5py.h5s.create_simple((0, 10), (UNLIMITED, 10))
        plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        for i, length in enumerate(lengths):
            with h5py.File(self.path(f"s{i}.h5"), "w") as file:
                file.create_dataset("d", data=np.full((length, 10), i + 1.0), maxshape=(None, 10))
            space = h5py.h5s.create_simple((1, 10), (UNLIMITED, 10))
            space.select_hyperslab((i, 0), (UNLIMITED, 1), (len(lengths), 1), (1, 10))
            source = h5py.h5s.create_simple((1, 10), (UNLIMITED, 10))
            source.select_hyperslab((0, 0), (UNLIMITED, 1), (1, 1), (1, 10))
            plist.set_virtual(space, f"s{i}.h5".encode(), b"d", source)
        with h5py.File(self.path("v.h5"), "w", libver="latest") as file:
            h5py.h5d.create(file.id, b"v", h5py.h5t.IEEE_F64LE, whole, plist)
        return "v.h5:/v"

    def test_sources_without_an_end_fill_what_they_have(self):
        self.assert_answers(self.growing(4, 4), {"sum": 120.0})
        self.assert_answers(self.growing(5, 4), {"sum": 130.0})

    def test_a_source_that_is_shorter_than_the_others_is_named(self):
        self.assert_refused(["reduce", self.growing(6, 4), "--op", "sum"], 2, "s1.h5", "4x10")


class More(ReduceTest):
    def test_one_that_leads_to_itself(self):
        write_virtual(self.path("v.h5"), ("v.h5", "w"))
        write_virtual(self.path("v.h5"), ("v.h5", "v"), name="w")
        self.assert_refused(["reduce", "v.h5:/v", "--op", "sum"], 2, "v.h5:/v", "itself")

    def test_a_source_that_is_an_input_too(self):
        write_source(self.path("s.h5"), 3)
        write_virtual(self.path("v.h5"), ("s.h5", "d"))
        wanted = {"dot": float((rows(3) * rows(3)).sum())}
        self.assert_answers("v.h5:/v", wanted, "--with", "s.h5:/d")
        self.assert_answers("s.h5:/d", wanted, "--with", "v.h5:/v")

    def test_parts_that_nothing_is_mapped_to_have_the_fill_value(self):
        write_source(self.path("s.h5"), 1)
        layout = h5py.VirtualLayout((ROWS + 2, 10), "f8")
        layout[1:ROWS + 1] = h5py.VirtualSource("s.h5", "d", (ROWS, 10))
        with h5py.File(self.path("v.h5"), "w", libver="latest") as file:
            file.create_virtual_dataset("v", layout, fillvalue=7)
        self.assert_answers("v.h5:/v", {"sum": rows(1).sum() + 140})

    def test_more_sources_than_files_may_be_open(self):
        layout = h5py.VirtualLayout((300,), "f8")
        for i in range(300):
            with h5py.File(self.path(f"{i}.h5"), "w") as file:
                file["d"] = np.full(1, i, "f8")
            layout[i:i + 1] = h5py.VirtualSource(f"{i}.h5", "d", (1,))
        with h5py.File(self.path("v.h5"), "w", libver="latest") as file:
            file.create_virtual_dataset("v", layout, fillvalue=0)

        def limited(most):
            return lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (256, most))

        command = ["reduce", "v.h5:/v", "--op", "sum", "--quiet"]
        self.assert_refused(command, 2, "v.h5:/v", "ulimit -n", preexec_fn=limited(256))
        self.assertEqual(self.assert_done(*command, preexec_fn=limited(1024)), "44850\n")

    def test_numbers_that_the_type_cannot_hold_are_no_others(self):
        cases = {("f8", "i4"): (2.0, (0.5, 3e9, np.nan, np.inf)), ("i8", "i2"): (-32768, (32768, -40000)),
                 ("i4", "u1"): (255, (-1, 256)), ("u8", "i8"): (2**63 - 1, (2**63,)), ("f8", "f4"): (0.1, ()),
                 ("i8", "f8"): (2**53 + 1, ()), ("f4", "f8"): (np.inf, ())}
        for (stored, wanted), (fits, others) in cases.items():
            for value in (fits, *others):
                with self.subTest(stored=stored, wanted=wanted, value=value):
                    with h5py.File(self.path("s.h5"), "w") as file:
                        file["d"] = np.full((ROWS, 10), fits, stored)
                        file["d"][ROWS - 1, 9] = np.array(value, stored)
                    if os.path.exists(self.path("v.h5")):
                        os.remove(self.path("v.h5"))
                    write_virtual(self.path("v.h5"), ("s.h5", "d"), dtype=wanted, fill=0)
                    if value in others or value != value:
                        self.assert_refused(["reduce", "v.h5:/v", "--op", "max"], 4, "v.h5:/v", "cannot hold")
                    else:
                        self.assert_answers("v.h5:/v", {"max": np.array(fits, stored).astype(wanted).item()})

    def external(self, name, *parts, length=100, **environment):
        with h5py.File(self.path("x.h5"), "w") as file:
            file.create_dataset("x", (length,), "f8", external=list(parts))
        return ["reduce", "x.h5:/x", "--op", "sum", "--quiet"], {"env": {**os.environ, **environment}}

    def test_external_storage_is_there_to_its_end(self):
        array = np.arange(1.0, 101.0)
        array[:60].tofile(self.path("a.bin"))
        np.concatenate([np.zeros(2), array[60:]]).tofile(self.path("b.bin"))
        parts = ("a.bin", 0, 480), ("b.bin", 16, h5py.h5f.UNLIMITED)
        command, options = self.external("x", *parts)
        self.assertEqual(self.assert_done(*command, **options), "5050\n")
        os.truncate(self.path("b.bin"), 335)
        self.assert_refused(command, 2, "x.h5:/x", "b.bin", "335 of 336", **options)
        os.truncate(self.path("a.bin"), 479)
        self.assert_refused(command, 2, "x.h5:/x", "a.bin", **options)
        os.remove(self.path("a.bin"))
        self.assert_refused(command, 3, "x.h5:/x", "a.bin", **options)
        os.mkdir(self.path("a.bin"))
        self.assert_refused(command, 2, "x.h5:/x", "a.bin", "folder", **options)

    def test_external_storage_under_a_prefix(self):
        os.mkdir(self.path("raw"))
        np.arange(1.0, 101.0).tofile(self.path("raw/a.bin"))
        for prefix in (self.path("raw"), "raw", "${ORIGIN}/raw"):
            command, options = self.external("x", ("a.bin", 0, 800), HDF5_EXTFILE_PREFIX=prefix)
            self.assertEqual(self.assert_done(*command, **options), "5050\n")
        os.truncate(self.path("raw/a.bin"), 799)
        self.assert_refused(command, 2, "x.h5:/x", "raw/a.bin", "799 of 800", **options)
        os.remove(self.path("raw/a.bin"))
        self.assert_refused(command, 3, "x.h5:/x", "raw/a.bin", **options)

    def test_links(self):
        with h5py.File(self.path("l.h5"), "w") as file:
            file["real"] = np.ones(4)
            file["entry/data"] = h5py.ExternalLink("l.h5", "/real")
            file["again"] = h5py.ExternalLink("other.h5", "/back")
            file["lost"] = h5py.ExternalLink("gone.h5", "/data")
            file["group"] = h5py.ExternalLink("gone.h5", "/")
            file["soft"] = h5py.SoftLink("/lost")
            file["dangling"] = h5py.SoftLink("nothing")
            file["named"] = h5py.ExternalLink("other.h5", "/no")
            file["round"] = h5py.SoftLink("/round")
        with h5py.File(self.path("other.h5"), "w") as file:
            file["back"] = h5py.ExternalLink("l.h5", "/real")
        self.assert_answers("l.h5:/entry/data", {"sum": 4.0})
        self.assert_answers("l.h5:/again", {"sum": 4.0})
        for name, words in {"lost": ("gone.h5", "/data"), "group/x": ("gone.h5",), "soft": ("gone.h5",),
                            "dangling": ("nothing",), "named": ("other.h5", "has no /no"), "round": ("itself",)}.items():
            self.assert_refused(["reduce", f"l.h5:/{name}", "--op", "sum"], 3, "l.h5", *words)
        self.assert_refused(["reduce", "l.h5:/none", "--op", "sum"], 3, "has no dataset /none", "/real")

    def test_a_source_that_somebody_has_locked(self):
        write_source(self.path("s.h5"), 1)
        write_virtual(self.path("v.h5"), ("s.h5", "d"))
        done = subprocess.run(["flock", "-x", self.path("s.h5"), TESSERA, "reduce", "v.h5:/v", "--op", "sum", "--quiet"],
                              cwd=self.folder, capture_output=True, text=True, timeout=HANG_S)
        self.assertEqual((done.stdout, done.stderr), (f"{int(rows(1).sum())}\n", ""))

    def test_damaged_links_in_a_heap(self):
        """HDF5 1.10 frees what it has not made where it sorts links that it cannot read."""
        with h5py.File(self.path("a.h5"), "w", libver="latest") as file:
            file.update({f"dataset{number}": rows(number) for number in range(12)})  # more than 8 are in a heap
        whole = pathlib.Path(self.path("a.h5")).read_bytes()
        heap = whole.index(b"FHDB")
        for offset in range(0, 400, 80):
            damaged = bytearray(whole)
            damaged[heap + offset] ^= 0x41
            pathlib.Path(self.path("b.h5")).write_bytes(damaged)
            for command in (("reduce", "b.h5:/dataset3", "--op", "sum"), ("reduce", "b.h5:/none", "--op", "sum"), ("info", "b.h5")):
                done = self.run_program(*command)
                self.assertIn(done.returncode, (0, 2, 3, 4), (command, offset, done.stderr))
                self.assertTrue(done.returncode == 0 or "b.h5" in done.stderr, done.stderr)


if __name__ == "__main__":
    main()
