"""`tessera explore` while a test asks it over HTTP."""

import http.client
import io
import json
import os
import re
import signal
import subprocess
import threading
import time
import urllib.parse

import numpy as np
from images import h5py  # noqa: F401: skips the test where it is not
from PIL import Image
from program import HANG_S, TESSERA, launched
from runs import RunTest

SEAHORSES = ("--center=-0.7445,0.1215", "--width", "0.012", "--size", "512", "--iterations", "700")
# A point inside the set: every pixel takes all iterations.
INSIDE = ("--center=-0.1,0.1", "--width", "1e-3", "--iterations", "400000")


class Explored:
    """A program that explores; its address is what it printed."""

    def __init__(self, test, *arguments, ranks=0):
        self.process = subprocess.Popen(launched([TESSERA, "explore", *arguments], ranks), cwd=test.folder,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
        test.addCleanup(self.kill)
        line = self.process.stdout.readline()
        found = re.search(r"http://([^/]+):(\d+)/(?:\?token=([0-9a-f]{32}))?\n", line)
        if not found:
            self.process.kill()
            raise AssertionError(f"no address in {line!r}: {self.process.communicate()[1]}")
        self.host, self.port, self.token = found.group(1), int(found.group(2)), found.group(3)

    def kill(self):
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.communicate()

    def bearer(self):
        return {"Authorization": f"Bearer {self.token}"} if self.token else {}

    def ask(self, path, method="GET", headers=None, **parameters):
        """Status and body."""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=HANG_S)
        query = urllib.parse.urlencode(parameters)
        connection.request(method, path + ("?" + query if query else ""), headers={**self.bearer(), **(headers or {})})
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        return answer.status, body

    def answered(self, path, **parameters):
        """Asks again as the page does where a square takes longer than a request may wait."""
        deadline = time.monotonic() + HANG_S
        while True:
            status, body = self.ask(path, **parameters)
            if status != 429 or time.monotonic() > deadline:
                return status, body

    def json(self, path, method="GET", **parameters):
        status, body = self.ask(path, method, **parameters)
        assert status == 200, (status, body)
        return json.loads(body)

    def square(self, place, level, x, y, **parameters):
        """The pixels of a square, RGB."""
        status, body = self.answered(f"/explore/{place}/{level}/{x}/{y}.png", field="iterations", **parameters)
        assert status == 200, (status, body)
        return np.asarray(Image.open(io.BytesIO(body)).convert("RGB"))

    def block(self, place, level, **parameters):
        """The four squares round the place."""
        return np.vstack([np.hstack([self.square(place, level, x, y, **parameters) for x in (-1, 0)]) for y in (-1, 0)])

    @property
    def facts(self):
        return self.json("/api/images")["explore"]

    @property
    def start(self):
        return self.facts["place"]["id"]

    def finish(self):
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(timeout=HANG_S)


def run_together(work, items):
    threads = [threading.Thread(target=work, args=(item,)) for item in items]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


class ExploreTest(RunTest):
    def explore(self, *arguments, ranks=0):
        return Explored(self, *arguments, ranks=ranks)

    def rendered(self, *options, name="image"):
        """The picture that color makes of the counts of a file."""
        self.assert_done("render", *options, "--output", f"{name}.h5", "--quiet")
        self.assert_done("color", f"{name}.h5", f"{name}.png", "--field", "iterations", "--quiet")
        return np.asarray(Image.open(self.path(f"{name}.png")).convert("RGB"))
