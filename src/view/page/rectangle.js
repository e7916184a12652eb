// A rectangle that is drawn on the map.
import { point } from "./map.js";

export class Rectangle {
  /** `size()`: of what is shown, or null. `changed(rectangle)` and `drawing(on)` are called with each change. */
  constructor(map, button, size, changed, drawing = () => {}) {
    Object.assign(this, { map, button, size, changed, drawing, value: null, active: false });
    button.addEventListener("click", () => this.draw(!this.active));
    this.listen(map.getContainer());
  }

  /** While it is on, dragging draws instead of moving the map. */
  draw(on) {
    this.active = on;
    this.drawing(on);
    this.button.setAttribute("aria-pressed", on);
    this.map.getContainer().classList.toggle("drawing", on);
    for (const way of ["dragging", "touchZoom", "doubleClickZoom", "boxZoom"]) this.map[way]?.[on ? "disable" : "enable"]();
  }

  listen(container) {
    const at = (event) => {
      const { lng, lat } = this.map.mouseEventToLatLng(event);
      const { width, height } = this.size();
      const within = (value, most) => Math.max(0, Math.min(most, Math.round(value)));
      return [within(lng, width), within(lat, height)];
    };
    container.addEventListener("pointerdown", (event) => {
      if (!this.active || event.button !== 0 || !this.size()) return;
      event.stopPropagation();
      container.setPointerCapture(event.pointerId);
      this.from = at(event);
    }, true);
    container.addEventListener("pointermove", (event) => {
      if (this.from) this.set(this.between(this.from, at(event)));
    });
    container.addEventListener("pointerup", () => {
      if (!this.from) return;
      this.from = null;
      setTimeout(() => this.draw(false));  // after the click that ends here
    });
  }

  between(a, b) {
    const { width, height } = this.size();
    const [x, y] = [Math.min(a[0], b[0], width - 1), Math.min(a[1], b[1], height - 1)];
    return { x, y, width: Math.max(1, Math.abs(a[0] - b[0])), height: Math.max(1, Math.abs(a[1] - b[1])) };
  }

  set(value) {
    this.value = value;
    if (value) {
      const { x, y, width, height } = value;
      this.frame ??= L.rectangle([[0, 0], [0, 0]], { className: "cut", interactive: false });
      this.frame.setBounds([point(x, y), point(x + width, y + height)]).addTo(this.map);
    } else {
      this.frame?.remove();
    }
    this.changed(value);
  }

  /** True if there was a rectangle. */
  leave() {
    if (this.active) return this.draw(false), true;
    const had = this.value != null;
    this.set(null);
    return had;
  }
}
