// A rectangle of the image: saved as a picture at a scale, as a job file, or as the command line.
import { attempt, copy, getText } from "./api.js";
import { by, count, debounce, make } from "./dom.js";
import { colorParameters } from "./look.js";
import { point, shownPixels } from "./map.js";

const kScales = ["1", "1/2", "1/3", "1/4", "1/8", "1/16"];
const kSides = ["x", "y", "width", "height"];

export class Cut {
  constructor(map, look, drawing) {
    Object.assign(this, { map, look, drawing });
    by("cut-scale").append(...kScales.map((scale) => make("option", { value: scale }, scale)));
    by("cut-scale").addEventListener("change", () => this.print());
    for (const side of kSides) by(`cut-${side}`).addEventListener("change", () => this.typed());
    by("cut-shown").addEventListener("click", () => this.set(shownPixels(map, this.image)));
    by("cut-all").addEventListener("click", () => this.set({ x: 0, y: 0, width: this.image.width, height: this.image.height }));
    by("draw").addEventListener("click", () => this.draw(!this.active));
    by("copy-command").addEventListener("click", () => copy(by("command").textContent, "Command"));
    this.fetchCommand = debounce(150, () => this.command());
    this.listen(map.getContainer());
  }

  show(image) {
    this.image = image;
    this.set(null);
  }

  /** While it is on, dragging draws a rectangle instead of moving the map. */
  draw(on) {
    this.active = on;
    this.drawing(on);
    by("draw").setAttribute("aria-pressed", on);
    this.map.getContainer().classList.toggle("drawing", on);
    for (const way of ["dragging", "touchZoom", "doubleClickZoom", "boxZoom"]) this.map[way]?.[on ? "disable" : "enable"]();
  }

  listen(container) {
    const at = (event) => {
      const { lng, lat } = this.map.mouseEventToLatLng(event);
      const within = (value, most) => Math.max(0, Math.min(most, Math.round(value)));
      return [within(lng, this.image.width), within(lat, this.image.height)];
    };
    container.addEventListener("pointerdown", (event) => {
      if (!this.active || event.button !== 0) return;
      event.stopPropagation();
      container.setPointerCapture(event.pointerId);
      this.from = at(event);
    }, true);
    container.addEventListener("pointermove", (event) => {
      if (!this.from) return;
      const [a, b] = [this.from, at(event)];
      const [x, y] = [Math.min(a[0], b[0]), Math.min(a[1], b[1])];
      this.set({ x, y, width: Math.max(1, Math.abs(a[0] - b[0])), height: Math.max(1, Math.abs(a[1] - b[1])) });
    });
    container.addEventListener("pointerup", () => {
      if (!this.from) return;
      this.from = null;
      setTimeout(() => this.draw(false));  // after the click that ends here
    });
  }

  typed() {
    const [x, y, width, height] = kSides.map((side) => Math.floor(Number(by(`cut-${side}`).value)) || 0);
    const left = Math.max(0, Math.min(x, this.image.width - 1));
    const top = Math.max(0, Math.min(y, this.image.height - 1));
    this.set({ x: left, y: top, width: Math.max(1, Math.min(width, this.image.width - left)),
      height: Math.max(1, Math.min(height, this.image.height - top)) });
  }

  set(rectangle) {
    this.rectangle = rectangle;
    by("cut-form").hidden = !rectangle;
    if (!rectangle) {
      this.frame?.remove();
      by("cut-hint").textContent = "";
      return;
    }
    const { x, y, width, height } = rectangle;
    this.frame ??= L.rectangle([[0, 0], [0, 0]], { className: "cut", interactive: false });
    this.frame.setBounds([point(x, y), point(x + width, y + height)]).addTo(this.map);
    by("cut").open = true;
    this.print();
  }

  /** True if there was a rectangle. */
  leave() {
    if (this.active) return this.draw(false), true;
    const had = this.rectangle != null;
    this.set(null);
    return had;
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
