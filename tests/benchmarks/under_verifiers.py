"""Episodes under verifiers, in this process as `vf-eval` runs them, with a model that answers from another process."""

from __future__ import annotations

import asyncio
import logging
import ssl
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import httpx2
import verifiers.v1 as vf
from pydantic_core import to_json
from verifiers.v1.cli.eval.runner import run_eval
from verifiers.v1.configs.cli.eval import EvalConfig

from tests.benchmarks.adapters import Play, Policy, Recorded, floor_of
from worldsmith import DomainTask, Rollout
from worldsmith.verifiers import WorldsmithEnv

_NO_PROOF = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # all is plain HTTP

OURS = "verifiers, our adapter"


@contextmanager
def players(chosen: Sequence[DomainTask], records: Mapping[Policy, Sequence[Recorded]]) -> Iterator[dict[str, Play]]:
    """The floor says in each episode what was said there before."""
    logging.disable(logging.WARNING)  # a line for each episode
    with tempfile.TemporaryDirectory() as folder, _stand_in(Path(folder), chosen[0].domain.path) as url:
        sys.modules["recorded_episodes"] = _floor(chosen, records)
        ours = {"id": "worldsmith", "domain": str(chosen[0].domain.path), "split": "held_out"}
        tasksets = {floor_of(OURS): {"id": "recorded_episodes"}, OURS: ours}
        yield {name: player(taskset, url, folder) for name, taskset in tasksets.items()}
    logging.disable(logging.NOTSET)


def player(taskset: Mapping[str, str], url: str, folder: str) -> Play:
    """Plays a taskset of verifiers."""

    def play(count: int, policy: Policy) -> list[float | None]:
        said = {
            "env": {"taskset": dict(taskset)},
            "model": policy,
            "client": {"base_url": url, "api_key_var": "NONE"},
            "select": {"limit": count},
            "rich": None,
            "push": False,
            "output_dir": folder,
        }
        episodes = asyncio.run(run_eval(EvalConfig.model_validate(said)))
        return [trace.rewards["verdict"].score for episode in episodes for trace in episode.traces]

    return play


@contextmanager
def _stand_in(folder: Path, domain: Path) -> Iterator[str]:
    file = folder / "url"
    command = [sys.executable, "-m", "tests.frameworks.stand_in", str(file), str(domain)]
    with subprocess.Popen(command) as server:
        try:
            while not file.exists() or not file.read_text():
                assert server.poll() is None
                time.sleep(0.1)
            yield file.read_text()
        finally:
            server.terminate()


def _floor(chosen: Sequence[DomainTask], records: Mapping[Policy, Sequence[Recorded]]) -> Any:
    tools = Rollout(chosen[0]).tools

    class RecordedTask(vf.Task[vf.TaskData]):
        @vf.reward
        async def verdict(self, trace: vf.Trace) -> float:
            return trace.info["reward"]  # type: ignore[no-any-return]

    class RecordedTaskset(vf.Taskset[RecordedTask, vf.TasksetConfig]):
        def load(self) -> Iterator[RecordedTask]:
            for number, each in enumerate(chosen):
                data = vf.TaskData(id=str(number), name=str(number), prompt=each.task.user.words[0])
                yield RecordedTask(data, self.config.task)

    class RecordedHarness(vf.Harness[vf.HarnessConfig]):
        APPENDS_SYSTEM_PROMPT = True
        EXECUTES_CODE = NEEDS_CONTAINER = False

        async def launch(self, ctx, trace, runtime, endpoint, secret, mcp_urls, data):  # type: ignore[no-untyped-def]
            recorded = records[ctx.model][int(data.id)]
            headers = {"Authorization": f"Bearer {secret}", "Content-Type": "application/json"}
            async with httpx2.AsyncClient(timeout=None, headers=headers, verify=_NO_PROOF) as client:
                for each in recorded.replies:
                    body = {"model": ctx.model, "messages": recorded.messages[:each], "tools": tools}
                    response = await client.post(f"{endpoint}/chat/completions", content=to_json(body))
                    response.raise_for_status().json()
            trace.info["reward"] = float(ctx.model == "reference")
            return vf.ProgramResult(exit_code=0, stdout="", stderr="")

    module: Any = ModuleType("recorded_episodes")
    module.RecordedTaskset, module.RecordedHarness = RecordedTaskset, RecordedHarness
    module.WorldsmithEnv = WorldsmithEnv
    module.__all__ = ["RecordedTaskset", "RecordedHarness", "WorldsmithEnv"]
    return module
