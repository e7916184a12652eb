"""Reductions that a test interferes with, and the files from which they resume."""

import os
import signal
import struct

from program import times
from reduction import ReduceTest, np
from runs import QUICKLY, SLOWLY, RunTest, ranks_of

# The histogram takes a second pass over the array.
OPERATIONS = ("sum,prod,mean,var,std,min,max,argmin,argmax,minmax,norm1,norm2,norminf,count_nonzero,any,all,dot,"
              "histogram=16")
SLICE_BYTES = 256 << 10


class Job:
    """Work on arrays that are made."""

    def __init__(self, elements):
        self.slices = 2 * -(-8 * elements // SLICE_BYTES)
        self.arguments = (f"random:uniform?count={elements}&seed=3", "--op", OPERATIONS,
                          "--with", f"random:normal?count={elements}&seed=4", "--slice", "256K",
                          "--checkpoint", "1", "--report", "r.json")


NOTHING = (-1, 0)  # passes that look for the range of keys have the number -1, and are not resumed
ALONE = Job(3_000_000)


class Checkpoint:
    """docs/file-format.md, read by a program that knows nothing else."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.bytes = file.read()
        assert self.bytes[:8] == b"TSRRED02", self.bytes[:8]
        owner_bytes, = struct.unpack_from("<I", self.bytes, 12)
        self.owner = self.bytes[24:24 + owner_bytes].decode()
        self.at = 24 + owner_bytes + 24  # behind the head of the only record
        self.version, self.job, self.inputs = (self.text() for _ in range(3))
        self.may_replace, self.slice_bytes, self.tiles_each, self.shares, self.pass_number = self.take("<BQqqq")
        count = self.take("<Q")[0]
        packed = np.frombuffer(self.bytes, np.uint8, -(-count // 8), self.at)
        self.finished = np.unpackbits(packed, bitorder="little")[:count]
        self.at += len(packed)
        partial_bytes = self.take("<Q")[0]
        self.at += partial_bytes
        assert self.at == len(self.bytes)

    def take(self, layout):
        values = struct.unpack_from(layout, self.bytes, self.at)
        self.at += struct.calcsize(layout)
        return values

    def text(self):
        length = self.take("<Q")[0]
        self.at += length
        return self.bytes[self.at - length:self.at].decode()

    def done(self):
        """Items of all passes."""
        return self.pass_number * len(self.finished) + int(self.finished.sum())


class ReduceRunTest(RunTest, ReduceTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.truths = {}

    # --- running it

    def start(self, *arguments, **options):
        return self.start_program("reduce", *arguments, **options)

    def checkpoints(self):
        return sorted(name for name in os.listdir(self.folder) if name.endswith(".checkpoint"))

    def recorded(self):
        """The files from which a run resumes."""
        names = self.checkpoints()
        self.assertLessEqual(len(names), 1)
        return Checkpoint(self.path(names[0])).done() if names else 0

    def progress(self):
        """The number of the pass that a run resumes in, and of the items that are done in it; NOTHING if there are none."""
        names = self.checkpoints()
        if not names:
            return NOTHING
        checkpoint = Checkpoint(self.path(names[0]))
        progress = checkpoint.pass_number, int(checkpoint.finished.sum())
        return progress if progress > (0, 0) else NOTHING

    def start_and_record(self, *arguments, ranks=0, after=None, hold=4, **options):
        """A run that has a checkpoint with more than it had at `after`, and is held."""
        process = self.start(*arguments, *SLOWLY, "--quiet", ranks=ranks, hold=hold, **options)
        self.assert_reaches(process, "a checkpoint", lambda: self.progress() > (after or NOTHING))
        return process

    def stop_in_mid_run(self, *arguments, left=None):
        """Leaves a checkpoint that is not empty, of the name `left` where one is given."""
        process = self.start(*arguments, *SLOWLY, hold=4)
        self.assert_held(process)
        process.send_signal(signal.SIGTERM)
        code, said = self.finish(process)
        self.assertEqual(code, 75, said)
        self.assertTrue(os.path.exists(self.path(left)) if left else self.checkpoints(), said)
        return said

    def stop_again_and_again(self, output, *arguments, ranks=0, within=9, first=0, signals=None):
        """Signals of both kinds to runs with `output`, each within so many more items; the items on record when the last
        one began, which comes to its end. `first`: items of passes
        that are not resumed. `signals`: instead of several of both kinds."""
        before = NOTHING
        for number in signals or (signal.SIGTERM, signal.SIGKILL) * times():
            process = self.start_and_record(*arguments, "--output", output, ranks=ranks, after=before,
                                            hold=(first if before == NOTHING else 0) + self.random.randrange(2, within))
            pids = ranks_of(process) if ranks else []  # while there is a launcher that they belong to
            process.send_signal(number)
            self.finish(process)
            self.wait_until_gone(pids)
            self.assertGreater(self.progress(), before)
            before = self.progress()
        recorded = self.recorded()
        self.finish_well(self.start(*QUICKLY, *arguments, "--output", output, "--quiet", ranks=ranks))
        return recorded

    # --- what must come out

    def results(self):
        return self.read_report()["results"]

    def truth(self, *arguments):
        """Without a stop, and not where a checkpoint of the job may be."""
        self.assertEqual(self.checkpoints(), [])
        self.assert_done("reduce", *arguments, *QUICKLY, "--quiet")
        return self.results()

    def truth_of(self, job):
        if job not in self.truths:
            self.truths[job] = self.truth(*job.arguments)
        return self.truths[job]
