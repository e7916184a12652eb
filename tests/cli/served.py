"""`tessera serve` while a test asks it."""

import http.client
import io
import json
import signal
import socket
import subprocess
import urllib.parse

from program import HANG_S, TESSERA
from runs import RunTest, wait_until

try:
    import h5py
    import numpy as np
    from PIL import Image
except ImportError as missing:
    print(f"SKIPPED: {missing} (Debian: python3-h5py python3-numpy python3-pil)")
    raise SystemExit(77)

PLACE = ("--view", "seahorse", "--size", "1100x700", "--iterations", "500", "--tile", "128")
TILE = 256


class Answer:
    def __init__(self, response):
        self.status = response.status
        self.headers = {name.lower(): value for name, value in response.getheaders()}
        self.body = response.read()

    def json(self):
        return json.loads(self.body)

    def pixels(self):
        return np.asarray(Image.open(io.BytesIO(self.body)).convert("RGBA")).astype(int)


class Server:
    """`tessera serve` while a test runs."""

    def __init__(self, test, *arguments, token=False, **options):
        if not token:
            arguments = (*arguments, "--no-token")
        self.process = subprocess.Popen([TESSERA, "serve", *arguments], cwd=test.folder, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True, **options)
        test.addCleanup(self.end)
        self.address = self.process.stdout.readline().strip()
        parts = urllib.parse.urlsplit(self.address)
        self.port, self.query = parts.port, parts.query

    def end(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self.process.stderr.close()

    def stop(self, by=signal.SIGTERM):
        """Its exit code and what it said on stderr."""
        self.process.send_signal(by)
        _, said = self.process.communicate(timeout=HANG_S)
        return self.process.returncode, said

    def get(self, target, method="GET", **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=HANG_S)
        connection.request(method, target, headers={name.replace("_", "-"): text for name, text in headers.items()})
        answer = Answer(connection.getresponse())
        connection.close()
        return answer

    def json(self, target):
        answer = self.get(target)
        assert answer.status == 200, (target, answer.status, answer.body)
        return answer.json()

    def tile(self, level, x, y, query="", image=0):
        answer = self.get(f"/tiles/{image}/{level}/{x}/{y}.png?{query}")
        assert answer.status == 200, answer.body
        return answer.pixels()

    def wait_for_scales(self, image=0, query=""):
        wait_until("all scales are built", lambda: self.json(f"/api/images/{image}?{query}")["scales"] == 1)

    def raw(self, data):
        """The answer to bytes that are sent as they are; b"" if the server ends the connection."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=HANG_S) as client:
            try:
                client.sendall(data)
                got = b""
                while piece := client.recv(4096):
                    got += piece
            except ConnectionResetError:
                pass
            return got


class Served(RunTest):
    def render(self, *options, output="a.h5"):
        self.assert_done("render", *PLACE, "--device", "cpu", "--quiet", "--output", output, *options)

    def colored(self, *options, data="a.h5"):
        self.assert_done("color", data, "truth.png", "--overwrite", "--quiet", *options)
        return np.asarray(Image.open(self.path("truth.png")).convert("RGBA")).astype(int)
