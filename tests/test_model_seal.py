"""What whole runs send to models: who the user is and what it wants goes to the user alone."""

import json
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from catalogs.catalog import members
from conf.environments import make_env
from conf.models import release_models
from conf.policies import make_policy
from dialogue.streams import Role, generator
from envs.crs import CRSEnv
from language.llm.request import ChatRequest
from language.prompts.situation import preferences
from serving.background import running
from tests.model_runs import STUB, configured, plain, played_by, rows, run, samples, stats

__all__ = ["samples"]  # a fixture
pytestmark = pytest.mark.usefixtures("samples")

PLANNERS = {
    "dreams": ("planner=dreams", "planner.n_el=2", "planner.m=2"),
    "inter_crs": ("planner=inter_crs",),
}
ASKED = {
    "dreams": {"track", "reply", "score", "imagine", "refine"},
    "inter_crs": {"track", "policy"},
}
SHOWN = ("utterance", "candidates", "last_offer", "item", "system_did", "offers", "turned_down")
"""Parts of the data that show the user's words, or items that any user may be offered."""
HIDDEN_INPUTS = {"goal", "persona", "seen", "acceptable", "stream", "wording", "state"}


class Dialogue:
    """Dialogues of one planner, a step at a time, with every request that is no user's."""

    def __init__(self, env: CRSEnv, policy: Any, script: bool = False) -> None:
        self.env = env
        self.policy = policy
        self.script = script
        self.heard: list[tuple[ChatRequest, str]] = []
        self._turn = 0

    def spoil(self, role: str, result: dict[str, Any], request: ChatRequest) -> Any:
        if role == "user":
            return {**result, **self._scripted(request)} if self.script else result
        self.heard.append((request, self._public(request)))
        return result

    def play(self, episode: int, **options: Any) -> None:
        self.heard.clear()
        self._turn = 0
        self.env.reset(seed=3, options={"episode": episode, "split": "test", **options})
        self.policy.reset(self.env.view, generator(3, episode, Role.POLICY, 0))
        ended = False
        while not ended:
            self._turn += 1
            with self.env.conversation.sealed():
                rng = generator(3, episode, Role.POLICY, self._turn)
                turn = self.policy.decide(self.env.view, rng)
            _, _, terminated, truncated, _ = self.env.play(turn)
            ended = terminated or truncated

    def requests(self) -> Counter[str]:
        """Requests as texts, whatever their order."""
        return Counter(
            json.dumps([request.role.role, request.sample, request.messages])
            for request, _ in self.heard
        )

    def _scripted(self, request: ChatRequest) -> dict[str, Any]:
        """A user who says the same whoever it is: nothing to questions, no to offers."""
        offer = '"offered"' in request.messages[1]["content"]
        kind, reply = ("REJECT", "No.") if offer else ("EVADE", "Hm.")
        act = {"kind": kind, "facet": None, "value": None, "other": None}
        return {"meaning": [act] if self._turn else [], "reply": reply}

    def _public(self, request: ChatRequest) -> str:
        """All that may be known when a request is made: what was said, tracked, and shown."""
        talk = self.env._conversation
        assert talk is not None
        view = talk.view
        data = json.loads(request.messages[1]["content"])
        known = [line for _, line in view.transcript()]
        known.append(json.dumps(preferences(view.state, view.catalog), ensure_ascii=False))
        shown = {**data, **data.get("before", {})}
        known += [json.dumps(shown.get(part), ensure_ascii=False) for part in SHOWN]
        return "\n".join(known).casefold()


@contextmanager
def dialogue(planner: str, *overrides: str, script: bool = False) -> Iterator[Dialogue]:
    config = configured(Path("never written"), *PLANNERS[planner], *STUB, *overrides)
    with played_by(lambda role, right, request: found.spoil(role, right, request)):
        env: Any = make_env(config).unwrapped
        found = Dialogue(env, make_policy(config), script)
        try:
            yield found
        finally:
            release_models(config)


@pytest.mark.parametrize("planner", PLANNERS)
def test_nothing_hidden_is_sent(planner: str) -> None:
    kept = 0
    asked: set[str] = set()
    with dialogue(planner, "env=redial") as talk:
        for episode in range(4):
            talk.play(episode)
            user = talk.env.conversation.user
            persona = user._persona
            catalog = talk.env.catalog
            wanted = [
                catalog.value(f, value)
                for f, facet in enumerate(catalog.domain.facets)
                for value in user.goal.values[f]
                if facet.person
            ]
            seen = [catalog.items[item].label for item in members(user._shadow.seen)]
            for request, public in talk.heard:
                asked.add(request.role.role)
                sent = json.dumps(request.messages, ensure_ascii=False)
                assert persona.name not in sent
                assert persona.description not in sent
                sent = sent.casefold()
                hidden = seen if request.role.role == "imagine" else [*wanted, *seen]
                for text in hidden:
                    assert text.casefold() not in sent or text.casefold() in public
                    kept += text.casefold() not in sent
    assert asked == ASKED[planner]
    assert kept > 1000


@pytest.mark.parametrize("planner", PLANNERS)
def test_the_field_for_the_server_tells_nobody_else_about_the_user(planner: str) -> None:
    with dialogue(planner, "env=opendialkg_book") as talk:
        talk.play(1)
        for request, _ in talk.heard:
            assert request.extra is not None
            inputs = request.extra()["inputs"]
            assert not HIDDEN_INPUTS & inputs.keys()


@pytest.mark.parametrize("planner", PLANNERS)
def test_the_same_words_make_the_same_requests(planner: str) -> None:
    """Whoever says them, whatever it wants and has seen."""
    sent = []
    with dialogue(planner, "env=redial", "env.max_turns=4", script=True) as talk:
        for goal, persona in ((0, "trusting_senior"), (7, "curious_child")):
            wanted = talk.env.splits.of("test")[goal]
            names = {key: value for key, value in wanted.named(talk.env.catalog).items() if value}
            talk.play(2, goal=names, persona=persona)
            said = talk.env.dialogue_record()
            assert [turn["overruled"] for turn in said["turns"]] == [[]] * 4
            sent.append((talk.requests(), [turn["action"] for turn in said["turns"]]))
    assert sent[0] == sent[1]
    assert {json.loads(text)[0] for text in sent[0][0]} == ASKED[planner]


class Recorder(ThreadingHTTPServer):
    """An endpoint of somebody else: it answers nothing useful, and keeps what it was sent."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answering)
        self.sent: list[tuple[str, bytes]] = []


class Answering(BaseHTTPRequestHandler):
    server: Recorder
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.sent.append((str(self.headers["Authorization"]), body))
        said = {"role": "assistant", "content": "I would rather talk about the weather."}
        choice = {"index": 0, "message": said, "finish_reason": "stop"}
        answer = json.dumps({"choices": [choice]}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *args: Any) -> None:
        pass


@pytest.fixture
def elsewhere() -> Iterator[Recorder]:
    with Recorder() as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.mark.parametrize("planner", PLANNERS)
def test_others_get_no_field_and_no_foreign_key(
    planner: str, elsewhere: Recorder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their useless answers are replaced, so that the run is the embedded one."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-openai")
    monkeypatch.setenv("OTHER_KEY", "sk-of-others")
    setting = ("env=opendialkg_book", *PLANNERS[planner], "episodes=2")
    port = elsewhere.server_address[1]
    others = ("llm=openai", f"llm.base_url=http://127.0.0.1:{port}/v1", "llm.api_key_env=OTHER_KEY")
    with running() as address:
        user = ("llm.roles.user.backend=server", f"llm.roles.user.base_url={address}")
        found = run(tmp_path / "out", *setting, *others, *user)
        assert stats(address)["requests"].keys() == {"user"}
    assert plain(found) == run(tmp_path / "embedded", *setting, "workers=1")
    assert {key for key, _ in elsewhere.sent} == {"Bearer sk-of-others"}
    for _, body in elsewhere.sent:
        assert b"crsgym" not in body
        assert json.loads(body).keys() == {"model", "messages", "max_tokens", "response_format"}
    roles = {role for t in rows(tmp_path / "out" / "timings.jsonl") for role in t["llm"]}
    assert roles - {"user"} == ASKED[planner]
