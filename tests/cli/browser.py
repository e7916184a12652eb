"""A browser without a window: Chromium, or the one that TESSERA_BROWSER names (chromium, firefox)."""

import io
import json
import os
import shutil
import subprocess
import tempfile
import time

from program import HANG_S

try:
    import websocket
    from PIL import Image
except ImportError as missing:
    print(f"SKIPPED: {missing} (Debian: python3-websocket python3-pil)")
    raise SystemExit(77)

WANTED = os.environ.get("TESSERA_BROWSER", "chromium")
NAMES = {"chromium": ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome"),
         "firefox": ("firefox-esr", "firefox")}


def find_browser():
    """The program, or None. Ubuntu's browsers are snaps, which cannot see the folders of tests."""
    for name in NAMES[WANTED]:
        path = shutil.which(name)
        if path and "/snap/" not in os.path.realpath(path) and not is_snap_starter(path):
            return path
    return None


def is_snap_starter(path):
    with open(path, "rb") as file:
        start = file.read(4096)
    return start.startswith(b"#!") and b"snap" in start


def need_browser():
    """Ends the tests of a file aloud where there is no browser."""
    if not find_browser():
        print(f"SKIPPED: no {WANTED} (Debian: {NAMES[WANTED][0]}; Ubuntu's is a snap, which cannot see the folders of tests)")
        raise SystemExit(77)


def Browser(**options):
    """A page of a fresh browser; use it with `with`. Options: size, dark, scale, touch."""
    if WANTED == "firefox":
        from firefox import Firefox as Driver
    else:
        from chromium import Chromium as Driver
    return Driver(**options)


class Page:
    """What the drivers share. Both protocols send numbered calls and get results and events over a web socket.

    A driver has arguments(), connect(), prepare(), run(), open(), key(), move(), click_at(), drag(), fingers(),
    wheel(), picture(), complaints(), requests() and nameless_controls()."""

    def __init__(self, size=(1280, 800), dark=False, scale=1, touch=False):
        self.folder = tempfile.TemporaryDirectory(prefix="tessera-browser-", ignore_cleanup_errors=True)
        self.downloads = os.path.join(self.folder.name, "downloads")
        os.mkdir(self.downloads)
        self.number = 0
        self.events = []
        self.process = subprocess.Popen([find_browser(), *self.arguments(dark, touch)], stdout=subprocess.DEVNULL,
                                        stderr=subprocess.PIPE, text=True)
        try:
            self.connect()
            self.prepare(size, dark, scale, touch)
        except BaseException:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        if hasattr(self, "socket"):
            self.socket.close()
        self.process.kill()
        self.process.communicate()
        self.folder.cleanup()

    def said(self, pattern):
        """What the program says on stderr where it matches."""
        for line in self.process.stderr:
            found = pattern.search(line)
            if found:
                return found
        raise AssertionError("the browser did not start")

    def join(self, address):
        self.socket = websocket.create_connection(address, timeout=HANG_S, suppress_origin=True)

    def call(self, method, **parameters):
        """The result of a method of the protocol; events that arrive meanwhile are kept."""
        self.number += 1
        self.socket.send(json.dumps({"id": self.number, "method": method, "params": parameters}))
        while True:
            message = json.loads(self.socket.recv())
            if message.get("id") != self.number:
                self.events.append(message)
                continue
            assert "error" not in message, (method, message["error"], message.get("message"))
            return message["result"]

    def events_of(self, method):
        """The parameters of the events of this name that have arrived."""
        self.run("1")  # takes them in
        return [event["params"] for event in self.events if event.get("method") == method]

    def wait_for(self, script, what=None):
        """Until the expression is true in the page; returns its value."""
        deadline = time.monotonic() + HANG_S
        while True:
            try:
                value = self.run(script)
            except AssertionError:  # the page is just being replaced
                value = None
            if value:
                return value
            assert time.monotonic() < deadline, f"not within {HANG_S} s: {what or script}; {self.problems()}"
            time.sleep(.03)

    def click(self, selector):
        self.run(f"document.querySelector({json.dumps(selector)}).click()")

    def text(self, selector):
        return self.run(f"document.querySelector({json.dumps(selector)}).innerText")

    def screenshot(self):
        """The window as an RGB image."""
        return Image.open(io.BytesIO(self.picture())).convert("RGB")

    def wait_for_download(self, suffix):
        """The path of a file that was saved, once all of it is there: until then browsers keep its name by an empty file."""
        deadline = time.monotonic() + HANG_S
        while time.monotonic() < deadline:
            for name in os.listdir(self.downloads):
                path = os.path.join(self.downloads, name)
                if name.endswith(suffix) and os.path.getsize(path) > 0:
                    return path
            time.sleep(.03)
        raise AssertionError(f"nothing was saved: {self.problems()}")

    def problems(self):
        """What the page has complained of: exceptions, blocked contents, errors on the console."""
        return self.complaints()


def points_between(start, end):
    """Where a pointer passes that is dragged."""
    return [[a + part * (b - a) for a, b in zip(start, end)] for part in (.3, .7, 1)]
