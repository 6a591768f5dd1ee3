"""Data loaders of PyTorch: time, order of rows, what train and test data have in common."""

from __future__ import annotations

import functools
import time
import weakref
import zlib
from typing import Any

import torch
from torch.utils.data import dataloader as torch_dataloader

from dl_bug_lsp.monitoring.recorder.recorder import Place, Recorder
from dl_bug_lsp.monitoring.recorder.torch_layers import Layers
from dl_bug_lsp.monitoring.recorder.torch_tensors import (
    feature_matrix,
    input_row,
    named_tensors,
    row_digests,
)

MOST_LOADERS = 100
MOST_EPOCHS = 64
FIRST_ROWS = 512
"""Indices at the beginning of an epoch whose order is kept."""
MOST_DIGESTS = 4_096
"""Rows of a loader that are compared with those of others."""
FIRST_BATCHES = 16
"""Batches of a loader's first epoch whose rows are compared with others'."""


class LoaderRecord:
    """A data loader and its epochs."""

    def __init__(self, number: int, loader: Any, place: Place) -> None:
        self.number, self.place = number, place
        self.reference = weakref.ref(loader)
        self.epochs = 0
        self.batches = 0
        self.seconds = 0.0
        self.phase = ""
        self.indices: list[int] = []
        self.orders: list[int] = []
        self.digests: set[float] = set()
        self.sequential: float | None = None
        self.compared = 0
        self.row: dict[str, object] = {}

    def describe(self, loader: Any) -> None:
        """Take in what a loader says of itself."""
        name = type(loader.sampler).__name__
        if type(loader.batch_sampler).__name__ not in ("BatchSampler", "NoneType"):
            name = type(loader.batch_sampler).__name__
        self.row = {
            "dataset": type(loader.dataset).__name__,
            "rows": _length(loader.dataset),
            "batch": loader.batch_size,
            "sampler": name,
            "shuffled": _is_random(loader.sampler),
            "drop_last": bool(loader.drop_last),
            "workers": loader.num_workers,
        }


class Loaders:
    """The data loaders of a process."""

    def __init__(self, layers: Layers) -> None:
        self.layers = layers
        self.recorder: Recorder = layers.recorder
        self.seconds = 0.0
        """Seconds that the step under way waited for data."""
        self._made = 0
        self._records: dict[int, LoaderRecord] = {}
        self._places: dict[int, tuple[weakref.ref[Any], Place]] = {}
        self._iterators: weakref.WeakKeyDictionary[Any, LoaderRecord] = weakref.WeakKeyDictionary()
        self.training: LoaderRecord | None = None
        """The loader whose batches the last step was made with."""
        self.last: LoaderRecord | None = None
        self.recorder.refreshers.append(self._refresh)

    def patch(self) -> None:
        """Wrap what a loader's construction and its iteration call."""
        recorder = self.recorder
        loader_class: Any = torch_dataloader.DataLoader
        iterator_class: Any = torch_dataloader._BaseDataLoaderIter
        make, iterate = loader_class.__init__, loader_class.__iter__
        following, indices = iterator_class.__next__, iterator_class._next_index
        clock = time.perf_counter

        @functools.wraps(make)
        def made(loader: Any, *arguments: Any, **keywords: Any) -> None:
            make(loader, *arguments, **keywords)
            try:
                if id(loader) not in self._places or self._places[id(loader)][0]() is not loader:
                    place = recorder.places.of_caller(2, loader)
                    self._places[id(loader)] = (weakref.ref(loader), place)
            except Exception as error:
                recorder.fail(error)

        @functools.wraps(iterate)
        def begin(loader: Any) -> Any:
            known = self._records.get(id(loader))
            if known is not None:
                # Workers that stay ask for indices of the next epoch within the call below.
                self._end_epoch(known)
                known.indices = []
            iterator = iterate(loader)
            try:
                self._begin_epoch(loader, iterator)
            except Exception as error:
                recorder.fail(error)
            return iterator

        @functools.wraps(following)
        def take(iterator: Any) -> Any:
            began = clock()
            batch = following(iterator)
            seconds = clock() - began
            self.seconds += seconds
            record = self._iterators.get(iterator)
            if record is not None:
                record.seconds += seconds
                record.batches += 1
                self.last = record
                if recorder.sampling or record.compared < FIRST_BATCHES:
                    self._look(record, batch)
            return batch

        @functools.wraps(indices)
        def next_index(iterator: Any) -> Any:
            index = indices(iterator)
            record = self._iterators.get(iterator)
            if record is None or len(record.indices) < FIRST_ROWS:
                self._order(record, iterator, index)
            return index

        loader_class.__init__, loader_class.__iter__ = made, begin
        iterator_class.__next__, iterator_class._next_index = take, next_index

        def undo() -> None:
            loader_class.__init__, loader_class.__iter__ = make, iterate
            iterator_class.__next__, iterator_class._next_index = following, indices

        recorder.undo.append(undo)

    def _begin_epoch(self, loader: Any, iterator: Any) -> None:
        record = self._records.get(id(loader))
        if record is not None and record.reference() is not loader:
            # Another loader at the address of one that is gone.
            self._write(record)
            record = None
        if record is None:
            if len(self._records) >= MOST_LOADERS:
                return
            known = self._places.get(id(loader))
            place = known[1] if known is not None and known[0]() is loader else ("", None)
            self._made += 1
            record = self._records[id(loader)] = LoaderRecord(self._made, loader, place)
            record.describe(loader)
        waiting = getattr(iterator, "_dl_bug_indices", None)
        record.epochs += 1
        self._iterators[iterator] = record
        for index in waiting or ():
            self._order(record, iterator, index)
        # A pass over data begins: of the first model that is called one is looked at.
        if self.layers.eval_pass is None and record is not self.training:
            self.layers.want_eval()

    def _order(self, record: LoaderRecord | None, iterator: Any, index: Any) -> None:
        """Take in the indices of a batch; workers ask for some before the loader is known."""
        try:
            if record is None:
                waiting = iterator.__dict__.setdefault("_dl_bug_indices", [])
                if len(waiting) < 64:
                    waiting.append(index)
                return
            rows = index if isinstance(index, (list, tuple)) else [index]
            record.indices.extend(row for row in rows if isinstance(row, int))
        except Exception as error:
            self.recorder.fail(error)

    def _end_epoch(self, record: LoaderRecord) -> None:
        rows = record.indices[:FIRST_ROWS]
        if len(rows) < 2 or record.epochs > MOST_EPOCHS:
            return
        following = sum(row == before + 1 for row, before in zip(rows[1:], rows))
        sequential = following / (len(rows) - 1)
        digest = zlib.crc32(repr(rows).encode())
        record.orders.append(digest)
        record.sequential = sequential
        self.recorder.row(
            "epoch_order",
            loader=record.number,
            epoch=record.epochs,
            step=self.recorder.step,
            rows=len(rows),
            digest="%08x" % digest,
            sequential=sequential,
        )

    def _look(self, record: LoaderRecord, batch: Any) -> None:
        recorder = self.recorder
        try:
            began = time.perf_counter()
            tensors = named_tensors(batch)
            if record.compared < FIRST_BATCHES:
                record.compared += 1
                for _, tensor in tensors[:1]:
                    matrix = feature_matrix(tensor) if tensor.dim() > 1 else None
                    if matrix is not None and len(record.digests) < MOST_DIGESTS:
                        with torch.no_grad():
                            record.digests.update(row_digests(matrix))
            if recorder.sampling and self.layers.wants_train:
                for name, tensor in tensors[:4]:
                    recorder.row(
                        "input",
                        step=recorder.step,
                        source="loader",
                        owner=record.number,
                        phase=record.phase,
                        name=name,
                        **input_row(tensor),
                    )
            recorder.spent += time.perf_counter() - began
        except Exception as error:
            recorder.fail(error)

    def stepped(self) -> float:
        """End a step: the loader that gave the last batch trains; return the seconds waited for."""
        seconds, self.seconds = self.seconds, 0.0
        record = self.last
        if record is not None:
            self.training = record
            record.phase = "train"
            self.recorder.epoch = float(record.epochs)
        return seconds

    @property
    def is_evaluating(self) -> bool:
        """Whether the last batch came from a loader that no step was made with."""
        return self.training is not None and self.last is not None and not self.last.phase

    def _refresh(self) -> None:
        for record in self._records.values():
            self._write(record)
        self._write_overlaps()

    def _write(self, record: LoaderRecord) -> None:
        if not record.orders or len(record.orders) < record.epochs:
            self._peek(record)
        self.recorder.row(
            "loader",
            loader=record.number,
            file=record.place[0],
            line=record.place[1],
            **record.row,
            phase=record.phase or "eval",
            epochs=record.epochs,
            batches=record.batches,
            seconds=record.seconds,
            same_order=len(set(record.orders)) == 1 if len(record.orders) > 1 else None,
            sequential=record.sequential,
        )

    def _peek(self, record: LoaderRecord) -> None:
        rows = record.indices[:FIRST_ROWS]
        if record.sequential is None and len(rows) > 1:
            following = sum(row == before + 1 for row, before in zip(rows[1:], rows))
            record.sequential = following / (len(rows) - 1)

    def _write_overlaps(self) -> None:
        records = list(self._records.values())[:12]
        for at, first in enumerate(records):
            for second in records[at + 1 :]:
                if (first.phase or "eval") == (second.phase or "eval"):
                    continue
                shared = _shared_rows(first, second)
                if shared is not None:
                    self.recorder.row(
                        "overlap",
                        loader=first.number,
                        other=second.number,
                        compared=shared[0],
                        shared=shared[1],
                    )


def _shared_rows(first: LoaderRecord, second: LoaderRecord) -> tuple[int, int] | None:
    """Return how many rows were compared and are in both; by indices where both are subsets."""
    left, right = first.reference(), second.reference()
    if left is not None and right is not None:
        data, other_data = left.dataset, right.dataset
        if data is other_data:
            size = _length(data)
            return (size, size) if size else None
        if getattr(data, "dataset", data) is getattr(other_data, "dataset", other_data):
            rows, others = getattr(data, "indices", None), getattr(other_data, "indices", None)
            if rows is not None and others is not None:
                left_rows = {int(row) for row in list(rows)[:1_000_000]}
                right_rows = {int(row) for row in list(others)[:1_000_000]}
                return min(len(left_rows), len(right_rows)), len(left_rows & right_rows)
    if len(first.digests) > 1 and len(second.digests) > 1:
        size = min(len(first.digests), len(second.digests))
        return size, len(first.digests & second.digests)
    return None


def _length(dataset: Any) -> int | None:
    try:
        return len(dataset)
    except Exception:
        return None


def _is_random(sampler: Any) -> bool | None:
    name = type(sampler).__name__
    if name == "SequentialSampler":
        return False
    if "Random" in name:
        return True
    shuffle = getattr(sampler, "shuffle", None)
    return bool(shuffle) if isinstance(shuffle, bool) else None
