// The pixel under the cursor. A click keeps it, so that its numbers can be selected and copied.
import { copy, getJson, isAbort } from "./api.js";
import { by, count, debounce, make, seconds } from "./dom.js";
import { point } from "./map.js";

const kPause = 60;

/** Smooth value and distance; an f32 has at most nine digits. */
export function moreValues(pixel) {
  const text = (value, digits) => pixel.inside || value == null ? null : String(Number(value.toPrecision(digits)));
  const distance = text(pixel.distance, 4);
  return [["Smooth", text(pixel.smooth, 9)], ["Distance", distance && `${distance} px`]];
}

function rows(x, y, pixel) {
  const made = [pixel.rank != null && pixel.rank >= 0 ? `rank ${pixel.rank}` : "", pixel.device].filter(Boolean).join(", ");
  return [
    ["Re", pixel.re, "digits"], ["Im", pixel.im, "digits"],
    ["Pixel", `${x}, ${y}`],
    ["Count", pixel.inside ? `${count(pixel.count)} (inside)` : pixel.count == null ? null : count(pixel.count)],
    ...moreValues(pixel),
    ["Tile", `row ${pixel.tile[0]}, column ${pixel.tile[1]}`],
    ["Made by", made || "not yet"],
    ["In", pixel.seconds == null ? null : seconds(pixel.seconds)],
  ].filter(([, value]) => value != null);
}

export class Readout {
  constructor(map) {
    this.map = map;
    this.kept = null;
    this.pixel = null;
    this.request = null;
    this.ask = debounce(kPause, (x, y) => this.fetch(x, y));
    map.on("mousemove", ({ latlng }) => this.kept || this.at(latlng));
    map.on("click", ({ latlng }) => this.enabled !== false && this.keep(latlng));
    by("copy-point").addEventListener("click", () => copy(`${this.pixel.re},${this.pixel.im}`, "Coordinates"));
    this.clear();
  }

  show(image) {
    this.image = image;
    this.release();
    this.clear();
  }

  clear() {
    this.pixel = null;
    by("copy-point").disabled = true;
    by("readout").replaceChildren(make("dd", { class: "soft" }, "Point at the image. A click keeps the point."));
  }

  /** The pixel there, or nothing beside the image. */
  inImage(latlng) {
    const [x, y] = [Math.floor(latlng.lng), Math.floor(latlng.lat)];
    return this.image && x >= 0 && y >= 0 && x < this.image.width && y < this.image.height ? [x, y] : null;
  }

  at(latlng) {
    const pixel = this.inImage(latlng);
    if (pixel) this.ask(...pixel);
  }

  keep(latlng) {
    const pixel = this.inImage(latlng);
    const same = this.kept && pixel && this.kept.join() === pixel.join();
    this.release();
    if (!pixel || same) return;
    this.kept = pixel;
    const corner = point(...pixel);
    this.mark = L.rectangle([corner, point(pixel[0] + 1, pixel[1] + 1)], { className: "kept", interactive: false }).addTo(this.map);
    this.ring = L.marker(point(pixel[0] + 0.5, pixel[1] + 0.5),
      { icon: L.divIcon({ className: "ring", iconSize: [22, 22] }), interactive: false, keyboard: false }).addTo(this.map);
    by("point-hint").textContent = "kept";
    this.ask(...pixel);
  }

  /** True if there was a kept point. */
  release() {
    const kept = this.kept;
    this.kept = null;
    this.mark?.remove();
    this.ring?.remove();
    by("point-hint").textContent = "";
    return kept != null;
  }

  async fetch(x, y) {
    this.request?.abort();
    this.request = new AbortController();
    const { signal } = this.request;
    try {
      const pixel = await getJson(`/api/images/${this.image.id}/pixel?x=${x}&y=${y}`, { signal });
      this.pixel = pixel;
      this.print(rows(x, y, pixel));
      by("copy-point").disabled = !pixel.re;
    } catch (error) {
      if (isAbort(error)) return;
      this.print([["Pixel", `${x}, ${y}`], ["", error.message]]);
      by("copy-point").disabled = true;
    }
  }

  print(all) {
    by("readout").replaceChildren(...all.flatMap(([name, value, kind]) =>
      [make("dt", {}, name), make("dd", { class: kind ?? "" }, value)]));
  }
}
