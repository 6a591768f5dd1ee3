"""Keras's ready models (``keras.applications``): the shapes of their inputs and outputs.

Source: the "Keras Applications" pages of the Keras documentation. The layers within are not told.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dl_bug_lsp.interpretation import arrays
from dl_bug_lsp.interpretation.arrays import size
from dl_bug_lsp.interpretation.libraries.keras.layers import (
    Symbolic,
    apply,
    batchless,
    define,
    flag,
    result,
    spellings,
)
from dl_bug_lsp.interpretation.libraries.keras.models import FUNCTIONAL
from dl_bug_lsp.interpretation.libraries.tensorflow.tensors import keeps_shape
from dl_bug_lsp.interpretation.models import MODELS, Call
from dl_bug_lsp.interpretation.values import (
    UNKNOWN,
    LibraryObject,
    Value,
    merged,
)

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter


@dataclass(frozen=True, slots=True)
class Ready:
    """A ready model: its usual input, the channels of its last map, how often that is halved.

    ``rounds`` says how an odd size is halved: up or down, empty where it is not as simple.
    """

    side: int
    channels: int
    rounds: str = "up"
    halvings: int = 5


READY: dict[str, Ready] = {
    **dict.fromkeys(("VGG16", "VGG19"), Ready(224, 512, "down")),
    **dict.fromkeys(("ResNet50", "ResNet101", "ResNet152"), Ready(224, 2048)),
    **dict.fromkeys(("ResNet50V2", "ResNet101V2", "ResNet152V2"), Ready(224, 2048)),
    "MobileNet": Ready(224, 1024),
    "MobileNetV2": Ready(224, 1280),
    "MobileNetV3Large": Ready(224, 960),
    "MobileNetV3Small": Ready(224, 576),
    "DenseNet121": Ready(224, 1024, ""),
    "DenseNet169": Ready(224, 1664, ""),
    "DenseNet201": Ready(224, 1920, ""),
    "EfficientNetB0": Ready(224, 1280),
    "EfficientNetB1": Ready(240, 1280),
    "EfficientNetB2": Ready(260, 1408),
    "EfficientNetB3": Ready(300, 1536),
    "EfficientNetB4": Ready(380, 1792),
    "EfficientNetB5": Ready(456, 2048),
    "EfficientNetB6": Ready(528, 2304),
    "EfficientNetB7": Ready(600, 2560),
    "EfficientNetV2B0": Ready(224, 1280),
    "EfficientNetV2B1": Ready(240, 1280),
    "EfficientNetV2B2": Ready(260, 1408),
    "EfficientNetV2B3": Ready(300, 1536),
    "EfficientNetV2S": Ready(384, 1280),
    "EfficientNetV2M": Ready(480, 1280),
    "EfficientNetV2L": Ready(480, 1280),
    "InceptionV3": Ready(299, 2048, ""),
    "Xception": Ready(299, 2048, ""),
    "InceptionResNetV2": Ready(299, 1536, ""),
}
BY_POSITION = ("include_top", "weights", "input_tensor", "input_shape", "pooling", "classes")
OWN_WIDTHS = ("MobileNet", "MobileNetV2", "MobileNetV3Large", "MobileNetV3Small")


def _halved(side: Value, ready: Ready) -> Value:
    """Return the side of the last map."""
    number = size(side)
    if number is None or (not ready.rounds and number % 32):
        return Value(UNKNOWN, side.origins)
    if not ready.rounds and ready.side == 299:
        return Value(UNKNOWN, side.origins)
    for _ in range(ready.halvings):
        number = number // 2 if ready.rounds == "down" else -(-number // 2)
    return Value(number, side.origins)


def _backbone(_: Interpreter, layer: LibraryObject, inputs: Value, call: Call) -> Value:
    """Return what a ready model gives for images."""
    data = arrays.array(inputs)
    ready = READY.get(str(layer.state["model"].data))
    if data is None or ready is None:
        return call.unknown()
    classes, pooled = layer.state.get("classes"), layer.state["pooling"].data
    if data.shape is None or len(data.shape) != 4:
        return result(layer, None, inputs)
    batch, height, width, _depth = data.shape
    if classes is not None:
        known = Value(UNKNOWN if size(classes) is None else classes.data, classes.origins)
        return result(layer, (batch, known), inputs)
    number = layer.state.get("channels", Value(ready.channels))
    channels = Value(number.data, frozenset({layer.made}))
    if pooled in ("avg", "max"):
        return result(layer, (batch, channels), inputs)
    if pooled is UNKNOWN:
        return result(layer, None, inputs)
    return result(layer, (batch, _halved(height, ready), _halved(width, ready), channels), inputs)


define("ReadyModel", _backbone)


def make_ready(interpreter: Interpreter, call: Call) -> Value:
    """Return a ready model as a functional one of which the layers are not known."""
    name = call.name.rpartition(".")[2]
    ready, is_mobile = READY[name], name in OWN_WIDTHS
    # The first parameter is the input's shape, or whether the last layer is there.
    given_first = ("input_shape",) if is_mobile else BY_POSITION
    asked = dict(zip(given_first, call.args, strict=False)) | dict(call.keywords)
    is_clear = len(call.args) <= len(given_first)
    top = flag(asked.get("include_top"), default=True) if is_clear else None
    given, shape = asked.get("input_tensor"), asked.get("input_shape")
    pooling, classes = asked.get("pooling"), asked.get("classes")
    model = LibraryObject(FUNCTIONAL, call.args, dict(call.keywords), call.place)
    model.state["application"] = Value(name)
    value = Value(model, merged(*call.args, *call.keywords.values()) | {call.place})
    if top is None:
        return value
    stated = batchless(shape, None, call.place) if shape is not None else None
    if shape is not None and shape.data is not None and (stated is None or len(stated) != 3):
        return value
    if stated is None:
        side = Value(ready.side if top else UNKNOWN, frozenset({call.place}))
        stated = (side, side, Value(3, frozenset({call.place})))
    start = given
    if start is None or start.data is None:
        made = Symbolic((Value(UNKNOWN), *stated), "float32", "tensorflow")
        start = Value(made, frozenset({call.place}))
    if not isinstance(start.data, Symbolic):
        return value
    layer = LibraryObject("keras.layers.ReadyModel", (), {}, call.place)
    layer.state["model"] = Value(name)
    layer.state["pooling"] = Value(None) if pooling is None else pooling
    if "alpha" in asked:
        layer.state["channels"] = Value(UNKNOWN)
    if top:
        layer.state["classes"] = Value(1000) if classes is None else classes
    held = Value(layer, frozenset({call.place}))
    output = apply(interpreter, Call("ReadyModel", (start,), {}, call.place, held))
    for key, end in (("input", start), ("output", output)):
        model.state[key] = model.state[f"{key}s"] = end
    return value


for _name in READY:
    MODELS.function(*spellings(f"applications.{_name}"))(make_ready)


def _preprocess(interpreter: Interpreter, call: Call) -> Value:
    """Return images of the same shape, scaled as a ready model takes them."""
    made = keeps_shape(interpreter, Call("preprocess", call.args, call.keywords, call.place))
    data = arrays.array(made)
    given = arrays.array(call.given(0, "x"))
    if data is not None and given is not None:
        data.library = given.library
        data.dtype = given.dtype if (given.dtype or "").startswith("float") else None
    return made


MODULES = (
    *("vgg16", "vgg19", "resnet", "resnet50", "resnet_v2", "mobilenet", "mobilenet_v2", "xception"),
    *("mobilenet_v3", "densenet", "efficientnet", "efficientnet_v2", "inception_v3", "nasnet"),
    *("inception_resnet_v2", "convnext", "imagenet_utils"),
)
for _module in MODULES:
    MODELS.function(*spellings(f"applications.{_module}.preprocess_input"))(_preprocess)
