"""Models of searches for parameters: what the best estimator is, and what a search finds out.

Source: ``sklearn.model_selection`` of the scikit-learn 1.9 reference.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dl_bug_lsp.interpretation.arrays import size
from dl_bug_lsp.interpretation.libraries.effects import some_number, words
from dl_bug_lsp.interpretation.libraries.numpy.functions import new
from dl_bug_lsp.interpretation.libraries.sklearn.composed import cloned
from dl_bug_lsp.interpretation.libraries.sklearn.estimators import SEARCHES, folds_of, option
from dl_bug_lsp.interpretation.libraries.sklearn.functions import _each, _remember
from dl_bug_lsp.interpretation.model_helpers import is_true, listed, state_of
from dl_bug_lsp.interpretation.models import MODELS, Call
from dl_bug_lsp.interpretation.values import (
    NOWHERE,
    UNKNOWN,
    Instance,
    LibraryObject,
    Value,
    merged,
    unknown,
)

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter


MOST_CANDIDATES = 2_000


def _grids(interpreter: Interpreter, grid: Value | None) -> list[dict[str, Value]] | None:
    """Return the dictionaries of a grid of parameters, None where they are not known."""
    if grid is None:
        return None
    given = [grid] if isinstance(grid.data, dict) else listed(interpreter, grid)
    if not given or not all(isinstance(one.data, dict) for one in given):
        return None
    return [
        {str(name): value for name, value in one.data.items()}
        for one in given
        if isinstance(one.data, dict)
    ]


def _best(
    interpreter: Interpreter, grids: list[dict[str, Value]]
) -> tuple[dict[str, Value], int | None, bool]:
    """Return the best parameters as far as they are known, their choices, and whether all are.

    A name that not all grids have may be missing among the best parameters.
    """
    count: int | None = 0
    values: dict[str, list[Value] | None] = {}
    for grid in grids:
        product: int | None = 1
        for name, value in grid.items():
            items = listed(interpreter, value)
            known = values.get(name, [])
            values[name] = None if items is None or known is None else [*known, *items]
            product = None if items is None or product is None else product * len(items)
        count = None if product is None or count is None else count + product
    best: dict[str, Value] = {}
    for name, found in values.items():
        same = found is not None and len(found) == len(grids) == 1
        best[name] = found[0] if found is not None and same else Value(UNKNOWN)
    return best, count, all(grid.keys() == values.keys() for grid in grids)


@_each(SEARCHES, "fit")
def _searched(interpreter: Interpreter, call: Call) -> Value:
    """Fit a clone of the estimator of a search, and leave what a search finds out."""
    held = call.held
    if held is None or call.receiver is None:
        return call.unknown()
    estimator = option(held, 0, "estimator") or Value(UNKNOWN)
    grid = option(held, 1, "param_grid") or held.keywords.get("param_distributions")
    grids = _grids(interpreter, grid)
    best, count, all_named = ({}, None, False) if grids is None else _best(interpreter, grids)
    fitted = Value(UNKNOWN, estimator.origins)
    refit = held.keywords.get("refit")
    if isinstance(estimator.data, LibraryObject) and grids is not None:
        fitted = cloned(estimator, best)
        model = None
        if isinstance(fitted.data, LibraryObject) and (refit is None or refit.data is not False):
            model = MODELS.methods.get((fitted.data.short, "fit"))
        if model is not None:
            model(interpreter, Call("fit", call.args, call.keywords, call.place, fitted))
    elif isinstance(estimator.data, (LibraryObject, Instance)):
        fitted = unknown(estimator)
    if held.short != "GridSearchCV":
        count = size(option(held, 2, "n_iter") or Value(10))
        if held.short != "RandomizedSearchCV":
            count = None
        # Lists of less values than asked for are used whole.
        elif grids is not None and all(
            isinstance(value.data, (list, tuple)) for one in grids for value in one.values()
        ):
            choices = _best(interpreter, grids)[1]
            count = None if count is None or choices is None else min(count, choices)
    folds = folds_of(held.keywords.get("cv"))
    known_best = grids is not None and all_named
    params = Value(dict(best), call.receiver.origins) if known_best else Value(UNKNOWN)
    _remember(
        call,
        best_estimator_=fitted,
        best_params_=params,
        best_score_=some_number(call),
        best_index_=some_number(call, "int64"),
        n_splits_=folds if size(folds) else some_number(call, "int64"),
        refit_time_=some_number(call),
        multimetric_=Value(UNKNOWN),
        scorer_=Value(UNKNOWN),
        cv_results_=Value(UNKNOWN),
    )
    scoring = held.keywords.get("scoring")
    if scoring is None or isinstance(scoring.data, str):
        _remember(call, multimetric_=Value(False))
    if grids is not None:
        results = _results(held, best, count, all_named)
        if results is not None:
            _remember(call, cv_results_=Value(results))
    return call.receiver


def _results(
    held: LibraryObject, best: dict[str, Value], count: int | None, all_named: bool
) -> dict[object, Value] | None:
    """Return the table of what a search tried, None where its names are not known."""
    folds = size(folds_of(held.keywords.get("cv")))
    scoring = held.keywords.get("scoring")
    if folds is None or not (scoring is None or isinstance(scoring.data, str)):
        return None
    number = Value(UNKNOWN if count is None else count, held.keywords.get("cv", Value(0)).origins)
    column = new((number,), "float64", NOWHERE)
    names = ["mean_fit_time", "std_fit_time", "mean_score_time", "std_score_time"]
    results: dict[object, Value] = dict.fromkeys(names, column)
    results.update({f"param_{name}": new((number,), "object", NOWHERE) for name in best})
    one = Value({name: Value(UNKNOWN) for name in best}) if all_named else Value(UNKNOWN)
    few = count is not None and count <= MOST_CANDIDATES
    results["params"] = Value([one] * (count or 0)) if few else Value(UNKNOWN)
    parts = ["test", "train"] if is_true(held.keywords.get("return_train_score")) else ["test"]
    for part in parts:
        for i in range(folds):
            results[f"split{i}_{part}_score"] = column
        results[f"mean_{part}_score"] = results[f"std_{part}_score"] = column
        if part == "test":
            results["rank_test_score"] = new((number,), "int32", NOWHERE)
    return results


OF_BEST = words(
    "predict predict_proba predict_log_proba decision_function transform inverse_transform score "
    "score_samples get_feature_names_out"
)


@_each(SEARCHES, *OF_BEST)
def _by_best(interpreter: Interpreter, call: Call) -> Value:
    best = state_of(call.receiver, "best_estimator_")
    if not isinstance(best.data, LibraryObject):
        return call.unknown()
    model = MODELS.methods.get((best.data.short, call.name))
    if call.name == "score" and call.held is not None and call.held.keywords.get("scoring"):
        return some_number(call)
    if model is None:
        return call.unknown()
    return model(interpreter, Call(call.name, call.args, call.keywords, call.place, best))


def _of_best(interpreter: Interpreter, call: Call) -> Value:
    best = state_of(call.receiver, "best_estimator_")
    if not isinstance(best.data, LibraryObject):
        return call.unknown()
    return interpreter.attribute(best, call.name, call.place)


for _short in SEARCHES:
    for _name in words("classes_ n_features_in_ feature_names_in_"):
        MODELS.attributes[_short, _name] = _of_best


@MODELS.function("sklearn.model_selection.cross_val_predict")
def _cross_val_predict(interpreter: Interpreter, call: Call) -> Value:
    """Return what clones of an estimator predict of the rows that they were not fitted on."""
    estimator, source = call.given(0, "estimator"), call.given(1, "X")
    target, method = call.given(2, "y"), call.keywords.get("method")
    name = "predict" if method is None else method.data
    if estimator is None or source is None or not isinstance(name, str):
        return call.unknown()
    made = cloned(estimator)
    if not isinstance(made.data, LibraryObject):
        return call.unknown()
    fit, model = (MODELS.methods.get((made.data.short, part)) for part in ("fit", name))
    if fit is None or model is None:
        return call.unknown()
    given = (source, target) if target is not None else (source,)
    fit(interpreter, Call("fit", given, {}, call.place, made))
    found = model(interpreter, Call(name, (source,), {}, call.place, made))
    return Value(found.data, merged(*call.args))
