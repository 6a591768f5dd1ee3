"""Data files in outline: where a row, a key or a value is not like the others."""

from __future__ import annotations

from pathlib import Path

import pytest

from dl_bug_lsp.workspace import Table, Workspace
from dl_bug_lsp.workspace.configs.tables import read_header, read_table, rows_with


def table(text: str, file: str = "d.csv", is_cut: bool = False) -> Table:
    return read_table(file, text, is_cut)


CLASSES = ["cat", "dog"] * 10


def test_ragged_rows_and_missing_fields() -> None:
    found = table("id,text,label\n1,a,0\n2,b\n\n3,c,1,x\n4,d,1\n")
    assert (found.header_line, found.delimiter, found.rows) == (1, ",", 4)
    assert found.ragged == ((3, 2), (5, 4))
    label = found.column("label")
    assert label is not None
    assert label.missing_lines == (3,)
    assert found.column("nothing") is None


def test_a_first_row_whose_values_come_again_is_no_header() -> None:
    tagged = "Rome\tPLACE\nis\tO\nold\tO\nParis\tPLACE\nOslo\tPLACE\n"
    found = table(tagged, "words.tsv")
    assert (found.header_line, found.rows) == (None, 5)
    assert [column.name for column in found.columns] == ["0", "1"]
    # The cells of a value are told by the same names.
    assert rows_with("words.tsv", tagged, "PLACE", column="1") == ((1, "1"), (4, "1"), (5, "1"))
    assert read_header("words.tsv", tagged).entries == ()
    # A header that stands among the rows once more is one all the same.
    joined = "word\ttag\nRome\tPLACE\nword\ttag\nword\ttag\nis\tO\n"
    assert table(joined, "words.tsv").header_line == 1


def test_a_header_that_most_rows_disagree_with_is_the_odd_one() -> None:
    assert table("a,b,c\n1,2\n3,4\n5,6,7\n").ragged == ((1, 3), (4, 3))


def test_numbers_their_extremes_and_the_odd_value() -> None:
    rows = "".join(f"{number},{number * 0.5}\n" for number in range(10))
    found = table("n,x\n" + rows + "10,N/A\n11,\n12,nan\n-5,99.5\n")
    x = found.column("x")
    n = found.column("n")
    assert x is not None
    assert n is not None
    assert (n.minimum, n.minimum_line, n.maximum, n.maximum_line) == (-5, 15, 12, 14)
    assert (x.maximum, x.maximum_line, x.numbers) == (99.5, 15, 11)
    assert x.odd == ((12, "N/A"), (14, "nan"))
    assert x.empty_lines == (13,)


def test_rare_values_and_lengths() -> None:
    text = "name\tlabel\n" + "".join(f"t{'x' * i}\t{c}\n" for i, c in enumerate(CLASSES))
    found = table(text + "\tdgo\n", "d.tsv")
    label = found.column("label")
    name = found.column("name")
    assert label is not None
    assert name is not None
    assert label.distinct == 3
    assert [(r.value, r.count, r.first_line) for r in label.rare] == [
        ("dgo", 1, 22),
        ("cat", 10, 2),
        ("dog", 10, 3),
    ]
    assert (name.shortest, name.shortest_line) == (1, 2)
    assert name.longest == 20
    assert name.rare == ()


SHAPES = [
    ("1,2\n3,4\n", None, ["0", "1"], 2),
    ("a;b\n1;2,5\n", 1, ["a", "b"], 1),
    ("a|b\n1|2\n", 1, ["a", "b"], 1),
    (",x\n0,1\n", 1, ["", "x"], 1),
    ('a,b\n"x, y\nz",1\n2,3\n', 1, ["a", "b"], 2),
    ("a,a\n1,2\n", None, ["0", "1"], 2),
    ("", None, [], 0),
]


@pytest.mark.parametrize(("text", "header", "names", "rows"), SHAPES)
def test_shapes(text: str, header: int | None, names: list[str], rows: int) -> None:
    found = table(text)
    assert found.header_line == header
    assert [column.name for column in found.columns] == names
    assert found.rows == rows


def test_rows_count_the_lines_on_disk() -> None:
    found = table('a,b\n"x\ny",1\n2\n')
    assert found.ragged == ((4, 1),)


def test_a_quote_that_swallows_the_file() -> None:
    found = table('a,b\n1,"open\n' + "2,3\n" * 300)
    assert (found.problem_line, found.rows) == (2, 1)
    assert found.problem is not None
    huge = table('a,b\n1,"' + "x" * 200_000 + "\n")
    assert huge.problem_line == 2


def test_only_whole_lines_of_a_cut_file_count() -> None:
    found = table("a,b\n1,2\n3", is_cut=True)
    assert (found.rows, found.ragged, found.is_cut) == (1, (), True)


def test_json_lines() -> None:
    text = '{"t": "a b", "l": [1, 2]}\n\n{"t": "", "l": []}\n{"l": [1]}\n{"t": "x", "l": nul\n'
    found = table(text, "d.jsonl")
    t = found.column("t")
    lengths = found.column("l")
    assert t is not None
    assert lengths is not None
    assert (found.rows, found.ragged, found.problem_line) == (3, ((4, 1),), 5)
    assert (t.missing_lines, t.empty_lines) == ((4,), (3,))
    assert (lengths.shortest, lengths.shortest_line, lengths.longest) == (0, 3, 2)


def test_a_json_list_of_records() -> None:
    text = '{"v": 1, "data": [\n {"x": 1, "y": 2},\n {"x": 3},\n {"x": 9, "y": 1}\n]}'
    found = table(text, "d.json")
    x = found.column("x")
    assert x is not None
    assert (found.rows, found.ragged) == (3, ((3, 1),))
    assert (x.maximum, x.maximum_line) == (9, 4)


def test_through_the_workspace(tmp_path: Path) -> None:
    (tmp_path / "d.csv").write_text("text,label\na,cat\nb, dgo \nc,cat\n")
    (tmp_path / "d.jsonl").write_text('{"label": 1}\nbroken\n{"label": 2}\n')
    workspace = Workspace(tmp_path, cache=False)
    assert workspace.table_rows("d.csv", "dgo") == ((3, "label"),)
    assert workspace.table_rows("d.jsonl", "2") == ((3, "label"),)
    assert workspace.table_rows("none.csv", "2") == ()
    assert workspace.table("none.csv") is None
    assert workspace.elements("d.jsonl").problem_line == 2
    (tmp_path / "cut.csv").write_text("a,b\n1,2\n3\n4,5\n")
    cut = workspace.elements("cut.csv")
    assert (cut.problem, cut.problem_line) == ("1 fields where most rows have 2", 3)
    found = workspace.table("d.csv")
    assert found is not None
    assert found.rows == 3
    assert [(e.line, e.value) for e in workspace.config_entries("d.csv")] == [
        (1, "text"),
        (1, "label"),
    ]


def test_a_header_with_columns_that_pandas_counted() -> None:
    text = "date,0,1,2,OT\n1990-01-01,0.5,1.5,0.8,0.7\n1990-01-02,0.4,1.4,0.9,0.6\n"
    table = read_table("rates.csv", text)
    assert table is not None
    assert [column.name for column in table.columns] == ["date", "0", "1", "2", "OT"]
    assert table.rows == 2


def test_remarks_are_no_rows() -> None:
    text = "# campaign of May, units: m, mm\nprobe,x,w\na,1,2\n# moved\nb,3,4 mm\nc,5,6\n"
    text += "d,7,8\ne,1,2\n"
    table = read_table("probes.csv", text)
    assert table.header_line == 2
    assert [column.name for column in table.columns] == ["probe", "x", "w"]
    assert (table.rows, table.ragged) == (5, ())
    assert table.columns[2].odd == ((5, "4 mm"),)
    assert rows_with("probes.csv", text, "4 mm") == ((5, "w"),)


def test_a_header_that_begins_as_a_remark_does() -> None:
    table = read_table("saved.csv", "# time,value\n0.1,2\n0.2,3\n")
    assert (table.header_line, table.rows) == (1, 2)
