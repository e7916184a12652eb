"""Images: rendered, opened, coloured."""

import os

import numpy as np

from tessera import _core
from tessera._array import Array
from tessera._context import log
from tessera._errors import UsageError
from tessera._reduce import Call

_LOOK = {"cycle": "palette-cycle", "offset": "palette-offset", "transfer": "palette-scale", "depth": "png-depth"}


class Image:
    """The values of a rendered image.

    iterations  counts, [rows, columns], unsigned; `limit` inside the set
    smooth      continuous counts, f4, or None
    distance    estimated distances to the set in pixels, f4, or None
    fraction    smooth - iterations with all digits of f4 at any count, or None
    gradient_x, gradient_y
                the distance as a vector of the picture, right and up, away from the set, f4, or None
    phase       the angle of the first z beyond 256 in turns, f4 from 0 to below 1, or None
    place       what decides the pixels, for render(**place)
    limit       the limit of iterations
    re, im      real parts of the columns and imaginary parts of the rows, f8; None if the plane is turned, or if f8
                does not tell neighbouring pixels apart

    In a notebook it shows itself.
    """

    def __init__(self, fields, place, limit, beyond_f64=False, unfinished=None):
        self._unfinished = unfinished  # its file
        self._fields = fields
        self.place = place
        self.limit = limit
        self._beyond_f64 = beyond_f64

    iterations = property(lambda self: self._fields.get("iterations"))
    smooth = property(lambda self: self._fields.get("smooth"))
    distance = property(lambda self: self._fields.get("distance"))
    fraction = property(lambda self: self._fields.get("fraction"))
    gradient_x = property(lambda self: self._fields.get("gradient_x"))
    gradient_y = property(lambda self: self._fields.get("gradient_y"))
    phase = property(lambda self: self._fields.get("phase"))

    re = property(lambda self: self._side("re"))
    im = property(lambda self: self._side("im"))

    def _side(self, name):
        places = getattr(_core.ImageSpec(options_of(None, self.place)), name)
        return np.asarray(places) if places else None

    @property
    def shape(self):
        return self.iterations.shape

    @property
    def fields(self):
        """Names of the fields that it has."""
        return tuple(self._fields)

    def __array__(self, dtype=None, copy=None):
        values = self.smooth if self.smooth is not None else self.iterations
        return np.asarray(values, dtype=dtype)

    def __repr__(self):
        rows, columns = self.shape
        return f"<tessera.Image {columns}x{rows}, {', '.join(self._fields)}, {_text_of(self.place)}>"

    def png(self, palette="twilight", *, field=None, scale=1, **look):
        """The bytes of a PNG file. What is not rendered yet is transparent.

        palette  a name of palettes(), or a file
        field    "smooth" or "iterations"; None: smooth if it is there
        scale    so many rows and columns are averaged to one pixel
        look     cycle, offset, transfer (--palette-scale), equalize, inside, distance, light, depth: as the options of `tessera color`
        """
        if field is None:
            field = "smooth" if self.smooth is not None else "iterations"
        values = self._fields.get(field)
        if values is None or field not in ("iterations", "smooth"):
            raise UsageError(f"field: {field!r} is none of this image; there are {', '.join(self._fields)}")
        options = [("palette", os.fspath(palette)), ("scale", str(scale))]
        for name, value in look.items():
            if value is not None:
                options.append((_LOOK.get(name, name), _option(value)))
        asked = {"distance": look.get("distance"), "gradient_x": look.get("light"), "gradient_y": look.get("light")}
        shading = [np.ascontiguousarray(self._fields[name], dtype="f4") if wanted is not None and name in self._fields else None
                   for name, wanted in asked.items()]
        values = np.asarray(values)
        if values.ndim != 2 or values.strides[1] != values.itemsize or not values.dtype.isnative:
            values = np.ascontiguousarray(values, dtype=values.dtype.newbyteorder("="))
        missing = self._missing() if self._unfinished else None
        return _core.picture(values, shading, missing, self.limit, self._beyond_f64, options)

    def _missing(self):
        """1 where nothing is rendered: 0 is a count, too."""
        missing = np.zeros(self.shape, "u1")
        for x, y, width, height in _core.missing_tiles(self._unfinished):
            missing[y:y + height, x:x + width] = 1
        return missing

    def save(self, path, **look):
        """Writes a PNG file; `look` as of png()."""
        path = os.fspath(path)
        if not str(path).lower().endswith(".png"):
            raise UsageError(f"{path}: a picture is a .png; render(..., out='FILE.h5') keeps the values")
        data = self.png(**look)
        with open(path, "wb") as file:
            file.write(data)

    def _repr_png_(self):
        rows, columns = self.shape
        # The shorter side keeps a pixel.
        return self.png(scale=max(1, min(-(-max(rows, columns) // 1600), rows, columns)))

    def to_xarray(self):
        """An xarray.Dataset with the fields, and with the coordinates y, which is im, and x, which is re, where it has them."""
        import xarray

        data = {name: (("y", "x"), np.asarray(values)) for name, values in self._fields.items()}
        return xarray.Dataset(data, coords=self._coordinates(), attrs=_plain(self.place))

    def _coordinates(self):
        if max(self.shape) > 2**20:  # as in files
            return {}
        sides = {"y": (self.im, "imaginary part"), "x": (self.re, "real part")}
        return {name: (name, places, {"long_name": what}) for name, (places, what) in sides.items() if places is not None}


def render(view=None, /, *, center=None, width=None, zoom=None, size=(1280, 720), iterations=None, formula=None,
           bailout=None, fields=("iterations", "smooth"), arithmetic=None, out=None, overwrite=False, context=None,
           progress=None, threads=None, device=None, **more):
    """Renders an image.

    view        a name of views(); what else is given overrides it
    center      "-0.75,0.1", a complex number or a pair; as text with any number of digits
    width       width of the image in the complex plane; as text with any number of digits
    zoom        4 / width, instead of it
    size        (columns, rows), or "4k"
    iterations  the limit; None: that of the view, or more at greater depth
    formula     "mandelbrot", "julia:-0.8,0.156", "burning-ship", ...
    fields      which of "iterations", "smooth", "distance", "fraction", "gradient", "phase"
    arithmetic  "auto", "plain", "exact", "perturbation"
    out         FILE.h5 and/or FILE.png, one path or several: the image is kept there, resumed if a run was
                stopped, and its fields are opened instead of held in memory
    more        further options of `tessera render`, with _ for -
    Returns an Image; None on ranks other than 0 of a communicator.

    >>> image = render("seahorse", size=(64, 48), context=Context(device="cpu"))
    >>> image.iterations.shape, image.smooth.dtype
    ((48, 64), dtype('float32'))
    """
    options = options_of(view, {"center": center, "width": width, "zoom": zoom, "size": size, "iterations": iterations,
                                "formula": formula, "bailout": bailout, "arithmetic": arithmetic, "fields": fields,
                                **more})  # fmt: skip
    call = Call.made(context, progress, threads, device)
    context, watch = call.context, (call.progress, log)
    if out is not None:
        return _render_files(options, out, overwrite, context, watch)
    spec = _core.ImageSpec(options)
    arrays = {name: np.empty((spec.height, spec.width), code) for name, code in spec.types} if context.is_root else {}
    _core.render_into(context.inside(), spec, arrays, *watch)
    return Image(arrays, _place(spec.place), spec.limit, spec.beyond_f64) if context.is_root else None


def options_of(view, place):
    """The options of the program."""
    given = {"view": view, **place}
    for name, text in (("center", _point), ("size", _size), ("fields", _list)):
        if given.get(name) is not None:
            given[name] = text(given[name])
    return [(name.replace("_", "-"), _option(value)) for name, value in given.items() if value is not None]


def _render_files(options, out, overwrite, context, watch):
    paths = [os.fspath(path) for path in ([out] if isinstance(out, (str, os.PathLike)) else out)]
    if len({path.lower().endswith(".png") for path in paths}) < len(paths):
        raise UsageError(f"out: {', '.join(paths)}; give one file of values, one .png, or both")
    for path in paths:
        options.append(("png" if path.lower().endswith(".png") else "output", path))
    if overwrite:
        options.append(("overwrite", "true"))
    _core.render_files(context.inside(), _core.ImageSpec(options), *watch)
    data = [path for path in paths if not path.lower().endswith(".png")]
    if not data or not context.is_root:
        return None
    return open_image(data[0] if os.path.exists(data[0]) else data[0] + ".part")  # a share stays unfinished


def open_image(path):
    """The image of a file that `tessera render` or render(..., out=FILE.h5) has written. Its fields are lazy
    arrays, which slices read."""
    path = os.fspath(path)
    spec = _core.ImageSpec(_core.image_options(path))
    fields = {name: Array.of_dataset(path, name) for name, _ in spec.types}
    return Image(fields, _place(spec.place), spec.limit, spec.beyond_f64, path if path.endswith(".part") else None)


def views():
    """Named views of interesting places: a dict of names and descriptions.

    >>> "seahorse" in views()
    True
    """
    return dict(_core.views())


def palettes():
    """Names of the palettes."""
    return _core.palettes()


def _place(options):
    place = {}
    for name, value in options:
        place[name.replace("-", "_")] = value
    place["fields"] = tuple(place["fields"].split(","))
    place["iterations"] = int(place["iterations"])
    return place


def _plain(place):
    return {name: value if isinstance(value, (str, int)) else ",".join(value) for name, value in place.items()}


def _text_of(place):
    return f"center={place.get('center')}, width={place.get('width')}, iterations={place.get('iterations')}"


def _list(names):
    return names if isinstance(names, str) else ",".join(names)


def _point(center):
    if isinstance(center, str):
        return center
    if isinstance(center, complex):
        return f"{_option(center.real)},{_option(center.imag)}"
    re, im = (center, 0) if isinstance(center, (int, float)) else center
    return f"{_option(re)},{_option(im)}"


def _size(size):
    if isinstance(size, (str, int)):
        return size
    columns, rows = size
    return f"{int(columns)}x{int(rows)}"


def _option(value):
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(float(value))  # of NumPy 2, repr(value) is no number
    return str(value)
