// The colours of an array: palette, scale, and the range of numbers that it spans.
import { getJson, say } from "./api.js";
import { by, choice, choose, debounce, make } from "./dom.js";
import { planeParameters, remember, shown, state } from "./shown_plane.js";

const kExactMs = 700;   // without a change before exact percentiles are asked for
const kMaxExact = 1e9;  // elements whose percentiles are asked for without a wish

/** The range where the user has chosen none. */
export const range = { low: 0, high: 1, exact: false };
const low = () => state.low ?? range.low;
const high = () => state.high ?? range.high;

export function urlOf({ place, version }) {
  const scale = low() > 0 ? state.scale : "linear";  // other numbers have no logarithm
  const all = planeParameters({ low: low(), high: high(), palette: state.palette, scale, version });
  if (state.reversed) all.set("reversed", "true");
  return `/planes/${shown.array.id}/${place.level}/${place.x}/${place.y}.png?${all}`;
}

/** Percentiles 2 and 98 of all elements of the plane, when it has been shown for a while. */
export function askExact() {
  asking?.abort();
  askSoon();
}

let asking = null;
const askSoon = debounce(kExactMs, async () => {
  const mine = shown.turn;
  if (shown.plane.width * shown.plane.height > kMaxExact) return;
  if (state.low != null && state.high != null) return;
  asking = new AbortController();
  const url = `/api/arrays/${shown.array.id}/statistics?${planeParameters()}`;
  const exact = await getJson(url, { signal: asking.signal }).catch(() => null);
  if (mine !== shown.turn || exact?.p2 == null || typeof exact.p2 !== "number" || typeof exact.p98 !== "number") return;
  const [p2, p98] = exact.p2 === exact.p98 ? [Number(exact.least), Number(exact.greatest)] : [exact.p2, exact.p98];
  const same = range.low === p2 && range.high === p98;
  Object.assign(range, { low: p2, high: p98, exact: true });
  printRange();
  if (!same) shown.tiles.recolor();
});

const short = (value) => (Number.isFinite(value) ? String(Number(value.toPrecision(6))) : String(value));

export function printRange() {
  if (document.activeElement !== by("low")) by("low").value = short(low());
  if (document.activeElement !== by("high")) by("high").value = short(high());
  const chosen = state.low != null || state.high != null;
  by("range-hint").textContent = chosen ? "chosen" : range.exact ? "2 to 98 %, exact" : "2 to 98 % of a sample";
}

export function printBar() {
  const palette = shown.list.palettes.find(({ name }) => name === state.palette) ?? shown.list.palettes[0];
  const stops = state.reversed ? [...palette.stops].reverse() : palette.stops;
  by("bar").style.backgroundImage = `linear-gradient(90deg, ${stops.join(", ")})`;
}

function recolor() {
  printBar();
  printRange();
  shown.tiles?.recolor();
  remember();
}

export function addColors() {
  by("palettes").replaceChildren(...shown.list.palettes.map(({ name, description, stops }) => {
    const input = make("input", { type: "radio", name: "palette", value: name, "aria-label": name });
    input.checked = name === (state.palette || shown.list.palettes[0].name);
    input.addEventListener("change", () => { state.palette = name; recolor(); });
    const swatch = make("span", { class: "swatch", title: `${name}: ${description}` });
    swatch.style.backgroundImage = `linear-gradient(90deg, ${stops.join(", ")})`;
    return make("label", {}, input, swatch);
  }));
  choice(by("scales"), "scale", { linear: "Linear", log: "Log" }, state.scale, (value) => {
    if (value === "log" && low() <= 0) {
      say("A logarithm needs Low above 0", 3000);
      return choose(by("scales"), "linear");
    }
    state.scale = value;
    return recolor();
  });
  by("reversed").checked = state.reversed;
  by("reversed").addEventListener("change", ({ target }) => { state.reversed = target.checked; recolor(); });
  for (const id of ["low", "high"]) {
    by(id).addEventListener("change", ({ target }) => {
      const value = Number(target.value);
      if (target.value.trim() === "" || !Number.isFinite(value)) return printRange();
      if (id === "low" && state.scale === "log" && value <= 0) return say("A logarithm needs Low above 0", 3000);
      state[id] = value;
      return recolor();
    });
  }
  by("auto-range").addEventListener("click", () => {
    Object.assign(state, { low: null, high: null });
    recolor();
    askExact();
  });
}

export function nextPalette(way) {
  const names = shown.list.palettes.map(({ name }) => name);
  const now = Math.max(0, names.indexOf(state.palette));
  state.palette = names[(now + way + names.length) % names.length];
  choose(by("palettes"), state.palette);
  recolor();
}
