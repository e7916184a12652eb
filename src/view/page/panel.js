// The panel beside a map.
import { copy } from "./api.js";
import { by, choice } from "./dom.js";
import { setTheme, theme } from "./theme.js";

/** What the panel leaves of the window. */
export function room() {
  if (matchMedia("(max-width: 640px)").matches) return { left: 8, right: 8, top: 76, bottom: 72 };
  const panel = by("panel").hidden ? 0 : by("panel").offsetWidth + 16;
  return { left: 16, top: 16, bottom: 16, right: 16 + panel };
}

export const kPanelKey = [["h"], "hide or show the panel", () => { by("panel").hidden = !by("panel").hidden; }];

export function addPanel() {
  by("copy-link").addEventListener("click", () => copy(location.href, "Link"));
  choice(by("themes"), "theme", { auto: "Automatic", light: "Light", dark: "Dark" }, theme(), setTheme);
}
