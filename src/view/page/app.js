// The page of images: puts the map, the panel and the address bar together.
import { attempt, getJson, say } from "./api.js";
import { Colors } from "./colors.js";
import { Cut } from "./cut.js";
import { by, count, debounce, make } from "./dom.js";
import { kHelpKey, kLinkKey, listen, mapKeys, paletteKeys } from "./keys.js";
import { colorParameters, readLink, takeLook, valueParameters, writeLink } from "./look.js";
import { fit, makeMap, makeTiles, point, shownPixels, step } from "./map.js";
import { Overlay } from "./overlay.js";
import { addPanel, kPanelKey, room } from "./panel.js";
import { Readout } from "./readout.js";
import { addTabs } from "./tabs.js";
import { Watch } from "./watch.js";
import { addZoomBar, followScale } from "./zoom_bar.js";

const kListMs = 5000;

/** Of a link. Files of one name may have got their folders since. */
const imageOf = (name) => images.find((one) => one.name === name) ?? (name && images.find((one) => one.name.endsWith(`/${name}`)));

const given = readLink(location.hash);
const { look } = given;
const map = makeMap("map");
let images = [];
let image = null;
let tiles = null;
let shownValues = "";
let written = "";

const urlOf = ({ place, version }) =>
  `/tiles/${image.id}/${place.level}/${place.x}/${place.y}.png?${withVersion(version)}`;

/** The image with the smaller scales of the values that are shown. */
const urlOfImage = ({ id }) => `/api/images/${id}?${valueParameters(look)}`;

function withVersion(version) {
  const all = colorParameters(look);
  all.set("version", version);
  return all;
}

const readout = new Readout(map);
const watch = new Watch(urlOfImage, (now, touches) => {
  Object.assign(image, now);
  tiles.renew(touches);
  describe();
}, (map) => overlay.update(map));
const overlay = new Overlay(map, () => attempt("No map of the tiles", () => watch.map()));
const cut = new Cut(map, look, (on) => { readout.enabled = !on; });
let colors = null;

function describe() {
  by("name").textContent = image.name;
  document.title = `${image.name} – Tessera`;
  by("facts").textContent = `${count(image.width)} × ${count(image.height)} · ${image.formula ?? ""} · ${count(image.iterations)} iterations`;
}

/** Shows `one` at `place`, or all of it. What the list leaves out, such as its smaller scales, is asked for. */
async function show(one, place) {
  colors.show(one);
  shownValues = valueParameters(look);
  const whole = await getJson(urlOfImage(one)).catch(() => ({}));
  tiles?.remove();
  image = { ...one, ...whole };
  tiles = makeTiles(image, urlOf);
  overlay.show(image);
  readout.show(image);
  cut.show(image);
  map.setMaxBounds(L.latLngBounds(point(-image.width, -image.height), point(2 * image.width, 2 * image.height)));
  if (place) map.setView(point(place.x, place.y), place.zoom, { animate: false });
  else fit(map, image, room());
  tiles.addTo(map);
  by("images").value = String(image.id);
  describe();
  watch.show(image);
  if (overlay.kind !== "none" && image.complete) overlay.wanted();
}

/** The address bar follows, at once but not more often than browsers allow. */
const remember = debounce(120, () => {
  const { lng: x, lat: y } = map.getCenter();
  written = writeLink(image.name, look, { x, y, zoom: map.getZoom() });
  history.replaceState(null, "", written);
});

function printList() {
  by("images").replaceChildren(...images.map(({ id, name }) => make("option", { value: String(id) }, name)));
  by("images").value = String(image?.id);
  by("images").hidden = images.length < 2;
  by("name").hidden = images.length > 1;
}

/** A folder may have got files since. */
async function relist() {
  if (document.hidden) return;
  const now = (await getJson("/api/images").catch(() => null))?.images;
  if (!now || JSON.stringify(now.map(({ id, name }) => [id, name])) === JSON.stringify(images.map(({ id, name }) => [id, name]))) return;
  images = now;
  if (!image && images.length) await show(images[0], null);
  printList();
}

function recolor() {
  tiles?.recolor();
  cut.print();
  if (!image) return;
  remember();
  if (shownValues === valueParameters(look)) return;
  shownValues = valueParameters(look);
  watch.again();
}

function addKeys() {
  listen([
    ...mapKeys(map, (way) => step(map, way)),
    [["0"], "the whole image", () => fit(map, image, room())],
    [["1"], "full size", () => map.setZoom(0)],
    ...paletteKeys((way) => colors.nextPalette(way)),
    [["s"], "smooth or counts", () => colors.nextField()],
    [["t"], "tiles: state, rank, time", () => overlay.next()],
    [["r"], "draw a rectangle to save", () => cut.draw(!cut.active)],
    kLinkKey,
    kPanelKey,
    [["Escape"], "let go", () => cut.leave() || readout.release()],
    kHelpKey,
  ]);
}

function addButtons() {
  addZoomBar({ step: (way) => step(map, way), all: () => fit(map, image, room()) });
  by("images").addEventListener("change", ({ target }) => show(images.find(({ id }) => String(id) === target.value), null));
  addPanel();
}

function follow() {
  map.on("moveend zoomend", () => image && remember());
  followScale(map);
  addEventListener("hashchange", () => {
    if (location.hash === written) return;
    const link = readLink(location.hash);
    const one = imageOf(link.image) ?? image;
    colors.set(link.look);
    if (one.id !== image.id) show(one, link.place);
    else if (link.place) map.setView(point(link.place.x, link.place.y), link.place.zoom);
  });
}

async function start() {
  const [list, palettes] = await Promise.all([getJson("/api/images"), getJson("/api/palettes")]);
  if (list.explore && !new URLSearchParams(location.search).has("images")) {
    const { startExplore } = await import("./explore.js");
    return startExplore({ map, look, readout, palettes, facts: list.explore, addTabs });
  }
  images = list.images;
  if (list.arrays && !images.length) return location.replace("/arrays");
  by("arrays-link").hidden = !list.arrays;
  takeLook(look, list.look, palettes);
  colors = new Colors(palettes, look, recolor);
  addButtons();
  addKeys();
  addTabs();
  follow();
  printList();
  if (images.length) {
    const named = imageOf(given.image);
    await show(named ?? images[0], named || !given.image ? given.place : null);
  } else {
    say("There is no image here yet");
  }
  printList();
  setInterval(relist, kListMs);
  by("run-link").hidden = !list.run;
  document.documentElement.dataset.ready = "yes";
}

attempt("The page cannot start", start);
Object.assign(window, { tessera: { map, look, shownPixels: () => shownPixels(map, image) } });
