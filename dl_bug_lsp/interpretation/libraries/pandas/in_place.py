"""Columns and tables of pandas that are changed in place.

A column or a part that is taken from a table is a copy since pandas 3.0, so a change of it never
comes to the table; before, a column showed the table's own cells. Sources: pandas, "What's new in
3.0.0" and "Copy-on-Write (CoW)".
"""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

# These register the models that are changed here.
import dl_bug_lsp.interpretation.libraries.pandas.unknown_cells  # noqa: F401
from dl_bug_lsp.interpretation import arrays
from dl_bug_lsp.interpretation.libraries.pandas.tables import set_column
from dl_bug_lsp.interpretation.model_helpers import is_true
from dl_bug_lsp.interpretation.models import MODELS, Call, Model
from dl_bug_lsp.interpretation.table_values import Series, are_views, note_kept
from dl_bug_lsp.interpretation.values import Value

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter

GIVING_BACK = ("fillna", "ffill", "bfill", "replace", "interpolate", "clip", "where", "mask")
"""Methods that since pandas 3.0 return what they have changed."""
IN_PLACE = (
    *GIVING_BACK,
    "dropna",
    "drop_duplicates",
    "sort_values",
    "sort_index",
    "rename",
    "reset_index",
)


def _changing(model: Model) -> Model:
    """Return a model of a method of columns that follows ``inplace=True``."""

    def run(interpreter: Interpreter, call: Call) -> Value:
        receiver = call.receiver
        held = None if receiver is None else receiver.data
        if receiver is None or not isinstance(held, Series) or held.index is None:
            return model(interpreter, call)
        if not is_true(call.keywords.get("inplace")):
            return model(interpreter, call)
        others = {name: value for name, value in call.keywords.items() if name != "inplace"}
        made = model(interpreter, Call(call.name, call.args, others, call.place, receiver))
        _changed(held, made, call)
        gives_back = call.name in GIVING_BACK and not are_views()
        return receiver if gives_back else Value(None)

    return run


def _changed(held: Series, made: Value, call: Call) -> None:
    """Put what a method gives in the place of a column, and follow what the column's table sees."""
    owner, name, result = held.owner, held.name, made.data
    if isinstance(result, Series):
        for part in fields(Series):
            setattr(held, part.name, getattr(result, part.name))
    else:
        held.cells = held.lowest = held.highest = None
    held.owner = None
    if owner is None or name not in owner.columns:
        return
    if not are_views():
        note_kept(owner, [name], call.place)
    elif held.cells is None or len(held.cells) == arrays.size(owner.rows):
        set_column(owner, name, Value(held, made.origins))


for _name in IN_PLACE:
    _model = MODELS.methods.get(("array", _name))
    if _model is not None:
        _changed_model = _changing(_model)
        MODELS.methods["array", _name] = _changed_model
        if _model in MODELS.numeric:
            MODELS.numeric.add(_changed_model)
