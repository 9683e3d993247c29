"""Whether a text is an answer: one JSON object that fits a JSON Schema; if not, where it misses and what is wanted."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from runtime.sandbox.files import parse_json

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError

MOST_LINES = 20
SHOWN_CHARACTERS = 80


class Misfit(Exception):
    """Why a text is not an answer, one line per fault; `broken` if it is not JSON at all, perhaps not yet complete."""

    def __init__(self, lines: list[str], *, broken: bool = False) -> None:
        super().__init__("; ".join(lines))
        self.lines = tuple(lines)
        self.broken = broken


def read_answer(text: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    """The object in a text; errors: Misfit."""
    content = _parse(text)
    lines = find_misfits(content, schema)
    if lines:
        raise Misfit(lines)
    assert isinstance(content, dict)
    return content


def find_misfits(content: Any, schema: Mapping[str, Any]) -> list[str]:
    """One line per place where a value misses the schema: its path, the value cut short, and what is expected."""
    if not isinstance(content, dict):
        return [f"$ is {_shown(content)}, not one JSON object"]
    from jsonschema import Draft202012Validator  # slow to import, and only models that answer need it

    errors = sorted(Draft202012Validator(dict(schema)).iter_errors(content), key=lambda error: error.json_path)
    lines = list(dict.fromkeys(_line(error) for error in errors))
    more = len(lines) - MOST_LINES
    return lines if more <= 0 else [*lines[:MOST_LINES], f"and {more} more faults"]


def bare_json(text: str) -> str:
    """The JSON in a model's text, without the code fence or the words that some models put around it."""
    fenced = re.fullmatch(r"\s*```(?:json)?\s*\n(.*?)\n?\s*```\s*", text, re.DOTALL)
    if fenced:
        return fenced.group(1)
    start, end = text.find("{"), text.rfind("}")
    return text[start : end + 1] if 0 <= start < end else text


def _parse(text: str) -> Any:
    try:
        content = parse_json(text.removeprefix("\ufeff"))
        json.dumps(content, ensure_ascii=False).encode()
    except json.JSONDecodeError as error:
        near = text[max(0, error.pos - 30) : error.pos + 30]
        where = f"line {error.lineno}, column {error.colno}"
        fence = "; leave out the code fence" if text.lstrip("\ufeff \n").startswith("```") else ""
        raise Misfit([f"it is not JSON: {error.msg} at {where}, near {near!r}{fence}"], broken=True) from error
    except UnicodeEncodeError as error:
        raise Misfit(["it holds half of a surrogate pair, which is not valid text"]) from error
    except RecursionError as error:
        raise Misfit(["it is nested too deeply"]) from error
    except ValueError as error:
        raise Misfit([f"it is not JSON: {error}"]) from error
    return content


def _line(error: ValidationError) -> str:
    from jsonschema.exceptions import best_match

    # Of a union that nothing fits, the branch that comes closest says most.
    error = best_match([error]) or error
    where, value = error.json_path, _shown(error.instance)
    wanted: Any = error.validator_value
    match error.validator:
        case "type":
            return f"{where} is {value}, not of type {_shown(wanted)}"
        case "enum":
            return f"{where} is {value}, not one of {_shown(wanted, 300)}"
        case "const":
            return f"{where} is {value}, not {_shown(wanted)}"
        case "required":
            return f"{where} lacks a part: {error.message}"
        case "additionalProperties":
            known = sorted(error.schema.get("properties", ())) if isinstance(error.schema, Mapping) else []
            return f"{where} has too much: {_cut(error.message, 300)}; have: {', '.join(known) or 'nothing'}"
        case "maxLength":
            return f"{where} is {value} with {len(str(error.instance))} characters, which misses maxLength {wanted}"
        case "minItems" | "minLength" | "minProperties" | "minimum" | "exclusiveMinimum" | "maxItems":
            return f"{where} is {value}, which misses {error.validator} {wanted}"
        case "maxProperties" | "maximum" | "exclusiveMaximum" | "multipleOf" | "pattern" | "format" | "uniqueItems":
            return f"{where} is {value}, which misses {error.validator} {wanted}"
    return f"{where} is {value}, which misses {error.validator}: {_shown(wanted, 200)}"


def _shown(value: Any, most: int = SHOWN_CHARACTERS) -> str:
    return _cut(json.dumps(value, ensure_ascii=False), most)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 3] + "..."
