"""Claims about `examples.nemo_gym`, by the endpoints of NeMo Gym's own server; run by `.ci/frameworks recipes`."""

from __future__ import annotations

import json

import pytest
from fastapi.testclient import TestClient
from nemo_gym.base_resources_server import BaseResourcesServerConfig
from nemo_gym.openai_utils import NeMoGymResponse, NeMoGymResponseCreateParamsNonStreaming
from nemo_gym.server_utils import ServerClient

from examples.nemo_gym import TasksServer, rows
from worldsmith.recipes import rollout_of

ROWS = [*rows("library"), *rows("job_seeking", split="held_out")][:8]


@pytest.fixture(scope="module")
def client():
    config = BaseResourcesServerConfig(host="127.0.0.1", port=8080, entrypoint="app.py", name="worldsmith")
    server = TasksServer(config=config, server_client=ServerClient.model_construct())
    return TestClient(server.setup_webserver())


def response(message):
    """An assistant message in the form of NeMo Gym's responses."""
    output = [
        {
            "type": "function_call",
            "call_id": call["id"],
            "name": call["function"]["name"],
            "arguments": call["function"]["arguments"],
        }
        for call in message.get("tool_calls") or []
    ]
    if message["content"]:
        text = {"type": "output_text", "text": message["content"], "annotations": []}
        output.append({"type": "message", "id": "m", "role": "assistant", "status": "completed", "content": [text]})
    about = {"id": "r", "created_at": 0, "model": "m", "object": "response", "parallel_tool_calls": True}
    return NeMoGymResponse(output=output, tool_choice="auto", tools=[], **about).model_dump()


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["worldsmith"]["task"])
def test_an_episode_over_the_endpoints_is_rewarded_for_what_was_done(client, row):
    row = json.loads(json.dumps(row))
    NeMoGymResponseCreateParamsNonStreaming.model_validate(row["responses_create_params"])
    for agent, reward in (("reference", 1.0), ("idle", 0.0)):
        assert client.post("/reset", json=row).json()["observation"] is None
        with rollout_of(row).sync() as twin:
            assert twin.open() == row["responses_create_params"]["input"]
            say, step = twin.seat(agent), {"terminated": False, "truncated": False}
            while not step["terminated"] and not step["truncated"]:
                message = say()
                step = client.post("/step", json={**row, "response": response(message)}).json()
                answers = twin.take(message)
                outputs = [
                    {"call_id": a["tool_call_id"], "output": a["content"]} for a in answers if a["role"] == "tool"
                ]
                assert step["info"]["tool_outputs"] == outputs
                assert (step["observation"] or "") == "".join(a["content"] for a in answers if a["role"] == "user")
            assert step["reward"] == twin.verdict().reward == reward
