"""torchvision's data sets, transforms and models, by the sizes they are documented with.

An image that is no tensor yet is a `LibraryObject` ``PIL.Image.Image`` whose state holds its
channels, height and width. Sources: torchvision's documentation of ``datasets``, ``transforms`` and
``models``; for the models' last layers their source.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from dl_bug_lsp.interpretation import arrays
from dl_bug_lsp.interpretation.arrays import array, size
from dl_bug_lsp.interpretation.libraries.images import IMAGE, Sizes, image, is_image
from dl_bug_lsp.interpretation.libraries.python.files import class_folders
from dl_bug_lsp.interpretation.libraries.torch.layers import add_module_methods
from dl_bug_lsp.interpretation.libraries.torch.tensors import dimension, flag, tensor, words
from dl_bug_lsp.interpretation.model_helpers import listed, thing
from dl_bug_lsp.interpretation.models import MODELS, Call, Model
from dl_bug_lsp.interpretation.values import (
    UNKNOWN,
    Array,
    Instance,
    LibraryObject,
    Origin,
    Raised,
    Value,
    merged,
    unknown,
)

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter

Change = Callable[[LibraryObject, Sizes], Sizes]

CLASSIFIED: dict[str, tuple[int, int, int, int, int]] = {
    "MNIST": (1, 28, 10, 60_000, 10_000),
    "FashionMNIST": (1, 28, 10, 60_000, 10_000),
    "KMNIST": (1, 28, 10, 60_000, 10_000),
    "QMNIST": (1, 28, 10, 60_000, 60_000),
    "USPS": (1, 16, 10, 7_291, 2_007),
    "CIFAR10": (3, 32, 10, 50_000, 10_000),
    "CIFAR100": (3, 32, 100, 50_000, 10_000),
}
"""Of a data set: channels, height and width, classes, training and test images."""
KEEPING = words(
    "RandomHorizontalFlip RandomVerticalFlip RandomRotation ColorJitter RandomAffine RandomErasing "
    "GaussianBlur AutoAugment RandAugment TrivialAugmentWide RandomPerspective RandomInvert "
    "RandomPosterize RandomSolarize RandomAdjustSharpness RandomAutocontrast RandomEqualize "
    "RandomGrayscale AugMix"
)


# --- images ---------------------------------------------------------------------------------------


def sizes_of(value: Value) -> Sizes | None:
    """Return the channels, height and width of an image or a tensor of one."""
    data = value.data
    if isinstance(data, LibraryObject) and data.name == IMAGE and "channels" in data.state:
        return data.state["channels"], data.state["height"], data.state["width"]
    shape = data.shape if isinstance(data, Array) and data.library == "torch" else None
    if shape is not None and len(shape) == 3:
        return shape[0], shape[1], shape[2]
    return None


def rebuilt(value: Value, sizes: Sizes, place: Origin) -> Value:
    """Return an image or a tensor of one with other sizes."""
    x = array(value)
    if x is None:
        return image(sizes, place)
    return tensor(sizes, x.dtype, value, device=x.device)


def option(made: LibraryObject, position: int, name: str) -> Value | None:
    """Return an argument that an object was made with."""
    return Call(made.name, made.args, made.keywords, made.made).given(position, name)


# --- transforms -----------------------------------------------------------------------------------


def transform(*names: str) -> Callable[[Change], Change]:
    """Register a transform by what it does to an image's sizes."""

    def keep(change: Change) -> Change:
        def run(_: Interpreter, call: Call) -> Value:
            made = call.held
            sizes = sizes_of(call.args[0]) if call.args else None
            if made is None or sizes is None or len(call.args) > 1:
                return call.unknown()
            return rebuilt(call.args[0], change(made, sizes), call.place)

        MODELS.object(*(f"torchvision.{name}" for name in names))(run)
        return change

    return keep


@transform(*KEEPING)
def _kept(_: LibraryObject, sizes: Sizes) -> Sizes:
    return sizes


def _two(value: Value | None) -> tuple[Value, Value] | None:
    if value is None:
        return None
    if isinstance(value.data, list | tuple) and value.data:
        items = [v if v.origins else Value(v.data, value.origins) for v in value.data]
        return items[0], items[-1]
    return (value, value) if size(value) is not None else None


@transform("CenterCrop", "RandomCrop", "RandomResizedCrop")
def _cropped(made: LibraryObject, sizes: Sizes) -> Sizes:
    size_asked = _two(option(made, 0, "size"))
    return (sizes[0], *(size_asked or (Value(UNKNOWN), Value(UNKNOWN))))


@transform("Resize")
def _resized(made: LibraryObject, sizes: Sizes) -> Sizes:
    given = option(made, 0, "size")
    pair = _two(given)
    if pair is None or given is None:
        return sizes[0], Value(UNKNOWN), Value(UNKNOWN)
    height, width = size(sizes[1]), size(sizes[2])
    if isinstance(given.data, list | tuple) and len(given.data) > 1:
        return (sizes[0], *pair)
    if height is None or height != width:
        return sizes[0], unknown(*pair), unknown(*pair)
    return (sizes[0], *pair)


@transform("Grayscale")
def _gray(made: LibraryObject, sizes: Sizes) -> Sizes:
    given = option(made, 0, "num_output_channels")
    return Value(1, frozenset({made.made})) if given is None else given, sizes[1], sizes[2]


@transform("Pad")
def _padded(made: LibraryObject, sizes: Sizes) -> Sizes:
    amount = size(option(made, 0, "padding"))
    height, width = size(sizes[1]), size(sizes[2])
    if amount is None or height is None or width is None:
        return sizes[0], Value(UNKNOWN), Value(UNKNOWN)
    given = option(made, 0, "padding") or Value(None)
    tall = Value(height + 2 * amount, merged(sizes[1], given))
    return sizes[0], tall, Value(width + 2 * amount, merged(sizes[2], given))


@MODELS.object("torchvision.ToTensor", "torchvision.PILToTensor")
def _to_tensor(_: Interpreter, call: Call) -> Value:
    value = call.args[0] if call.args else Value(UNKNOWN)
    whole = call.name.endswith("PILToTensor")
    x = array(value)
    if x is None:
        open_sizes = (Value(UNKNOWN, value.origins),) * 3
        dtype = "uint8" if whole else "float32"
        known = dtype if is_image(value) else None
        return tensor(sizes_of(value) or open_sizes, known, value, device="cpu")
    if x.library == "torch":
        raise Raised("type", "pic should be PIL Image or ndarray, not torch.Tensor", value)
    if x.shape is None:
        return tensor(None, None, value, device="cpu")
    if len(x.shape) not in (2, 3):
        rank = Value(len(x.shape), value.origins)
        raise Raised("size", "pic should be 2/3 dimensional", rank, Value(3))
    shape = (Value(1), *x.shape) if len(x.shape) == 2 else (x.shape[2], *x.shape[:2])
    return tensor(shape, "float32" if x.dtype == "uint8" else x.dtype, value, device="cpu")


@MODELS.object("torchvision.ToPILImage")
def _to_image(_: Interpreter, call: Call) -> Value:
    sizes = sizes_of(call.args[0]) if call.args else None
    return call.unknown() if sizes is None else image(sizes, call.place)


@MODELS.object("torchvision.Normalize")
def _normalize(_: Interpreter, call: Call) -> Value:
    made = call.held
    value = call.args[0] if call.args else Value(UNKNOWN)
    if isinstance(value.data, LibraryObject) and value.data.name == IMAGE:
        raise Raised("type", "img should be Tensor Image, not PIL Image", value)
    x, sizes = array(value), sizes_of(value)
    if x is None or sizes is None or made is None:
        return call.unknown()
    mean = option(made, 0, "mean")
    channels = size(sizes[0])
    if mean is not None and isinstance(mean.data, list | tuple) and channels is not None:
        count = len(mean.data)
        if count not in (1, channels):
            count_value = Value(count, mean.origins | merged(*mean.data) | {made.made})
            message = "the mean's number of channels is not the image's"
            raise Raised("size", message, sizes[0], count_value)
    return tensor(x.shape, x.dtype, value, device=x.device)


@MODELS.object("torchvision.Compose")
def _compose(interpreter: Interpreter, call: Call) -> Value:
    made = call.held
    if made is None or not call.args:
        return call.unknown()
    steps = option(made, 0, "transforms")
    if steps is None or not isinstance(steps.data, list | tuple):
        return call.unknown()
    value = call.args[0]
    for step in steps.data:
        value = interpreter.call(step, (value,), {}, call.place)
    return value


@MODELS.object("torchvision.Lambda")
def _lambda(interpreter: Interpreter, call: Call) -> Value:
    made = call.held
    function = option(made, 0, "lambd") if made is not None else None
    if function is None:
        return call.unknown()
    return interpreter.call(function, call.args, {}, call.place)


# --- functions of transforms ----------------------------------------------------------------------

_F = "torchvision.transforms.functional"
_KEEP = words(
    "hflip vflip rotate affine perspective adjust_brightness adjust_contrast adjust_saturation "
    "adjust_hue adjust_gamma adjust_sharpness invert posterize solarize autocontrast equalize "
    "gaussian_blur erase"
)


def _functional(*names: str) -> Callable[[Model], Model]:
    both = (_F, "torchvision.transforms.v2.functional")
    return MODELS.function(*(f"{module}.{name}" for module in both for name in names))


def _image_of(call: Call) -> tuple[Value, Sizes]:
    value = call.given(0, "img", "pic", "tensor", "inpt", "input") or Value(UNKNOWN)
    sizes = sizes_of(value)
    return value, sizes or (Value(UNKNOWN), Value(UNKNOWN), Value(UNKNOWN))


def _resized_to(call: Call, height: Value, width: Value) -> Value:
    value, sizes = _image_of(call)
    if not is_image(value) and sizes_of(value) is None:
        return call.unknown()
    return rebuilt(value, (sizes[0], height, width), call.place)


@_functional(*_KEEP)
def _functional_kept(_: Interpreter, call: Call) -> Value:
    value, _sizes = _image_of(call)
    return value if is_image(value) or sizes_of(value) is not None else call.unknown()


@_functional("resize")
def _functional_resize(interpreter: Interpreter, call: Call) -> Value:
    asked = listed(interpreter, call.given(1, "size"))
    if asked is not None and len(asked) == 2:
        return _resized_to(call, asked[0], asked[1])
    return _resized_to(call, Value(UNKNOWN), Value(UNKNOWN))


@_functional("crop")
def _functional_crop(_: Interpreter, call: Call) -> Value:
    height, width = call.given(3, "height"), call.given(4, "width")
    return _resized_to(call, height or Value(UNKNOWN), width or Value(UNKNOWN))


@_functional("resized_crop", "center_crop")
def _functional_cut(interpreter: Interpreter, call: Call) -> Value:
    given = call.given(5, "size") if call.name.endswith("resized_crop") else None
    given = given or (call.given(1, "output_size") if "center" in call.name else None)
    asked = listed(interpreter, given)
    if asked is not None and len(asked) == 2:
        return _resized_to(call, asked[0], asked[1])
    edge = given if size(given) is not None and given is not None else Value(UNKNOWN)
    return _resized_to(call, edge, edge)


@_functional("pad")
def _functional_pad(interpreter: Interpreter, call: Call) -> Value:
    _value, (_channels, height, width) = _image_of(call)
    given = call.given(1, "padding")
    sides = listed(interpreter, given) or ([given] if given is not None else [])
    numbers = [size(side) for side in sides]
    tall, wide = size(height), size(width)
    if tall is None or wide is None or None in numbers or len(numbers) not in (1, 2, 4):
        return _resized_to(call, Value(UNKNOWN), Value(UNKNOWN))
    left, top, right, bottom = [number or 0 for number in numbers * (4 // len(numbers))]
    origins = merged(height, width, *sides)
    return _resized_to(
        call, Value(tall + top + bottom, origins), Value(wide + left + right, origins)
    )


@_functional("to_tensor", "pil_to_tensor", "to_image")
def _functional_to_tensor(interpreter: Interpreter, call: Call) -> Value:
    kind = "ToTensor" if call.name.endswith(".to_tensor") else "PILToTensor"
    value = call.given(0, "pic", "inpt") or Value(UNKNOWN)
    return _to_tensor(interpreter, Call(f"torchvision.{kind}", (value,), {}, call.place))


@_functional("to_pil_image")
def _functional_to_image(_: Interpreter, call: Call) -> Value:
    sizes = sizes_of(call.args[0]) if call.args else None
    return thing(IMAGE, call) if sizes is None else image(sizes, call.place)


@_functional("normalize")
def _functional_normalize(interpreter: Interpreter, call: Call) -> Value:
    made = LibraryObject("torchvision.Normalize", call.args[1:], call.keywords, call.place, {})
    value = call.given(0, "tensor", "inpt") or Value(UNKNOWN)
    inner = Call("torchvision.Normalize", (value,), {}, call.place, Value(made))
    return _normalize(interpreter, inner)


# --- data sets ------------------------------------------------------------------------------------


def _sample(interpreter: Interpreter, call: Call) -> Value:
    made = call.held
    if made is None:
        return call.unknown()
    channels, side, classes = CLASSIFIED[made.short][:3]
    origins = frozenset({made.made})
    sizes = (Value(channels, origins), Value(side, origins), Value(side, origins))
    picture = image(sizes, made.made)
    label = Value(Array((), "int64", "numpy", None, 0, classes - 1), origins)
    given, other = option(made, 2, "transform"), option(made, 3, "target_transform")
    if given is not None and given.data is not None:
        picture = interpreter.call(given, (picture,), {}, call.place)
    if other is not None and other.data is not None:
        label = interpreter.call(other, (label,), {}, call.place)
    return Value((picture, label), origins)


def _images(call: Call) -> Value:
    made = call.held
    if made is None:
        return call.unknown()
    trains = flag(option(made, 1, "train"), default=True)
    origins = frozenset({made.made})
    if trains is None:
        return Value(UNKNOWN, origins)
    return Value(CLASSIFIED[made.short][3 if trains else 4], origins)


def _length(_: Interpreter, call: Call) -> Value:
    return _images(call)


def _part(_: Interpreter, call: Call) -> Value:
    made = call.held
    if made is None:
        return call.unknown()
    channels, side, classes = CLASSIFIED[made.short][:3]
    origins = frozenset({made.made})
    count, edge = _images(call), Value(side, origins)
    if call.name == "classes":
        return Value([Value(UNKNOWN, origins)] * classes, origins)
    if call.name == "targets":
        if channels == 3:
            return unknown(count)
        return Value(Array((count,), "int64", "torch", "cpu", 0, classes - 1), origins)
    if channels == 3:
        return Value(Array((count, edge, edge, Value(3, origins)), "uint8", "numpy"), origins)
    return Value(Array((count, edge, edge), "uint8", "torch", "cpu"), origins)


for _name in CLASSIFIED:
    MODELS.method(_name, "__getitem__")(_sample)
    MODELS.method(_name, "__len__")(_length)
    MODELS.attribute(_name, "data", "targets", "classes")(_part)


PICTURES = words(
    "ImageFolder DatasetFolder CocoDetection CocoCaptions VOCDetection VOCSegmentation Cityscapes "
    "OxfordIIITPet Flowers102 Food101 StanfordCars Caltech101 Caltech256 Places365 ImageNet DTD "
    "CelebA SVHN STL10 GTSRB EuroSAT FGVCAircraft Country211 SUN397 LFWPeople Kitti WIDERFace"
)
"""Data sets of pictures that differ in size, with what belongs to each."""
_OPTIONS = ("transform", "target_transform", "transforms")


def _own_options(_: Interpreter, call: Call) -> Value:
    """Keep what an object of a workspace class hands on to the data set that it is."""
    receiver = call.receiver.data if call.receiver is not None else None
    if isinstance(receiver, Instance):
        for name in _OPTIONS:
            receiver.attributes.setdefault(name, call.keywords.get(name, Value(None)))
    return Value(None)


def _picture(interpreter: Interpreter, call: Call) -> Value:
    """Return an image and what belongs to it, after the transforms that the data set has."""
    data = call.receiver.data if call.receiver is not None else None
    given = data.keywords if isinstance(data, LibraryObject) else {}
    if isinstance(data, LibraryObject) and data.short == "ImageFolder":
        given = {**dict(zip(("root", *_OPTIONS[:2]), data.args, strict=False)), **given}
    given = data.attributes if isinstance(data, Instance) else given
    place = data.made if isinstance(data, LibraryObject) else call.place
    target = Value(UNKNOWN)
    if isinstance(data, LibraryObject) and data.short in ("ImageFolder", "DatasetFolder"):
        classes = class_folders(interpreter, given.get("root"))
        target = Value(Array((), "int64", "python"), frozenset({place}))
        if classes and isinstance(target.data, Array):
            target.data.lowest, target.data.highest = 0, len(classes) - 1
    picture = Value(LibraryObject(IMAGE, (), {}, place, {}), frozenset({place}))
    both, one, other = (given.get(name, Value(None)) for name in _OPTIONS[::-1])
    if both.data is not None:
        return interpreter.call(both, (picture, target), {}, call.place)
    if other.data is not None:
        picture = interpreter.call(other, (picture,), {}, call.place)
    if one.data is not None:
        target = interpreter.call(one, (target,), {}, call.place)
    return Value((picture, target), frozenset({place}))


def _classes(interpreter: Interpreter, call: Call) -> Value:
    """Return the names of the classes, or their numbers by name."""
    made = call.held
    root = None if made is None else option(made, 0, "root")
    classes = None if root is None else class_folders(interpreter, root)
    if made is None or not classes:
        return call.unknown()
    places = frozenset({made.made})
    if call.name == "class_to_idx":
        return Value({name: Value(n, places) for n, name in enumerate(classes)}, places)
    return Value([Value(name, places) for name in classes], places)


for _name in ("ImageFolder", "DatasetFolder"):
    MODELS.attribute(_name, "classes", "class_to_idx")(_classes)
for _name in PICTURES:
    MODELS.method(_name, "__getitem__")(_picture)
    MODELS.method(_name, "__init__")(_own_options)


# --- models ---------------------------------------------------------------------------------------

HEADS = {
    **dict.fromkeys(("resnet18", "resnet34"), ("fc", 512)),
    **dict.fromkeys(("resnet50", "resnet101", "resnet152"), ("fc", 2048)),
    **dict.fromkeys(("resnext50_32x4d", "resnext101_32x8d", "wide_resnet50_2"), ("fc", 2048)),
    "densenet121": ("classifier", 1024),
    "densenet169": ("classifier", 1664),
    "densenet161": ("classifier", 2208),
    "densenet201": ("classifier", 1920),
    "shufflenet_v2_x1_0": ("fc", 1024),
    "regnet_y_400mf": ("fc", 440),
}
"""The last layer of models of one dense layer: its name and the size of its input."""


def _network(interpreter: Interpreter, call: Call) -> Value:
    short = call.name.rpartition(".")[2]
    name, width = HEADS[short]
    classes = call.keywords.get("num_classes", Value(1000, frozenset({call.place})))
    origins = frozenset({call.place})

    def layer(kind: str, *args: Value, **keywords: Value) -> Value:
        build: Model = MODELS.functions[f"torch.nn.{kind}"]
        return build(interpreter, Call(f"torch.nn.{kind}", args, keywords, call.place))

    state = {name: layer("Linear", Value(width, origins), dimension(classes))}
    if short.startswith("resnet"):
        sizes = (Value(3, origins), Value(64, origins), Value(7, origins))
        more = {"stride": Value(2, origins), "padding": Value(3, origins), "bias": Value(False)}
        state["conv1"] = layer("Conv2d", *sizes, **more)
    made = LibraryObject(f"torchvision.models.{short}", call.args, call.keywords, call.place, state)
    return Value(made, merged(*call.args, *call.keywords.values()))


def _forward(interpreter: Interpreter, call: Call) -> Value:
    made = call.held
    value = call.given(0, "x")
    x = array(value)
    if made is None or value is None or x is None:
        return call.unknown()
    if x.shape is not None and len(x.shape) != 4:
        rank = Value(len(x.shape), value.origins)
        raise Raised("size", "expected 4D input", rank, Value(4))
    name, width = HEADS[made.short]
    first = made.state.get("conv1")
    origins = frozenset({made.made})
    if first is not None:
        output = array(interpreter.call(first, (value,), {}, call.place))
        if output is not None and output.shape is not None and len(output.shape) > 2:
            arrays.same(output.shape[-3], Value(64, origins), "expected 64 channels")
    elif x.shape is not None:
        arrays.same(x.shape[-3], Value(3, origins), "expected 3 channels")
    shape = None if x.shape is None else (*x.shape[:-3], Value(width, origins))
    features = tensor(shape, x.dtype, value, device=x.device)
    return interpreter.call(made.state[name], (features,), {}, call.place)


MODELS.function(*(f"torchvision.{name}" for name in HEADS))(_network)
MODELS.object(*(f"torchvision.{name}" for name in HEADS))(_forward)
for _name in HEADS:
    add_module_methods(_name)
