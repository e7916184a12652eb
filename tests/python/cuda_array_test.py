"""Arrays in the memory of a GPU, by __cuda_array_interface__. With libtessera on the CUDA runtime for tests, which this
process calls as CuPy calls CUDA's."""

import ctypes
import os
import unittest

import numpy as np

import tessera as ts

CUDA = ctypes.CDLL(os.environ["TESSERA_CUDA_LIBRARY"])
TO_DEVICE = 1  # cudaMemcpyHostToDevice


def call(name, *arguments):
    code = getattr(CUDA, name)(*arguments)
    assert code == 0, f"{name}: {code}"


class OnDevice:
    """The elements of an ndarray on the device. Their copy is in flight when it is made."""

    def __init__(self, host, **changed):
        self.host = host
        base = host if host.base is None else host.base
        self.base = base.copy("K")
        self.stream, memory = ctypes.c_void_p(), ctypes.c_void_p()
        call("cudaStreamCreateWithFlags", ctypes.byref(self.stream), 1)
        call("cudaMalloc", ctypes.byref(memory), ctypes.c_size_t(max(self.base.nbytes, 1)))
        call("cudaMemcpyAsync", memory, ctypes.c_void_p(self.base.ctypes.data), ctypes.c_size_t(self.base.nbytes), TO_DEVICE,
             self.stream)
        offset = host.__array_interface__["data"][0] - base.__array_interface__["data"][0]
        self.__cuda_array_interface__ = {
            "shape": host.shape, "typestr": host.dtype.str, "data": (memory.value + offset, False), "version": 3,
            "strides": None if host.flags.c_contiguous else host.strides, "stream": self.stream.value, **changed}


def some(dtype="f8", shape=(60, 50)):
    random = np.random.default_rng(3)
    return (random.normal(size=shape) * 100).astype(dtype)


class CudaArrays(unittest.TestCase):
    def assert_same(self, function, host):
        np.testing.assert_array_equal(function(OnDevice(host)), function(host))

    def test_statistics_of_every_type(self):
        for dtype in "? i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8".split():
            for name in "sum mean std min max argmin argmax any all count_nonzero median norm".split():
                with self.subTest(dtype=dtype, name=name):
                    self.assert_same(getattr(ts, name), some(dtype))

    def test_views(self):
        x = some(shape=(40, 50, 3))
        for view in (x[1:], x[::2], x[:, ::-1], x.transpose(2, 0, 1), x[..., 1], x[3, 4, 2:], np.asfortranarray(x), x[:0]):
            with self.subTest(strides=view.strides, shape=view.shape):
                self.assert_same(ts.sum, view)
                if view.size:
                    self.assert_same(ts.argmax, view)

    def test_everything_else_reads_it(self):
        x = some()
        self.assert_same(lambda a: ts.sum(a, axis=0), x)
        self.assert_same(lambda a: ts.quantile(a, [0.1, 0.9]), x)
        self.assert_same(lambda a: ts.histogram(a, 5)[0], x)
        self.assert_same(lambda a: ts.map("2*a", a=a), x)
        self.assert_same(lambda a: ts.dot(a, x), x)
        self.assert_same(lambda a: ts.dot(x, a), x)
        self.assert_same(lambda a: ts.reduce(x, "sum", by=a)["sum"], some("i1"))
        self.assert_same(lambda a: ts.sum(a, device="cpu"), x)
        parts = ts.partial(OnDevice(x[30:]), "sum,std") | ts.partial(OnDevice(x[:30]), "sum,std")
        self.assertEqual(parts.results()["std"], ts.std(x))

    def test_what_is_no_such_array_is_refused(self):
        x = some()
        for changed, words in (({"typestr": "<c16"}, "complex128"), ({"typestr": ">f8"}, "byte order"),
                               ({"mask": x}, "mask"), ({"data": (x.ctypes.data, False)}, "no memory of a GPU")):
            with self.subTest(changed=changed), self.assertRaisesRegex(ts.UsageError, words):
                ts.sum(OnDevice(x, **changed))

    def test_a_tensor_with_gradients_is_refused(self):
        class Tensor:
            @property
            def __cuda_array_interface__(self):
                raise RuntimeError("use var.detach()")

        with self.assertRaisesRegex(ts.UsageError, "the array: use var.detach"):
            ts.sum(Tensor())


if __name__ == "__main__":
    unittest.main()
