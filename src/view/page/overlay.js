// The tiles of the file over the image: which are there, who made them, how long it took.
import { kTileKinds, tilePicture } from "./charts.js";
import { by, choice, choose } from "./dom.js";
import { point } from "./map.js";

const kChoices = { none: "None", state: "State", rank: "Rank", seconds: "Time" };
const Canvas = L.ImageOverlay.extend({
  _initImage() {
    const canvas = this._image = this._url;
    canvas.classList.add("leaflet-image-layer", "tile-map");
    if (this._zoomAnimated) canvas.classList.add("leaflet-zoom-animated");
  },
});

export class Overlay {
  /** `wanted()` is called when the map of tiles is needed and not there. */
  constructor(map, wanted) {
    this.map = map;
    this.wanted = wanted;
    this.kind = "none";
    choice(by("overlays"), "overlay", kChoices, "none", (kind) => this.choose(kind));
    this.canvas = document.createElement("canvas");
  }

  show(image) {
    this.image = image;
    this.tiles = null;
    this.layer?.remove();
    this.layer = null;
    this.draw();
  }

  choose(kind) {
    this.kind = kind;
    choose(by("overlays"), kind);
    if (kind !== "none" && !this.tiles) this.wanted();
    this.draw();
  }

  next() {
    const kinds = Object.keys(kChoices);
    this.choose(kinds[(kinds.indexOf(this.kind) + 1) % kinds.length]);
  }

  update(tiles) {
    this.tiles = tiles;
    this.draw();
  }

  draw() {
    by("tiles-hint").textContent = this.kind === "none" ? "" : kChoices[this.kind].toLowerCase();
    if (this.kind === "none" || !this.tiles) {
      this.layer?.remove();
      by("legend").replaceChildren();
      return;
    }
    const { color, legend } = kTileKinds[this.kind](this.tiles);
    by("legend").replaceChildren(...legend);
    this.paint(color);
    this.layer ??= new Canvas(this.canvas, this.bounds(), { opacity: 0.72, interactive: false });
    this.layer.addTo(this.map);
  }

  paint(color) {
    const { columns, rows, state } = this.tiles;
    tilePicture(this.canvas, columns, rows, (i) => state[i] > 0 ? color(i) : null);
    // The last tiles may reach beyond the image.
    const beyond = (all, most) => `${Math.max(0, 100 * (1 - all / most))}%`;
    const { tile_width: width, tile_height: height } = this.tiles;
    this.canvas.style.clipPath =
      `inset(0 ${beyond(this.image.width, columns * width)} ${beyond(this.image.height, rows * height)} 0)`;
  }

  bounds() {
    const { columns, rows, tile_width: width, tile_height: height } = this.tiles;
    return L.latLngBounds(point(0, 0), point(columns * width, rows * height));
  }
}
