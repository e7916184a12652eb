// How the map of a place that is explored moves: zoom that glides to its end, by wheel, clicks and keys.
import { point } from "./map.js";
import { kSide } from "./squares.js";

const kWidest = -20;  // levels above the place where the page began
const kZoomPace = 0.3;  // of what is left, in each frame
const kDone = 0.004;
const kWheelPx = 110;
const kLinePx = 20;  // of a wheel that counts lines
const kCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;

export class Motion {
  constructor(map, places) {
    Object.assign(this, { map, places });
    map.options.zoomAnimation = false;
    map._zoomAnimated = false;
    map._limitZoom = L.Map.prototype._limitZoom;  // any zoom: the canvas has no seams
    map.options.minZoom = -60;
    map.options.maxZoom = 60;
    map.scrollWheelZoom.disable();
    map.doubleClickZoom.disable();
    map.setMaxBounds(null);
    map.on("dragstart", () => this.stop());
  }

  get moves() {
    return Boolean(this.frame);
  }

  /** Shows the whole width of the place's square of level 0, or another zoom. */
  start(zoom = this.wholeZoom) {
    this.stop();
    this.map.setView(point(0, 0), zoom, { animate: false });
  }

  get wholeZoom() {
    return Math.log2(this.map.getSize().x / kSide);
  }

  stop() {
    cancelAnimationFrame(this.frame);
    this.frame = null;
  }

  zoomTo(target, at) {
    this.target = Math.max(kWidest - this.places.origin.x.level, target);
    this.focus = at;
    if (kCalm) return this.jump(this.target);
    this.frame ??= requestAnimationFrame(() => this.glide());
  }

  glide() {
    const zoom = this.map.getZoom();
    const left = this.target - zoom;
    const done = Math.abs(left) < kDone;
    this.frame = done ? null : requestAnimationFrame(() => this.glide());
    this.jump(done ? this.target : zoom + left * kZoomPace);
  }

  /** Another origin during a glide changes the zoom that the map has. */
  jump(zoom) {
    const { level } = this.places.origin.x;
    this.map.setZoomAround(this.map.containerPointToLatLng(this.focus), zoom, { animate: false });
    this.target -= this.places.origin.x.level - level;
  }

  /** So many levels below the place where the page began, at once. */
  zoomNow(levels) {
    this.map.setZoom(levels + this.wholeZoom - this.places.origin.x.level, { animate: false });
  }

  get goal() {
    return this.moves ? this.target : this.map.getZoom();
  }

  step(way) {
    this.zoomTo(way > 0 ? Math.floor(this.goal + 1.001) : Math.ceil(this.goal - 1.001), this.map.getSize().divideBy(2));
  }

  listen(container) {
    const at = (event) => this.map.mouseEventToContainerPoint(event);
    container.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.zoomTo(this.goal - event.deltaY * (event.deltaMode === 1 ? kLinePx : 1) / kWheelPx, at(event));
    }, { passive: false });
    container.addEventListener("dblclick", (event) => this.zoomTo(this.map.getZoom() + (event.shiftKey ? -1 : 1), at(event)));
  }
}
