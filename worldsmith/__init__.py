"""Verified tool-use worlds from Python: what a trainer, an evaluation or a notebook needs, without a server.

`tasks` names the tasks of a domain -> a `Rollout` plays one: `open` gives the messages that start it, `take` answers
what the assistant says -> `verdict` judges the database that it leaves. `Rollout(...).sync()` does so without awaiting,
an `Env` in steps; `evaluate` plays many and scores them. A `Suite` names the tasks of many
domains.
"""

from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import Any

from runtime.domain.domain import Domain
from runtime.errors import BrokenDomain, EnvironmentFault, UsageError, WorldsmithError
from runtime.harness.conversation import UserKind
from runtime.harness.evaluation.plan import Split
from runtime.harness.evaluation.scores import Score, Scores
from runtime.task.user import Form
from runtime.verification.verdict import Difference, Verdict
from worldsmith.catalog import DomainTask, Suite, load, tasks
from worldsmith.chat import ChatMessage, ChatTool
from worldsmith.env import Env
from worldsmith.evaluate import Agent, Evaluation, PlayedTrial, evaluate, judge_final
from worldsmith.rollout import AgentName, Rollout, SyncRollout

__all__ = [
    "Agent",
    "AgentName",
    "BrokenDomain",
    "ChatMessage",
    "ChatTool",
    "Difference",
    "Domain",
    "DomainTask",
    "Env",
    "EnvironmentFault",
    "Evaluation",
    "Form",
    "PlayedTrial",
    "Rollout",
    "Score",
    "Scores",
    "Split",
    "Suite",
    "SyncRollout",
    "UsageError",
    "UserKind",
    "Verdict",
    "WorldsmithError",
    "evaluate",
    "judge_final",
    "load",
    "tasks",
]

try:
    __version__ = version("worldsmith")
except PackageNotFoundError:  # it was not installed: its folder is on the path
    __version__ = "unknown"

_FOR_VERIFIERS = ("WorldsmithEnv", "WorldsmithHarness", "WorldsmithTaskset")  # it looks for them in this package

if find_spec("verifiers") is not None:
    __all__ += _FOR_VERIFIERS  # noqa: PLE0604


def __getattr__(name: str) -> Any:
    """What verifiers looks for, imported when it is asked for. Errors: MissingPackage."""
    if name in _FOR_VERIFIERS:
        return getattr(import_module("worldsmith.verifiers"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
