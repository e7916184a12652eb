"""The row of a page that explores: from a request to the picture, as a browser with five connections asks."""

import http.client
import json
import re
import subprocess
import threading
import time
from statistics import median

from measure import ROOT, BenchError, number
from rows import TESSERA, line, need, render, shown

CENTER = "--center=-0.743643887037151,0.131825904205330"
WIDTH, ITERATIONS = 0.0025, 1000
# The window is 1920 x 1080; these squares of 256 pixels cover it from a corner.
COLUMNS, ROWS = 8, 5
CONNECTIONS = 5
COARSE = 8
FIRST_GOAL_S, START_GOAL_S, KERNEL_GOAL, MORE_S = 0.1, 0.3, 1.3, 0.05


class Explored:
    """A program that explores, from its start."""

    def __init__(self):
        self.command = [TESSERA, "explore", CENTER, "--width", WIDTH, "--iterations", ITERATIONS, "--size", "1920x1080",
                        "--device", "cpu", "--no-token"]
        self.begin = time.perf_counter()
        self.process = subprocess.Popen([str(part) for part in self.command], cwd=ROOT, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True)
        found = re.search(r"http://([^:]+):(\d+)/", self.process.stdout.readline())
        if not found:
            raise BenchError("tessera explore printed no address")
        self.address = found.group(1), int(found.group(2))
        facts = json.loads(self.get(self.connect(), "/api/images"))
        # A pixel of the window is a pixel of a square of level 0.
        all_of_it = WIDTH * 256 / 1920
        connection = self.connect()
        connection.request("POST", f"/api/places?center={CENTER.split('=')[1]}&width={all_of_it!r}")
        self.place = json.loads(connection.getresponse().read())["id"]
        if not facts["explore"]:
            raise BenchError("the page does not explore")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.communicate()

    def connect(self):
        return http.client.HTTPConnection(*self.address, timeout=60)

    def get(self, connection, path):
        connection.request("GET", path)
        answer = connection.getresponse()
        body = answer.read()
        if answer.status not in (200, 204):
            raise BenchError(f"{path}: {answer.status} {body[:80]}")
        return body

    def squares(self, coarse):
        """Seconds until the last square is there."""
        columns, rows = range(-COLUMNS // 2, COLUMNS // 2), range(-ROWS // 2, ROWS - ROWS // 2 - 1)
        left = sorted(((x, y) for x in columns for y in rows), key=lambda at: (at[0] + .5) ** 2 + (at[1] + .5) ** 2)
        assert len(left) == COLUMNS * ROWS
        begin = time.perf_counter()
        every = ",".join(f"{x},{y}" for x, y in left)
        self.get(self.connect(), f"/explore/{self.place}/0/begin?coarse={coarse}&squares={every}")
        failures, left = [], left[::-1]

        def work():
            connection = self.connect()
            try:
                while left:
                    x, y = left.pop()
                    self.get(connection, f"/explore/{self.place}/0/{x}/{y}.png?coarse={coarse}")
            except (BenchError, OSError, IndexError) as error:
                if left:
                    failures.append(error)

        threads = [threading.Thread(target=work) for _ in range(CONNECTIONS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if failures:
            raise BenchError(str(failures[0]))
        return time.perf_counter() - begin


def explore(settings):
    """A place in a browser: to the first picture, to all of 1920 x 1080 pixels, and as much by the kernel alone."""
    need(TESSERA)
    first, start, whole, kernel = [], [], [], []
    command = None
    for _ in range(settings.repeats):
        with Explored() as explored:
            command = explored.command
            first.append(explored.squares(COARSE))
            start.append(time.perf_counter() - explored.begin)
            whole.append(explored.squares(1))
        done, file = render(settings, "explore", 1, CENTER, "--width", WIDTH * COLUMNS * 256 / 1920, "--size",
                            f"{COLUMNS * 256}x{ROWS * 256}", "--tile", 256, "--iterations", ITERATIONS, "--fields",
                            "iterations,smooth", "--compress", 0)
        kernel.append(number(done.report, "compute_s") / number(done.report, "workers"))
        file.unlink()
    most = KERNEL_GOAL * median(kernel) + MORE_S
    return {"lines": [line("first coarse picture", median(first) * 1e3, "ms", FIRST_GOAL_S * 1e3, "lower"),
                      line("start to the first picture", median(start) * 1e3, "ms", START_GOAL_S * 1e3, "lower"),
                      line("all squares of a window", median(whole) * 1e3, "ms", most * 1e3, "lower"),
                      line("the kernels of the same pixels", median(kernel) * 1e3, "ms")],
            "commands": shown([command, done.command])}
