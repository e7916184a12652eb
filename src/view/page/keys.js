// The keyboard. Keys that a control of the page needs itself are left to it.
import { copy } from "./api.js";
import { by, make } from "./dom.js";
import { pan } from "./map.js";

const kStep = 0.25;  // of the window, for an arrow key
const kWays = { ArrowLeft: [-kStep, 0], ArrowRight: [kStep, 0], ArrowUp: [0, -kStep], ArrowDown: [0, kStep] };
const kTyping = "input:not([type=radio]), select, textarea";

/** `actions`: rows of [keys, what it does, action(key)]. */
export function listen(actions) {
  by("keys").replaceChildren(...actions.flatMap(([keys, text]) =>
    [make("dt", {}, ...keys.map((key) => make("kbd", {}, kNames[key] ?? key))), make("dd", {}, text)]));
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const moves = event.key.startsWith("Arrow");
    if (event.target.matches(kTyping) && event.key !== "Escape") return;
    // A dialog that was closed keeps the focus until the page is drawn the next time.
    if (moves && event.target.matches("input[type=radio]") && !event.target.closest("dialog:not([open])")) return;
    if (by("help").open && event.key !== "?") return;
    const row = actions.find(([keys, , , more = []]) => keys.includes(event.key) || more.includes(event.key));
    if (!row) return;
    event.preventDefault();
    row[2](event.key, event.shiftKey);
  });
}

/** The rows of a map. `zoom(way)` goes in (1) or out (-1). */
export const mapKeys = (map, zoom) => [
  [Object.keys(kWays), "move", (key) => pan(map, ...kWays[key])],
  [["+", "-"], "zoom", (key) => zoom(key === "-" ? -1 : 1), ["="]],
];

export const paletteKeys = (next) => [
  [["p"], "next palette", () => next(1)],
  [["P"], "previous palette", () => next(-1)],
];

export const kLinkKey = [["l"], "copy the link", () => copy(location.href, "Link")];
export const kHelpKey = [["?"], "this help", () => (by("help").open ? by("help").close() : by("help").showModal())];

const kNames = { ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓", Escape: "Esc", "-": "−" };
