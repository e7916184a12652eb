// The bar with zoom, the whole and help, the same on all pages with a map.
import { by, make } from "./dom.js";

const kButtons = [
  ["zoom-in", "Zoom in", "Zoom in (+)", "M10 4v12M4 10h12"],
  ["zoom-out", "Zoom out", "Zoom out (-)", "M4 10h12"],
  ["fit", "Show the whole", "The whole (0)", "M3 7V3h4M13 3h4v4M17 13v4h-4M7 17H3v-4"],
  ["help-button", "Help", "Help (?)", "M7 7.5a3 3 0 1 1 4.3 2.7c-.9.5-1.3 1-1.3 2.1M10 15.4v.2"],
];

function button([id, name, title, path]) {
  const made = make("button", { id, type: "button", "aria-label": name, title });
  made.innerHTML = `<svg viewBox="0 0 20 20"><path d="${path}"/></svg>`;
  return made;
}

/** `step(way)` zooms in (1) or out (-1), `all()` shows the whole. */
export function addZoomBar({ step, all }) {
  const bar = make("div", { id: "zoom", class: "glass", role: "group", "aria-label": "Zoom" }, ...kButtons.map(button));
  bar.firstChild.after(make("output", { id: "scale", title: "Size of a pixel, or of an element" }, "100 %"));
  by("message").before(bar);
  by("zoom-in").addEventListener("click", () => step(1));
  by("zoom-out").addEventListener("click", () => step(-1));
  by("fit").addEventListener("click", all);
  by("help-button").addEventListener("click", () => by("help").showModal());
}

/** Prints the scale of a map whose zoom 0 is full size, now and whenever it changes. */
export function followScale(map) {
  const print = () => {
    const percent = 2 ** map.getZoom() * 100;
    by("scale").textContent = percent >= 1000 ? `${+(percent / 100).toPrecision(3)} ×` : `${+percent.toPrecision(percent < 10 ? 2 : 3)} %`;
    map.getContainer().classList.toggle("large", percent > 100);
  };
  map.on("zoom zoomend viewreset", print);
  map.whenReady(print);
}
