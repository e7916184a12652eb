"""Kills in the middle of a write, and power cuts: from a recording of everything that runs wrote, the folder as it
may have been left at any moment. The same command then goes on to the same bits, and keeps what it must."""

import os
import random
import signal
import struct
import subprocess
import sys
import tempfile

RECORDER = os.path.abspath(sys.argv.pop(2))
from images import FIELDS, LOG_HEADER_BYTES, read_image  # noqa: E402
from program import HANG_S, TESSERA, main, preloading, times  # noqa: E402
from recorded_disk import (OPENED, RENAMED, SYNCED, SYNCED_FOLDER, WROTE, half_written, put_files,  # noqa: E402
                           read_recording, replay)
from runs import QUICKLY, SLOWLY, RunTest  # noqa: E402

# Some seconds on `reference`, so that checkpoints fall into it.
JOB = ("--view", "elephant", "--size", "700x500", "--iterations", "12000", "--tile", "32",
       "--fields", "iterations,smooth", "--checkpoint", "1", "--quiet")
TILES = 22 * 16
# What a run writes before its first tile, and a tile: two chunks and a record in the log.
CHANGES_AT_START, CHANGES_A_TILE = 40, 3


class Recorded:
    """Some runs one after the other, and what they wrote."""

    def __init__(self, folder):
        self.folder = os.path.join(os.path.realpath(folder), "disk")
        self.recording = os.path.join(folder, "recording")
        self.before = {}  # what was there when the recording began
        os.mkdir(self.folder)

    def run(self, kill_at=None):
        """One run; killed as soon as about so many tiles are stored."""
        changes = {"RECORD_CHANGES": str(CHANGES_AT_START + kill_at * CHANGES_A_TILE)} if kill_at else {}
        process = subprocess.Popen([TESSERA, "render", *JOB, "--output", "a.h5", *SLOWLY], cwd=self.folder,
                                   stderr=subprocess.PIPE, text=True,
                                   env={**preloading(RECORDER), "RECORD_FOLDER": self.folder,
                                        "RECORD_TO": self.recording, **changes})
        said = process.communicate(timeout=HANG_S)[1]
        if process.returncode != (-signal.SIGKILL if kill_at else 0):
            raise AssertionError(f"exit {process.returncode}: {said}")


def record_a_run(folder):
    """From nothing to the end."""
    recorded = Recorded(folder)
    recorded.run()
    return recorded


def record_kills(folder):
    """Killed and resumed in the same file, twice; HDF5's index lacks the last tiles each time."""
    recorded = Recorded(folder)
    recorded.run(kill_at=TILES // 4)
    recorded.run(kill_at=TILES // 4)
    recorded.run()
    return recorded


def record_a_copy(folder):
    """Resumed in a new file, because the killed run's is damaged."""
    recorded = Recorded(folder)
    recorded.run(kill_at=TILES // 2)
    part = os.path.join(recorded.folder, "a.h5.part")
    with open(part, "r+b") as file:
        file.truncate(os.path.getsize(part) * 3 // 4)
    for name in os.listdir(recorded.folder):
        with open(os.path.join(recorded.folder, name), "rb") as file:
            recorded.before[name] = (os.fstat(file.fileno()).st_ino, file.read())
    os.remove(recorded.recording)
    recorded.run()
    return recorded


def logged(changes):
    """Of each record of a tile that a log got: number of the change, the tile (row, column)."""
    logs = set()
    for number, change in enumerate(changes):
        if change.kind == OPENED:
            (logs.add if change.names[0].endswith(".log") else logs.discard)(change.inode)
        elif change.kind == WROTE and change.inode in logs and change.offset >= LOG_HEADER_BYTES:
            yield number, struct.unpack_from("<II", change.data, 8)


class Promises:
    """Tiles that are on the disk whatever happens, since a checkpoint was through with them: the image was synced
    after they were stored, then its log, and the names of both were, too."""

    def __init__(self, changes):
        self.kept_from = {}  # tile: number of the change from which on it must be there
        tiles, names, named = dict(logged(changes)), {}, False
        stored, after_image, after_log = [], [], []
        log, image = None, None
        for number, change in enumerate(changes):
            if change.kind == OPENED:
                names[change.names[0]] = change.inode
                if change.names[0].endswith(".log") and change.inode != log:
                    log, stored, after_image, after_log = change.inode, [], [], []
                elif change.names[0].endswith((".part", ".new")):
                    image = change.inode
            elif number in tiles:
                stored.append(tiles[number])
            elif change.kind == SYNCED and change.inode == image:
                after_image += stored
                stored = []
            elif change.kind == SYNCED and change.inode == log:
                after_log += after_image
                after_image = []
            elif change.kind == RENAMED and change.names[0] in names:
                names[change.names[1]] = names.pop(change.names[0])
            elif change.kind == SYNCED_FOLDER:
                named = names.get("a.h5.part", names.get("a.h5")) == image
            if after_log and named:
                for tile in after_log:
                    self.kept_from.setdefault(tile, number)
                after_log = []

    def at(self, number):
        """After so many changes."""
        return {tile for tile, since in self.kept_from.items() if since < number}


class PowerCut(RunTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        scratch = tempfile.TemporaryDirectory(prefix="tessera truth ")
        cls.addClassCleanup(scratch.cleanup)
        cls.truth = os.path.join(scratch.name, "truth.h5")
        subprocess.run([TESSERA, "render", *JOB, "--output", cls.truth], check=True, timeout=HANG_S)

    def assert_goes_on(self, state, kept):
        """`kept`: tiles that must not be computed again. What the recorded runs computed came from `reference`."""
        put_files(self.disk, state)
        done = subprocess.run([TESSERA, "render", *JOB, "--output", "a.h5", *QUICKLY],
                              cwd=self.disk, capture_output=True, text=True, timeout=HANG_S)
        self.assertEqual(done.returncode, 0, done.stderr)
        here, tiles = read_image(os.path.join(self.disk, "a.h5"))
        there, _ = read_image(self.truth)
        for field, mine, right in zip(FIELDS, here, there):
            self.assertTrue(mine == right, f"/{field} has wrong pixels")
        self.assertEqual(os.listdir(self.disk), ["a.h5"])
        lost = [tuple(tile) for tile in kept if tiles[tile[0] * 22 + tile[1]]["device"] != b"reference"]
        self.assertEqual(lost, [], "tiles that were stored are computed again")
        checked = self.run_program("verify", self.path("disk/a.h5"), "--sample", "0")
        self.assertEqual(checked.returncode, 0, checked.stderr)

    def check_state(self, state, kept):
        """Of one that fails the files are put beside, as they were before the program went on with them."""
        try:
            self.assert_goes_on(state, kept)
        except Exception:
            failed = tempfile.mkdtemp(prefix="failed state ", dir=self.folder)
            put_files(failed, state)
            raise

    def check_kill(self, changes, count, before, choices=None):
        """After so many changes; with `choices`, within the next one."""
        disk = replay(changes, count, before)
        kept = {tile for _, tile in logged(changes[:count])}
        if choices:
            disk.apply(half_written(changes[count], choices))
        self.check_state(disk.killed(), kept)

    def check(self, record, states):
        recorded = record(self.folder)
        before = recorded.before
        changes = read_recording(recorded.recording)
        self.disk = recorded.folder
        promises = Promises(changes)
        for number in range(states):
            count = self.random.randint(0, len(changes))
            choices = random.Random(self.random.getrandbits(64))
            with self.subTest(cut="power", state=number, changes=count):
                kept = promises.at(count)
                self.check_state(replay(changes, count, before).after_power_cut(choices), kept)
            count = self.random.randrange(len(changes))
            with self.subTest(cut="kill", state=number, changes=count):
                self.check_kill(changes, count, before, choices)
        return promises

    def test_a_kill_at_any_moment_of_the_end_loses_nothing(self):
        recorded = record_a_run(self.folder)
        changes = read_recording(recorded.recording)
        self.disk = recorded.folder
        last_tile = max(number for number, _ in logged(changes))
        self.assertGreater(len(changes), last_tile + 4)
        for count in range(last_tile + 1, len(changes)):
            with self.subTest(changes=count, of=len(changes)):
                self.check_kill(changes, count, recorded.before)
                self.check_kill(changes, count, recorded.before, random.Random(count))

    def test_a_run_that_is_cut_off_loses_nothing_that_was_synced(self):
        promises = self.check(record_a_run, 3 * times())
        # Otherwise, the checkpoints would have no effect.
        self.assertGreater(len(promises.kept_from), 0)
        self.assertLess(min(promises.kept_from.values()), max(promises.kept_from.values()))

    def test_nor_does_one_that_goes_on_after_kills(self):
        self.check(record_kills, 4 * times())

    def test_nor_does_one_that_copies_a_damaged_file(self):
        self.check(record_a_copy, 3 * times())


if __name__ == "__main__":
    main()
