// The page of `tessera publish`: an image whose pictures lie beside the page, on any web server.
import { attempt, get, getJson } from "./api.js";
import { by, count, debounce } from "./dom.js";
import { kHelpKey, kLinkKey, listen, mapKeys } from "./keys.js";
import { fit, makeMap, makeTiles, point, step } from "./map.js";
import { PmTiles } from "./pmtiles.js";
import "./theme.js";
import { addZoomBar, followScale } from "./zoom_bar.js";

const kRoom = { left: 16, right: 16, top: 16, bottom: 16 };

const map = makeMap("map");

/** "#at=100,200&zoom=-2" */
function readLink() {
  const given = new URLSearchParams(location.hash.replace(/^#/, ""));
  const place = [...(given.get("at") ?? "").split(","), given.get("zoom") ?? NaN].map(Number);
  return place.length === 3 && place.every(Number.isFinite) ? place : null;
}

const remember = debounce(120, () => {
  const { lng, lat } = map.getCenter();
  const short = (value) => Math.round(value * 100) / 100;
  history.replaceState(null, "", `#at=${short(lng)},${short(lat)}&zoom=${short(map.getZoom())}`);
});

/** Pictures of a folder, or of one file. */
function sourceOf(image) {
  const zoomOf = ({ level }) => image.levels - 1 - level;
  if (!image.tiles.endsWith(".pmtiles")) {
    return { urlOf: ({ place }) => `${image.tiles}/${zoomOf(place)}/${place.x}/${place.y}.png` };
  }
  const archive = new PmTiles(image.tiles, get);
  return {
    urlOf: ({ place }) => `${zoomOf(place)}/${place.x}/${place.y}`,
    fetchBlob: (url, signal) => archive.tile(...url.split("/").map(Number), signal),
  };
}

function addControls(image) {
  const all = () => fit(map, image, kRoom);
  listen([
    ...mapKeys(map, (way) => step(map, way)),
    [["0"], "the whole image", all],
    [["1"], "full size", () => map.setZoom(0)],
    kLinkKey,
    kHelpKey,
  ]);
  addZoomBar({ step: (way) => step(map, way), all });
}

async function start() {
  const image = await getJson("image.json");
  const { urlOf, fetchBlob } = sourceOf(image);
  by("name").textContent = image.name.replace(/\.h5(\.part)?$/, "");
  document.title = by("name").textContent;
  by("facts").textContent = `${count(image.width)} × ${count(image.height)} · ${image.formula ?? ""} · ${count(image.iterations)} iterations`;
  by("about").textContent = image.center ? `Centre ${image.center.join(", ")}; width ${image.span}.` : "";
  map.setMaxBounds(L.latLngBounds(point(-image.width, -image.height), point(2 * image.width, 2 * image.height)));
  const place = readLink();
  if (place) map.setView(point(place[0], place[1]), place[2], { animate: false });
  else fit(map, image, kRoom);
  makeTiles({ ...image, version: 0 }, urlOf, fetchBlob).addTo(map);
  map.on("moveend zoomend", remember);
  addControls(image);
  followScale(map);
  window.tessera = { map };
  document.documentElement.dataset.ready = "yes";
}

attempt("The page cannot start", start);
