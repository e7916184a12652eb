// The page of arrays: a plane of an array, its colours, its numbers.
import { attempt, getJson, say } from "./api.js";
import { addColors, askExact, nextPalette, printBar, printRange, range, settle, urlOf } from "./array_colors.js";
import { addPoint, askPointAgain, forgetPoint, release } from "./array_point.js";
import { Coordinates } from "./coordinates.js";
import { by, choose, count, debounce, make } from "./dom.js";
import { kHelpKey, kLinkKey, listen, mapKeys, paletteKeys } from "./keys.js";
import { fit, makeTiles, point, shownPixels, step } from "./map.js";
import { addPanel, kPanelKey, room } from "./panel.js";
import { Rectangle } from "./rectangle.js";
import { idOf, labelOf, map, planeParameters, readLink, remember, shown, state } from "./shown_plane.js";
import { Statistics } from "./statistics.js";
import { addTabs } from "./tabs.js";
import { addZoomBar, followScale } from "./zoom_bar.js";

const kWatchMs = 400;  // while smaller scales are made
const kLookMs = 2000;  // for another state of the file

let watching = 0;

const rectangle = new Rectangle(map, by("draw"), () => shown.plane, (rect) => statistics.show(rect));
const statistics = new Statistics(
  (rect) => `/api/arrays/${shown.array.id}/statistics?${planeParameters({ ...rect, detail: "true" })}`,
  (rect) => {
    const dimension = by("through").value;
    if (!dimension) return null;
    return { name: labelOf(Number(dimension)), url: `/api/arrays/${shown.array.id}/through?${planeParameters({ ...rect, dimension })}` };
  });

/** Shows an array from the list. */
async function show(name, fresh) {
  const mine = ++shown.turn;
  const id = idOf(name) ?? shown.list.arrays[0].id;
  const facts = await attempt("The array cannot be shown", () => getJson(`/api/arrays/${id}`));
  if (!facts || mine !== shown.turn) return;
  forgetPoint();
  shown.array = { id, name: shown.list.arrays[id].name, coordinates: facts.dimensions.map((one) => new Coordinates(one)), ...facts };
  const dimensions = shown.array.shape.length;
  const fits = state.at?.length === dimensions && state.at.every((index, d) => index >= 0 && index < shown.array.shape[d]);
  if (fresh || !fits) state.at = shown.array.shape.map(() => 0);
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
  const mine = ++shown.turn;
  const now = await attempt("The plane cannot be shown", () => getJson(`/api/arrays/${shown.array.id}/plane?${planeParameters()}`));
  if (!now || mine !== shown.turn) return;
  const sameSize = shown.plane && shown.plane.width === now.width && shown.plane.height === now.height && !fitted;
  const before = shown.tiles;
  shown.plane = now;
  Object.assign(range, { low: now.low, high: now.high, positive: now.positive, exact: false });
  settle();
  if (sameSize) {
    renewTiles(now.version);
  } else {
    before?.remove();
    shown.tiles = makeTiles(shown.plane, urlOf);
    map.setMaxBounds(L.latLngBounds(point(-shown.plane.width, -shown.plane.height), point(2 * shown.plane.width, 2 * shown.plane.height)));
    if (place) map.setView(point(place[0], place[1]), place[2], { animate: false });
    else fit(map, shown.plane, room());
    shown.tiles.addTo(map);
    rectangle.set(null);
    release();
  }
  printRange();
  printProgress();
  remember();
  statistics.again();
  askPointAgain();
  askExact();
  watch(mine);
}

function renewTiles(version) {
  shown.tiles.image.version = version;
  shown.tiles.renew(() => true);
}

/** The tiles are made again while smaller scales grow, and all of it when the file has changed. */
function watch(mine) {
  clearTimeout(watching);
  if (mine !== shown.turn) return;
  watching = setTimeout(async () => {
    const now = document.hidden ? null : await getJson(`/api/arrays/${shown.array.id}/plane?${planeParameters()}`).catch(() => null);
    if (mine !== shown.turn) return;
    if (now && now.state !== shown.plane.state) {
      const { lng, lat } = map.getCenter();
      state.view = [lng, lat, map.getZoom()];
      await show(shown.array.name, false);
      return;
    }
    if (now && now.version !== shown.plane.version) {
      Object.assign(shown.plane, { built: now.built, version: now.version, problem: now.problem });
      if (!range.exact) Object.assign(range, { low: now.low, high: now.high });
      range.positive = now.positive;
      settle();
      renewTiles(now.version);
      printRange();
      printProgress();
    }
    watch(mine);
  }, shown.plane.built < 1 ? kWatchMs : kLookMs);
}

function printArray() {
  by("images").value = shown.array.name;
  document.title = `${shown.array.name} – Tessera`;
  const shape = shown.array.shape.map((length, d) => `${shown.array.dimensions[d].name ? shown.array.dimensions[d].name + " " : ""}${count(length)}`).join(" × ");
  const units = shown.array.attributes?.units ? ` · ${shown.array.attributes.units}` : "";
  by("facts").textContent = `${shown.array.type} · ${shape}${units}`;
  by("kind").textContent = shown.array.kind;
  const texts = [...Object.entries(shown.array.attributes ?? {}), ...shown.array.notes.map((note) => ["", note])];
  by("attributes").replaceChildren(...texts.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]));
  printAxes();
  printSliders();
  printMinus();
}

function printAxes() {
  const options = shown.array.shape.map((_, d) => make("option", { value: String(d) }, labelOf(d)));
  for (const [id, value] of [["rows", state.rows], ["columns", state.columns]]) {
    by(id).replaceChildren(...options.map((one) => one.cloneNode(true)));
    by(id).value = String(value);
    by(id).parentElement.hidden = shown.array.shape.length < 2;
  }
}

/** A slider for each dimension that is not shown. */
function printSliders() {
  const others = shown.array.shape.map((_, d) => d).filter((d) => d !== state.rows && d !== state.columns && shown.array.shape[d] > 1);
  by("sliders").replaceChildren(...others.map((d) => {
    const id = `at-${d}`;
    const text = make("output", { for: id });
    const slider = make("input", { id, type: "range", min: "0", max: String(shown.array.shape[d] - 1), step: "1", value: String(state.at[d]) });
    const print = () => { text.textContent = `${slider.value}${suffix(shown.array.coordinates[d].at(Number(slider.value)))}`; };
    slider.addEventListener("input", () => {
      state.at[d] = Number(slider.value);
      print();
      moved();
    });
    print();
    return make("div", { class: "slider" }, make("label", { for: id }, labelOf(d)), text, slider);
  }));
  const options = [make("option", { value: "" }, "–"), ...others.map((d) => make("option", { value: String(d) }, labelOf(d)))];
  const chosen = by("through").value;
  by("through").replaceChildren(...options);
  by("through").value = others.includes(Number(chosen)) ? chosen : "";
  by("through").parentElement.hidden = others.length === 0;
  by("dimensions-hint").textContent = others.length ? others.map(labelOf).join(", ") : "";
}

const suffix = (text) => (text ? ` · ${text}` : "");
const moved = debounce(30, () => showPlane());

/** All other arrays of the list: whether the difference makes sense is known when it is asked for. */
function printMinus() {
  const names = shown.list.arrays.map(({ name }) => name).filter((name) => name !== shown.array.name);
  by("minus").replaceChildren(make("option", { value: "" }, "–"), ...names.map((name) => make("option", { value: name }, name)));
  by("minus").value = names.includes(state.minus) ? state.minus : "";
  by("minus").parentElement.hidden = names.length === 0;
}

function printProgress() {
  by("progress").hidden = shown.plane.built === 1;
  by("progress-bar").value = shown.plane.built;
  if (shown.plane.problem) say(shown.plane.problem);
}

/** The first dimension that is not shown moves. */
function nextIndex(way) {
  const slider = by("sliders").querySelector("input");
  if (!slider) return;
  slider.value = String(Number(slider.value) + way);
  slider.dispatchEvent(new Event("input"));
}

function addKeys() {
  listen([
    ...mapKeys(map, (way) => step(map, way)),
    [["0"], "the whole plane", () => fit(map, shown.plane, room())],
    [["1"], "full size", () => map.setZoom(0)],
    [["]", "["], "next and previous index", (key) => nextIndex(key === "]" ? 1 : -1)],
    ...paletteKeys(nextPalette),
    [["r"], "statistics of a rectangle", () => rectangle.draw(!rectangle.active)],
    kLinkKey,
    kPanelKey,
    [["Escape"], "let go", () => rectangle.leave() || release()],
    kHelpKey,
  ]);
}

function addButtons() {
  addZoomBar({ step: (way) => step(map, way), all: () => fit(map, shown.plane, room()) });
  by("images").addEventListener("change", ({ target }) => show(target.value, true));
  by("of-shown").addEventListener("click", () => rectangle.set(shownPixels(map, shown.plane)));
  by("of-all").addEventListener("click", () => rectangle.set({ x: 0, y: 0, width: shown.plane.width, height: shown.plane.height }));
  by("through").addEventListener("change", () => statistics.again());
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
  addPanel();
}

function follow() {
  map.on("moveend zoomend", remember);
  followScale(map);
  addEventListener("hashchange", () => {
    if (location.hash === shown.written) return;
    Object.assign(state, readLink(location.hash));
    choose(by("palettes"), state.palette || shown.list.palettes[0].name);
    choose(by("scales"), state.scale);
    by("reversed").checked = state.reversed;
    printBar();
    show(state.array, false);
  });
}

async function start() {
  shown.list = await getJson("/api/arrays");
  if (!shown.list.arrays.length) return say("There is no array here");
  by("images").replaceChildren(...shown.list.arrays.map(({ name }) => make("option", { value: name }, name)));
  getJson("/api/images").then(({ images }) => { by("images-link").hidden = images.length === 0; }).catch(() => {});
  addColors();
  addPoint(rectangle);
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
