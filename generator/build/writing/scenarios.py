"""Write `scenarios.py`: imports, decorators, signatures and docstrings around the bodies that a model wrote."""

from __future__ import annotations

from collections.abc import Sequence

from generator.build.writing.code import indented
from generator.scenarios.scenario import ScenarioDesign


def scenarios_file(title: str, scenarios: Sequence[ScenarioDesign]) -> str:
    """The file, not yet formatted."""
    parts = [f'"""{_plain(f"What people want of {title}: every function is a scenario.")}"""']
    parts.append("from runtime.story import Story, scenario")
    text = "\n\n".join(parts)
    return "\n\n\n".join([text, *map(_function, scenarios)]) + "\n"


def _function(scenario: ScenarioDesign) -> str:
    return (
        f"@scenario{_marks(scenario)}\n"
        f"def {scenario.name}(story: Story) -> None:\n"
        f'    """{_plain(scenario.wish)}"""\n'
        f"{indented(scenario.body)}"
    )


def _marks(scenario: ScenarioDesign) -> str:
    marks = [f'form="{scenario.form}"'] if scenario.form != "direct" else []
    marks += [f'role="{scenario.role}"'] if scenario.role != "customer" else []
    return f"({', '.join(marks)})" if marks else ""


def _plain(text: str) -> str:
    return " ".join(text.split()).replace("\\", "").replace('"', "'")
