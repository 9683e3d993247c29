"""Verified tool-use worlds from Python: what a trainer, an evaluation or a notebook needs, without a server.

`tasks` names the tasks of a domain -> a `Rollout` plays one: `open` gives the messages that start it, `take` answers
what the assistant says -> `verdict` judges the database that it leaves. `evaluate` does so for many and scores them.
"""

from importlib.metadata import PackageNotFoundError, version

from runtime.domain.domain import Domain
from runtime.errors import BrokenDomain, EnvironmentFault, UsageError, WorldsmithError
from runtime.harness.evaluation.plan import Split
from runtime.harness.evaluation.scores import Score, Scores
from runtime.verification.verdict import Difference, Verdict
from worldsmith.catalog import DomainTask, load, tasks
from worldsmith.chat import ChatMessage, ChatTool
from worldsmith.evaluate import Agent, AgentName, Evaluation, PlayedTrial, evaluate
from worldsmith.rollout import Rollout, UserName

__all__ = [
    "Agent",
    "AgentName",
    "BrokenDomain",
    "ChatMessage",
    "ChatTool",
    "Difference",
    "Domain",
    "DomainTask",
    "EnvironmentFault",
    "Evaluation",
    "PlayedTrial",
    "Rollout",
    "Score",
    "Scores",
    "Split",
    "UsageError",
    "UserName",
    "Verdict",
    "WorldsmithError",
    "evaluate",
    "load",
    "tasks",
]

try:
    __version__ = version("worldsmith")
except PackageNotFoundError:  # it was not installed: its folder is on the path
    __version__ = "unknown"
