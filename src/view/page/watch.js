// Follows a file that is being written: asks for its version, and for the map of its tiles when it has changed.
import { getJson, say } from "./api.js";
import { by, count } from "./dom.js";

const kSoonMs = 700;
const kLateMs = 5000;

/** The areas in pixels of the tiles whose state differs. */
function changedAreas(before, now) {
  const { columns, tile_width: width, tile_height: height } = now;
  const areas = [];
  for (let i = 0; i < now.state.length; ++i) {
    if (before && before.state[i] === now.state[i]) continue;
    areas.push({ x: (i % columns) * width, y: Math.floor(i / columns) * height, width, height });
  }
  return areas;
}

/** Tiles of at least so many pixels of the image come from the smaller scales. */
const kBuilt = 1024;

/** Nothing of the image will change. */
const isSettled = ({ complete, scales = 1 }) => complete && scales >= 1;

const meets = (area, tile) => area.x < tile.x + tile.side && tile.x < area.x + area.width &&
  area.y < tile.y + tile.side && tile.y < area.y + area.height;

export class Watch {
  /** `urlOf(image)`: asks for it; arrived(image, touches): tiles were stored, where touches(tile) holds. */
  constructor(urlOf, arrived, mapped) {
    Object.assign(this, { urlOf, arrived, mapped });
    document.addEventListener("visibilitychange", () => document.hidden || this.soon());
  }

  async show(image) {
    clearTimeout(this.timer);
    this.image = image;
    this.tiles = null;
    this.pause = kSoonMs;
    this.print(image);
    if (isSettled(image)) return;
    if (!image.complete) await this.map().catch(() => {});
    this.timer = setTimeout(() => this.ask(), kSoonMs);
  }

  /** The map of tiles as the server has it now. */
  async map() {
    const { image } = this;
    const tiles = await getJson(`/api/images/${image.id}/map`);
    if (image.id !== this.image.id) return null;
    const before = this.tiles;
    this.tiles = tiles;
    this.mapped(tiles);
    return before ? changedAreas(before, tiles) : null;
  }

  soon() {
    if (this.image && !isSettled(this.image)) this.again();
  }

  /** Other values are shown, whose smaller scales may have to be built. */
  again() {
    clearTimeout(this.timer);
    this.pause = kSoonMs;
    this.ask();
  }

  async ask() {
    if (document.hidden) return;
    const { id } = this.image;
    try {
      const now = await getJson(this.urlOf(this.image));
      if (id !== this.image.id) return;
      await this.compare(now);
      if (this.failed) say("");
      this.failed = false;
    } catch {
      this.failed = true;
      this.pause = kLateMs;
      say("The server does not answer; it is asked again");
    }
    if (!isSettled(this.image)) this.timer = setTimeout(() => this.ask(), this.pause);
  }

  async compare(now) {
    if (now.version === this.image.version && now.complete === this.image.complete && now.scales === this.image.scales) {
      this.pause = Math.min(this.pause * 1.3, kLateMs);
      return;
    }
    this.pause = kSoonMs;
    const areas = this.image.complete ? [] : await this.map();
    const recolored = now.histogram !== this.image.histogram;
    Object.assign(this.image, now);
    // Smaller scales are built beside the image, and fill everywhere.
    this.arrived(this.image, (tile) => !areas || recolored || tile.side >= kBuilt || areas.some((area) => meets(area, tile)));
    this.print(this.image);
  }

  print(image) {
    const share = image.complete ? image.scales ?? 1 : image.tiles ? image.tiles_done / image.tiles : 0;
    by("progress").hidden = isSettled(image);
    by("progress-bar").value = share;
    const percent = share < 1 ? Math.floor(share * 1000) / 10 : 100;
    const what = image.complete ? "of the smaller scales" : `· ${count(image.tiles_done)} of ${count(image.tiles)} tiles`;
    by("progress-text").textContent = `${percent.toFixed(1)} % ${what}`;
  }
}
