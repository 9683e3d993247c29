"""Claims about `study tools` with the encoder and t-SNE of `worldsmith[study]`; run by `.ci/frameworks study`."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

from tests.conftest import SHIPPED, Cli

FOREIGN = {"enroll_in_course": "Enroll a learner in a course.", "launch_rocket": "Launch a rocket into orbit."}


def test_tools_are_near_their_like_and_drawn(cli: Cli, tmp_path: Path) -> None:
    members = (f'[domains.{name}]\npath = "{SHIPPED[name]}"\n' for name in ("online_learning", "library"))
    (tmp_path / "two.toml").write_text("format = 1\n" + "\n".join(members))
    schemas = [{"name": name, "description": said} for name, said in FOREIGN.items()]
    (tmp_path / "tools.json").write_text(json.dumps(schemas))
    words = ("study", "tools", tmp_path / "two.toml", "--beside", f"other={tmp_path / 'tools.json'}", "--json")
    found = json.loads(cli(*words, "--out", tmp_path / "tools.svg"))["sets"]
    assert [(each["name"], each["foreign"]) for each in found] == [
        ("online_learning", False),
        ("library", False),
        ("other", True),
    ]
    assert found[0]["nearest"] == "library"
    assert found[1]["nearest"] == found[2]["nearest"] == "online_learning"
    assert found[2]["low"] < found[2]["likeness"] < found[2]["high"]
    assert found[2]["own"]["count"] == 0
    plane = ElementTree.parse(tmp_path / "tools.svg")
    assert len(plane.findall("{*}path")) == len(FOREIGN) + 1
    assert len(plane.findall("{*}circle")) == found[0]["tools"] + found[1]["tools"] + 2
    assert json.loads(cli(*words))["sets"] == found
