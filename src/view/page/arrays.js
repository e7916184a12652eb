// The page of arrays: a plane of an array, its colours, its numbers.
import { attempt, copy, getJson, isAbort, say } from "./api.js";
import { Coordinates } from "./coordinates.js";
import { by, choice, choose, count, debounce, make } from "./dom.js";
import { listen } from "./keys.js";
import { fit, makeMap, makeTiles, pan, point, shownPixels, step } from "./map.js";
import { Rectangle } from "./rectangle.js";
import { Statistics } from "./statistics.js";
import { addTabs } from "./tabs.js";
import { setTheme, theme } from "./theme.js";
import { addZoomBar, followScale } from "./zoom_bar.js";

const kStep = 0.25;       // of the window, for an arrow key
const kWatchMs = 400;     // while smaller scales are made
const kExactMs = 700;     // without a change before exact percentiles are asked for
const kPointMs = 60;
const kMaxExact = 1e9;    // elements whose percentiles are asked for without a wish

const map = makeMap("map");
const state = readLink(location.hash);
let list = null;
let array = null;     // { id, name, shape, dimensions, ... }
let plane = null;     // { width, height, levels, built, version }
let tiles = null;
let written = "";
let showing = 0;      // counts planes, so that late answers are known
let kept = null;      // a point that was clicked
let watching = 0;

const rectangle = new Rectangle(map, by("draw"), () => plane, (rect) => statistics.show(rect));
const statistics = new Statistics((rect) => `/api/arrays/${array.id}/statistics?${planeParameters({ ...rect, detail: "true" })}`);

/** The state of a link such as "#array=a.nc:/t&at=3,0,0&palette=magma". */
function readLink(hash) {
  const given = new URLSearchParams(hash.replace(/^#/, ""));
  const number = (name) => (given.get(name) && Number.isFinite(Number(given.get(name))) ? Number(given.get(name)) : null);
  const place = (given.get("view") ?? "").split(",").map(Number);
  return {
    array: given.get("array") ?? "", minus: given.get("minus") ?? "", rows: number("rows"), columns: number("columns"),
    at: given.get("at") ? given.get("at").split(",").map(Number) : null,
    palette: given.get("palette") ?? "", scale: given.get("scale") === "log" ? "log" : "linear",
    reversed: given.get("reversed") === "true", low: number("low"), high: number("high"),
    view: place.length === 3 && place.every(Number.isFinite) ? place : null,
  };
}

function writeLink() {
  const { lng, lat } = map.getCenter();
  const short = (value) => String(Math.round(value * 100) / 100);
  const all = new URLSearchParams({ array: array.name });
  if (state.minus) all.set("minus", state.minus);
  if (array.shape.length > 2) all.set("at", state.at.join(","));
  if (!usualAxes()) all.set("rows", state.rows), all.set("columns", state.columns);
  for (const name of ["palette", "low", "high"]) if (state[name] != null && state[name] !== "") all.set(name, state[name]);
  if (state.scale === "log") all.set("scale", "log");
  if (state.reversed) all.set("reversed", "true");
  all.set("view", [lng, lat, map.getZoom()].map(short).join(","));
  return "#" + all.toString().replaceAll("%2C", ",").replaceAll("%2F", "/").replaceAll("%3A", ":");
}

const usualAxes = () => array.shape.length < 2 || (state.columns === array.shape.length - 1 && state.rows === array.shape.length - 2);

const remember = debounce(120, () => {
  if (!plane) return;
  written = writeLink();
  history.replaceState(null, "", written);
});

const idOf = (name) => list.arrays.find((one) => one.name === name)?.id;

/** What says which plane is meant. */
function planeParameters(more = {}) {
  const all = new URLSearchParams({ at: state.at.join(","), columns: state.columns, ...more });
  if (array.shape.length > 1) all.set("rows", state.rows);
  if (state.minus && idOf(state.minus) != null) all.set("minus", idOf(state.minus));
  return all;
}

const range = { low: 0, high: 1, exact: false };
const low = () => state.low ?? range.low;
const high = () => state.high ?? range.high;

function urlOf({ place, version }) {
  const scale = low() > 0 ? state.scale : "linear";  // other numbers have no logarithm
  const all = planeParameters({ low: low(), high: high(), palette: state.palette, scale, version });
  if (state.reversed) all.set("reversed", "true");
  return `/planes/${array.id}/${place.level}/${place.x}/${place.y}.png?${all}`;
}

const isPhone = () => matchMedia("(max-width: 640px)").matches;

function room() {
  if (isPhone()) return { left: 8, right: 8, top: 76, bottom: 72 };
  const panel = by("panel").hidden ? 0 : by("panel").offsetWidth + 16;
  return { left: 16, top: 16, bottom: 16, right: 16 + panel };
}

/** Shows an array from the list. */
async function show(name, fresh) {
  const mine = ++showing;
  const id = idOf(name) ?? list.arrays[0].id;
  const facts = await attempt("The array cannot be shown", () => getJson(`/api/arrays/${id}`));
  if (!facts || mine !== showing) return;
  askPoint.forget();
  clearPoint();
  array = { id, name: list.arrays[id].name, coordinates: facts.dimensions.map((one) => new Coordinates(one)), ...facts };
  const dimensions = array.shape.length;
  const fits = state.at?.length === dimensions && state.at.every((index, d) => index >= 0 && index < array.shape[d]);
  if (fresh || !fits) state.at = array.shape.map(() => 0);
  const valid = (axis) => axis != null && axis >= 0 && axis < dimensions;
  if (fresh || !valid(state.columns) || (dimensions > 1 && (!valid(state.rows) || state.rows === state.columns))) {
    state.columns = dimensions - 1;
    state.rows = dimensions > 1 ? dimensions - 2 : null;
  }
  if (fresh) Object.assign(state, { low: null, high: null, minus: "" });
  printArray();
  await showPlane({ place: fresh ? null : state.view, fitted: true });
}

/** Another plane: other indices, other axes, or the difference to another array. */
async function showPlane({ place = null, fitted = false } = {}) {
  const mine = ++showing;
  const now = await attempt("The plane cannot be shown", () => getJson(`/api/arrays/${array.id}/plane?${planeParameters()}`));
  if (!now || mine !== showing) return;
  const sameSize = plane && plane.width === now.width && plane.height === now.height && !fitted;
  const before = tiles;
  plane = now;
  if (!before || !sameSize) range.exact = false;
  Object.assign(range, { low: now.low, high: now.high, exact: false });
  if (sameSize) {
    tiles.image.version = now.version;
    tiles.renew(() => true);
  } else {
    before?.remove();
    tiles = makeTiles(plane, urlOf);
    map.setMaxBounds(L.latLngBounds(point(-plane.width, -plane.height), point(2 * plane.width, 2 * plane.height)));
    if (place) map.setView(point(place[0], place[1]), place[2], { animate: false });
    else fit(map, plane, room());
    tiles.addTo(map);
    rectangle.set(null);
    release();
  }
  printRange();
  printProgress();
  remember();
  statistics.again();
  askPoint.again();
  askExact();
  watch(mine);
}

/** The tiles are made again while smaller scales grow. */
function watch(mine) {
  clearTimeout(watching);
  if (plane.built === 1 || mine !== showing) return;
  watching = setTimeout(async () => {
    const now = document.hidden ? null : await getJson(`/api/arrays/${array.id}/plane?${planeParameters()}`).catch(() => null);
    if (mine !== showing) return;
    if (now && now.version !== plane.version) {
      Object.assign(plane, { built: now.built, version: now.version, problem: now.problem });
      if (!range.exact) Object.assign(range, { low: now.low, high: now.high });
      tiles.image.version = now.version;
      tiles.renew(() => true);
      printRange();
      printProgress();
    }
    watch(mine);
  }, kWatchMs);
}

/** Percentiles 2 and 98 of all elements of the plane, when it has been shown for a while. */
const askExact = debounce(kExactMs, async () => {
  const mine = showing;
  if (plane.width * plane.height > kMaxExact) return;
  if (state.low != null && state.high != null) return;
  const exact = await getJson(`/api/arrays/${array.id}/statistics?${planeParameters()}`).catch(() => null);
  if (mine !== showing || exact?.p2 == null || typeof exact.p2 !== "number" || typeof exact.p98 !== "number") return;
  const [p2, p98] = exact.p2 === exact.p98 ? [exact.least, exact.greatest] : [exact.p2, exact.p98];
  const same = range.low === p2 && range.high === p98;
  Object.assign(range, { low: p2, high: p98, exact: true });
  printRange();
  if (!same) tiles.recolor();
});

function printArray() {
  by("images").value = array.name;
  document.title = `${array.name} – Tessera`;
  const shape = array.shape.map((length, d) => `${array.dimensions[d].name ? array.dimensions[d].name + " " : ""}${count(length)}`).join(" × ");
  const units = array.attributes?.units ? ` · ${array.attributes.units}` : "";
  by("facts").textContent = `${array.type} · ${shape}${units}`;
  by("kind").textContent = array.kind;
  const texts = [...Object.entries(array.attributes ?? {}), ...array.notes.map((note) => ["", note])];
  by("attributes").replaceChildren(...texts.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]));
  printAxes();
  printSliders();
  printMinus();
}

const labelOf = (d) => array.dimensions[d].name || `dimension ${d}`;

function printAxes() {
  const options = array.shape.map((_, d) => make("option", { value: String(d) }, labelOf(d)));
  for (const [id, value] of [["rows", state.rows], ["columns", state.columns]]) {
    by(id).replaceChildren(...options.map((one) => one.cloneNode(true)));
    by(id).value = String(value);
    by(id).parentElement.hidden = array.shape.length < 2;
  }
}

/** A slider for each dimension that is not shown. */
function printSliders() {
  const others = array.shape.map((_, d) => d).filter((d) => d !== state.rows && d !== state.columns && array.shape[d] > 1);
  by("sliders").replaceChildren(...others.map((d) => {
    const id = `at-${d}`;
    const text = make("output", { for: id });
    const slider = make("input", { id, type: "range", min: "0", max: String(array.shape[d] - 1), step: "1", value: String(state.at[d]) });
    const print = () => { text.textContent = `${slider.value}${suffix(array.coordinates[d].at(Number(slider.value)))}`; };
    slider.addEventListener("input", () => {
      state.at[d] = Number(slider.value);
      print();
      moved();
    });
    print();
    return make("div", { class: "slider" }, make("label", { for: id }, labelOf(d)), text, slider);
  }));
  by("dimensions-hint").textContent = others.length ? others.map(labelOf).join(", ") : "";
}

const suffix = (text) => (text ? ` · ${text}` : "");
const moved = debounce(30, () => showPlane());

/** Arrays of the list of which differences make sense are known when they are asked for. */
function printMinus() {
  const names = list.arrays.map(({ name }) => name).filter((name) => name !== array.name);
  by("minus").replaceChildren(make("option", { value: "" }, "–"), ...names.map((name) => make("option", { value: name }, name)));
  by("minus").value = names.includes(state.minus) ? state.minus : "";
  by("minus").parentElement.hidden = names.length === 0;
}

const short = (value) => (Number.isFinite(value) ? String(Number(value.toPrecision(6))) : String(value));

function printRange() {
  if (document.activeElement !== by("low")) by("low").value = short(low());
  if (document.activeElement !== by("high")) by("high").value = short(high());
  const chosen = state.low != null || state.high != null;
  by("range-hint").textContent = chosen ? "chosen" : range.exact ? "2 to 98 %, exact" : "2 to 98 % of a sample";
}

function printProgress() {
  by("progress").hidden = plane.built === 1;
  by("progress-bar").value = plane.built;
  if (plane.problem) say(plane.problem);
}

function printBar() {
  const palette = list.palettes.find(({ name }) => name === state.palette) ?? list.palettes[0];
  const stops = state.reversed ? [...palette.stops].reverse() : palette.stops;
  by("bar").style.backgroundImage = `linear-gradient(90deg, ${stops.join(", ")})`;
}

function recolor() {
  printBar();
  printRange();
  tiles?.recolor();
  remember();
}

function addColors() {
  by("palettes").replaceChildren(...list.palettes.map(({ name, description, stops }) => {
    const input = make("input", { type: "radio", name: "palette", value: name, "aria-label": name });
    input.checked = name === (state.palette || list.palettes[0].name);
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

function nextPalette(way) {
  const names = list.palettes.map(({ name }) => name);
  const now = Math.max(0, names.indexOf(state.palette));
  state.palette = names[(now + way + names.length) % names.length];
  choose(by("palettes"), state.palette);
  recolor();
}

/** The first dimension that is not shown moves. */
function nextIndex(way) {
  const slider = by("sliders").querySelector("input");
  if (!slider) return;
  slider.value = String(Number(slider.value) + way);
  slider.dispatchEvent(new Event("input"));
}

// The point under the cursor; a click keeps it.
const askPoint = (() => {
  let last = null;
  let request = null;
  const ask = debounce(kPointMs, async ([x, y]) => {
    request?.abort();
    request = new AbortController();
    const url = `/api/arrays/${array.id}/value?${planeParameters({ x, y })}`;
    const got = await getJson(url, { signal: request.signal }).catch((error) => (isAbort(error) ? null : { problem: error.message }));
    if (got) printPoint(got);
  });
  const go = (at) => ask(last = at);
  go.again = () => last && ask(last);
  go.forget = () => { last = null; };
  return go;
})();

function printPoint({ value, index, coordinates, problem }) {
  const rows = problem ? [["", problem]] : [
    ["Value", value + (array.attributes?.units && !state.minus ? ` ${array.attributes.units}` : "")],
    ["Index", `[${index.join(", ")}]`],
    ...coordinates.map((at, d) => [labelOf(d), array.coordinates[d].text(at)]).filter(([, text]) => text),
  ];
  by("readout").replaceChildren(...rows.flatMap(([name, text]) => [make("dt", {}, name), make("dd", { class: name === "Value" ? "digits" : "" }, text)]));
  by("copy-value").disabled = value == null;
  by("copy-value").dataset.value = value ?? "";
}

const elementAt = ({ lng, lat }) => {
  const [x, y] = [Math.floor(lng), Math.floor(lat)];
  return plane && x >= 0 && y >= 0 && x < plane.width && y < plane.height ? [x, y] : null;
};

function release() {
  const had = kept;
  kept?.remove();
  kept = null;
  by("point-hint").textContent = "";
  if (!array) return false;
  return had != null;
}

function clearPoint() {
  by("readout").replaceChildren(make("dd", { class: "soft" }, "Point at the array. A click keeps the point."));
}

function addPoint() {
  map.on("mousemove", ({ latlng }) => {
    const at = elementAt(latlng);
    if (!kept && at) askPoint(at);
  });
  map.on("click", ({ latlng }) => {
    if (rectangle.active) return;
    const at = elementAt(latlng);
    const had = release();
    if (!at || had) return;
    kept = L.rectangle([point(...at), point(at[0] + 1, at[1] + 1)], { className: "kept", interactive: false }).addTo(map);
    by("point-hint").textContent = "kept";
    askPoint(at);
  });
  by("copy-value").addEventListener("click", ({ target }) => copy(target.dataset.value, "Value"));
  clearPoint();
}

function addKeys() {
  const ways = { ArrowLeft: [-kStep, 0], ArrowRight: [kStep, 0], ArrowUp: [0, -kStep], ArrowDown: [0, kStep] };
  listen([
    [["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"], "move", (key) => pan(map, ...ways[key])],
    [["+", "-"], "zoom", (key) => step(map, key === "-" ? -1 : 1), ["="]],
    [["0"], "the whole plane", () => fit(map, plane, room())],
    [["1"], "full size", () => map.setZoom(0)],
    [["]", "["], "next and previous index", (key) => nextIndex(key === "]" ? 1 : -1)],
    [["p"], "next palette", () => nextPalette(1)],
    [["P"], "previous palette", () => nextPalette(-1)],
    [["r"], "statistics of a rectangle", () => rectangle.draw(!rectangle.active)],
    [["l"], "copy the link", () => copy(location.href, "Link")],
    [["h"], "hide or show the panel", () => { by("panel").hidden = !by("panel").hidden; }],
    [["Escape"], "let go", () => rectangle.leave() || release()],
    [["?"], "this help", () => (by("help").open ? by("help").close() : by("help").showModal())],
  ]);
}

function addButtons() {
  addZoomBar({ step: (way) => step(map, way), all: () => fit(map, plane, room()) });
  by("copy-link").addEventListener("click", () => copy(location.href, "Link"));
  by("images").addEventListener("change", ({ target }) => show(target.value, true));
  by("of-shown").addEventListener("click", () => rectangle.set(shownPixels(map, plane)));
  by("of-all").addEventListener("click", () => rectangle.set({ x: 0, y: 0, width: plane.width, height: plane.height }));
  by("minus").addEventListener("change", ({ target }) => {
    state.minus = target.value;
    Object.assign(state, { low: null, high: null });
    showPlane();
  });
  for (const [id, other] of [["rows", "columns"], ["columns", "rows"]]) {
    by(id).addEventListener("change", ({ target }) => {
      const chosen = Number(target.value);
      if (state[other] === chosen) state[other] = state[id];
      state[id] = chosen;
      printAxes();
      printSliders();
      showPlane({ fitted: true });
    });
  }
  choice(by("themes"), "theme", { auto: "Automatic", light: "Light", dark: "Dark" }, theme(), setTheme);
}

function follow() {
  map.on("moveend zoomend", remember);
  followScale(map);
  addEventListener("hashchange", () => {
    if (location.hash === written) return;
    Object.assign(state, readLink(location.hash));
    choose(by("palettes"), state.palette || list.palettes[0].name);
    choose(by("scales"), state.scale);
    by("reversed").checked = state.reversed;
    printBar();
    show(state.array, false);
  });
}

async function start() {
  list = await getJson("/api/arrays");
  if (!list.arrays.length) return say("There is no array here");
  by("images").replaceChildren(...list.arrays.map(({ name }) => make("option", { value: name }, name)));
  getJson("/api/images").then(({ images }) => { by("images-link").hidden = images.length === 0; }).catch(() => {});
  addColors();
  addPoint();
  addButtons();
  addKeys();
  addTabs();
  follow();
  printBar();
  window.tessera = { map, state };
  await show(state.array, !state.array);
  document.documentElement.dataset.ready = "yes";
  return undefined;
}

attempt("The page cannot start", start);
