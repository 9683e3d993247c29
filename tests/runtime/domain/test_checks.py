"""CHECKs look for short constant texts only, and a write pays for what rules and indexes do with its texts."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from runtime.domain.checks import faults_of_searches, weight_of

REFUSED = {
    "instr(a, b)": "instr() looks for 'b'",
    '"instr"(a, b)': "instr() looks for 'b'",
    f"instr(a, '{'x' * 65}')": "instr() looks for",
    "trim(a, lower(b)) = ''": "trim() looks for 'lower ( b )'",
    "replace(a, 'x', 'xx') = b": "replace() makes a text longer",
    "a LIKE b": "LIKE compares with 'b'",
    "a NOT LIKE -- really\n b": "LIKE compares with 'b'",
    "a LIKE '%' || b": "LIKE compares with",
    "a GLOB ('*')": "GLOB compares with '('",
    "like('a%', b)": "LIKE compares with '('",
}
ALLOWED = [
    "instr(a, '@') > 1",
    "a LIKE '%@%' AND b GLOB '[0-9]*'",
    "a NOT LIKE '10!%' ESCAPE '!'",
    "trim(a) = a AND ltrim(replace(a, '-', ''), '0') != ''",
    "a != 'instr(a, b)' -- like(a)",
]


def _made(check: str) -> str:
    sql = f"CREATE TABLE t (a TEXT, b TEXT, CHECK ({check}\n))"
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(sql)  # all of them are SQL
    return sql


@pytest.mark.parametrize("check", REFUSED)
def test_a_search_for_anything_but_a_short_text_is_refused(check: str) -> None:
    assert [fault for fault in faults_of_searches(_made(check)) if REFUSED[check] in fault]


@pytest.mark.parametrize("check", ALLOWED)
def test_a_search_for_a_short_text_is_allowed(check: str) -> None:
    assert list(faults_of_searches(_made(check))) == []


def test_searches_weigh_more_than_comparisons_and_words_in_texts_nothing() -> None:
    light, heavy = weight_of([_made("a = b")]), weight_of([_made("instr(a, 'x') = 0")])
    assert heavy == light + 16
    assert weight_of([_made("a = 'b = c AND instr(a, 1)'")]) == light
