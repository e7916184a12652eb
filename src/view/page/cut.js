// A rectangle of the image: saved as a picture at a scale, as a job file, or as the command line.
import { attempt, copy, getText } from "./api.js";
import { by, count, debounce, make } from "./dom.js";
import { colorParameters } from "./look.js";
import { shownPixels } from "./map.js";
import { Rectangle } from "./rectangle.js";

const kScales = ["1", "1/2", "1/3", "1/4", "1/8", "1/16"];
const kSides = ["x", "y", "width", "height"];

export class Cut {
  constructor(map, look, drawing) {
    Object.assign(this, { map, look });
    this.drawn = new Rectangle(map, by("draw"), () => this.image, () => this.changed(), drawing);
    by("cut-scale").append(...kScales.map((scale) => make("option", { value: scale }, scale)));
    by("cut-scale").addEventListener("change", () => this.print());
    for (const side of kSides) by(`cut-${side}`).addEventListener("change", () => this.typed());
    by("cut-shown").addEventListener("click", () => this.set(shownPixels(map, this.image)));
    by("cut-all").addEventListener("click", () => this.set({ x: 0, y: 0, width: this.image.width, height: this.image.height }));
    by("copy-command").addEventListener("click", () => copy(by("command").textContent, "Command"));
    this.fetchCommand = debounce(150, () => this.command());
  }

  show(image) {
    this.image = image;
    this.set(null);
  }

  draw(on) {
    this.drawn.draw(on);
  }

  get active() {
    return this.drawn.active;
  }

  get rectangle() {
    return this.drawn.value;
  }

  set(rectangle) {
    this.drawn.set(rectangle);
  }

  typed() {
    const [x, y, width, height] = kSides.map((side) => Math.floor(Number(by(`cut-${side}`).value)) || 0);
    const left = Math.max(0, Math.min(x, this.image.width - 1));
    const top = Math.max(0, Math.min(y, this.image.height - 1));
    this.set({ x: left, y: top, width: Math.max(1, Math.min(width, this.image.width - left)),
      height: Math.max(1, Math.min(height, this.image.height - top)) });
  }

  changed() {
    by("cut-form").hidden = !this.rectangle;
    if (!this.rectangle) {
      by("cut-hint").textContent = "";
      return;
    }
    by("cut").open = true;
    this.print();
  }

  /** True if there was a rectangle. */
  leave() {
    return this.drawn.leave();
  }

  url(kind) {
    const all = new URLSearchParams({ ...this.rectangle, scale: by("cut-scale").value });
    for (const [name, value] of colorParameters(this.look)) all.set(name, value);
    return `/api/images/${this.image.id}/region.${kind}?${all}`;
  }

  /** The colours or the rectangle have changed. */
  print() {
    if (!this.rectangle) return;
    const { width, height } = this.rectangle;
    for (const side of kSides) by(`cut-${side}`).value = this.rectangle[side];
    const [part, whole = 1] = by("cut-scale").value.split("/").map(Number);
    const scaled = (side) => count(Math.max(1, Math.floor(side * part / whole)));
    by("cut-hint").textContent = `${scaled(width)} × ${scaled(height)}`;
    const name = this.image.name.replace(/\.h5(\.part)?$/, "");
    by("save-png").href = this.url("png");
    by("save-png").download = `${name}.png`;
    by("save-job").href = this.url("toml");
    by("save-job").download = `${name}.toml`;
    this.fetchCommand();
  }

  async command() {
    if (!this.rectangle) return;
    const text = await attempt("No command line", () => getText(this.url("txt")));
    by("command").textContent = text?.trim() ?? "";
    by("command").parentElement.hidden = !text;
  }
}
