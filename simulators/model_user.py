"""The simulated user as a language model, with the embedded user as its shadow (dreams §A.9)."""

from __future__ import annotations

from typing import Any

from catalogs.catalog import Catalog
from dialogue.acts import UserActs
from dialogue.snapshot import view_state
from dialogue.streams import Stream
from dialogue.view import DialogueView
from language.llm.asking import Asker
from language.llm.call import Call
from language.prompts import facts, user
from language.voice import UserVoice
from simulators.casting import Casting
from simulators.overruling import EMPTY_REPLY, settle
from simulators.personas import Persona
from simulators.resume import Moment, StreamKey, moment_of, user_to_inputs
from simulators.user import EmbeddedUser

MAX_TOKENS = 600


class ModelUser:
    """A user that a language model plays; pair it with ``envs.model_text.ModelText``.

    Each turn the embedded user (the shadow, which draws what it would draw alone) answers first.
    Where the model says the same, its words stand beside the shadow's account. Where it says
    something else, the account follows what was said, within the rules of
    ``simulators.overruling``. Where it has no usable answer, the shadow's stands, in template
    words. Errors that end the dialogue or the run are raised, with the account as it was.

    Args:
        shadow: The embedded user, shuffled; its stream is a :class:`~dialogue.streams.Stream`.
        persona: Who it is.
        view: The public side of the dialogue.
        voice: Words the shadow's answers.
        wording: Where this wording is drawn from.
        key: What both streams were made from.
        roles: Where the role ``user`` is asked.
        calls: 1 for a single call per turn, 3 for feeling, insight and reply apart.

    Attributes:
        goal: What is wanted.
        acceptable: Bit set of the targets.
        left: Whether it has given up.
        text: What it said last.
        overruled: What was overruled in its last turn (``simulators.overruling.OVERRULED``).

    Raises:
        ValueError: ``calls`` is neither 1 nor 3.
        TypeError: The shadow's stream is not a ``Stream``.
    """

    def __init__(
        self,
        shadow: EmbeddedUser,
        persona: Persona,
        view: DialogueView,
        voice: UserVoice,
        wording: Stream,
        key: StreamKey,
        roles: Asker,
        calls: int = 1,
    ) -> None:
        if calls not in (1, 3):
            raise ValueError(f"user_calls must be 1 or 3, not {calls!r}")
        if not isinstance(shadow.stream, Stream):
            raise TypeError("the shadow of a model user draws from a dialogue.streams.Stream")
        self.goal = shadow.goal
        self.acceptable = shadow.acceptable
        self.left = shadow.left
        self.text = ""
        self.overruled: tuple[str, ...] = ()
        self._shadow = shadow
        self._stream: Stream = shadow.stream
        self._persona = persona
        self._view = view
        self._voice = voice
        self._wording = wording
        self._key = key
        self._roles = roles
        self._calls = calls
        self._casting = Casting(shadow, persona)
        self._values = facts.vocabulary(shadow.catalog)
        self._system_text = ""
        self._blank = False

    @property
    def catalog(self) -> Catalog:
        """The items."""
        return self._shadow.catalog

    def hear(self, system_text: str) -> None:
        """Take in what the system says in the turn that :meth:`respond` will answer."""
        self._system_text = system_text

    def open(self) -> UserActs:
        """What the user means with its opening; the words are in ``text``."""
        return self._speak(-1, -1)

    def respond(self, action: int, item: int) -> UserActs:
        """What it means with its reply to a system action; the words are in ``text``."""
        return self._speak(action, item)

    def _speak(self, action: int, item: int) -> UserActs:
        shadow = self._shadow
        moment = moment_of(shadow, self._stream, self._wording)
        expected = shadow.open() if action < 0 else shadow.respond(action, item)
        self._blank = False
        try:
            answer = self._answer(action, item, moment)
        except BaseException:
            shadow.set_state(moment.state)
            self._stream.seek(moment.at)
            raise
        if answer is None:
            self.overruled = (EMPTY_REPLY,) if self._blank else ()
            said, own = expected, False
        else:
            said, own, self.overruled = settle(shadow, moment.state, expected, answer, action, item)
        # The words belong to the shadow's answer wherever that one stands.
        if answer is not None and own:
            self.text = answer.reply
        else:
            self.text = self._voice.say(said, self._persona.style, self._view, self._wording)
        self.left = shadow.left
        return said

    def _answer(self, action: int, item: int, moment: Moment) -> user.Answer | None:
        """The model's answer, None where it gives none that can be used."""
        data = self._casting.data(self._view, self._system_text, action, item, moment)
        thoughts: dict[str, str] = {}
        for step in user.STEPS[:2] if self._calls == 3 else ():
            thought = self._ask(_reader(step), step, data, thoughts, action, item, moment)
            if thought is None:
                return None
            thoughts[step] = thought

        def read(written: Any) -> user.Answer:
            self._blank = False
            try:
                return user.read_answer(self.catalog, written, item)
            except user.BlankReplyError:
                self._blank = True
                raise

        step = "reply" if self._calls == 3 else "all"
        answer: user.Answer | None = self._ask(read, step, data, thoughts, action, item, moment)
        return answer

    def _ask(
        self,
        read: Any,
        step: str,
        data: dict[str, Any],
        thoughts: dict[str, str],
        action: int,
        item: int,
        moment: Moment,
    ) -> Any:
        view = self._view
        call: Call[Any] = Call(
            role="user",
            prompt=user.PROMPT,
            messages=user.messages(self.catalog.domain, self._values, data, step, thoughts),
            result=user.RESULTS[step],
            read=read,
            inputs=lambda: {
                "catalog": dict(self.catalog.origin),
                "view": view_state(view, texts=False),
                **user_to_inputs(self._shadow, self._persona.style, self._key, moment),
                "action": action,
                "item": item,
                "step": step,
            },
            turn=view.turn,
            max_tokens=MAX_TOKENS,
        )
        return self._roles.ask(call, lambda: None)

    def get_state(self) -> dict[str, Any]:
        """Everything that changes during a dialogue, as plain JSON values.

        That is the shadow's account, and what was said last and overruled of it.
        """
        return {
            **self._shadow.get_state(),
            "text": self.text,
            "overruled": list(self.overruled),
        }

    def set_state(self, state: dict[str, Any]) -> None:
        """Return to a state from :meth:`get_state`."""
        self._shadow.set_state(state)
        self.left = self._shadow.left
        self.text, self.overruled = state["text"], tuple(state["overruled"])
        self._system_text = ""  # each turn begins with hearing


def _reader(step: str) -> Any:
    return lambda written: user.read_thought(written, step)
