// The keyboard. Keys that a control of the page needs itself are left to it.
import { by, make } from "./dom.js";

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

const kNames = { ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓", Escape: "Esc", "-": "−" };
