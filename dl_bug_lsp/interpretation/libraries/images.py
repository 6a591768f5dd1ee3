"""Pillow's images and what soundfile, torchaudio and librosa read, by their sizes.

An image is a `LibraryObject` ``PIL.Image.Image`` whose state holds its channels, height and width
where they are known. Sources: Pillow's documentation of ``Image``, python-soundfile's of ``read``,
torchaudio's of ``load``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dl_bug_lsp.interpretation.arrays import array, size
from dl_bug_lsp.interpretation.libraries.python.files import file_of
from dl_bug_lsp.interpretation.model_helpers import (
    itself,
    listed,
    nothing,
    state_of,
    text_of,
    thing,
)
from dl_bug_lsp.interpretation.models import MODELS, Call
from dl_bug_lsp.interpretation.values import (
    UNKNOWN,
    Array,
    Library,
    LibraryObject,
    Origin,
    Raised,
    Value,
    merged,
    unknown,
)
from dl_bug_lsp.workspace.binary_files import Picture, Sound

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter

Sizes = tuple[Value, Value, Value]

IMAGE = "PIL.Image.Image"
CHANNELS = {
    **dict.fromkeys(("1", "L", "P", "I", "F", "I;16"), 1),
    **dict.fromkeys(("LA", "PA", "La"), 2),
    **dict.fromkeys(("RGB", "YCbCr", "LAB", "HSV"), 3),
    **dict.fromkeys(("RGBA", "CMYK", "RGBX", "RGBa"), 4),
}
"""Channels of Pillow's modes."""
OF_TENSORS = (
    *("ndim", "shape", "dtype", "device", "dim", "unsqueeze", "squeeze", "permute", "view", "T"),
    *("reshape", "float", "long", "half", "int", "double", "to", "cuda", "cpu", "numpy", "detach"),
    *("astype", "flatten", "mean", "max", "min", "sum", "numel", "item", "clone", "contiguous"),
    *("requires_grad", "grad", "type", "swapaxes", "expand", "repeat", "clamp"),
)
"""What tensors and arrays have, and images do not."""


def image(sizes: Sizes, place: Origin, mode: str | None = None) -> Value:
    """Return an image of channels, height and width."""
    channels, height, width = sizes
    state = {"channels": channels, "height": height, "width": width}
    state["size"] = Value((width, height), merged(width, height))
    if mode is not None:
        state["mode"] = Value(mode, channels.origins)
    return Value(LibraryObject(IMAGE, (), {}, place, state), merged(*sizes))


def is_image(value: Value | None) -> bool:
    """Whether a value is an image of Pillow."""
    data = None if value is None else value.data
    return isinstance(data, LibraryObject) and data.name == IMAGE


def _sizes(value: Value | None) -> Sizes:
    held = [state_of(value, name) for name in ("channels", "height", "width")]
    return held[0], held[1], held[2]


@MODELS.function("PIL.Image.open")
def _open(interpreter: Interpreter, call: Call) -> Value:
    path = call.given(0, "fp")
    file = file_of(interpreter, path)
    header = interpreter.workspace.media(file) if file is not None else None
    origins = frozenset({call.place}) | (path.origins if path is not None else frozenset())
    if not isinstance(header, Picture):
        return Value(thing(IMAGE, call).data, origins)
    channels = Value(CHANNELS[header.mode], origins)
    sizes = (channels, Value(header.height, origins), Value(header.width, origins))
    return image(sizes, call.place, header.mode)


@MODELS.function("PIL.Image.new")
def _new(interpreter: Interpreter, call: Call) -> Value:
    mode, sizes = text_of(call.given(0, "mode")), listed(interpreter, call.given(1, "size"))
    if mode not in CHANNELS or sizes is None or len(sizes) != 2:
        return thing(IMAGE, call)
    channels = Value(CHANNELS[mode], frozenset({call.place}))
    return image((channels, sizes[1], sizes[0]), call.place, mode)


@MODELS.function("PIL.Image.fromarray")
def _from_array(_: Interpreter, call: Call) -> Value:
    given = call.given(0, "obj")
    x = array(given) if given is not None else None
    mode = text_of(call.given(1, "mode"))
    if x is None or given is None or x.shape is None or len(x.shape) not in (2, 3):
        return Value(thing(IMAGE, call).data, merged(*call.args))
    channels = x.shape[2] if len(x.shape) == 3 else Value(1, given.origins)
    return image((channels, x.shape[0], x.shape[1]), call.place, mode)


MODELS.method(
    "Image", "copy", "rotate", "__enter__", "filter", "point", "effect_spread", "quantize"
)(itself)
MODELS.method("Image", "save", "close", "load", "show", "paste", "verify", "seek", "__exit__")(
    nothing
)


@MODELS.method("Image", "convert")
def _convert(_: Interpreter, call: Call) -> Value:
    mode = text_of(call.given(0, "mode"))
    if call.receiver is None or mode not in CHANNELS:
        return call.unknown() if call.receiver is None else _changed(call, None)
    origins = (call.given(0, "mode") or Value(None)).origins | {call.place}
    return _changed(call, Value(CHANNELS[mode], origins), mode=mode)


def _changed(
    call: Call,
    channels: Value | None,
    height: Value | None = None,
    width: Value | None = None,
    mode: str | None = None,
) -> Value:
    """Return the receiver with other sizes; None leaves one as it is."""
    own = _sizes(call.receiver)
    sizes = (channels or own[0], height or own[1], width or own[2])
    kept = text_of(state_of(call.receiver, "mode")) if channels is None else mode
    made = image(sizes, call.place, kept)
    return Value(made.data, merged(*sizes, *([call.receiver] if call.receiver else [])))


@MODELS.method("Image", "resize", "thumbnail", "reduce")
def _resize(interpreter: Interpreter, call: Call) -> Value:
    sizes = listed(interpreter, call.given(0, "size"))
    if call.name == "thumbnail":
        # It keeps the ratio, and changes the image itself.
        for name in ("height", "width", "size"):
            call.state.pop(name, None)
        return Value(None)
    if call.name == "reduce" or sizes is None or len(sizes) != 2:
        return _changed(call, None, Value(UNKNOWN), Value(UNKNOWN))
    return _changed(call, None, sizes[1], sizes[0])


@MODELS.method("Image", "crop")
def _crop(interpreter: Interpreter, call: Call) -> Value:
    box = listed(interpreter, call.given(0, "box"))
    if box is None or len(box) != 4:
        return _changed(call, None, Value(UNKNOWN), Value(UNKNOWN))
    numbers = [size(side) for side in box]
    lengths: list[Value] = []
    for low, high in ((1, 3), (0, 2)):
        a, b = numbers[low], numbers[high]
        length = UNKNOWN if a is None or b is None else b - a
        lengths.append(Value(length, merged(box[low], box[high])))
    return _changed(call, None, lengths[0], lengths[1])


@MODELS.method("Image", "transpose")
def _transpose(_: Interpreter, call: Call) -> Value:
    method = call.given(0, "method")
    name = method.data.name if method is not None and isinstance(method.data, Library) else ""
    if not name.endswith(("FLIP_LEFT_RIGHT", "FLIP_TOP_BOTTOM", "ROTATE_180")):
        return _changed(call, None, Value(UNKNOWN), Value(UNKNOWN))
    return call.receiver or call.unknown()


@MODELS.method("Image", "split")
def _split(_: Interpreter, call: Call) -> Value:
    count = size(_sizes(call.receiver)[0])
    if count is None:
        return call.unknown()
    one = _changed(call, Value(1, frozenset({call.place})), mode="L")
    return Value((one,) * count, one.origins)


@MODELS.attribute("Image", *OF_TENSORS)
def _of_tensors(_: Interpreter, call: Call) -> Value:
    sides = [call.receiver] if call.receiver is not None else []
    raise Raised("attribute", f"'Image' object has no attribute '{call.name}'", *sides)


@MODELS.method("Image", "__getitem__")
def _subscript(_: Interpreter, call: Call) -> Value:
    sides = [call.receiver] if call.receiver is not None else []
    raise Raised("type", "'Image' object is not subscriptable", *sides)


# --- sounds ---------------------------------------------------------------------------------------


def _sound(interpreter: Interpreter, call: Call, *names: str) -> Sound | None:
    file = file_of(interpreter, call.given(0, *names))
    header = interpreter.workspace.media(file) if file is not None else None
    return header if isinstance(header, Sound) else None


def _length(
    total: int | None, start: Value | None, count: Value | None, stop: Value | None
) -> Value:
    """Return how many samples are read: up to a place, or so many, from another place on."""
    parts = [part for part in (start, count, stop) if part is not None and part.data is not None]
    origins = merged(*parts)
    first, end, number = size(start), size(stop), size(count)
    if start is None:
        first = 0
    if number is not None and count is not None and number >= 0:
        known = total is None or first is None
        return Value(number if known else min(number, max(total - first, 0)), origins)  # type: ignore[operator]
    if stop is not None and stop.data is not None:
        if end is None or first is None:
            return Value(UNKNOWN, origins)
        return Value(max(end - first, 0) if end >= 0 else UNKNOWN, origins)
    if count is not None and count.data not in (None, -1):
        return Value(UNKNOWN, origins)
    return Value(UNKNOWN if total is None or first is None else total - first, origins)


@MODELS.function("soundfile.read")
def _soundfile(interpreter: Interpreter, call: Call) -> Value:
    """Return (samples, rate); one channel gives one axis."""
    header = _sound(interpreter, call, "file")
    start, stop = call.given(2, "start"), call.given(3, "stop")
    length = _length(
        header.samples if header is not None else None, start, call.given(1, "frames"), stop
    )
    dtype = text_of(call.given(4, "dtype")) or "float64"
    rate = Value(header.rate if header is not None else UNKNOWN, frozenset({call.place}))
    whole = Value(length.data, length.origins | {call.place})
    twice = call.given(5, "always_2d")
    one = (header is None or header.channels == 1) and (twice is None or twice.data is False)
    # Most recordings that are not at hand have one channel.
    channels = Value(header.channels if header is not None else UNKNOWN, frozenset({call.place}))
    shape = (whole,) if one else (whole, channels)
    return Value((Value(Array(shape, dtype, "numpy"), merged(*shape)), rate))


@MODELS.function("torchaudio.load")
def _torchaudio(interpreter: Interpreter, call: Call) -> Value:
    """Return (channels by samples, rate)."""
    header = _sound(interpreter, call, "uri", "filepath")
    start, count = call.given(1, "frame_offset"), call.given(2, "num_frames")
    length = _length(header.samples if header is not None else None, start, count, None)
    origins = frozenset({call.place})
    channels = Value(header.channels if header is not None else UNKNOWN, origins)
    whole = Value(length.data, length.origins | origins)
    rate = Value(header.rate if header is not None else UNKNOWN, origins)
    sound = Value(Array((channels, whole), "float32", "torch", "cpu"), merged(channels, whole))
    return Value((sound, rate))


@MODELS.function("librosa.load")
def _librosa(interpreter: Interpreter, call: Call) -> Value:
    """Return (samples of one channel, rate): resampled to 22,050 Hz where no rate is asked for."""
    header = _sound(interpreter, call, "path")
    asked = call.given(1, "sr")
    origins = frozenset({call.place})
    own = Value(header.rate if header is not None else UNKNOWN, origins)
    rate = Value(22_050, origins) if asked is None else own if asked.data is None else asked
    cut = call.given(3, "offset") is not None or call.given(4, "duration") is not None
    mono = call.given(2, "mono")
    same = header is not None and size(rate) == header.rate and not cut
    length = Value(header.samples if same and header is not None else UNKNOWN, origins)
    if mono is not None and mono.data is not True:
        return Value((unknown(length), rate))
    return Value((Value(Array((length,), "float32", "numpy"), origins), rate))
