"""Editing JSON by its text: one member is added, changed or removed, and nothing else moves."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runtime.clients.jsonc import BadConfiguration, read_json, remove_member, set_member

PLACE = ("servers", "library")
ENTRY = {"command": "/usr/bin/python", "args": ["server.py"]}
VSCODE = """\
// My servers
{
    "inputs": [], // none yet
    "servers": {
        /* the first one */
        "other": { "command": "other", "args": ["--a", "b"] }, // keep me
        // the end
    }
}
"""


def test_a_member_is_added_behind_the_last_one_and_its_comments() -> None:
    edited = set_member(VSCODE, PLACE, {"command": "x"}, comments=True)
    assert edited == VSCODE.replace(
        "        // the end\n",
        '        // the end\n        "library": {\n            "command": "x"\n        }\n',
    )


def test_a_member_is_changed_in_its_place() -> None:
    edited = set_member(VSCODE, ("servers", "other", "command"), "another", comments=True)
    assert edited == VSCODE.replace('"command": "other"', '"command": "another"')


def test_a_value_that_is_there_already_changes_nothing() -> None:
    assert set_member(VSCODE, ("servers", "other", "command"), "other", comments=True) == VSCODE
    once = set_member(VSCODE, PLACE, ENTRY, comments=True)
    assert set_member(once, PLACE, ENTRY, comments=True) == once


def test_a_removed_member_takes_its_own_lines_only() -> None:
    assert remove_member(VSCODE, ("servers", "other"), comments=True) == VSCODE.replace(
        '"other": { "command": "other", "args": ["--a", "b"] }, // keep me', "// keep me"
    )
    assert remove_member(VSCODE, ("servers", "nothing"), comments=True) == VSCODE
    assert remove_member(VSCODE, ("nothing", "library"), comments=True) == VSCODE


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("", '{\n  "servers": {\n    "library": 1\n  }\n}\n', id="empty_file"),
        pytest.param("{}", '{\n  "servers": {\n    "library": 1\n  }\n}', id="empty_object"),
        pytest.param('{"a": 1}', '{"a": 1, "servers": {"library": 1}}', id="one_line"),
        pytest.param(
            '{\r\n\t"a": 1\r\n}\r\n',
            '{\r\n\t"a": 1,\r\n\t"servers": {\r\n\t\t"library": 1\r\n\t}\r\n}\r\n',
            id="tabs_and_windows",
        ),
        pytest.param(
            '{\n  "servers": {}\n}', '{\n  "servers": {\n    "library": 1\n  }\n}', id="servers_that_are_empty"
        ),
        pytest.param(
            '{\n  "servers": { /* none */ }\n}',
            '{\n  "servers": { /* none */\n    "library": 1\n  }\n}',
            id="a_comment_alone",
        ),
        pytest.param(
            '{\n  "servers": {\n    "a": 1 // one\n  }\n}',
            '{\n  "servers": {\n    "a": 1, // one\n    "library": 1\n  }\n}',
            id="a_comment_behind_the_last",
        ),
        pytest.param(
            '{\n  "servers": {\n    "a": 1 }\n}', '{\n  "servers": {\n    "a": 1,\n    "library": 1\n  }\n}', id="tight"
        ),
    ],
)
def test_a_member_is_added_in_the_style_of_the_text(text: str, expected: str) -> None:
    assert set_member(text, PLACE, 1, comments=True) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param('{"servers": {"a": 1, "library": 1, "c": 3}}', '{"servers": {"a": 1, "c": 3}}', id="middle"),
        pytest.param('{"servers": {"a": 1, "library": 1}}', '{"servers": {"a": 1}}', id="last"),
        pytest.param('{"servers": {"library": 1, "a": 1}}', '{"servers": {"a": 1}}', id="first"),
        pytest.param('{"servers": {"library": 1}}', '{"servers": {}}', id="only"),
        pytest.param('{"servers": {\n  "a": 1, "library": 1\n}}', '{"servers": {\n  "a": 1\n}}', id="shared_line"),
        pytest.param(
            '{"servers": {\n  "library": 1, // x\n  "b": 1\n}}', '{"servers": {\n  // x\n  "b": 1\n}}', id="c"
        ),
    ],
)
def test_a_member_is_removed_wherever_it_stands(text: str, expected: str) -> None:
    assert remove_member(text, PLACE, comments=True) == expected


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        pytest.param('{"a": 1\n "b": 2}', "line 2: a comma is missing", id="comma"),
        pytest.param('{\n"a" 1}', "line 2: a colon is missing behind 'a'", id="colon"),
        pytest.param('{"a": }', "line 1: a value is missing before '}'", id="value"),
        pytest.param('{"a": "x', "line 1: a text between double quotes is missing or not closed", id="string"),
        pytest.param("{'a': 1}", "line 1: a text between double quotes", id="single_quotes"),
        pytest.param('{"a": nul}', "line 1: 'nul' is not a value", id="word"),
        pytest.param('{"a": NaN}', "line 1: 'NaN' is not a value", id="nan"),
        pytest.param('{"a": [1, 2', "line 1: it ends before its ']'", id="open_list"),
        pytest.param('{"a": 1', "line 1: it ends before its '}'", id="open_object"),
        pytest.param('{"a": 1}}', "line 1: there is more behind the end", id="behind"),
        pytest.param("[1]", "the whole is not an object", id="a_list"),
        pytest.param('{"servers": []}', "'servers' is not an object", id="servers_list"),
        pytest.param('{"servers": {}, "servers": {}}', "'servers' appears twice", id="twice"),
        pytest.param("[" * 2_000, "line 1: it is nested more than 100 levels deep", id="deep"),
        pytest.param("{,}", "line 1: a text between double quotes", id="only_a_comma"),
        pytest.param('{"a": /* x', "line 1: a value is missing", id="open_comment"),
    ],
)
def test_what_cannot_be_read_is_named_with_its_line(text: str, wrong: str) -> None:
    for edit in (
        lambda: set_member(text, PLACE, ENTRY, comments=True),
        lambda: remove_member(text, PLACE, comments=True),
    ):
        with pytest.raises(BadConfiguration, match="^" + wrong.replace("[", r"\[").replace("]", r"\]")):
            edit()


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        pytest.param('{"a": 1} // x', "comments are not allowed", id="comment"),
        pytest.param('{"a": 1,}', "there is a comma behind the last item", id="object"),
        pytest.param('{"a": [1,]}', "there is a comma behind the last item", id="list"),
    ],
)
def test_plain_json_has_no_comments_and_no_last_commas(text: str, wrong: str) -> None:
    with pytest.raises(BadConfiguration, match=wrong):
        read_json(text, comments=False)
    assert read_json(text, comments=True)["a"] in (1, [1])


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)
documents = st.dictionaries(st.text(), values, max_size=4).flatmap(
    lambda rest: st.dictionaries(st.text(), values, max_size=3).map(lambda servers: {**rest, "servers": servers})
)
layouts = st.sampled_from([None, 0, 1, 2, 4, "\t"])


@settings(deadline=None)
@given(document=documents, layout=layouts, entry=values)
def test_adding_says_what_json_says_and_removing_takes_it_back(document: Any, layout: Any, entry: Any) -> None:
    document["servers"].pop("library", None)
    text = json.dumps(document, indent=layout, ensure_ascii=False)
    added = set_member(text, PLACE, entry, comments=False)
    assert json.loads(added) == {**document, "servers": {**document["servers"], "library": entry}}
    assert list(json.loads(added)["servers"])[-1] == "library"
    assert remove_member(added, PLACE, comments=False) == text


@settings(deadline=None)
@given(document=documents, layout=layouts)
def test_reading_agrees_with_json(document: Any, layout: Any) -> None:
    assert read_json(json.dumps(document, indent=layout), comments=False) == document


@st.composite
def commented(draw: st.DrawFn) -> tuple[str, Any, list[str]]:
    """A text with comments, blanks and last commas anywhere, its value, and its comments."""
    comments: list[str] = []

    def gap() -> str:
        kind = draw(st.sampled_from(["", " ", "\n", "\n  ", "\t", "line", "block"]))
        if kind not in ("line", "block"):
            return kind
        comment = f"// c{len(comments)} }} , {{" if kind == "line" else f'/* c{len(comments)} ] , " */'
        comments.append(comment)
        return f" {comment}\n" if kind == "line" else comment

    def write(value: Any) -> str:
        if isinstance(value, dict | list) and value:
            named = value.items() if isinstance(value, dict) else ((None, item) for item in value)
            parts = [
                gap() + (f"{json.dumps(name)}{gap()}:{gap()}" if name is not None else "") + write(item) + gap()
                for name, item in named
            ]
            last = draw(st.sampled_from(["", ","])) + gap()
            opening, closing = "{}" if isinstance(value, dict) else "[]"
            return opening + ",".join(parts) + last + closing
        return json.dumps(value)

    document = draw(documents)
    document["servers"].pop("library", None)
    return gap() + write(document) + gap(), document, comments


@settings(deadline=None)
@given(written=commented(), entry=values)
def test_comments_and_blanks_stay_wherever_they_stand(written: tuple[str, Any, list[str]], entry: Any) -> None:
    text, document, comments = written
    assert read_json(text, comments=True) == document
    added = set_member(text, PLACE, entry, comments=True)
    assert read_json(added, comments=True) == {**document, "servers": {**document["servers"], "library": entry}}
    removed = remove_member(added, PLACE, comments=True)
    assert read_json(removed, comments=True) == document
    for edited in (added, removed):
        assert [comment for comment in comments if comment not in edited] == []
    for name in document["servers"]:
        cut = remove_member(text, ("servers", name), comments=True)
        rest = {key: value for key, value in document["servers"].items() if key != name}
        assert read_json(cut, comments=True) == {**document, "servers": rest}
