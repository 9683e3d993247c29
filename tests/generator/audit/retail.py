"""A small set in the format of tau2-bench: one shelf, four tools, and the environment and evaluators that a set has."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

_FILES = {
    "domains/retail/environment.py": """
import json
from typing import Any
from pydantic import BaseModel
from tau2.domains.retail.tools import RetailTools
class Shelf(BaseModel):
    id: str
    left: int = 3
    log: list[str] = []
class RetailDB(BaseModel):
    orders: dict[str, Shelf]
    @classmethod
    def load(cls, path): return cls.model_validate(json.load(open(path)))
class Environment:
    user_tools = None
    def __init__(self, tools): self.tools = tools
    def get_policy(self): return "Swap what is asked for."
    def get_tools(self): return [Tool(openai_schema={"function": dict(name=n, description=n, parameters=SCHEMA)})
                                 for n in self.tools.tools]
    def make_tool_call(self, tool_name, requestor="assistant", **given):
        return self.tools.use_tool(tool_name, **given)
    def sync_tools(self): pass
    def to_json_str(self, value):
        return value if isinstance(value, str) else json.dumps(value.model_dump() if value else None)
    def get_response(self, call):
        try: return Answer(text=self.to_json_str(self.make_tool_call(call.name, **call.arguments)))
        except Exception as error: return Answer(text=str(error))
class Tool(BaseModel):
    openai_schema: dict[str, Any]
class Answer(BaseModel):
    text: str
SCHEMA = {"type": "object", "properties": {"id": {"type": "string"}}}
def get_environment(db): return Environment(RetailTools(db))
""",
    "domains/retail/tools.py": """
from enum import Enum
class Kind(str, Enum):
    READ = "read"
    WRITE = "write"
class RetailTools:
    def __init__(self, db): self.db = db
    @property
    def tools(self): return {n: getattr(self, n) for n in ("look", "swap", "note", "spin")}
    def tool_type(self, name): return Kind.READ if name == "look" else Kind.WRITE
    def use_tool(self, tool_name, **given): return self.tools[tool_name](**given)
    def look(self, id): return self.db.orders[id]
    def spin(self):
        while True: pass
    def swap(self, id, item_ids, new_item_ids):
        if self.db.orders[id].left < len(item_ids): raise ValueError("too few left")
        self.db.orders[id].log += new_item_ids
    def note(self, id, text):
        import os
        os._exit(3) if text == "exit" else None
        self.db.orders[id].log.append(text + os.sep)
        self.db.orders[id].left -= 3
        open("/tmp/worldsmith-audit-escaped", "w").write("x" * 10) if text == "write" else None
""",
    "data_model/tasks.py": """
from enum import Enum
from typing import Any
from pydantic import BaseModel
class Basis(str, Enum):
    DB = "DB"
    COMMUNICATE = "COMMUNICATE"
    NL_ASSERTION = "NL_ASSERTION"
class Action(BaseModel):
    name: str
    arguments: dict[str, Any]
    requestor: str = "assistant"
class Criteria(BaseModel):
    actions: list[Action]
    communicate_info: list[str] = []
    nl_assertions: list[str] = []
    env_assertions: list[Any] = []
    reward_basis: list[Basis] = [Basis.DB, Basis.COMMUNICATE]
class Task(BaseModel):
    id: str
    user_scenario: str
    evaluation_criteria: Criteria
""",
    "data_model/message.py": """
from typing import Any
from pydantic import BaseModel
class ToolCall(BaseModel):
    id: str
    name: str
    arguments: dict[str, Any]
class AssistantMessage(BaseModel):
    role: str
    content: str | None
    tool_calls: list[ToolCall] = []
class UserMessage(AssistantMessage): pass
""",
    # Its judge of the database looks at how many are left, not at the log.
    "evaluator/evaluator_env.py": """
from types import SimpleNamespace
from tau2.data_model.tasks import Basis
class EnvironmentEvaluator:
    @classmethod
    def calculate_reward(cls, environment_constructor, task, full_trajectory):
        ends = []
        calls = [call for each in full_trajectory for call in getattr(each, "tool_calls", [])]
        for chain in (task.evaluation_criteria.actions, calls):
            opened = environment_constructor(solo_mode=False)
            for call in chain: opened.get_response(call)
            ends.append(opened.tools.db.orders["a"].left)
        return SimpleNamespace(reward_breakdown={Basis.DB: float(ends[0] == ends[1])})
""",
    "evaluator/evaluator_communicate.py": """
from types import SimpleNamespace
from tau2.data_model.tasks import Basis
class CommunicateEvaluator:
    @classmethod
    def calculate_reward(cls, task, full_trajectory):
        said = [each.content or "" for each in full_trajectory if getattr(each, "role", "") == "assistant"]
        wanted = task.evaluation_criteria.communicate_info
        checks = [SimpleNamespace(info=each, met=any(each in text for text in said)) for each in wanted]
        reward = float(all(each.met for each in checks))
        return SimpleNamespace(reward_breakdown={Basis.COMMUNICATE: reward}, communicate_checks=checks)
""",
    "evaluator/evaluator_action.py": """
from types import SimpleNamespace
class ActionEvaluator:
    @classmethod
    def calculate_reward(cls, task, full_trajectory): return SimpleNamespace(reward_breakdown=None)
""",
}


def swap(old: list[str], new: list[str]) -> list[Any]:
    """Return a call that puts items in place of others."""
    return ["swap", {"id": "a", "item_ids": old, "new_item_ids": new}]


NOTE = ["note", {"id": "a", "text": "hello"}]


def write_set(root: Path, golds: list[list[Any]], **criteria: Any) -> Path:
    """Write the set with a task for each gold."""
    data = root / "data/tau2/domains/retail"
    data.mkdir(parents=True)
    for name, text in _FILES.items():
        path = root / "src/tau2" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (data / "db.json").write_text(json.dumps({"orders": {"a": {"id": "a"}}}))
    tasks = [
        {
            "id": str(at),
            "user_scenario": "a x y z hello write",
            "evaluation_criteria": {
                "actions": [{"name": name, "arguments": given} for name, given in gold],
                **criteria,
            },
        }
        for at, gold in enumerate(golds)
    ]
    (data / "tasks.json").write_text(json.dumps(tasks))
    return root
