"""Chromium, driven over the Chrome DevTools Protocol."""

import base64
import json
import os
import re
import time
import urllib.request

from browser import Page, points_between
from program import HANG_S

CONTROLS = ("button", "link", "slider", "radio", "combobox", "textbox", "spinbutton", "ColorWell", "progressbar")


class Chromium(Page):
    def arguments(self, dark, touch):
        return ["--headless=new", "--remote-debugging-port=0", "--remote-allow-origins=*", "--disable-gpu",
                "--disable-dev-shm-usage", "--no-first-run", "--hide-scrollbars", "--force-color-profile=srgb",
                f"--user-data-dir={self.folder.name}", *(["--no-sandbox"] if os.geteuid() == 0 else []), "about:blank"]

    def connect(self):
        port = int(self.said(re.compile(r"ws://127\.0\.0\.1:(\d+)/")).group(1))
        address = None
        deadline = time.monotonic() + HANG_S
        while not address and time.monotonic() < deadline:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/json/list", timeout=HANG_S) as answer:
                listed = json.load(answer)
            address = next((page["webSocketDebuggerUrl"] for page in listed if page["type"] == "page"), None)
        self.join(address)

    def prepare(self, size, dark, scale, touch):
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.call("Emulation.setDeviceMetricsOverride", width=size[0], height=size[1], deviceScaleFactor=scale, mobile=touch)
        if touch:
            self.call("Emulation.setTouchEmulationEnabled", enabled=True)
        self.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
            {"name": "prefers-reduced-motion", "value": "reduce"}])
        self.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=self.downloads)

    def run(self, script):
        """The value of an expression in the page; a promise is awaited."""
        result = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in result, result["exceptionDetails"]
        return result["result"].get("value")

    def open(self, address):
        self.call("Page.navigate", url=address)

    def key(self, key):
        code = {"+": "Equal", "-": "Minus", "?": "Slash"}.get(key, key if len(key) > 1 else f"Key{key.upper()}")
        text = {"text": key} if len(key) == 1 else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, code=code, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, code=code)

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def move(self, x, y):
        self.mouse("mouseMoved", x, y)

    def click_at(self, x, y):
        self.move(x, y)
        for kind in ("mousePressed", "mouseReleased"):
            self.mouse(kind, x, y, button="left", clickCount=1)

    def drag(self, start, end):
        self.move(*start)
        self.mouse("mousePressed", *start, button="left", clickCount=1)
        for x, y in points_between(start, end):
            self.mouse("mouseMoved", x, y, button="left", buttons=1)
        self.mouse("mouseReleased", *end, button="left", clickCount=1)

    def fingers(self, starts, ends):
        """Each finger goes down at its start and up at its end."""
        paths = list(zip(*(points_between(a, b) for a, b in zip(starts, ends))))
        for kind, points in (("touchStart", starts), *(("touchMove", points) for points in paths), ("touchEnd", [])):
            self.call("Input.dispatchTouchEvent", type=kind, touchPoints=[{"x": x, "y": y, "id": i} for i, (x, y) in enumerate(points)])

    def wheel(self, x, y, down):
        self.mouse("mouseWheel", x, y, deltaX=0, deltaY=down)

    def picture(self):
        return base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])

    def requests(self):
        """The addresses that the page has asked for."""
        return [one["request"]["url"] for one in self.events_of("Network.requestWillBeSent")]

    def nameless_controls(self):
        """The number of controls, and the roles of those without an accessible name."""
        self.call("Accessibility.enable")
        nodes = self.call("Accessibility.getFullAXTree")["nodes"]
        controls = [node for node in nodes if not node.get("ignored") and node["role"]["value"] in CONTROLS]
        return len(controls), [node["role"]["value"] for node in controls if not node.get("name", {}).get("value")]

    def complaints(self):
        said = []
        for thrown in self.events_of("Runtime.exceptionThrown"):
            details = thrown["exceptionDetails"]
            said.append(details.get("exception", {}).get("description", details["text"]))
        for logged in self.events_of("Log.entryAdded"):
            if logged["entry"]["level"] == "error":
                said.append(f"{logged['entry']['text']} {logged['entry'].get('url', '')}")
        for printed in self.events_of("Runtime.consoleAPICalled"):
            if printed["type"] in ("error", "assert"):
                said.append(str([argument.get("value") for argument in printed["args"]]))
        return said
