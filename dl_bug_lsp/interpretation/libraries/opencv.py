"""OpenCV: images as arrays of height, width and channels; sizes are given as (width, height).

Source: the OpenCV 4 documentation (modules ``core``, ``imgcodecs`` and ``imgproc``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from dl_bug_lsp.interpretation import arrays
from dl_bug_lsp.interpretation.arrays import array, size
from dl_bug_lsp.interpretation.libraries.images import CHANNELS
from dl_bug_lsp.interpretation.libraries.numpy.functions import new
from dl_bug_lsp.interpretation.libraries.python.files import file_of, note_written
from dl_bug_lsp.interpretation.libraries.python.standard_library import CONSTANTS
from dl_bug_lsp.interpretation.model_helpers import listed, nothing
from dl_bug_lsp.interpretation.models import MODELS, Call
from dl_bug_lsp.interpretation.values import (
    UNKNOWN,
    Array,
    Library,
    Origins,
    Raised,
    Value,
    merged,
    unknown,
)
from dl_bug_lsp.workspace.binary_files import Picture

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter

READING = {"IMREAD_UNCHANGED": -1, "IMREAD_GRAYSCALE": 0, "IMREAD_COLOR": 1}
READING |= {"IMREAD_ANYDEPTH": 2, "IMREAD_ANYCOLOR": 4, "IMREAD_IGNORE_ORIENTATION": 128}
CONSTANTS.update({f"cv2.{name}": number for name, number in READING.items()})
DEPTHS = {
    "resize": ("uint8", "int8", "uint16", "int16", "float32", "float64"),
    "cvtColor": ("uint8", "uint16", "float32"),
}
"""The dtypes that functions take (``imgproc``, "supported depths")."""
MEANT_MISSING = ("NoneType", "empty()")
"""What messages say where ``imread`` has found no image."""


def _image(shape: Sequence[Value] | None, dtype: str | None, *parts: Value) -> Value:
    return new(shape, dtype, merged(*parts))


def _read_shape(
    picture: Picture | None, flags: Value | None, origins: Origins
) -> Sequence[Value] | None:
    """Return height, width and channels of what is read: three unless the flags say otherwise."""
    height = Value(UNKNOWN if picture is None else picture.height, origins)
    width = Value(UNKNOWN if picture is None else picture.width, origins)
    how = _how(flags)
    if how == 0:
        return (height, width)
    if how == 1:
        return (height, width, Value(3, origins))
    if how == -1 and picture is not None and picture.mode in ("L", "RGB", "RGBA"):
        count = CHANNELS[picture.mode]
        return (height, width) if count == 1 else (height, width, Value(count, origins))
    return None


@MODELS.function("cv2.imread")
def _read(interpreter: Interpreter, call: Call) -> Value:
    """Return an image; None where the file is missing and the failure speaks of that."""
    path, flags = call.given(0, "filename"), call.given(1, "flags")
    origins = merged(*call.args) | {call.place}
    try:
        file = file_of(interpreter, path)
    except Raised:
        is_meant = any(word in interpreter.message for word in MEANT_MISSING)
        return Value(None, origins) if is_meant else unknown(*call.args)
    header = interpreter.workspace.media(file) if file is not None else None
    picture = header if isinstance(header, Picture) else None
    shape = _read_shape(picture, flags, origins)
    dtype = "uint8" if _how(flags) in (0, 1) else None
    return new(shape, dtype, origins)


@MODELS.function("cv2.imdecode")
def _decoded(_: Interpreter, call: Call) -> Value:
    flags = call.given(1, "flags")
    how = None if flags is None else _how(flags)
    shape = None if flags is None else _read_shape(None, flags, merged(*call.args))
    return _image(shape, "uint8" if how in (0, 1) else None, *call.args)


@MODELS.function("cv2.imwrite")
def _written(interpreter: Interpreter, call: Call) -> Value:
    note_written(interpreter, call.given(0, "filename"))
    return call.unknown()


def _how(flags: Value | None) -> object:
    """Return how an image is read (``ImreadModes``), whatever its orientation."""
    how = 1 if flags is None else flags.data
    turned = READING["IMREAD_IGNORE_ORIENTATION"]
    return how & ~turned if isinstance(how, int) and how >= turned else how


Work = Callable[[Call, Array, Value], Value]


def _on_image(*names: str) -> Callable[[Work], Work]:
    """Register a model of functions whose first argument is an image."""

    def keep(work: Work) -> Work:
        def run(_: Interpreter, call: Call) -> Value:
            value = call.given(0, "src", "src1", "img")
            if value is not None and value.data is None:
                raise Raised("none", "Assertion failed: !_src.empty()", value)
            data = array(value)
            if value is None or data is None:
                return call.unknown()
            _check_depth(call, data, value)
            return work(call, data, value)

        MODELS.function(*(f"cv2.{name}" for name in names))(run)
        return work

    return keep


def _check_depth(call: Call, x: Array, value: Value) -> None:
    """Raise where a function does not take the dtype."""
    allowed = DEPTHS.get(call.name.rpartition(".")[2])
    if allowed and x.dtype in ("int64", "bool", "float16", "float64") and x.dtype not in allowed:
        raise Raised("type", f"Unsupported depth of input image: {x.dtype}", value)


def _with_sizes(x: Array, height: Value, width: Value) -> Sequence[Value] | None:
    """Return an image's shape with another height and width; one channel has no axis then."""
    if x.shape is None or len(x.shape) not in (2, 3):
        return None
    channels = x.shape[2:]
    return (height, width, *(dim for dim in channels if size(dim) != 1))


def _pair(value: Value | None) -> tuple[Value, Value] | None:
    """Return (width, height); raise where one of them is no whole number."""
    items = None if value is None else value.data
    if value is None or not isinstance(items, (list, tuple)) or len(items) != 2:
        return None
    for item in items:
        if isinstance(item.data, float):
            raise Raised("type", "Can't parse 'dsize'. Sequence item has a wrong type", item)
    width, height = (Value(item.data, merged(item, value)) for item in items)
    return width, height


@_on_image("resize")
def _resized(call: Call, x: Array, value: Value) -> Value:
    """Return an image of a width and height, or of its own times two factors."""
    wanted = call.given(1, "dsize")
    both = _pair(wanted)
    if wanted is not None and both is not None and [size(d) for d in both] != [0, 0]:
        for dim in both:
            number = size(dim)
            if number is not None and number < 1:
                raise Raised("value", "Assertion failed: inv_scale_x > 0", dim)
        return _image(_with_sizes(x, both[1], both[0]), x.dtype, value, wanted)
    known = wanted is None or wanted.data is None or both is not None
    if not known or x.shape is None or len(x.shape) < 2:
        return _image(None, x.dtype, value)
    factors = call.given(4, "fy"), call.given(3, "fx")
    if all(factor is None or factor.data in (0, 0.0) for factor in factors):
        raise Raised("value", "Assertion failed: inv_scale_x > 0", *call.args[1:])
    lengths = []
    for dim, factor in zip(x.shape, factors, strict=False):
        length = size(dim)
        by = None if factor is None else factor.data
        scaled: object = UNKNOWN
        if length is not None and isinstance(by, (int, float)):
            scaled = round(length * by)
        parts = (dim, *([factor] if factor is not None else []))
        lengths.append(Value(scaled, merged(*parts)))
    return _image(_with_sizes(x, lengths[0], lengths[1]), x.dtype, value)


@_on_image("warpAffine", "warpPerspective", "remap_")
def _warped(call: Call, x: Array, value: Value) -> Value:
    both = _pair(call.given(2, "dsize"))
    shape = None if both is None else _with_sizes(x, both[1], both[0])
    return _image(shape, x.dtype, value, *call.args[2:3])


@_on_image("cvtColor")
def _recoloured(call: Call, x: Array, value: Value) -> Value:
    """Return an image with the channels of a code; raise where it has others than the code says."""
    code = call.given(1, "code")
    name = code.data.name.rpartition(".")[2] if code and isinstance(code.data, Library) else ""
    before, found, after = name.removeprefix("COLOR_").partition("2")
    if not found or x.shape is None or len(x.shape) not in (2, 3) or "YUV" in name or "_" in after:
        return _image(None, x.dtype, value)
    wanted: tuple[int, ...] = (3,)
    if before in ("GRAY", "RGBA", "BGRA"):
        wanted = (1,) if before == "GRAY" else (4,)
    if before in ("BGR", "RGB"):
        wanted = (3, 4)
    if before in ("BGRA", "RGBA") and after not in ("GRAY",):
        wanted = (3, 4)
    own = x.shape[2] if len(x.shape) == 3 else Value(1, value.origins)
    number = size(own)
    if number is not None and number not in wanted and before in KNOWN_COLOURS:
        message = "Invalid number of channels in input image: 'VScn::contains(scn)'"
        raise Raised("size", message, own, Value(wanted[0], frozenset({call.place})))
    if after not in KNOWN_COLOURS:
        return _image(None, x.dtype, value)
    count = {"GRAY": 1, "RGBA": 4, "BGRA": 4}.get(after, 3)
    place = frozenset({call.place})
    shape = x.shape[:2] if count == 1 else (*x.shape[:2], Value(count, place))
    return _image(shape, x.dtype, value)


KNOWN_COLOURS = ("BGR", "RGB", "BGRA", "RGBA", "GRAY", "HSV", "HLS", "LAB", "Lab", "YCrCb", "XYZ")


@_on_image("flip", "GaussianBlur", "blur", "medianBlur", "bilateralFilter", "erode", "dilate")
@_on_image("morphologyEx", "bitwise_not", "fastNlMeansDenoising", "equalizeHist")
def _of_same_shape(_: Call, x: Array, value: Value) -> Value:
    if x.shape is None or len(x.shape) not in (2, 3):
        return _image(None, x.dtype, value)
    return _image(_with_sizes(x, x.shape[0], x.shape[1]), x.dtype, value)


@_on_image("rotate")
def _rotated(call: Call, x: Array, value: Value) -> Value:
    code = call.given(1, "rotateCode")
    name = code.data.name if code is not None and isinstance(code.data, Library) else ""
    if x.shape is None or len(x.shape) not in (2, 3) or "ROTATE_" not in name:
        return _image(None, x.dtype, value)
    first, second = x.shape[:2] if name.endswith("180") else x.shape[1::-1]
    return _image(_with_sizes(x, first, second), x.dtype, value)


@_on_image("copyMakeBorder")
def _bordered(call: Call, x: Array, value: Value) -> Value:
    widths = [call.given(i + 1, n) for i, n in enumerate(("top", "bottom", "left", "right"))]
    if x.shape is None or len(x.shape) not in (2, 3) or None in widths:
        return _image(None, x.dtype, value)
    lengths = []
    for axis in (0, 1):
        parts = [x.shape[axis], *(w for w in widths[2 * axis : 2 * axis + 2] if w is not None)]
        numbers = [size(part) for part in parts]
        known = [number for number in numbers if number is not None]
        total = sum(known) if len(known) == len(parts) else UNKNOWN
        lengths.append(Value(total, merged(*parts)))
    return _image(_with_sizes(x, lengths[0], lengths[1]), x.dtype, value)


@_on_image("threshold")
def _threshold(_: Call, x: Array, value: Value) -> Value:
    return Value((arrays.number("float64", value), _image(x.shape, x.dtype, value)), value.origins)


@_on_image("Canny")
def _edges(_: Call, x: Array, value: Value) -> Value:
    return _image(None if x.shape is None else x.shape[:2], "uint8", value)


@_on_image("split")
def _split(_: Call, x: Array, value: Value) -> Value:
    count = size(x.shape[2]) if x.shape is not None and len(x.shape) == 3 else None
    if x.shape is not None and len(x.shape) == 2:
        count = 1
    if x.shape is None or count is None:
        return unknown(value)
    part = _image(x.shape[:2], x.dtype, value)
    return Value((part,) * count, value.origins)


@MODELS.function("cv2.merge")
def _merged(interpreter: Interpreter, call: Call) -> Value:
    parts = listed(interpreter, call.given(0, "mv"))
    data = [array(part) for part in parts or ()]
    whole = [part for part in data if part is not None]
    if not whole or len(whole) != len(data) or any(len(p.shape or ()) != 2 for p in whole):
        return call.unknown()
    shape = arrays.stacked(whole, 2)
    if len(whole) == 1 and shape is not None:
        shape = shape[:2]
    return _image(shape, whole[0].dtype, *call.args)


MODELS.function(
    *(f"cv2.{name}" for name in ("imshow", "destroyAllWindows", "setNumThreads", "namedWindow"))
)(nothing)
MODELS.function("cv2.waitKey")(lambda _, call: arrays.number("int64"))
