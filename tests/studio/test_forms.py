"""The form of every tool of the shipped domains takes every call that its cases record, and sends it as it was."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.conftest import SHIPPED_LIBRARY
from tests.studio.conftest import Start, expect

DOMAINS = SHIPPED_LIBRARY.parent
FILL_AND_SEND = """async ([domain, cases]) => {
  const {drawForm} = await import("/static/form.js");
  const {tools} = await (await fetch(`api/domains/${domain}`)).json();
  return cases.map(({tool: name, arguments: given}) => {
    const tool = tools.find((each) => each.name === name);
    let sent = "not sent";
    const form = drawForm(`test ${name}`, tool, {busy: false, send: (all) => { sent = all; }});
    document.body.append(form);
    for (const field of form.querySelectorAll("[name^='argument ']")) {
      const value = given[field.name.slice("argument ".length)];
      if (field.type === "checkbox") field.checked = (value ?? []).includes(field.value);
      else field.value = Array.isArray(value) ? value.join("\\n") : String(value ?? "");
    }
    form.requestSubmit();
    form.remove();
    return sent;
  });
}"""


def test_every_recorded_call_goes_through_its_form(tmp_path: Path, start: Start, visit: Any) -> None:
    page = visit().open(start(tmp_path).link)
    expect(page.get_by_role("link", name="Town library")).to_be_visible()
    differ = []
    for folder in sorted(path.parent for path in DOMAINS.glob("*/cases.jsonl")):
        lines = (folder / "cases.jsonl").read_text(encoding="utf-8").splitlines()
        cases = [each for each in map(json.loads, lines) if "arguments" in each]
        sent = page.evaluate(FILL_AND_SEND, [folder.name, cases])
        for case, given in zip(cases, sent, strict=True):
            asked = {name: value for name, value in case["arguments"].items() if value is not None}
            if not isinstance(given, dict) or _unordered(given) != _unordered(asked):
                differ.append((folder.name, case["id"], asked, given))
    assert differ == []


def _unordered(arguments: dict[str, Any]) -> dict[str, Any]:
    """Take the order out of lists: choices are boxes, which have none and cannot be repeated, but in JSON."""
    return {name: sorted(set(value)) if isinstance(value, list) else value for name, value in arguments.items()}
