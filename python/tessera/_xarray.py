"""xarray.open_dataset("image.h5", engine="tessera"): the fields of an image, lazily, with chunks for dask."""

import os

from xarray.backends import BackendArray, BackendEntrypoint
from xarray.core import indexing

import xarray
from tessera._errors import Error
from tessera._image import open_image


class LazyField(BackendArray):
    """A field. It keeps the name of its file, so that it pickles."""

    def __init__(self, array):
        self.array = array
        self.shape = array.shape
        self.dtype = array.dtype

    def __getitem__(self, key):
        return indexing.explicit_indexing_adapter(key, self.shape, indexing.IndexingSupport.BASIC, self.array.__getitem__)


class TesseraBackend(BackendEntrypoint):
    description = "Images that Tessera has rendered"
    open_dataset_parameters = ("filename_or_obj", "drop_variables")

    def open_dataset(self, filename_or_obj, *, drop_variables=None):
        image = open_image(filename_or_obj)
        dropped = {drop_variables} if isinstance(drop_variables, str) else set(drop_variables or ())
        variables = {}
        for name in image.fields:
            if name in dropped:
                continue
            field = getattr(image, name)
            encoding = {}
            if field.chunks:
                encoding["preferred_chunks"] = dict(zip(("y", "x"), field.chunks, strict=True))
            data = indexing.LazilyIndexedArray(LazyField(field))
            variables[name] = xarray.Variable(("y", "x"), data, encoding=encoding)
        attributes = {name: value if isinstance(value, (str, int)) else ",".join(value) for name, value in image.place.items()}
        return xarray.Dataset(variables, coords=image._coordinates(), attrs=attributes)

    def guess_can_open(self, filename_or_obj):
        try:
            path = os.fspath(filename_or_obj)
        except TypeError:
            return False
        if not str(path).endswith(".h5") or not os.path.isfile(path):
            return False
        try:
            open_image(path)
        except Error:
            return False
        return True
