"""A stand-in for a language model in the planner's roles: it computes each answer from the inputs.

Inputs and answers go through JSON, as they do on the way to the serving endpoint and back.
"""

import json
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from envs.world import World
from language.llm.call import Call
from serving import planning

HANDLERS = {"score": planning.score, "imagine": planning.imagine, "refine": planning.refine}


class StandIn:
    """Plays roles; ``spoil`` changes an answer before it is read.

    Attributes:
        asked: Roles of the calls, in order.
        waits: Roles of calls that were started together, one list each.
    """

    def __init__(
        self,
        world: World,
        roles: tuple[str, ...] = tuple(HANDLERS),
        spoil: Callable[[str, dict[str, Any]], dict[str, Any]] | None = None,
    ) -> None:
        self._world = world
        self._roles = roles
        self._spoil = spoil
        self.asked: list[str] = []
        self.sizes: list[int] = []

    def is_model(self, role: str) -> bool:
        return role in self._roles

    def ask(self, call: Call[Any], fallback: Callable[[], Any]) -> Any:
        self.asked.append(call.role)
        inputs = json.loads(json.dumps(call.inputs()))
        answer = HANDLERS[call.role](inputs, self._world)
        if self._spoil is not None:
            answer = self._spoil(call.role, answer)
        try:
            return call.read(call.result.model_validate_json(json.dumps(answer)))
        except ValueError:
            return fallback()

    def map(self, function: Callable[[Any], Any], jobs: list[Any]) -> list[Any]:
        self.sizes.append(len(jobs))
        # In the reverse order: results must not depend on it.
        return [function(job) for job in reversed(jobs)][::-1]

    def submit(self, function: Callable[[], Any]) -> "Future[Any]":
        done: Future[Any] = Future()
        done.set_result(function())
        return done
