// The map: pixels of the image are its coordinates, zoom 0 is full size, zoom -k is the scale 2^-k.
import { get, isAbort, say } from "./api.js";

const kTile = 256;
const kRetryMs = 400;
const kCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;

/** One level of finer tiles for screens whose pixels are smaller than those of CSS. */
const kFiner = Math.max(0, Math.min(2, Math.floor(Math.log2(devicePixelRatio))));

const kPixels = L.extend({}, L.CRS.Simple, { transformation: new L.Transformation(1, 0, 1, 0) });

export const point = (x, y) => L.latLng(y, x);

/** A tile is a whole number of pixels of the screen at every zoom, so that no seams show between tiles. */
function wholeTiles(zoom) {
  const octave = Math.floor(zoom + 1e-9);
  return octave + Math.log2(Math.floor(kTile * 2 ** (zoom - octave) + 1e-6) / kTile);
}

const PixelMap = L.Map.extend({
  _limitZoom(zoom) {
    return wholeTiles(L.Map.prototype._limitZoom.call(this, zoom));
  },
});

export function makeMap(element) {
  return new PixelMap(element, {
    crs: kPixels, zoomControl: false, attributionControl: false, keyboard: false, zoomSnap: 0, zoomDelta: 1,
    wheelPxPerZoomLevel: 110, minZoom: -24, maxZoom: 6, maxBoundsViscosity: 0.6,
    zoomAnimation: !kCalm, fadeAnimation: !kCalm, inertia: !kCalm, markerZoomAnimation: !kCalm,
  });
}

/** Tiles that stay until their successors have arrived, so a change of colours never blinks. */
const Tiles = L.GridLayer.extend({
  initialize(image, urlOf, fetchBlob) {
    this.image = image;
    this.urlOf = urlOf;
    this.fetchBlob = fetchBlob;
    L.GridLayer.prototype.initialize.call(this, {
      tileSize: kTile / 2 ** kFiner, zoomOffset: kFiner, maxNativeZoom: -kFiner, minNativeZoom: 1 - image.levels - kFiner,
      minZoom: -24, maxZoom: 6, bounds: [[0, 0], [image.height, image.width]], noWrap: true, keepBuffer: 3,
    });
    this.on("tileunload", ({ tile }) => tile.leave());
  },

  createTile(at, done) {
    const level = -(at.z + kFiner);
    const side = kTile * 2 ** level;
    const frame = L.DomUtil.create("div", "tile");
    const canvas = frame.appendChild(document.createElement("canvas"));
    const shown = (from, all) => Math.min(1, (all - from * side) / side) * 100 + "%";
    // Beyond the image there is nothing, not even the hatching of what is missing.
    frame.style.setProperty("--shown-width", shown(at.x, this.image.width));
    frame.style.setProperty("--shown-height", shown(at.y, this.image.height));
    frame.area = { x: at.x * side, y: at.y * side, side };
    frame.version = this.image.version;
    frame.place = { level, x: at.x, y: at.y };
    frame.leave = () => frame.request?.abort();
    this.load(frame, canvas).then(() => done(null, frame), (error) => done(error, frame));
    frame.load = () => this.load(frame, canvas);
    return frame;
  },

  /** At most one request a tile: the next begins when this one is over, with the colours of then. */
  async load(frame, canvas) {
    if (frame.request) return;
    frame.request = new AbortController();
    try {
      for (let url = null; (url = this.urlOf(frame)) !== frame.url;) {
        const blob = await this.fetchTile(url, frame.request.signal);
        if (blob) await draw(canvas, blob);
        frame.url = url;
        frame.classList.add("here");
      }
    } catch (error) {
      if (!isAbort(error)) say(error instanceof TypeError ? "The server does not answer" : `A tile is missing: ${error.message}`);
      throw error;
    } finally {
      frame.request = null;
    }
  },

  /** Waits while the server is busy. */
  async fetchTile(url, signal) {
    for (;;) {
      try {
        return await (this.fetchBlob ? this.fetchBlob(url, signal) : (await get(url, { signal })).blob());
      } catch (error) {
        if (error.status !== 429 && error.status !== 503) throw error;
        await new Promise((then) => setTimeout(then, kRetryMs * (1 + Math.random())));
        signal.throwIfAborted();
      }
    }
  },

  /** As Leaflet does, but without rounding, which would put the edges of tiles between two pixels. */
  _setZoomTransform(level, center, zoom) {
    const scale = this._map.getZoomScale(zoom, level.zoom);
    const place = level.origin.multiplyBy(scale).subtract(this._map._getNewPixelOrigin(center, zoom));
    L.DomUtil.setTransform(level.el, place, scale);
  },

  frames() {
    return Object.values(this._tiles).map(({ el }) => el);
  },

  /** The colours have changed. */
  recolor() {
    for (const frame of this.frames()) frame.load().catch(() => {});
  },

  /** Loads those tiles again for which `touches(area)` holds, in the version of the image. */
  renew(touches) {
    for (const frame of this.frames()) {
      if (!touches(frame.area)) continue;
      frame.version = this.image.version;
      frame.load().catch(() => {});
    }
  },
});

async function draw(canvas, blob) {
  const picture = await createImageBitmap(blob);
  canvas.width = picture.width;
  canvas.height = picture.height;
  canvas.style.width = `${picture.width / kTile * 100}%`;
  canvas.style.height = `${picture.height / kTile * 100}%`;
  canvas.getContext("2d").drawImage(picture, 0, 0);
  picture.close();
}

/** `urlOf(frame)`: the address of the tile with frame.place and frame.version. `fetchBlob(url, signal)` gets it, in place of
 *  a request for that address. */
export const makeTiles = (image, urlOf, fetchBlob) => new Tiles(image, urlOf, fetchBlob);

export function boundsOf(image) {
  return L.latLngBounds(point(0, 0), point(image.width, image.height));
}

/** Moves by parts of the window. */
export function pan(map, x, y) {
  const size = map.getSize();
  map.panBy([x * size.x, y * size.y], { animate: !kCalm });
}

/** The zoom at which the whole image is seen beside the panel. */
export function fit(map, image, room) {
  map.fitBounds(boundsOf(image), {
    paddingTopLeft: [room.left, room.top], paddingBottomRight: [room.right, room.bottom], animate: !kCalm, duration: 0.35,
  });
}

/** One step further in (1) or out (-1), to where a pixel of the image is a power of two. */
export function step(map, way) {
  const zoom = map.getZoom();
  map.setZoom(way > 0 ? Math.floor(zoom + 1.001) : Math.ceil(zoom - 1.001));
}

/** The whole pixels that the window shows. */
export function shownPixels(map, image) {
  const bounds = map.getBounds();
  const clip = (value, most) => Math.max(0, Math.min(most, value));
  const x = clip(Math.floor(bounds.getWest()), image.width - 1);
  const y = clip(Math.floor(bounds.getSouth()), image.height - 1);
  return { x, y, width: Math.max(1, clip(Math.ceil(bounds.getEast()), image.width) - x),
    height: Math.max(1, clip(Math.ceil(bounds.getNorth()), image.height) - y) };
}
