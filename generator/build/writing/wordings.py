"""Find the words of the wishes in the body of a scenario, and put others in their place."""

from __future__ import annotations

import ast
import json
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from generator.build.writing.code import indented, plain
from generator.scenarios.scenario import ScenarioDesign
from runtime.sandbox.module import parse

_WORDS_AT = {"tell": 0, "wish": 0, "outside": 0, "otherwise": 1, "changes_mind": 1}
_OF_THE_USER = ("choose", "dictate", "compose", "keep_back", "believes", "insists")
_WIDTH = 96


@dataclass(frozen=True)
class WishWords:
    """The words of one wish as they stand in a body: a text, and where it begins and ends, in bytes."""

    text: str
    begin: int
    end: int
    is_outside: bool = False  # beyond the tools


def words_in(body: str) -> list[WishWords]:
    """The words of all wishes of a body that are written out there, in their order."""
    body = textwrap.dedent(body)
    starts = [0]
    for line in body.encode().splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    found = []
    for node, is_outside in _words_of(parse(body)):
        begin = starts[node.lineno - 1] + node.col_offset
        end = starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)
        found.append(WishWords(str(node.value), begin, end, is_outside))
    return sorted(found, key=lambda each: each.begin)


def answers_in(body: str) -> list[str]:
    """The names of the answers that a body asks for."""
    return [
        node.args[0].value
        for node in ast.walk(parse(textwrap.dedent(body)))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "answer"
        and node.args
        and isinstance(node.args[0], ast.Constant)
        and isinstance(node.args[0].value, str)
    ]


def values_in(body: str) -> list[str]:
    """The statements of a body that say what the user has in mind beside its wishes: chosen, dictated, kept back."""
    body = textwrap.dedent(body)
    return [
        " ".join((ast.get_source_segment(body, node) or "").split())
        for node in ast.walk(parse(body))
        if isinstance(node, ast.Assign | ast.Expr)
        and isinstance(node.value, ast.Call)
        and isinstance(node.value.func, ast.Attribute)
        and node.value.func.attr in _OF_THE_USER
    ]


def with_words(body: str, wordings: Mapping[int, Sequence[str]], shorts: Mapping[int, str] | None = None) -> str:
    """A body in which the wish of each number, from 0, has these wordings; one stands alone, several in a tuple.

    `shorts` are the short forms of wishes, which stand behind their words.
    """
    text = textwrap.dedent(body).encode()
    for number, place in reversed(list(enumerate(words_in(body)))):
        short = (shorts or {}).get(number, "")
        if number in wordings:
            written = _written(wordings[number]) + (f", short={_text(short)}" if short else "")
            text = text[: place.begin] + written.encode() + text[place.end :]
    return text.decode()


def _words_of(tree: ast.AST) -> Iterator[tuple[ast.Constant, bool]]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        at = _WORDS_AT.get(node.func.attr)
        if at is None or not isinstance(node.func.value, ast.Name) or node.func.value.id != "story":
            continue
        named = [each.value for each in node.keywords if each.arg == "words"]
        for words in [*node.args[at : at + 1], *named]:
            if isinstance(words, ast.Constant) and isinstance(words.value, str):
                yield words, node.func.attr == "outside"


def _written(wordings: Sequence[str]) -> str:
    texts = [_text(each) for each in wordings]
    return texts[0] if len(texts) == 1 else f"({', '.join(texts)})"


def _text(text: str) -> str:
    """A text as Python writes it, in parts that fit into lines."""
    parts = textwrap.wrap(text, _WIDTH, drop_whitespace=False, break_long_words=False, break_on_hyphens=False) or [""]
    quoted = [json.dumps(part, ensure_ascii=False) for part in parts]
    return quoted[0] if len(quoted) == 1 else f"({' '.join(quoted)})"


def scenarios_file(title: str, scenarios: Sequence[ScenarioDesign]) -> str:
    """The file, not yet formatted."""
    parts = [f'"""{plain(f"What people want of {title}: every function is a scenario.")}"""']
    parts.append("from runtime.story import Story, scenario")
    text = "\n\n".join(parts)
    return "\n\n\n".join([text, *map(_function, scenarios)]) + "\n"


def _function(scenario: ScenarioDesign) -> str:
    return (
        f"@scenario{_marks(scenario)}\n"
        f"def {scenario.name}(story: Story) -> None:\n"
        f'    """{plain(scenario.wish)}"""\n'
        f"{indented(scenario.body)}"
    )


def _marks(scenario: ScenarioDesign) -> str:
    marks = [f'form="{scenario.form}"'] if scenario.form != "direct" else []
    marks += [f'role="{scenario.role}"'] if scenario.role != "customer" else []
    return f"({', '.join(marks)})" if marks else ""
