"""Models of the data sets of scikit-learn and seaborn: those that come with them, and made ones.

Sources: ``sklearn.datasets`` of the scikit-learn 1.9 reference, the descriptions of the data sets
at OpenML, and the tables of seaborn's repository of data.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dl_bug_lsp.interpretation.arrays import size
from dl_bug_lsp.interpretation.libraries.numpy.functions import new
from dl_bug_lsp.interpretation.model_helpers import is_true, listed, state_of, thing
from dl_bug_lsp.interpretation.models import MODELS, Call
from dl_bug_lsp.interpretation.table_values import Series
from dl_bug_lsp.interpretation.values import (
    UNKNOWN,
    Array,
    Lazy,
    Origins,
    Table,
    Value,
    merged,
)

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter


@dataclass(frozen=True, slots=True)
class DataSet:
    """What is known of a data set; ``counts`` are those of its classes, where it is sorted."""

    rows: int
    features: tuple[str, ...]
    target: str
    classes: int = 0
    names: tuple[str, ...] = ()
    counts: tuple[int, ...] = ()


_OF_CELLS = (
    "radius", "texture", "perimeter", "area", "smoothness", "compactness", "concavity",
    "concave points", "symmetry", "fractal dimension",
)  # fmt: skip
_KINDS_OF_CELLS = ("mean {}", "{} error", "worst {}")
_OF_WINE = (
    "alcohol malic_acid ash alcalinity_of_ash magnesium total_phenols flavanoids "
    "nonflavanoid_phenols proanthocyanins color_intensity hue od280/od315_of_diluted_wines proline"
)
LOADED = {
    "load_iris": DataSet(
        150,
        tuple(
            f"{part} {side} (cm)" for part in ("sepal", "petal") for side in ("length", "width")
        ),
        "int64",
        3,
        ("setosa", "versicolor", "virginica"),
        (50, 50, 50),
    ),
    "load_digits": DataSet(
        1797, tuple(f"pixel_{i}_{j}" for i in range(8) for j in range(8)), "int64", 10
    ),
    "load_wine": DataSet(
        178, tuple(_OF_WINE.split()), "int64", 3, ("class_0", "class_1", "class_2"), (59, 71, 48)
    ),
    "load_breast_cancer": DataSet(
        569,
        tuple(kind.format(name) for kind in _KINDS_OF_CELLS for name in _OF_CELLS),
        "int64",
        2,
        ("malignant", "benign"),
    ),
    "load_diabetes": DataSet(
        442, ("age", "sex", "bmi", "bp", "s1", "s2", "s3", "s4", "s5", "s6"), "float64"
    ),
    "fetch_california_housing": DataSet(
        20640,
        (
            *("MedInc", "HouseAge", "AveRooms", "AveBedrms"),
            *("Population", "AveOccup", "Latitude", "Longitude"),
        ),
        "float64",
        0,
        ("MedHouseVal",),
    ),
}  # fmt: skip
DIGITS_UP_TO = (178, 360, 537, 720, 901, 1083, 1264, 1443, 1617, 1797)
"""How many of the digits' rows are of the first classes, by the number of classes."""


def _texts(names: Sequence[str], place: Origins) -> Value:
    return Value([Value(name, place) for name in names], place)


def _names(names: Sequence[str], place: Origins) -> Value:
    count = Value(len(names), place)
    return Value(Series((count,), "object", "numpy", cells=tuple(names)), place)


def _target(of: DataSet, rows: Value, classes: int, place: Origins) -> Value:
    bounds = (0, classes - 1) if classes else (None, None)
    if not of.counts:
        return new((rows,), of.target, place, bounds)
    cells = tuple(itertools.chain(*([i] * n for i, n in enumerate(of.counts))))
    made = Series((rows,), of.target, "numpy", None, cells=cells)
    made.lowest, made.highest = bounds
    return Value(made, place)


@MODELS.function(*(f"sklearn.datasets.{name}" for name in LOADED))
def _load(_: Interpreter, call: Call) -> Value:
    """Return a data set: an array or a table of its features, its target, and its names."""
    name = call.name.rpartition(".")[2]
    of, place = LOADED[name], frozenset({call.place})
    framed, paired = call.keywords.get("as_frame"), call.keywords.get("return_X_y")
    for flag in (framed, paired):
        if flag is not None and not isinstance(flag.data, bool):
            return call.unknown()
    count, classes = of.rows, of.classes
    if "n_class" in call.keywords or (name == "load_digits" and call.args):
        asked = size(call.given(0, "n_class"))
        if asked is None or not 1 <= asked <= classes:
            return call.unknown()
        count, classes = DIGITS_UP_TO[asked - 1], asked
    elif call.args:
        return call.unknown()
    rows, width = Value(count, place), Value(len(of.features), place)
    x = new((rows, width), "float64", place)
    y = _target(of, rows, classes, place)
    parts: dict[str, Value] = {"data": x, "target": y, "frame": Value(None, place)}
    if is_true(framed):
        label = of.names[0] if of.classes == 0 and of.names else "target"
        columns: dict[object, str | None] = dict.fromkeys(of.features, "float64")
        parts["data"] = Value(Table(dict(columns), rows), place)
        parts["frame"] = Value(Table({**columns, label: of.target}, rows), place)
        assert isinstance(y.data, Array)
        cells = y.data.cells if isinstance(y.data, Series) else None
        bounds = (y.data.lowest, y.data.highest)
        index = range(count)
        series = Series((rows,), of.target, "numpy", None, *bounds, cells, (), index, name=label)
        parts["target"] = Value(series if cells is not None else y.data, place)
    if is_true(paired):
        return Value((parts["data"], parts["target"]), place)
    parts["feature_names"] = _texts(of.features, place)
    if name == "load_breast_cancer":
        parts["feature_names"] = _names(of.features, place)
    if name == "load_digits":
        kinds = Value(classes, place)
        parts["target_names"] = new((kinds,), "int64", place, (0, classes - 1))
        parts["images"] = new((rows, Value(8, place), Value(8, place)), "float64", place)
    elif of.classes:
        parts["target_names"] = _names(of.names, place)
    elif of.names:
        parts["target_names"] = _texts(of.names, place)
    parts["DESCR"] = Value(UNKNOWN, place)
    return thing("sklearn.utils.Bunch", call, **parts)


GROUPS_OF_NEWS = [
    "alt.atheism",
    "comp.graphics",
    "comp.os.ms-windows.misc",
    "comp.sys.ibm.pc.hardware",
    "comp.sys.mac.hardware",
    "comp.windows.x",
    "misc.forsale",
    "rec.autos",
    "rec.motorcycles",
    "rec.sport.baseball",
    "rec.sport.hockey",
    "sci.crypt",
    "sci.electronics",
    "sci.med",
    "sci.space",
    "soc.religion.christian",
    "talk.politics.guns",
    "talk.politics.mideast",
    "talk.politics.misc",
    "talk.religion.misc",
]
NEWS = {"train": 11314, "test": 7532, "all": 18846}


@MODELS.function("sklearn.datasets.fetch_20newsgroups")
def _news(interpreter: Interpreter, call: Call) -> Value:
    place = frozenset({call.place})
    subset, chosen = call.keywords.get("subset"), call.keywords.get("categories")
    if call.args or "return_X_y" in call.keywords:
        return call.unknown()
    names: list[str] | None = GROUPS_OF_NEWS
    count: object = NEWS.get(str(subset.data) if subset is not None else "train", UNKNOWN)
    if chosen is not None and chosen.data is not None:
        count = UNKNOWN
        items = listed(interpreter, chosen)
        names = None
        if items is not None and all(item.data in GROUPS_OF_NEWS for item in items):
            names = sorted({str(item.data) for item in items})
    rows = Value(count, place)
    known = names is not None
    return thing(
        "sklearn.utils.Bunch",
        call,
        data=Value(Lazy(Value(UNKNOWN, place), rows), place),
        filenames=new((rows,), "object", place),
        target_names=_texts(names, place) if names is not None else Value(UNKNOWN, place),
        target=new((rows,), "int64", place, (0, len(names or ()) - 1) if known else (None, None)),
        DESCR=Value(UNKNOWN, place),
    )


@MODELS.function("sklearn.datasets.fetch_olivetti_faces")
def _faces(_: Interpreter, call: Call) -> Value:
    place = frozenset({call.place})
    rows, side = Value(400, place), Value(64, place)
    x = new((rows, Value(4096, place)), "float32", place)
    y = new((rows,), "int64", place, (0, 39))
    if "return_X_y" in call.keywords:
        return Value((x, y), place) if is_true(call.keywords["return_X_y"]) else call.unknown()
    images = new((rows, side, side), "float32", place)
    return thing("sklearn.utils.Bunch", call, data=x, images=images, target=y)


@MODELS.function("sklearn.datasets.fetch_covtype")
def _forests(_: Interpreter, call: Call) -> Value:
    place = frozenset({call.place})
    if call.args or call.keywords.keys() - {"random_state", "shuffle", "data_home"}:
        return call.unknown()
    rows = Value(581012, place)
    x = new((rows, Value(54, place)), "float64", place)
    y = new((rows,), "int32", place, (1, 7))
    return thing("sklearn.utils.Bunch", call, data=x, target=y)


OPEN = {"mnist_784": (70000, 784), "fashion-mnist": (70000, 784)}
"""Rows and features of data sets at OpenML whose target is a text."""


@MODELS.function("sklearn.datasets.fetch_openml")
def _open(_: Interpreter, call: Call) -> Value:
    """Return a data set of OpenML: tables, unless it is asked for arrays."""
    place = frozenset({call.place})
    name, framed = call.given(0, "name"), call.keywords.get("as_frame")
    known = OPEN.get(str(name.data).lower()) if name is not None else None
    if known is None or call.keywords.keys() & {"target_column", "data_id"}:
        return call.unknown()
    rows, width = Value(known[0], place), Value(known[1], place)
    x = new((rows, width), None, place)
    y = new((rows,), "object", place)
    if framed is None or framed.data in ("auto", True):
        columns: dict[object, str | None] = {f"pixel{i + 1}": None for i in range(known[1])}
        x = Value(Table(columns, rows), place)
    elif framed.data is not False:
        return call.unknown()
    paired = call.keywords.get("return_X_y")
    if paired is not None:
        return Value((x, y), place) if is_true(paired) else call.unknown()
    return thing("sklearn.utils.Bunch", call, data=x, target=y)


@MODELS.function("sklearn.datasets.load_linnerud")
def _exercises(_: Interpreter, call: Call) -> Value:
    place = frozenset({call.place})
    if call.args or call.keywords:
        return call.unknown()
    shape = (Value(20, place), Value(3, place))
    array = new(shape, "float64", place)
    return thing(
        "sklearn.utils.Bunch",
        call,
        data=array,
        target=new(shape, "float64", place),
        feature_names=_texts(("Chins", "Situps", "Jumps"), place),
        target_names=_texts(("Weight", "Waist", "Pulse"), place),
        frame=Value(None, place),
    )


def _picture(place: Origins) -> Value:
    return new(tuple(Value(n, place) for n in (427, 640, 3)), "uint8", place)


@MODELS.function("sklearn.datasets.load_sample_image")
def _sample(_: Interpreter, call: Call) -> Value:
    return _picture(frozenset({call.place}))


@MODELS.function("sklearn.datasets.load_sample_images")
def _samples(_: Interpreter, call: Call) -> Value:
    place = frozenset({call.place})
    return thing(
        "sklearn.utils.Bunch", call, images=Value([_picture(place), _picture(place)], place)
    )


# --- what data sets are returned in ---------------------------------------------------------------


@MODELS.method("Bunch", "__getitem__")
def _bunch(_: Interpreter, call: Call) -> Value:
    key = call.given(0)
    if key is None or not isinstance(key.data, str):
        return call.unknown()
    return state_of(call.receiver, key.data)


# --- data sets that are made ----------------------------------------------------------------------


def _number(call: Call, position: int | None, name: str, default: int) -> Value:
    """Return a whole number that a call was given, its default where it was not."""
    given = call.keywords.get(name)
    if given is None and position is not None and position < len(call.args):
        given = call.args[position]
    if given is None:
        return Value(default)
    return given if size(given) is not None else Value(UNKNOWN, given.origins)


@MODELS.function("sklearn.datasets.make_classification", "sklearn.datasets.make_regression")
@MODELS.function("sklearn.datasets.make_blobs", "sklearn.datasets.make_moons")
@MODELS.function("sklearn.datasets.make_circles")
def _make(interpreter: Interpreter, call: Call) -> Value:
    name = call.name.rpartition(".")[2]
    wide = {"make_classification": 20, "make_regression": 100, "make_blobs": 2}
    rows = call.given(0, "n_samples") or Value(100)
    width = _number(call, 1, "n_features", wide[name]) if name in wide else Value(2)
    several = listed(interpreter, rows) if isinstance(rows.data, (list, tuple)) else None
    counts = [size(item) for item in several or ()]
    if counts and None not in counts:
        rows = Value(sum(n for n in counts if n is not None), rows.origins)
    elif size(rows) is None:
        rows = Value(UNKNOWN, rows.origins)
    dtype = "float64" if name == "make_regression" else "int64"
    classes: int | None = 2
    centers: Value | None = None
    if name == "make_classification":
        classes = size(call.keywords["n_classes"]) if "n_classes" in call.keywords else 2
    elif name == "make_blobs":
        given = call.given(2, "centers")
        classes = size(given) if given is not None and given.data is not None else 3
        if several is not None:
            classes = len(several)
        centers = given
        if given is not None and given.data is not None and size(given) is None:
            held = given.data
            places = listed(interpreter, given) if isinstance(held, (list, tuple)) else None
            width = Value(UNKNOWN, given.origins)
            if isinstance(held, Array) and held.shape is not None and len(held.shape) == 2:
                classes, width = size(held.shape[0]), held.shape[1]
            elif places and isinstance(places[0].data, (list, tuple)):
                classes, width = len(places), Value(len(places[0].data), given.origins)
    bounds = (0, classes - 1) if classes and dtype == "int64" else (None, None)
    x = new((rows, width), "float64", merged(rows, width))
    shape: tuple[Value, ...] = (rows,)
    targets = call.keywords.get("n_targets")
    if targets is not None and targets.data != 1:
        shape = (rows, Value(targets.data if size(targets) else UNKNOWN, targets.origins))
    y = new(shape, dtype, merged(*call.keywords.values()), bounds)
    parts = [x, y]
    if "coef" in call.keywords and is_true(call.keywords["coef"]):
        parts.append(new((width, *shape[1:]), "float64", merged(width)))
    elif "return_centers" in call.keywords and is_true(call.keywords["return_centers"]):
        number = Value(UNKNOWN if classes is None else classes)
        parts.append(new((number, width), "float64", merged(*([centers] if centers else []))))
    return Value(tuple(parts), merged(rows, width))


MADE: dict[str, tuple[int, int | None, str, str]] = {
    "make_swiss_roll": (100, 3, "", "float64"),
    "make_s_curve": (100, 3, "", "float64"),
    "make_gaussian_quantiles": (100, 2, "n_features", "int64"),
    "make_hastie_10_2": (12000, 10, "", "float64"),
    "make_friedman1": (100, 10, "n_features", "float64"),
    "make_friedman2": (100, 4, "", "float64"),
    "make_friedman3": (100, 4, "", "float64"),
    "make_sparse_uncorrelated": (100, 10, "n_features", "float64"),
}
"""The numbers of samples and of features, the parameter of these, and the dtype of the target."""


@MODELS.function(*(f"sklearn.datasets.{name}" for name in MADE))
def _made(_: Interpreter, call: Call) -> Value:
    name = call.name.rpartition(".")[2]
    count, features, parameter, dtype = MADE[name]
    first = name != "make_gaussian_quantiles"
    rows = _number(call, 0 if first else None, "n_samples", count)
    width = _number(call, 1 if parameter else None, parameter, features or 0)
    if not first and call.args:
        return call.unknown()
    origins = merged(rows, width) | {call.place}
    return Value((new((rows, width), "float64", origins), new((rows,), dtype, origins)), origins)


@MODELS.function("sklearn.datasets.make_multilabel_classification")
def _labelled(_: Interpreter, call: Call) -> Value:
    if call.keywords.keys() & {"sparse", "return_indicator", "return_distributions"}:
        return call.unknown()
    rows = _number(call, 0, "n_samples", 100)
    width = _number(call, 1, "n_features", 20)
    classes = _number(call, 2, "n_classes", 5)
    origins = merged(rows, width, classes) | {call.place}
    y = new((rows, classes), "int64", origins, (0, 1))
    return Value((new((rows, width), "float64", origins), y), origins)


@MODELS.function("sklearn.datasets.make_low_rank_matrix", "sklearn.datasets.make_spd_matrix")
def _matrix(_: Interpreter, call: Call) -> Value:
    if call.name.endswith("make_spd_matrix"):
        side = call.given(0, "n_dim") or Value(UNKNOWN)
        return new((side, side), "float64", side.origins)
    rows, width = _number(call, 0, "n_samples", 100), _number(call, 1, "n_features", 100)
    return new((rows, width), "float64", merged(rows, width))


# --- seaborn --------------------------------------------------------------------------------------

SEABORN = {
    "anscombe": (44, "dataset:object x:float64 y:float64"),
    "car_crashes": (
        51,
        "total:float64 speeding:float64 alcohol:float64 not_distracted:float64 "
        "no_previous:float64 ins_premium:float64 ins_losses:float64 abbrev:object",
    ),
    "diamonds": (
        53940,
        "carat:float64 cut: color: clarity: depth:float64 table:float64 price:int64 "
        "x:float64 y:float64 z:float64",
    ),
    "flights": (144, "year:int64 month: passengers:int64"),
    "fmri": (1064, "subject:object timepoint:int64 event:object region:object signal:float64"),
    "geyser": (272, "duration:float64 waiting:int64 kind:object"),
    "iris": (
        150,
        "sepal_length:float64 sepal_width:float64 petal_length:float64 petal_width:float64 "
        "species:object",
    ),
    "mpg": (
        398,
        "mpg:float64 cylinders:int64 displacement:float64 horsepower:float64 weight:int64 "
        "acceleration:float64 model_year:int64 origin:object name:object",
    ),
    "penguins": (
        344,
        "species:object island:object bill_length_mm:float64 bill_depth_mm:float64 "
        "flipper_length_mm:float64 body_mass_g:float64 sex:object",
    ),
    "planets": (
        1035,
        "method:object number:int64 orbital_period:float64 mass:float64 distance:float64 "
        "year:int64",
    ),
    "tips": (244, "total_bill:float64 tip:float64 sex: smoker: day: time: size:int64"),
    "titanic": (
        891,
        "survived:int64 pclass:int64 sex:object age:float64 sibsp:int64 parch:int64 fare:float64 "
        "embarked:object class: who:object adult_male:bool deck: embark_town:object alive:object "
        "alone:bool",
    ),
}
"""Rows and columns of seaborn's data sets; of columns of categories no dtype is told."""


@MODELS.function("seaborn.load_dataset")
def _seaborn(_: Interpreter, call: Call) -> Value:
    name = call.given(0, "name")
    known = SEABORN.get(name.data) if name is not None and isinstance(name.data, str) else None
    if known is None or len(call.args) > 1 or call.keywords.keys() - {"name", "cache"}:
        return call.unknown()
    place = frozenset({call.place})
    columns: dict[object, str | None] = {}
    for column in known[1].split():
        title, _colon, dtype = column.partition(":")
        columns[title] = dtype or None
    return Value(Table(columns, Value(known[0], place)), place)


@MODELS.method("Bunch", "keys", "values", "items", "__iter__", "__len__", "get")
def _of_bunch(_: Interpreter, call: Call) -> Value:
    held = call.held
    if held is None or held.name != "sklearn.utils.Bunch":
        return call.unknown()
    if call.name == "get":
        key = call.given(0)
        found = held.state.get(key.data) if key is not None and isinstance(key.data, str) else None
        return found if found is not None else call.unknown()
    if "DESCR" in held.state:
        return call.unknown()  # What else they hold differs from version to version.
    origins = frozenset({held.made})
    names = [Value(name, origins) for name in held.state]
    if call.name == "__len__":
        return Value(len(names), origins)
    if call.name == "values":
        return Value(list(held.state.values()), origins)
    if call.name == "items":
        pairs = zip(names, held.state.values(), strict=True)
        return Value([Value((name, value)) for name, value in pairs], origins)
    return Value(names, origins)
