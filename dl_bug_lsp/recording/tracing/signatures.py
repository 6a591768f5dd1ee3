"""Arguments as short texts: ``float32(8, 10) cuda:0``, for whatever has a shape and a dtype."""

from __future__ import annotations

from typing import Any

MOST_ITEMS = 64
"""Items of a list or entries of a dict that are looked at."""
MOST_TEXTS = 4
_LIKE_A_TENSOR: dict[type, bool] = {}


def signature(value: Any) -> str:
    """Return the text of an argument, empty where it holds no tensor; one level is opened.

    Only attributes that the value's class defines are read, so that no ``__getattr__`` of the
    user's runs.
    """
    kind = type(value)
    known = _LIKE_A_TENSOR.get(kind)
    if known is None:
        known = _LIKE_A_TENSOR[kind] = _is_like_a_tensor(kind)
    if known:
        return _tensor(value)
    if kind in (list, tuple):
        return _items(value, f"{kind.__name__} of {len(value)}")
    if kind is dict:
        return _entries(value)
    return ""


def _is_like_a_tensor(kind: type) -> bool:
    return all(hasattr(kind, name) for name in ("shape", "dtype"))


def _tensor(value: Any) -> str:
    try:
        shape = ", ".join(map(str, value.shape))
        dtype = str(getattr(value.dtype, "name", value.dtype)).rpartition(".")[2]
        device = str(value.device) if hasattr(type(value), "device") else ""
    except Exception:
        return ""
    where = device.rpartition("device:")[2].lower()
    return f"{dtype}({shape})" + (f" {where}" if where not in ("", "cpu", "cpu:0") else "")


def _items(value: Any, name: str) -> str:
    texts: dict[str, None] = {}
    for item in value[:MOST_ITEMS]:
        known = _LIKE_A_TENSOR.get(type(item))
        if known is None:
            known = _LIKE_A_TENSOR[type(item)] = _is_like_a_tensor(type(item))
        if known:
            texts[_tensor(item)] = None
        elif type(item) in (list, tuple):
            for part in item[:MOST_TEXTS]:
                if _LIKE_A_TENSOR.get(type(part)):
                    texts[_tensor(part)] = None
    told = [text for text in texts if text][:MOST_TEXTS]
    return f"{name}: {', '.join(told)}" if told else ""


def _entries(value: dict[Any, Any]) -> str:
    told: list[str] = []
    for key, item in list(value.items())[:MOST_ITEMS]:
        if _LIKE_A_TENSOR.get(type(item)) or _is_like_a_tensor(type(item)):
            text = _tensor(item)
            if text:
                told.append(f"{str(key)[:30]}: {text}")
    return "{" + ", ".join(told[: 2 * MOST_TEXTS]) + "}" if told else ""
