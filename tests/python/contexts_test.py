"""Contexts, progress, errors, logging."""

import logging
import os
import pickle
import tempfile
import threading
import unittest

import numpy as np

import tessera as ts

ENDLESS = "random:normal?count=1000000000000"


class Contexts(unittest.TestCase):
    def test_one_that_is_closed_is_refused(self):
        with ts.Context(device="cpu", threads=1) as context:
            self.assertEqual(ts.sum([1, 2], context=context), 3)
        with self.assertRaisesRegex(ts.UsageError, "closed"):
            ts.sum([1, 2], context=context)

    def test_one_of_another_process_is_refused(self):
        context = ts.Context()
        child = os.fork()
        if child == 0:
            try:
                ts.sum([1], context=context)
            except ts.UsageError as error:
                os._exit(0 if "after the fork" in str(error) else 2)
            os._exit(1)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        with self.assertRaisesRegex(TypeError, "belongs to its process"):
            pickle.dumps(context)

    def test_threads_share_one(self):
        sums = []
        with ts.Context(device="cpu") as context:
            work = lambda: sums.append(ts.sum("random:normal?count=300000", context=context))  # noqa: E731
            threads = [threading.Thread(target=work) for _ in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        self.assertEqual(len(sums), 4)
        self.assertEqual(len(set(sums)), 1)

    def test_bad_arguments(self):
        for arguments in ({"device": "cup"}, {"memory": "some"}, {"memory": 1}, {"comm": 3}, {"threads": -1}, {"threads": 2000}):
            with self.assertRaises(ts.UsageError, msg=str(arguments)):
                ts.Context(**arguments)
        for arguments in ({"context": 3}, {"progress": 3}, {"context": ts.Context(), "threads": 1}):
            with self.assertRaises(ts.UsageError, msg=str(arguments)):
                ts.sum([1], **arguments)
        self.assertEqual(ts.sum([1], threads=1, device="cpu"), 1)

    def test_a_missing_device(self):
        with self.assertRaises((ts.MissingError, ts.Error)):
            ts.render("seahorse", size=(64, 64), device="cuda:7")


class Progress(unittest.TestCase):
    def test_is_told_and_its_exception_ends_the_call(self):
        class Enough(Exception):
            pass

        calls = []

        def progress(done, total):
            calls.append((done, total))
            if total > 0 and done > 0:
                raise Enough

        for endless in (ENDLESS, np.broadcast_to(1.0, 10**12)):  # by the farm, and by cores alone
            with self.assertRaises(Enough):
                ts.sum(endless, progress=progress)
            self.assertGreater(calls[-1][1], calls[-1][0])
        self.assertIs(threading.main_thread(), threading.current_thread())

    def test_of_a_bar(self):
        class Bar:
            total, n = None, 0

            def reset(self, total):
                self.n = 0

            def update(self, more):
                self.n += more
                if self.n > 0:
                    raise StopIteration

        bar = Bar()
        with self.assertRaises(StopIteration):
            ts.sum(ENDLESS, progress=bar)
        self.assertGreater(bar.total, bar.n)


class Errors(unittest.TestCase):
    def test_are_those_of_python_too(self):
        for kind, call in (
            (ValueError, lambda: ts.reduce([1], "sun")),
            (FileNotFoundError, lambda: ts.sum("nowhere.npy")),
            (ValueError, lambda: ts.render("seahorze")),
        ):
            with self.assertRaises(kind) as caught:
                call()
            self.assertIsInstance(caught.exception, ts.Error)
            self.assertNotIn("\n", str(caught.exception))
            self.assertNotEqual(str(caught.exception), "")

    def test_of_files(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "x.npy")
            with open(path, "w") as file:
                file.write("no array")
            with self.assertRaisesRegex(ts.Error, "x.npy"):
                ts.sum(path)
            with self.assertRaises(ts.UsageError):
                ts.open_image(path)
            with self.assertRaises(ts.MissingError):
                ts.open_image(path + ".h5")


class Logging(unittest.TestCase):
    def test_remarks_come_through_logging(self):
        with self.assertLogs("tessera", logging.INFO) as caught:
            ts.median("random:normal?count=300000")
        self.assertIn("reduce: ", caught.output[0])


if __name__ == "__main__":
    unittest.main()
