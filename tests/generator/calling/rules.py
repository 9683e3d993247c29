"""The rules of the shed and their cases."""

from __future__ import annotations

from typing import Any

from tests.generator.calling.design import NEIGHBOURS
from tests.generator.calling.tools import lending

RULES: dict[str, Any] = {
    "helpers": "",
    "rules": [
        {"code": "MOST_OUT", "on": {"lend_item": "item_id"}, "reads": ["lending"], "numbers": {"most": 3},
         "prose": "A neighbour has at most {most} items out at a time.",
         "body": (
             "out = now.value(\n"
             "    \"SELECT count(*) FROM lending WHERE neighbour_id = ? AND status = 'out'\", "
             'call.arguments["neighbour_id"]\n'
             ")\nreturn out < most"
         )},
        {"code": "NOT_OVERDUE", "on": {"extend_lending": "lending_id"}, "reads": ["lending"],
         "exempt": {"lend_item": "It makes a new lending."},
         "prose": "A lending is not extended after its last day.",
         "body": 'return now.require("lending", call.item)["due_on"] >= now.today'},
    ],
    "duties": [
        {"code": "DECLINED_STAYS", "reads": ["declined_request", "lending"],
         "prose": "A lending whose extension was declined today is due when it was.",
         "body": (
             'noted = end.select("SELECT subject_id FROM declined_request WHERE declined_on = ?", end.today)\n'
             'found = [start.get("lending", each["subject_id"]) for each in noted]\n'
             'return all(end.require("lending", each["lending_id"])["due_on"] == each["due_on"] '
             "for each in found if each)"
         )},
    ],
}  # fmt: skip


def _called(tool: str, **arguments: Any) -> dict[str, Any]:
    return {"tool": tool, "arguments": arguments}


_SIX = _called("lend_item", neighbour_id="N1", item_id="I4", days=2)
_DECLINED = _called("decline_request", neighbour_id="N1", subject_id="L1", rule_code="NOT_OVERDUE")

RULE_CASES: dict[str, Any] = {
    "rows": {
        "neighbour": NEIGHBOURS,
        "item": [{"item_id": f"I{number}", "label": f"Saw {number}"} for number in range(1, 6)],
        "lending": [lending("L1", "I1", "N1", "2026-05-09"), lending("L2", "I2", "N1", "2026-05-04"),
                    lending("L3", "I3", "N2", "2026-05-03")],
    },
    "cases": [
        {"rule": "MOST_OUT", "title": "the third item", "call": _SIX, "allowed": True},
        {"rule": "MOST_OUT", "title": "a fourth item",
         "rows": {"lending": [lending("L4", "I5", "N1", "2026-05-08")]}, "call": _SIX, "allowed": False},
        {"rule": "MOST_OUT", "title": "what is back does not count",
         "rows": {"lending": [lending("L4", "I5", "N1", "2026-05-08", "back")]}, "call": _SIX, "allowed": True},
        {"rule": "NOT_OVERDUE", "title": "on the last day",
         "call": _called("extend_lending", lending_id="L2", days=1), "allowed": True},
        {"rule": "NOT_OVERDUE", "title": "a day late",
         "call": _called("extend_lending", lending_id="L3", days=1), "allowed": False},
        {"rule": "DECLINED_STAYS", "title": "nothing was declined",
         "before": [_called("extend_lending", lending_id="L1", days=1)], "allowed": True},
        {"rule": "DECLINED_STAYS", "title": "declined and left", "before": [_DECLINED], "allowed": True},
        {"rule": "DECLINED_STAYS", "title": "declined and granted all the same",
         "before": [_DECLINED, _called("extend_lending", lending_id="L1", days=1)], "allowed": False},
        {"rule": "DECLINED_STAYS", "title": "declined on an earlier day",
         "rows": {"declined_request": [{"neighbour_id": "N1", "subject_id": "L1",
                                        "rule_code": "NOT_OVERDUE", "declined_on": "2026-05-03"}]},
         "before": [_called("extend_lending", lending_id="L1", days=1)], "allowed": True},
    ],
}  # fmt: skip
