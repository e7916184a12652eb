"""What a run reads back, its inputs and what earlier runs left, is checked or not believed."""

import os
import random
import signal

from program import main, seed, times
from reduce_runs import ReduceRunTest
from reduction import h5py, np
from runs import QUICKLY


def damages(whole, count, chance):
    """So many damaged ones of each kind."""
    for _ in range(count):
        at, bit = chance.randrange(len(whole)), 1 << chance.randrange(8)
        yield f"a flip at {at}", whole[:at] + bytes([whole[at] ^ bit]) + whole[at + 1:]
    for _ in range(count):
        at, each = chance.randrange(len(whole) - 200), chance.randrange(1, 100)
        yield f"cut to {at}", whole[:at]
        yield f"zeros at {at}", whole[:at] + bytes(each) + whole[at + each:]
        yield f"swapped at {at}", whole[:at] + whole[at + each:at + 2 * each] + whole[at:at + each] + whole[at + 2 * each:]


class Leftovers(ReduceRunTest):
    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def write_bytes(self, name, contents):
        with open(self.path(name), "wb") as file:
            file.write(contents)

    def replace_in_time(self, name, contents):
        """By another file of the same size and time, as `cp -p` and `rsync -t` do."""
        status = os.stat(self.path(name))
        assert status.st_size == len(contents)
        self.write_bytes("another", contents)
        os.utime(self.path("another"), ns=(status.st_atime_ns, status.st_mtime_ns))
        os.rename(self.path("another"), self.path(name))


class Inputs(Leftovers):
    """OUTPUT is there, and an input is not what it was."""

    def assert_knows(self, command, name, at=-8):
        """A run of the command after the contents of `name` changed, its size and time not."""
        self.assert_done(*command, "--quiet")
        was = self.read(name)
        self.assertIn("complete already", self.run_program(*command).stderr)
        other = bytearray(was)
        other[at] ^= 1
        self.replace_in_time(name, bytes(other))
        self.assert_refused(command, 2, "is there already")
        self.assert_done(*command, "--quiet", "--overwrite")

    def test_that_was_replaced_by_one_of_the_same_size_and_time(self):
        self.save(np.arange(12.).reshape(3, 4))
        self.save(np.arange(12.).reshape(3, 4) + 1, "b.npy")
        self.save(np.arange(12).reshape(3, 4) % 3, "k.npy")
        self.save(np.arange(300_000.).reshape(3, 100_000), "large.npy")
        for i in (9, 10, 11):
            self.save(np.full((2, 4), float(i)), f"p{i}.npy")
        with h5py.File(self.path("a.h5"), "w") as file:
            file.create_dataset("x", data=np.arange(120_000.).reshape(3, 40_000))
        axis = ("--op", "sum", "--axis", "0", "--output")
        self.assert_knows(("reduce", "a.npy", *axis, "o.npy"), "a.npy")
        self.assert_knows(("reduce", "p*.npy", *axis, "p.h5"), "p10.npy")
        self.assert_knows(("reduce", "a.h5:/x", *axis, "h.npy"), "a.h5", at=500_000)
        self.assert_knows(("reduce", "large.npy", *axis, "l.npy"), "large.npy", at=1_000_001)
        self.assert_knows(("map", "a+b", "a=a.npy", "b=b.npy", "--output", "m.npy"), "b.npy")
        self.assert_knows(("reduce", "a.npy", "--op", "sum", "--by", "k.npy", "--output", "t.csv"), "k.npy")

    def test_a_copy_of_a_small_input_is_the_same_and_a_copy_of_the_output_is_too(self):
        self.save(np.arange(12.).reshape(3, 4))
        command = ("reduce", "a.npy", "--op", "sum", "--axis", "0", "--output", "o.npy")
        self.assert_done(*command, "--quiet")
        for name in ("a.npy", "o.npy"):
            self.replace_in_time(name, self.read(name))
        self.assertIn("complete already", self.run_program(*command).stderr)
        other = bytearray(self.read("o.npy"))
        other[-1] ^= 1
        self.replace_in_time("o.npy", bytes(other))
        self.assert_refused(command, 2, "is there already")

    def test_other_files_with_elements_of_an_input_are_inputs_too(self):
        """A run that was stopped does not go on with elements that it has not begun with."""
        shape = (1500, 2000)
        data = np.random.default_rng(3).standard_normal(shape)
        data.tofile(self.path("raw"))
        with h5py.File(self.path("source3.h5"), "w") as file:
            file.create_dataset("x", shape, "f8", external=[("raw", 0, h5py.h5f.UNLIMITED)])
        with h5py.File(self.path("middle.h5"), "w") as file:
            layout = h5py.VirtualLayout(shape, "f8")
            layout[:] = h5py.VirtualSource("source3.h5", "x", shape)
            file.create_virtual_dataset("y", layout)
        with h5py.File(self.path("a.h5"), "w") as file:
            file["z"] = h5py.ExternalLink("middle.h5", "/y")
        job = ("a.h5:/z", "--op", "sum,var,argmax,norm1,prod", "--slice", "64K", "--report", "r.json")
        self.assert_starts_again(job, "raw", (data + 1).tobytes())

    def assert_starts_again(self, job, name, contents):
        """A run that was stopped and finds other contents there."""
        self.stop_in_mid_run(*job)
        self.replace_in_time(name, contents)
        done = self.run_program("reduce", *job, *QUICKLY, "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"{name} has changed since it was written; restarts from scratch", done.stderr)
        self.assertEqual(self.results(), self.truth(*job))

    def test_sources_that_are_counted_are_inputs_too(self):
        """A virtual dataset of as many files as there are: part%b.h5."""
        each = 1_000_000
        for i in range(3):
            with h5py.File(self.path(f"part{i}.h5"), "w") as file:
                file["x"] = np.full(each, float(i))
        with h5py.File(self.path("a.h5"), "w", libver="latest") as file:
            space = h5py.h5s.create_simple((3 * each,), (h5py.h5s.UNLIMITED,))
            space.select_hyperslab((0,), (h5py.h5s.UNLIMITED,), (each,), (each,))
            creation = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
            creation.set_virtual(space, b"part%b.h5", b"/x", h5py.h5s.create_simple((each,)))
            whole = h5py.h5s.create_simple((3 * each,), (h5py.h5s.UNLIMITED,))
            h5py.h5d.create(file.id, b"v", h5py.h5t.IEEE_F64LE, whole, creation)
        other = bytearray(self.read("part2.h5"))
        other[-each * 4] ^= 1
        job = ("a.h5:/v", "--op", "sum,var,argmax,norm1,prod", "--slice", "64K", "--report", "r.json")
        self.assert_starts_again(job, "part2.h5", bytes(other))

    def test_the_second_array_is_an_input_too(self):
        self.save(np.random.default_rng(4).standard_normal(3_000_000))
        self.save(np.ones(3_000_000), "b.npy")
        job = ("a.npy", "--op", "dot,var,argmax", "--with", "b.npy", "--slice", "64K", "--report", "r.json")
        self.assert_starts_again(job, "b.npy", self.read("b.npy")[:-8] + np.full(1, 2.).tobytes())

    def test_numbers_of_any_length_are_in_order(self):
        names = ["p2.npy", "p007.npy", "p18446744073709551616.npy", "p99999999999999999999.npy",
                 "p100000000000000000000.npy", f"p1{'0' * 60}.npy"]
        for number, name in enumerate(names):
            self.save(np.array([float(number)]), name)
        self.assert_done("map", "a*1", "a=p*.npy", "--output", "o.npy", "--quiet")
        self.assertEqual(np.load(self.path("o.npy")).tolist(), list(range(len(names))))


class Damaged(Leftovers):
    def setUp(self):
        super().setUp()
        self.chance = random.Random(seed())

    def run_again(self, what, job, output):
        """Whether the run ended well. It may say that it cannot, in one line, and never in another way."""
        done = self.run_program("reduce", *job, *QUICKLY, "--quiet", "--output", output)
        self.assertIn(done.returncode, (0, 2, 4), f"{what}: {done.stderr}")
        self.assertLessEqual(len(done.stderr.splitlines()), 1, f"{what}: {done.stderr}")
        return done.returncode == 0

    def remove(self, output):
        for name in os.listdir(self.folder):
            if name.startswith(output):
                os.remove(self.path(name))

    def stop_when_there_is(self, name, *job):
        for _ in range(10):
            process = self.start(*job)
            self.assert_reaches(process, name, lambda: os.path.exists(self.path(name)))
            process.send_signal(signal.SIGTERM)
            if self.finish(process)[0] == 75:
                return
            self.remove("t.npy")
        self.fail(f"never stopped with {name}")

    def test_groups_and_rows_that_are_stored(self):
        random_numbers = np.random.default_rng(7)
        self.save(random_numbers.integers(-4000, 4000, 700_000) / 8.)
        self.save(random_numbers.permutation(700_000), "k.npy")
        job = ("a.npy", "--by", "k.npy", "--op", "sum,median", "--memory", "64M", "--slice", "64K")
        self.assert_done("reduce", *job, *QUICKLY, "--quiet", "--output", "truth.npy")
        truth = self.read("truth.npy")
        for kind in ("groups", "rows"):
            self.stop_when_there_is(f"t.npy.part.{kind}", *job, "--threads", "1", "--output", "t.npy")
            left = {name: self.read(name) for name in os.listdir(self.folder) if name.startswith("t.npy")}
            self.assertIn(f"t.npy.part.{kind}", left)
            for what, contents in damages(left[f"t.npy.part.{kind}"], times(), self.chance):
                self.remove("t.npy")
                for name, was in left.items():
                    self.write_bytes(name, was)
                self.write_bytes(f"t.npy.part.{kind}", contents)
                if self.run_again(f"{kind}, {what}", job, "t.npy"):
                    self.assertEqual(self.read("t.npy"), truth, f"{kind}, {what}")
            self.remove("t.npy")

    def test_the_note_of_a_finished_output(self):
        self.save(np.array([[1., np.nan], [np.inf, 3]]))
        command = ("reduce", "a.npy", "--op", "sum", "--axis", "0", "--output", "o.npy")
        self.assert_done(*command, "--quiet")
        note, output = self.read("o.npy.done"), self.read("o.npy")
        for what, contents in damages(note, 5 * times(), self.chance):
            if contents == note:
                continue
            self.write_bytes("o.npy.done", contents)
            done = self.run_program(*command)
            self.assertEqual(done.returncode, 2, f"{what}: {done.stderr}")
            self.assertEqual(self.read("o.npy"), output)
        self.write_bytes("o.npy.done", note)
        self.assertIn("complete already", self.run_program(*command).stderr)


if __name__ == "__main__":
    main()
