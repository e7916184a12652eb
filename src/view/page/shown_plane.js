// The plane of an array that the page shows, and the link that shows it again.
import { debounce } from "./dom.js";
import { makeMap } from "./map.js";

export const map = makeMap("map");
export const state = readLink(location.hash);
export const shown = {
  list: null,   // what the server has: { arrays, palettes }
  array: null,  // { id, name, shape, dimensions, ... }
  plane: null,  // { width, height, levels, built, version }
  tiles: null,
  turn: 0,      // counts planes, so that late answers are known
  written: "",  // the link that this page has written
};

/** The state of a link such as "#array=a.nc:/t&at=3,0,0&palette=magma". */
export function readLink(hash) {
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
  const all = new URLSearchParams({ array: shown.array.name });
  if (state.minus) all.set("minus", state.minus);
  if (shown.array.shape.length > 2) all.set("at", state.at.join(","));
  if (!usualAxes()) all.set("rows", state.rows), all.set("columns", state.columns);
  for (const name of ["palette", "low", "high"]) if (state[name] != null && state[name] !== "") all.set(name, state[name]);
  if (state.scale === "log") all.set("scale", "log");
  if (state.reversed) all.set("reversed", "true");
  all.set("view", [lng, lat, map.getZoom()].map(short).join(","));
  return "#" + all.toString().replaceAll("%2C", ",").replaceAll("%2F", "/").replaceAll("%3A", ":");
}

function usualAxes() {
  const { length } = shown.array.shape;
  return length < 2 || (state.columns === length - 1 && state.rows === length - 2);
}

export const remember = debounce(120, () => {
  if (!shown.plane) return;
  shown.written = writeLink();
  history.replaceState(null, "", shown.written);
});

/** Of an array of the list. */
export const idOf = (name) => shown.list.arrays.find((one) => one.name === name)?.id;
/** Of a dimension. */
export const labelOf = (d) => shown.array.dimensions[d].name || `dimension ${d}`;

/** The parameters of a request about the plane that is shown. */
export function planeParameters(more = {}) {
  const all = new URLSearchParams({ at: state.at.join(","), columns: state.columns, ...more });
  if (shown.array.shape.length > 1) all.set("rows", state.rows);
  if (state.minus && idOf(state.minus) != null) all.set("minus", idOf(state.minus));
  return all;
}
