// A poster of the place that is explored: its job file, its plan, and its render if the server allows that.
import { attempt, get } from "./api.js";
import { by, make } from "./dom.js";

const kSizes = { "4k": [3840, 2160], "8k": [7680, 4320], "16k": [15360, 8640], "64k": [65536, 36864] };

const post = { method: "POST" };

export class Poster {
  /** Calls changed() with another size. */
  constructor(mayRender, changed) {
    by("poster-size").append(...Object.entries(kSizes).map(([label, [w, h]]) => make("option", { value: label }, `${label} · ${w} × ${h}`)));
    by("poster-size").addEventListener("change", changed);
    by("poster-render").hidden = !mayRender;
    by("poster-render").addEventListener("click", () => attempt("No poster", () => this.render()));
    by("poster-plan").addEventListener("click", () => this.plan());
  }

  /** `query`: the place, the formula, the iterations and the colours. */
  show(query) {
    const [width, height] = kSizes[by("poster-size").value];
    query.set("size", `${width}x${height}`);
    this.query = query;
    by("poster-job").href = `/api/poster.toml?${query}`;
  }

  async plan() {
    by("plan").hidden = false;
    by("plan").textContent = "…";
    const text = await attempt("No plan", async () => (await get(`/api/plan?${this.query}`)).text());
    by("plan").textContent = text ?? "";
    by("plan").hidden = !text;
  }

  async render() {
    const { file } = await (await get(`/api/render?${this.query}`, post)).json();
    by("poster-file").href = `/?images#image=${encodeURIComponent(file)}`;
    by("poster-file").textContent = `See ${file} grow`;
    by("poster-file").hidden = false;
  }
}
