"""Layout of tables, plain and on a terminal."""

from __future__ import annotations

from kueuectl.report import tables, terminal
from kueuectl.report.tables import Column, Table

QUEUES = Table(
    (Column("NAME"), Column("COHORT"), Column("USED", right=True), Column("REASON", wide=True)),
    [("alpha", "", "2", "Ready"), ("b", "research", "128", "")],
)


def lines(table: Table, *, headers: bool = True) -> list[str]:
    return list(tables.lines(table, headers=headers))


def test_cells_are_aligned_and_nothing_trails() -> None:
    want = [
        "NAME    COHORT     USED   REASON",
        "alpha                 2   Ready",
        "b       research    128",
    ]
    assert lines(QUEUES) == want


def test_without_headers_the_widths_are_those_of_the_rows() -> None:
    assert lines(QUEUES.narrowed(wide=False), headers=False) == ["alpha                2", "b       research   128"]


def test_wide_columns_only_when_asked_for() -> None:
    assert [column.title for column in QUEUES.narrowed(wide=False).columns] == ["NAME", "COHORT", "USED"]
    assert QUEUES.narrowed(wide=True) is QUEUES


def test_one_remaining_column() -> None:
    table = Table((Column("NAME"), Column("X", wide=True)), [("a", "1")])
    assert lines(table.narrowed(wide=False)) == ["NAME", "a"]


def test_long_cells_are_never_cut() -> None:
    table = Table((Column("NAME"), Column("X")), [("n" * 300, "y")])
    assert lines(table)[1] == "n" * 300 + "   y"


def test_wide_characters_keep_the_columns_straight() -> None:
    table = Table((Column("NAME"), Column("N", right=True)), [("数量", "1"), ("ab", "22")])
    assert lines(table) == ["NAME    N", "数量    1", "ab     22"]


def test_hostile_cells_are_escaped_and_stay_on_their_line() -> None:
    table = Table((Column("NAME"), Column("X")), [("a\nb\x1b[2J", "c")])
    assert lines(table) == ["NAME          X", "a\\nb\\x1b[2J   c"]


def test_braces_in_cells_are_text() -> None:
    assert lines(Table((Column("NAME"),), [("{0} {x}",)])) == ["NAME", "{0} {x}"]


def test_an_empty_table_is_its_header() -> None:
    table = Table((Column("NAME"), Column("AGE")), [])
    assert lines(table) == ["NAME   AGE"]
    assert lines(table, headers=False) == []


STATES = Table(
    (Column("NAME"), Column("STATUS", is_state=True), Column("WAITS FOR", is_prose=True)),
    [("[bold]a[/]", "ADMITTED", ""), ("b", "PENDING", "two more of cpu in flavor spot, or a smaller count " * 2)],
)


def test_terminal_colours_states_and_leaves_markup_alone() -> None:
    shown = terminal.render(STATES, width=200)
    assert "[bold]a[/]" in shown
    assert "\x1b[32mADMITTED\x1b[0m" in shown


def test_terminal_folds_prose_instead_of_cutting_it() -> None:
    shown = terminal.render(STATES, width=60, colored=False)
    assert all(len(line) <= 60 for line in shown.splitlines())
    assert " ".join(shown.split()).count("smaller count") == 2
    assert "…" not in shown


def test_terminal_gives_way_where_something_would_be_cut() -> None:
    assert terminal.fits(STATES, 60)
    assert not terminal.fits(STATES, 30)
    assert not terminal.fits(Table(STATES.columns, [("a", "b", "c")] * (terminal.MAX_ROWS + 1)), 200)
    assert not terminal.fits(Table(STATES.columns, []), 200)
