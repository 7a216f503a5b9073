"""Writes types.npz: arrays of every type, order and byte order, by numpy 2.4.6."""
import io, zipfile
import numpy as np

values = [[0, 1, 2], [3, 100, 127]]
extremes = {"int": lambda t: [np.iinfo(t).min, np.iinfo(t).max], "uint": lambda t: [0, np.iinfo(t).max]}
# The smallest subnormal and the largest number, infinity and NaN.
floats = lambda t: [np.finfo(t).smallest_subnormal, -np.finfo(t).max, np.inf, np.nan]

with zipfile.ZipFile("types.npz", "w", zipfile.ZIP_DEFLATED) as z:
    def add(name, a, **options):
        b = io.BytesIO()
        np.lib.format.write_array(b, a, **options)
        z.writestr(zipfile.ZipInfo(name + ".npy", (1980, 1, 1, 0, 0, 0)), b.getvalue(), zipfile.ZIP_DEFLATED)

    for kind in "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64".split():
        for byte_order, mark in (("little", "<"), ("big", ">")):
            t = np.dtype(kind).newbyteorder(mark)
            for order in "CF":
                add(f"{kind} {byte_order} {order}", np.array(values, t, order=order))
            if kind.startswith(("int", "uint")):
                add(f"{kind} {byte_order} extremes", np.array(extremes[kind.rstrip("0123456789")](np.dtype(kind)), t))
            if kind.startswith("float"):
                add(f"{kind} {byte_order} extremes", np.array(floats(np.dtype(kind)), t))
    add("version 2", np.array(values, np.float32), version=(2, 0))
    add("version 3", np.array(values, np.float32), version=(3, 0))
    add("scalar", np.array(2.5))
    add("three dimensions", np.arange(8, dtype=np.int8).reshape(2, 2, 2))
    for kind in "complex64 longdouble S3 U3 datetime64[s] O".split():
        add(kind, np.zeros(2, kind), allow_pickle=True)
    add("structured", np.zeros(2, [("a", "<i4"), ("b", "<f4")]))
