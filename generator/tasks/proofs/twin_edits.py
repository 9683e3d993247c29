"""Twins that differ in one row: which edits flip what a rule decides, and what becomes of other rows."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate, combinations, islice, pairwise, takewhile
from types import CodeType, FunctionType
from typing import Any

from generator.tasks.candidate import Candidate
from generator.tasks.proofs.edits import RowEdit, anchors_of, told_cells, values_of
from generator.tasks.proofs.plan import PlannedStep
from generator.tasks.proofs.replayer import TaskReplayer
from generator.tasks.telling import Telling
from runtime.domain.rows import RowRef
from runtime.domain.rule import Rule
from runtime.domain.schema import Row, Table, Value
from runtime.sandbox.sqlite import name_of, tokens_of
from runtime.session.session import Session
from runtime.task.paths import leaves_of
from runtime.task.script import Script
from runtime.task.task import bind
from runtime.verification.verify import is_rewarded

MOST_COLUMNS = 4  # of one row, and more than two only where CHECKs tie them
MOST_WRITES = 600  # edits that the schema is asked about
_ROWS_TRIED, _ROWS_OF_A_TABLE = 12, 6
_DONORS = 3  # other rows with a value, whose tied columns are taken
_PAIRED = 8  # other rows of which two decisive values are taken


@dataclass(frozen=True)
class _Place:
    """A row that may be otherwise: its free columns by position, those that the rule names, and which are tied."""

    table: Table
    row: Row
    free: tuple[int, ...]
    decisive: tuple[int, ...]
    ties: tuple[frozenset[int], ...]  # the columns of each CHECK over several

    def edit(self, source: Row, columns: Sequence[int]) -> RowEdit:
        """The row with some columns as another row has them."""
        after = tuple(source[at] if at in columns else value for at, value in enumerate(self.row))
        return RowEdit(self.table.name, self.table.key_of(self.row), self.row, after)

    def with_value(self, at: int, value: Value) -> RowEdit:
        """The row with another value in one column."""
        return self.edit((*self.row[:at], value, *self.row[at + 1 :]), (at,))

    def tied_to(self, at: int) -> list[int]:
        """The free columns that CHECKs tie to one, nearest first."""
        found = [at]
        for each in found:  # grows while it is read
            found += [
                other
                for tie in self.ties
                if each in tie
                for other in sorted(tie)
                if other in self.free and other not in found
            ]
        return found[1:]


def twin_edits(
    replayer: TaskReplayer, candidate: Candidate, rule: Rule, arguments: object, fits: Callable[[RowEdit], bool]
) -> Iterator[RowEdit]:
    """The edits that fit the schema, as `fits` says of each when it is asked. It is asked a bounded number of times.

    Keys, references and what the user tells stay as they are.
    """
    places = _places(replayer, candidate, rule, arguments)
    refused: list[tuple[_Place, int, Value]] = []

    def fitting(edits: Iterator[tuple[RowEdit, _Place, int, Value]]) -> Iterator[RowEdit]:
        for edit, place, at, value in edits:
            if fits(edit):
                yield edit
            else:
                refused.append((place, at, value))

    yield from fitting(_singles(replayer, [(place, place.decisive) for place in places]))
    wider = (*_widened(replayer, refused), *_pairs(replayer, places)) if refused else _pairs(replayer, places)
    yield from islice(filter(fits, wider), MOST_WRITES)
    others = [(place, tuple(at for at in place.free if at not in place.decisive)) for place in places]
    yield from fitting(islice(_singles(replayer, others), MOST_WRITES))


def _places(replayer: TaskReplayer, candidate: Candidate, rule: Rule, arguments: object) -> list[_Place]:
    """The rows that a rule reads and that have to do with the arguments of a call, the nearest of each table."""
    near = anchors_of(replayer, [value for _, value in leaves_of(arguments)])
    told = told_cells(candidate)
    ranked: list[tuple[int, _Place]] = []
    for name in sorted(rule.reads):
        table = replayer.domain.schema.tables[name]
        rows = sorted(
            (row for row in replayer.start.rows[name] if near & set(row)), key=lambda row: -len(near & set(row))
        )
        fixed = {column for each in table.foreign_keys for column in each.columns} | table.key_columns
        named = columns_named(rule.function, table.column_names) - fixed
        ties = _ties_of(_sql_of(replayer, name), tuple(table.column_names))
        for row in rows[:_ROWS_OF_A_TABLE]:
            key = table.key_of(row)
            free = tuple(
                at
                for column, at in table.positions.items()
                if column not in fixed and RowRef(name, key, column) not in told
            )
            decisive = tuple(at for at in free if table.column_names[at] in named)
            ranked.append((len(near & set(row)), _Place(table, row, free, decisive, ties)))
    ranked.sort(key=lambda each: (not each[1].decisive, -each[0]))
    first = ranked[:_ROWS_TRIED]
    lacking = {place.table.name: place for _, place in reversed(ranked[_ROWS_TRIED:])}
    return [
        *(place for _, place in first),
        *(lacking[name] for name in sorted(lacking.keys() - {place.table.name for _, place in first})),
    ]


def _sql_of(replayer: TaskReplayer, table: str) -> str:
    found = replayer.session.read_start("SELECT sql FROM sqlite_master WHERE type = 'table' AND name = ?", [table])
    return str(found[0][0])


@cache
def _ties_of(sql: str, columns: tuple[str, ...]) -> tuple[frozenset[int], ...]:
    """The positions of the columns that each CHECK over several is about."""
    ties = (frozenset(at for at, column in enumerate(columns) if column.lower() in names) for names in _checked(sql))
    return tuple(tie for tie in ties if len(tie) > 1)


def _checked(sql: str) -> Iterator[set[str]]:
    """The names that occur in each CHECK of a CREATE TABLE. SQLite took it, so every bracket is closed."""
    tokens = list(tokens_of(sql))
    for at, (token, opening) in enumerate(pairwise(tokens)):
        if token.upper() == "CHECK" and opening == "(":
            depths = accumulate((each == "(") - (each == ")") for each in tokens[at + 1 :])
            inside = takewhile(lambda each: each[1] > 0, zip(tokens[at + 1 :], depths, strict=True))
            yield {name_of(each) for each, _ in inside if not each.startswith("'")}


def _singles(
    replayer: TaskReplayer, places: Sequence[tuple[_Place, Sequence[int]]]
) -> Iterator[tuple[RowEdit, _Place, int, Value]]:
    """Other values of single columns: of all rows and columns in turn, so that none uses up the trials."""
    waiting = [
        (place, at, values_of(replayer, place.table.name, at, place.row[at]))
        for place, columns in places
        for at in columns
    ]
    for turn in range(max((len(values) for _, _, values in waiting), default=0)):
        for place, at, values in waiting:
            if turn < len(values):
                yield place.with_value(at, values[turn]), place, at, values[turn]


def _widened(replayer: TaskReplayer, refused: Sequence[tuple[_Place, int, Value]]) -> Iterator[RowEdit]:
    """Values that do not fit alone, with one or more of the columns that are tied to theirs, the fewest first."""
    sources = [
        (
            place,
            at,
            place.tied_to(at),
            [row for row in replayer.start.rows[place.table.name] if row[at] == value][:_DONORS],
        )
        for place, at, value in refused
    ]
    for width in range(1, MOST_COLUMNS):
        seen: set[RowEdit] = set()
        for place, at, tied, rows in sources:
            for row in rows:
                for more in combinations([each for each in tied if row[each] != place.row[each]], width):
                    edit = place.edit(row, (at, *more))
                    if edit not in seen:
                        seen.add(edit)
                        yield edit


def _pairs(replayer: TaskReplayer, places: Sequence[_Place]) -> Iterator[RowEdit]:
    """Two columns that the rule names, as another row has them: rows from everywhere in the table."""
    for place in places:
        rows = replayer.start.rows[place.table.name]
        for one, two in combinations(place.decisive, 2):
            for row in rows[:: max(1, len(rows) // _PAIRED)]:
                if row[one] != place.row[one] and row[two] != place.row[two]:
                    yield place.edit(row, (one, two))


def tell_alike(candidate: Candidate, session: Session, number: int) -> Telling | None:
    """The scenarios told where the world is otherwise for one of them, if the user then says and knows the same."""
    telling = candidate.retell(session, number)
    return telling if telling is not None and says_alike(candidate, telling) else None


def says_alike(candidate: Candidate, telling: Telling) -> bool:
    """Whether the user says and knows the same in another telling."""
    told, own = ([each.wishes for each in scripts] for scripts in (telling.scripts, candidate.scripts))
    return told == own


def steps_of(replayer: TaskReplayer, candidate: Candidate) -> list[list[PlannedStep]]:
    """The chain as it is played in variations, by scenario."""
    steps = iter(replayer.plan)
    return [[next(steps) for _ in script.calls] for script in candidate.scripts]


def is_right_there(
    replayer: TaskReplayer, session: Session, steps: Sequence[PlannedStep], answers: Sequence[Script], telling: Telling
) -> bool:
    """Whether these steps, all accepted, and the answers of some scripts are what the telling there comes to."""
    given, wanted = (
        {each.name: each.value for script in scripts for each in script.answers}
        for scripts in (answers, telling.scripts)
    )
    if given != wanted:
        return False
    results: dict[int, Mapping[str, Any]] = {}
    session.reset()
    for step in steps:
        if not step.needs <= results.keys():
            return False
        outcome = session.perform(step.tool, bind(step.arguments, results))
        if outcome.result is None:
            return False
        results[step.number] = outcome.result
    schema = replayer.domain.schema
    return is_rewarded(schema, replayer.policies, telling.changes, session.changes, composed=replayer.composed)


_WORD = re.compile(r"\w+")


def columns_named(function: Callable[..., Any], columns: Collection[str]) -> frozenset[str]:
    """Those of some columns that stand in a text of a function, in SQL or as a key of a row."""
    return frozenset(word for text in _texts_of(function, set()) for word in _WORD.findall(text)) & frozenset(columns)


def _texts_of(function: Callable[..., Any], seen: set[int]) -> Iterator[str]:
    if not isinstance(function, FunctionType) or id(function) in seen:
        return
    seen.add(id(function))
    for code in _codes_of(function.__code__):
        for constant in code.co_consts:
            if constant != function.__doc__:
                yield from _texts_in(constant)
        for name in code.co_names:
            found = function.__globals__.get(name)
            if isinstance(found, FunctionType) and found.__module__ == function.__module__:
                yield from _texts_of(found, seen)
            else:
                yield from _texts_in(found)


def _codes_of(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes_of(constant)


def _texts_in(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple | list | set | frozenset | dict):
        for each in value:
            yield from _texts_in(each)
