"""Firefox, driven over WebDriver BiDi."""

import base64
import json
import os
import re

from browser import Page, points_between

KEYS = {"Escape": "\ue00c", "ArrowRight": "\ue014", "Enter": "\ue007", "Tab": "\ue004"}
CONTROLS = ("button", "link", "slider", "radio", "combobox", "textbox", "spinbutton", "progressbar")


class Firefox(Page):
    def arguments(self, dark, touch):
        preferences = {
            "ui.systemUsesDarkTheme": int(dark), "layout.css.prefers-color-scheme.content-override": 0 if dark else 1,
            "ui.prefersReducedMotion": 1, "gfx.color_management.mode": 0, "dom.w3c_touch_events.enabled": int(touch),
            "dom.w3c_touch_events.legacy_apis.enabled": touch,
            "ui.primaryPointerCapabilities": 1 if touch else 6,
            "browser.download.folderList": 2, "browser.download.dir": self.downloads,
            "browser.download.alwaysOpenPanel": False, "browser.helperApps.neverAsk.saveToDisk": "image/png,application/toml",
            "network.captive-portal-service.enabled": False, "network.connectivity-service.enabled": False}
        with open(os.path.join(self.folder.name, "user.js"), "w") as file:
            for name, value in preferences.items():
                file.write(f"user_pref({json.dumps(name)}, {json.dumps(value)});\n")
        return ["--headless", "--no-remote", "--remote-debugging-port=0", "--profile", self.folder.name, "about:blank"]

    def connect(self):
        self.join(self.said(re.compile(r"BiDi listening on (ws://\S+)")).group(1) + "/session")
        self.call("session.new", capabilities={})
        self.context = self.call("browsingContext.getTree")["contexts"][0]["context"]

    def prepare(self, size, dark, scale, touch):
        self.call("session.subscribe", events=["log.entryAdded", "network.beforeRequestSent", "network.responseCompleted"])
        self.call("browsingContext.setViewport", context=self.context, viewport={"width": size[0], "height": size[1]},
                  devicePixelRatio=scale)

    def run(self, script):
        """The value of an expression in the page; a promise is awaited."""
        result = self.call("script.evaluate", expression=script, target={"context": self.context}, awaitPromise=True)
        assert result["type"] == "success", result["exceptionDetails"]
        return value_of(result["result"])

    def open(self, address):
        self.call("browsingContext.navigate", context=self.context, url=address, wait="interactive")

    def act(self, kind, *actions):
        source = {"type": kind, "id": kind, "actions": [{"type": name, **more} for name, more in actions]}
        self.call("input.performActions", context=self.context, actions=[source])

    def key(self, key):
        value = {"value": KEYS.get(key, key)}
        self.act("key", ("keyDown", value), ("keyUp", value))

    def move(self, x, y):
        self.act("pointer", move(x, y))

    def click_at(self, x, y):
        self.act("pointer", move(x, y), ("pointerDown", {"button": 0}), ("pointerUp", {"button": 0}))

    def drag(self, start, end):
        self.act("pointer", move(*start), ("pointerDown", {"button": 0}),
                 *(move(x, y) for x, y in points_between(start, end)), ("pointerUp", {"button": 0}))

    def fingers(self, starts, ends):
        """Each finger goes down at its start and up at its end."""
        sources = []
        for number, (start, end) in enumerate(zip(starts, ends)):
            steps = [move(*start), ("pointerDown", {"button": 0}), *(move(x, y, 20) for x, y in points_between(start, end)),
                     ("pointerUp", {"button": 0})]
            sources.append({"type": "pointer", "id": f"finger {number}", "parameters": {"pointerType": "touch"},
                            "actions": [{"type": name, **more} for name, more in steps]})
        self.call("input.performActions", context=self.context, actions=sources)

    def wheel(self, x, y, down):
        self.act("wheel", ("scroll", {"x": round(x), "y": round(y), "deltaX": 0, "deltaY": down}))

    def picture(self):
        return base64.b64decode(self.call("browsingContext.captureScreenshot", context=self.context)["data"])

    def requests(self):
        """The addresses that the page has asked for."""
        return [one["request"]["url"] for one in self.events_of("network.beforeRequestSent")
                if one["context"] == self.context]

    def nameless_controls(self):
        """The number of controls, and the roles of those without an accessible name."""
        count, nameless = 0, []
        for role in CONTROLS:
            count += len(self.located({"role": role}))
            nameless += [role] * len(self.located({"role": role, "name": ""}))
        return count, nameless

    def located(self, wanted):
        return self.call("browsingContext.locateNodes", context=self.context,
                         locator={"type": "accessibility", "value": wanted})["nodes"]

    def complaints(self):
        said = [entry.get("text") or "" for entry in self.events_of("log.entryAdded") if entry["level"] == "error"]
        for answer in self.events_of("network.responseCompleted"):
            if answer["response"]["status"] >= 400:
                said.append(f"{answer['response']['status']} {answer['response']['url']}")
        return said


def move(x, y, within_ms=0):
    return "pointerMove", {"x": round(x), "y": round(y), "duration": within_ms}


def value_of(remote):
    """A value of the protocol as one of Python; None for what JSON has not."""
    kind, value = remote["type"], remote.get("value")
    if kind == "array":
        return [value_of(one) for one in value]
    if kind == "object":
        return {key: value_of(one) for key, one in value}
    return value if kind in ("string", "boolean", "number") else None
