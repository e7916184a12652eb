// The colours of an array: palette, scale, and the range of numbers that it spans.
import { getJson, say } from "./api.js";
import { by, choice, choose, debounce, make } from "./dom.js";
import { planeParameters, remember, shown, state } from "./shown_plane.js";

const kSayMs = 3000;
const kExactMs = 700;   // without a change before exact percentiles are asked for
const kMaxExact = 1e9;  // elements whose percentiles are asked for without a wish

/** The range where the user has chosen none, and that of the numbers above 0. */
export const range = { low: 0, high: 1, positive: null, exact: false };
/** Of numbers that are 0 or less, there is no logarithm. */
const takesPositive = () => state.scale === "log" && range.low <= 0 && range.positive != null;
const automatic = () => (takesPositive() ? range.positive : range);
const low = () => state.low ?? Math.min(automatic().low, state.high ?? Infinity);
const high = () => state.high ?? Math.max(automatic().high, state.low ?? -Infinity);

/** The picture has the scale that the page says, or the page says why not. */
export function settle() {
  if (state.low != null && state.high != null && !isRange(state.low, state.high)) {
    Object.assign(state, { low: null, high: null });
    say("Low must be below High", kSayMs);
  }
  if (state.scale === "log" && !(low() > 0)) {
    state.scale = "linear";
    say("A logarithm needs numbers above 0", kSayMs);
  }
  choose(by("scales"), state.scale);
}

const isRange = (from, to) => from < to && Number.isFinite(to - from);

export function urlOf({ place, version }) {
  const all = planeParameters({ low: low(), high: high(), palette: state.palette, scale: state.scale, version });
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
  settle();
  printRange();
  remember();
  if (!same) shown.tiles.recolor();
});

const short = (value) => (Number.isFinite(value) ? String(Number(value.toPrecision(6))) : String(value));

export function printRange() {
  if (document.activeElement !== by("low")) by("low").value = short(low());
  if (document.activeElement !== by("high")) by("high").value = short(high());
  const chosen = state.low != null || state.high != null;
  const sample = takesPositive() ? "2 to 98 % of a sample above 0" : "2 to 98 % of a sample";
  by("range-hint").textContent = chosen ? "chosen" : range.exact && !takesPositive() ? "2 to 98 %, exact" : sample;
}

export function printBar() {
  const palette = shown.list.palettes.find(({ name }) => name === state.palette) ?? shown.list.palettes[0];
  const stops = state.reversed ? [...palette.stops].reverse() : palette.stops;
  by("bar").style.backgroundImage = `linear-gradient(90deg, ${stops.join(", ")})`;
}

function recolor() {
  settle();
  printBar();
  printRange();
  shown.tiles?.recolor();
  remember();
}

/** Why a range that the user types cannot be taken; "" if it can. */
function problemOf([from, to]) {
  if (from >= to) return "Low must be below High";
  if (!isRange(from, to)) return "From Low to High is more than a number holds";
  return state.scale === "log" && from <= 0 ? "A logarithm needs Low above 0" : "";
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
    state.scale = value;
    recolor();
  });
  by("reversed").checked = state.reversed;
  by("reversed").addEventListener("change", ({ target }) => { state.reversed = target.checked; recolor(); });
  for (const id of ["low", "high"]) {
    by(id).addEventListener("change", ({ target }) => {
      const value = Number(target.value);
      if (target.value.trim() === "" || !Number.isFinite(value)) return printRange();
      const problem = problemOf(id === "low" ? [value, high()] : [low(), value]);
      if (problem) say(problem, kSayMs);
      else state[id] = value;
      target.blur();  // so that what is not taken goes
      return problem ? printRange() : recolor();
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
