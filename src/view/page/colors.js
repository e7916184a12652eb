// The palette, its offset and density, the values and the colour of the inside.
import { by, choice, choose, make } from "./dom.js";
import { kPlain } from "./look.js";

const kLightHeight = 1.5;  // as the option --light has it
const kFields = { smooth: "Smooth", iterations: "Counts" };

const gradient = (stops) => `linear-gradient(90deg, ${[...stops, stops[0]].join(", ")})`;

export class Colors {
  /** Calls changed(look) with each change. */
  constructor(palettes, look, changed) {
    this.palettes = palettes;
    this.look = look;
    this.changed = changed;
    this.addPalettes();
    this.addSlider("offset", (value) => { look.offset = value; }, () => look.offset);
    // A slider of density moves through powers of two around the usual one.
    this.addSlider("density", (value) => {
      const usual = this.usualLength;
      if (this.equalized) look.equalize = "true";
      look.transfer = "";
      look.length = value ? Number((usual * 2 ** value).toPrecision(4)) : kPlain.length;
    }, () => Math.log2(this.length / this.usualLength));
    this.addSlider("distance", (value) => { look.distance = value; }, () => look.distance);
    // Left of 0 degrees there is no light.
    this.addSlider("light", (value) => { look.light = value < 0 ? "" : `${value},${this.light.height}`; }, () => this.light.degrees);
    this.addSlider("light-height", (value) => { look.light = `${this.light.degrees},${value}`; }, () => this.light.height);
    by("equalize").addEventListener("change", ({ target }) => {
      this.set({ transfer: "", length: kPlain.length, equalize: target.checked === this.beyondF64 ? "" : String(target.checked) });
    });
    by("inside").addEventListener("input", ({ target }) => this.set({ inside: target.value.slice(1) }));
    by("reset-colors").addEventListener("click", () => this.set(kPlain));
    this.print();
  }

  addPalettes() {
    by("palettes").replaceChildren(...this.palettes.map(({ name, description, stops }) => {
      const input = make("input", { type: "radio", name: "palette", value: name, "aria-label": name });
      input.addEventListener("change", () => this.set({ palette: name }));
      const swatch = make("span", { class: "swatch", title: description ? `${name}: ${description}` : name });
      swatch.style.backgroundImage = gradient(stops);
      return make("label", {}, input, swatch);
    }));
  }

  addSlider(id, put, read) {
    const slider = by(id);
    slider.addEventListener("input", () => {
      put(Number(slider.value));
      this.set({});
    });
    this.readers = { ...this.readers, [id]: read };
  }

  /** The first palette is the usual one. */
  get palette() {
    return this.look.palette || this.palettes[0]?.name || "";
  }

  /** As the server decides it. */
  get equalized() {
    if (this.look.equalize) return this.look.equalize === "true";
    return Boolean(this.beyondF64) && !this.look.transfer && this.look.length === kPlain.length;
  }

  /** Repeats of the palette: in the whole picture, or while the values double. */
  get usualLength() {
    return this.equalized ? 1 : kPlain.length;
  }

  get length() {
    return this.look.length === kPlain.length ? this.usualLength : this.look.length;
  }

  get light() {
    if (!this.look.light) return { degrees: -5, height: kLightHeight };
    const [degrees, height = kLightHeight] = this.look.light.split(",").map(Number);
    return { degrees: ((degrees % 360) + 360) % 360, height };
  }

  show(image) {
    this.beyondF64 = image.beyond_f64;
    by("equalizing").hidden = image.beyond_f64 == null;  // squares of a map have no histogram of the whole
    this.fields = Object.keys(kFields).filter((field) => image.fields.includes(field));
    by("edge").hidden = !image.fields.includes("distance");
    by("lighting").hidden = !image.fields.includes("gradient_x");
    this.fit();
    const labels = Object.fromEntries(this.fields.map((field) => [field, kFields[field]]));
    choice(by("fields"), "field", labels, this.look.field, (field) => this.set({ field }));
    by("fields").hidden = this.fields.length < 2;
    this.print();
  }

  /** What the image does not have is left out. */
  fit() {
    const { look } = this;
    if (look.palette === this.palettes[0]?.name) look.palette = "";
    if (!this.fields) return;
    if (by("equalizing").hidden || (look.length === kPlain.length && look.equalize === String(this.beyondF64))) look.equalize = "";
    if (!this.fields.includes(look.field)) look.field = this.fields[0] ?? kPlain.field;
    if (by("edge").hidden) look.distance = 0;
    if (by("lighting").hidden) look.light = "";
  }

  set(some) {
    Object.assign(this.look, some);
    this.fit();
    this.print();
    this.changed(this.look);
  }

  print() {
    by("palette-name").textContent = this.palette;
    for (const input of by("palettes").querySelectorAll("input")) input.checked = input.value === this.palette;
    for (const [id, read] of Object.entries(this.readers)) by(id).value = read();
    by("offset-text").textContent = this.look.offset.toFixed(2);
    by("density-text").textContent = this.look.transfer.replace(":", " ") || this.length.toPrecision(2);
    by("equalize").checked = this.equalized;
    by("distance-text").textContent = this.look.distance ? `${this.look.distance} px` : "none";
    by("lighting-height").hidden = !this.look.light;
    by("light-text").textContent = this.look.light ? `from ${this.light.degrees}°` : "none";
    by("light-height-text").textContent = this.light.height.toFixed(1);
    const usual = this.palettes.find(({ name }) => name === this.palette)?.inside ?? "#000000";
    by("inside").value = this.look.inside ? `#${this.look.inside}` : usual;
    by("inside").parentElement.classList.toggle("usual", !this.look.inside);
    choose(by("fields"), this.look.field);
  }

  nextPalette(step) {
    const names = this.palettes.map(({ name }) => name);
    const at = names.indexOf(this.palette) + step + names.length;
    this.set({ palette: names[at % names.length] });
  }

  nextField() {
    if (this.fields?.length > 1) this.set({ field: this.fields.find((field) => field !== this.look.field) });
  }
}
