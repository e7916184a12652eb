// The page of a run that is going on.
import { getJson, say } from "./api.js";
import { by, make } from "./dom.js";
import { showRun } from "./run_view.js";
import "./theme.js";

const kPauseMs = 1000;
const kListMs = 3000;
const kMaxPx = 4096;

async function follow() {
  try {
    const run = await getJson("/api/run");
    // A reader who selects text keeps the selection.
    if (String(getSelection()) === "") showRun(run);
    say("");
    document.documentElement.dataset.ready = "yes";
    if (run.state !== "running") return;
  } catch (error) {
    say(error.status === 404 ? "No run is going on here." : "The run does not answer; it may be over.");
  }
  setTimeout(follow, document.hidden ? 5 * kPauseMs : kPauseMs);
}

/** The image, once it is there, as one picture of at most so many pixels a side. */
async function offerImage() {
  const { images } = await getJson("/api/images").catch(() => ({ images: [] }));
  if (!images.length) return void setTimeout(offerImage, kListMs);
  const [{ id, width, height }] = images;
  const scale = Math.ceil(Math.max(width, height) / kMaxPx);
  const query = new URLSearchParams({ x: 0, y: 0, width, height, scale: `1/${scale}` });
  by("run-facts").after(make("p", { class: "buttons" },
    make("a", { class: "button", href: "/" }, "Look at the image"),
    make("a", { class: "button", id: "run-png", href: `/api/images/${id}/region.png?${query}`, download: "" }, "Save PNG")));
}

by("run-title").textContent = "Tessera";
offerImage();
follow();
