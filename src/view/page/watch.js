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
    if (before.state[i] === now.state[i]) continue;
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
    this.mapped(tiles);
    return tiles;
  }

  /** The areas that have changed since the last call; null: perhaps all, because what is shown is older than the first map. */
  async changed() {
    const before = this.tiles;
    this.tiles = await this.map();
    return before && this.tiles ? changedAreas(before, this.tiles) : null;
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
    const { image } = this;
    try {
      const now = await getJson(this.urlOf(image));
      if (image !== this.image) return;
      await this.compare(now);
      if (this.failed) say("");
      this.failed = false;
    } catch {
      this.failed = true;
      this.pause = kLateMs;
      say("The server does not answer; it is asked again");
    }
    if (image === this.image && !isSettled(image)) this.timer = setTimeout(() => this.ask(), this.pause);
  }

  async compare(now) {
    const { image } = this;
    if (now.version === image.version && now.complete === image.complete && now.scales === image.scales) {
      this.pause = Math.min(this.pause * 1.3, kLateMs);
      return;
    }
    this.pause = kSoonMs;
    const areas = image.complete ? [] : await this.changed();
    if (image !== this.image) return;
    const recolored = now.histogram !== image.histogram;
    Object.assign(image, now);
    // Smaller scales are built beside the image, and fill everywhere.
    this.arrived(image, (tile) => !areas || recolored || tile.side >= kBuilt || areas.some((area) => meets(area, tile)));
    this.print(image);
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
