"""TensorFlow's functions on images (``tf.image``): their sizes and what is refused.

Source: the TensorFlow 2 API reference (``tf.image``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dl_bug_lsp.interpretation import arrays
from dl_bug_lsp.interpretation.arrays import size
from dl_bug_lsp.interpretation.libraries.tensorflow.functions import numbers, on_tensor
from dl_bug_lsp.interpretation.libraries.tensorflow.tensors import (
    Shape,
    cast_image,
    dims,
    dtype_named,
    names,
    operand,
    resize,
    tensor,
    written,
)
from dl_bug_lsp.interpretation.models import MODELS, Call
from dl_bug_lsp.interpretation.values import UNKNOWN, Array, Raised, Value, merged

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter


def images(*functions: str) -> str:
    """Return names of functions on images, written with spaces between, as `on_tensor` has them."""
    return " ".join(f"image.{name}" for line in functions for name in line.split())


def channels_of(x: Array) -> Value | None:
    """Return the last dimension of images."""
    return x.shape[-1] if x.shape and len(x.shape) in (3, 4) else None


@on_tensor(
    images("adjust_brightness adjust_contrast adjust_hue adjust_saturation adjust_gamma"),
    images("random_brightness random_contrast random_hue random_saturation adjust_jpeg_quality"),
    images("random_jpeg_quality stateless_random_brightness stateless_random_contrast"),
    images("stateless_random_hue stateless_random_saturation flip_left_right flip_up_down"),
    images("random_flip_left_right random_flip_up_down stateless_random_flip_left_right"),
    images("stateless_random_flip_up_down rgb_to_hsv hsv_to_rgb rgb_to_yuv yuv_to_rgb rgb_to_yiq"),
    images("yiq_to_rgb stateless_random_jpeg_quality"),
)
def _changed(call: Call, x: Array, value: Value) -> Value:
    """Return images of the same size and type; raise for what is no image."""
    if x.shape is not None and len(x.shape) < 3 and "flip" in call.name:
        sides = Value(len(x.shape), value.origins), Value(3, frozenset({call.place}))
        raise Raised("size", "'image' must have either 3 or 4 dimensions.", *sides)
    return tensor(call, x.shape, x.dtype, value)


@on_tensor(images("per_image_standardization"))
def _standardized(call: Call, x: Array, value: Value) -> Value:
    dtype = x.dtype if x.dtype is None or x.dtype.startswith(("float", "bfloat")) else "float32"
    return tensor(call, x.shape, dtype, value)


@on_tensor(images("draw_bounding_boxes"))
def _drawn(call: Call, x: Array, value: Value) -> Value:
    return tensor(call, x.shape, x.dtype, value)


@on_tensor(images("transpose"))
def _transposed(call: Call, x: Array, value: Value) -> Value:
    """Return images with height and width exchanged."""
    if x.shape is None or len(x.shape) not in (3, 4):
        return tensor(call, None, x.dtype, value)
    *lead, height, width, depth = x.shape
    return tensor(call, (*lead, width, height, depth), x.dtype, value)


@on_tensor(images("rot90"))
def _turned(call: Call, x: Array, value: Value) -> Value:
    """Return images that are turned by so many times 90 degrees."""
    times = call.given(1, "k")
    count = 1 if times is None else size(times)
    if x.shape is None or len(x.shape) not in (3, 4) or count is None:
        return tensor(call, None, x.dtype, value)
    *lead, height, width, depth = x.shape
    sides = (width, height) if count % 2 else (height, width)
    return tensor(call, (*lead, *sides, depth), x.dtype, value)


@MODELS.function(*names(images("resize")), "tensorflow.compat.v1.image.resize_images")
def _resized(interpreter: Interpreter, call: Call) -> Value:
    """Return images of another height and width; only neighbours keep the type."""
    value = call.given(0, "images", "image")
    x, wanted = operand(value), call.given(1, "size")
    made = resize(interpreter, call)
    data = made.data
    if not isinstance(data, Array) or x is None:
        sizes = dims(wanted)
        if x is not None and value is not None and sizes is None:
            return tensor(call, None, None, value)
        return made
    method = call.given(2, "method")
    if method is not None and method.data is not None:
        name = method.data if isinstance(method.data, str) else getattr(method.data, "name", "")
        last = name.rpartition(".")[2].lower() if isinstance(name, str) else ""
        data.dtype = x.dtype if last in ("nearest", "nearest_neighbor") else "float32"
        if not last:
            data.dtype = None
    keep = call.given(3, "preserve_aspect_ratio")
    if keep is not None and keep.data is not False and data.shape is not None:
        free = Value(UNKNOWN, merged(keep))
        data.shape = (*data.shape[:-3], free, free, data.shape[-1])
    return made


@on_tensor(images("resize_with_pad resize_with_crop_or_pad"))
def _fitted(call: Call, x: Array, value: Value) -> Value:
    """Return images of a height and a width; only scaled ones become floats."""
    height, width = call.given(1, "target_height"), call.given(2, "target_width")
    depth = channels_of(x)
    dtype = x.dtype if call.name.endswith("crop_or_pad") else "float32"
    if depth is None or height is None or width is None or x.shape is None:
        return tensor(call, None, dtype, value)
    sides = written(call, dims(Value((height, width)))) or (height, width)
    return tensor(call, (*x.shape[:-3], *sides, depth), dtype, value)


@on_tensor(images("central_crop"))
def _centre(call: Call, x: Array, value: Value) -> Value:
    """Return the middle part of images."""
    share = call.given(1, "central_fraction")
    number = share.data if share is not None else None
    depth = channels_of(x)
    if depth is None or x.shape is None or not isinstance(number, (int, float)) or share is None:
        return tensor(call, None, x.dtype, value)
    if not 0 < number <= 1:
        raise Raised("value", "central_fraction must be within (0, 1]", share)
    sides = []
    for dim in x.shape[-3:-1]:
        length = size(dim)
        cut = None if length is None else int((length - length * number) / 2)
        left = UNKNOWN if length is None or cut is None else length - 2 * cut
        sides.append(Value(left, merged(dim, share)))
    return tensor(call, (*x.shape[:-3], *sides, depth), x.dtype, value)


@on_tensor(images("crop_to_bounding_box pad_to_bounding_box"))
def _boxed(call: Call, x: Array, value: Value) -> Value:
    """Return a part of images, or images with a border; raise where the box does not fit."""
    starts = call.given(1, "offset_height"), call.given(2, "offset_width")
    wanted = call.given(3, "target_height"), call.given(4, "target_width")
    depth = channels_of(x)
    if depth is None or x.shape is None or wanted[0] is None or wanted[1] is None:
        return tensor(call, None, x.dtype, value)
    cuts = "crop" in call.name
    for dim, start, length in zip(x.shape[-3:-1], starts, wanted, strict=True):
        whole, begin, number = size(dim), size(start), size(length)
        if whole is None or begin is None or number is None or length is None:
            continue
        if cuts and begin + number > whole:
            message = "the image must be at least as big as the box that is cut"
            raise Raised("size", message, dim, Value(begin + number, merged(length)))
        if not cuts and begin + whole > number:
            raise Raised("size", "the image must be no bigger than the target", dim, length)
    sides = dims(Value((wanted[0], wanted[1])))
    return tensor(call, (*x.shape[:-3], *(sides or ()), depth), x.dtype, value)


@on_tensor(images("random_crop stateless_random_crop"))
def _cropped(call: Call, x: Array, value: Value) -> Value:
    """Return a part of a given size; raise where it is bigger than the whole."""
    wanted = dims(call.given(1, "size"))
    if wanted is None:
        return tensor(call, None, x.dtype, value)
    if x.shape is not None and len(wanted) != len(x.shape):
        sides = Value(len(wanted), merged(*wanted)), Value(len(x.shape), value.origins)
        raise Raised("size", "the size of a crop needs a number for each dimension", *sides)
    for dim, asked in zip(x.shape or (), wanted, strict=False):
        whole, number = size(dim), size(asked)
        if whole is not None and number is not None and number > whole:
            raise Raised("size", "Need value.shape >= size", dim, asked)
    return tensor(call, wanted, x.dtype, value)


@on_tensor(images("crop_and_resize"))
def _boxes(call: Call, x: Array, value: Value) -> Value:
    """Return a part of a given size for each box."""
    boxes, wanted = operand(call.given(1, "boxes")), dims(call.given(3, "crop_size"))
    depth = channels_of(x)
    if boxes is None or not boxes.shape or wanted is None or depth is None:
        return tensor(call, None, "float32", value)
    return tensor(call, (boxes.shape[0], *wanted, depth), "float32", value)


@on_tensor(images("total_variation"))
def _variation(call: Call, x: Array, value: Value) -> Value:
    known = x.shape is not None and len(x.shape) in (3, 4)
    return tensor(call, x.shape[:-3] if known and x.shape is not None else None, x.dtype, value)


@MODELS.function(*names(images("psnr ssim ssim_multiscale")))
def _likeness(_: Interpreter, call: Call) -> Value:
    """Return a number for each image."""
    x = operand(call.given(0, "a", "img1"))
    known = x is not None and x.shape is not None and len(x.shape) >= 3
    shape = x.shape[:-3] if known and x is not None and x.shape is not None else None
    return tensor(call, shape, "float32", *call.args)


@on_tensor(images("extract_patches"))
def _patches(call: Call, x: Array, value: Value) -> Value:
    """Return the pixels of each window as channels."""
    wide, steps = numbers(call.given(1, "sizes")), numbers(call.given(2, "strides"))
    rates, padding = numbers(call.given(3, "rates")), call.given(4, "padding")
    known = wide and steps and rates and len(wide) == len(steps) == len(rates) == 4
    if not known or x.shape is None or len(x.shape) != 4 or padding is None:
        return tensor(call, None, x.dtype, value)
    assert wide is not None and steps is not None and rates is not None
    shape: list[Value] = [x.shape[0]]
    for dim, window, step, rate in zip(
        x.shape[1:3], wide[1:3], steps[1:3], rates[1:3], strict=True
    ):
        length, spread = size(dim), (window - 1) * rate + 1
        number: object = UNKNOWN
        if length is not None and step and padding.data in ("SAME", "VALID"):
            valid = (length - spread) // step + 1
            number = -(-length // step) if padding.data == "SAME" else valid
        shape.append(Value(number, merged(dim, *call.args[1:])))
    depth = arrays.product((x.shape[3], Value(wide[1] * wide[2])))
    return tensor(call, (*shape, depth), x.dtype, value)


@on_tensor(images("sobel_edges"))
def _edges(call: Call, x: Array, value: Value) -> Value:
    shape: Shape | None = None if x.shape is None else (*x.shape, Value(2))
    return tensor(call, shape, x.dtype, value)


@on_tensor(images("image_gradients"))
def _gradients(call: Call, x: Array, value: Value) -> Value:
    made = tensor(call, x.shape, x.dtype, value), tensor(call, x.shape, x.dtype, value)
    return Value(made, value.origins)


@MODELS.function(*names(images("non_max_suppression")))
def _kept(_: Interpreter, call: Call) -> Value:
    """Return the numbers of the boxes that are kept; how many depends on where they lie."""
    return tensor(call, (Value(UNKNOWN, merged(*call.args)),), "int32", *call.args)


@MODELS.function(*names(images("convert_image_dtype")))
def _converted(interpreter: Interpreter, call: Call) -> Value:
    keywords = dict(call.keywords)
    if "image" in keywords:
        keywords["x"] = keywords.pop("image")
    return cast_image(interpreter, Call("convert_image_dtype", call.args, keywords, call.place))


@MODELS.function(
    *names("io.decode_jpeg io.decode_png io.decode_image io.decode_bmp io.decode_gif"),
    *names("image.decode_jpeg image.decode_png image.decode_image image.decode_bmp"),
    *names("image.decode_gif io.decode_and_crop_jpeg image.decode_and_crop_jpeg"),
)
def _decoded(_: Interpreter, call: Call) -> Value:
    """Return an image of unknown size; a GIF, or what may be one, is several."""
    last = call.name.rpartition(".")[2]
    at = {"decode_and_crop_jpeg": 2}.get(last, 1)
    channels = call.given(at, "channels")
    depth = Value(UNKNOWN) if channels is None or not size(channels) else channels
    free = Value(UNKNOWN)
    asked = call.keywords.get("dtype") or (call.args[2] if len(call.args) > 2 and at == 1 else None)
    dtype = dtype_named(asked, "uint8")
    if last == "decode_gif":
        return tensor(call, (free, free, free, Value(3)), "uint8", *call.args)
    grows = call.keywords.get("expand_animations")
    if last == "decode_image" and (grows is None or grows.data is not False):
        made = tensor(call, None, dtype, *call.args)
        assert isinstance(made.data, Array)
        made.data.last = depth if size(depth) is not None else None
        return made
    return tensor(call, (free, free, depth), dtype, *call.args)
