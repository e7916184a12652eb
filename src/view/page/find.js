// "Next minibrot": the server finds the one near a click, and the map goes there.
import { attempt, getJson, say } from "./api.js";
import { by, count } from "./dom.js";
import { times } from "./squares.js";

const kFoundMs = 8000;
const kPeriods = 30;  // of iterations, at least

export class Finder {
  constructor(explore) {
    this.explore = explore;
    this.found = null;  // the last one
    by("find").addEventListener("click", () => this.arm(!this.armed));
    explore.map.on("click", ({ latlng }) => this.armed && this.findAt(latlng));
  }

  /** Whether the next click is one for a minibrot. */
  arm(armed) {
    this.armed = armed;
    by("find").setAttribute("aria-pressed", String(armed));
    say(armed ? "Click near a minibrot" : "");
  }

  /** Near the pointer, or in the middle. */
  findHere() {
    const { map, pointer } = this.explore;
    return this.findAt(pointer ? map.containerPointToLatLng(pointer) : map.getCenter());
  }

  findAt(latlng) {
    this.arm(false);
    say("Looking for a minibrot …");
    return attempt("No minibrot", () => this.go(latlng));
  }

  async go(latlng) {
    const { explore } = this;
    const { re, im } = await explore.pixel(latlng);
    const { x, y } = explore.map.getSize();
    const query = new URLSearchParams({ center: `${re},${im}`, width: times(explore.windowWidth(), Math.min(1, y / x)) });
    if (explore.formula !== explore.facts.formula) query.set("formula", explore.formula);
    const found = await getJson(`/api/find?${query}`);
    const width = found.options.find((option) => option.startsWith("--width=")).split("=")[1];
    await explore.goTo(found.center.join(","), width, kPeriods * found.period);
    this.found = found;
    say(`A nucleus of period ${count(found.period)}, proven; there is no other within ${found.alone_within}`, kFoundMs);
  }
}
