"""What a user's program sees of the package: light to import, every name documented and typed, its page runs."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from types import FunctionType

import worldsmith

ROOT = Path(__file__).parent.parent.parent
PAGE = (ROOT / "docs" / "training.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^```python\n(.*?)^```\n+```text\n(.*?)^```", PAGE, flags=re.MULTILINE | re.DOTALL)

USERS_SCRIPT = """\
import worldsmith
from worldsmith import ChatMessage, Rollout, tasks


def policy(messages: list[ChatMessage]) -> ChatMessage:
    return {"role": "assistant", "content": "I am sorry."}


for task in tasks(worldsmith.load("library"), split="train", level=3):
    with Rollout(task, user="none", seed=1).sync() as rollout:
        messages = rollout.open()
        while not rollout.done:
            messages += rollout.take(policy(messages))
        verdict = rollout.verdict()
        reward: int = verdict.reward
        sentences: list[str] = [difference.sentence for difference in verdict.differences]
"""
MISTAKES = """
Rollout(task, user=5)
tasks("library", split="test")
wrong: str = rollout.verdict().reward
worldsmith.evaluate(tasks("library"), policy=True)
"""


def _run(words: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *words], cwd=folder, capture_output=True, text=True, check=False)


def test_importing_it_brings_nothing_that_serves_or_asks_models() -> None:
    heavy = ("mcp", "mcp_types", "anthropic", "starlette", "uvicorn", "aiosqlite", "networkx")
    look = f"import sys, worldsmith; print([name for name in {heavy} if name in sys.modules])"
    done = _run(["-c", look], ROOT)
    assert (done.stdout, done.stderr) == ("[]\n", "")


ALONE = """\
import sys
from importlib.metadata import packages_distributions

allowed = {"pydantic", "pydantic_core", "annotated_types", "typing_extensions", "typing_inspection"}
ours = {"generator", "runtime", "tests", "worldsmith"}


class OnlyPydantic:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in others:
            raise ModuleNotFoundError(f"{name} is not of pydantic")


others = packages_distributions().keys() - allowed - ours
sys.meta_path.insert(0, OnlyPydantic())
import worldsmith

chosen = [*worldsmith.tasks("library")[::16], *worldsmith.tasks("job_seeking")[::80]]
print(worldsmith.evaluate(chosen, "reference").scores.avg_at_k[0].value, len(others) > 20)
"""


def test_it_plays_with_no_other_package_than_pydantic() -> None:
    done = _run(["-c", ALONE], ROOT)
    assert (done.stdout, done.stderr) == ("1.0 True\n", "")


def test_mypy_sees_the_types_of_a_users_program(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(EXAMPLES[0][0] + USERS_SCRIPT.replace("policy", "own_policy"))
    done = _run(["-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), str(script)], tmp_path)
    assert (done.returncode, done.stdout) == (0, "Success: no issues found in 1 source file\n")
    script.write_text(USERS_SCRIPT + MISTAKES)
    done = _run(["-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), str(script)], tmp_path)
    lines = {int(line) for line in re.findall(r"train.py:(\d+): error", done.stdout)}
    first = USERS_SCRIPT.count("\n") + 2
    assert lines == set(range(first, first + 4)), done.stdout


def test_every_name_is_documented() -> None:
    assert worldsmith.__all__ == sorted(worldsmith.__all__)
    for name in worldsmith.__all__:
        if isinstance(named := getattr(worldsmith, name), type | FunctionType):  # the others are aliases of types
            assert named.__doc__, name
            assert f"`{name}" in PAGE, name
