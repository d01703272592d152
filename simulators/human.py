"""A person as the user: free text, a few plain commands, and acceptance that is verified.

What a person really means nobody knows, so ``said`` in the record is what the environment's tracker
heard (commands are acts as they stand and need no hearing). The one thing that decides a dialogue
is not left to hearing: only ``/accept`` accepts, only ``/quit`` gives up, and words that sound like
either are asked about. A claim to accept what is no target is overruled and reported as of a
model's user (``simulators.overruling``): it does not stand, and the person answers again. A person
may turn a target down; nothing is overruled then, and ``target_offered_rate`` counts it.

A person has no drawn set of seen items: every item that meets the goal is a target, and what the
person knows it says.
"""

from __future__ import annotations

from typing import Any

from catalogs.catalog import Catalog
from catalogs.goal import Goal, targets
from dialogue.acts import ACCEPT, DETAILS, QUIT, REJECT, SEEN, UserAct, UserActs
from dialogue.view import DialogueView
from language.llm.errors import RunStopped
from language.style import Style
from language.tracker import Tracker
from language.voice import UserVoice
from simulators.briefing import COMMANDS, goal_lines, help_lines, item_lines, missed, rule_lines
from simulators.console import NOTE, SYSTEM, Console, one_line
from simulators.overruling import FALSE_ACCEPT

HUMAN = "human"
"""Name that records give as the persona."""

_REACTIONS = {"/accept": ACCEPT, "/no": REJECT, "/seen": SEEN, "/details": DETAILS}
_PLAIN_STYLE = Style("trust", "adults")
_SOUNDS_LIKE = {
    ACCEPT: "That sounds as if you take it. Type /accept if you do, else say it another way.",
    QUIT: "That sounds as if you give up. Type /quit if you do, else say it another way.",
}


class InputEnded(RunStopped):
    """The person's input is over; finished dialogues are kept."""


class HumanUser:
    """A person in one dialogue; pair it with ``envs.person_text.PersonText``.

    Args:
        catalog: The items.
        goal: What the person is asked to look for.
        view: The public side of the dialogue.
        tracker: The environment's; it hears the person's text.
        voice: Words the commands.
        console: Where the person reads and writes.

    Attributes:
        goal: What is wanted.
        acceptable: Bit set of the targets: all items that meet the goal.
        left: Whether the person has given up.
        text: What was said last.
        heard: What the tracker made of it.
        overruled: What was overruled in the last turn (``simulators.overruling.OVERRULED``).
    """

    def __init__(
        self,
        catalog: Catalog,
        goal: Goal,
        view: DialogueView,
        tracker: Tracker,
        voice: UserVoice,
        console: Console,
    ) -> None:
        self.catalog = catalog
        self.goal = goal
        self.acceptable = targets(catalog, goal)
        self.left = False
        self.text = ""
        self.heard: UserActs = ()
        self.overruled: tuple[str, ...] = ()
        self._view = view
        self._tracker = tracker
        self._voice = voice
        self._console = console

    def hear(self, system_text: str) -> None:
        """Show what the system says in the turn that :meth:`respond` will answer."""
        self._console.tell(SYSTEM, one_line(system_text))

    def open(self) -> UserActs:
        """Brief the person and take its first line."""
        self._note(*goal_lines(self.catalog, self.goal), *rule_lines(self.catalog))
        self._note("You begin:")
        return self._answer(-1)

    def respond(self, action: int, item: int) -> UserActs:
        """The person's reply to a system action about ``item`` (-1: none)."""
        # Who gives up in the first line is answered all the same, and not asked again.
        said = (UserAct(QUIT),) if self.left else self._answer(item)
        view = self._view
        if any(act.kind == ACCEPT for act in said):
            self._note("Verified: it has all that you were looking for.")
        elif not self.left and view.turn >= view.max_turns:
            self._note(f"That was turn {view.turn}, the last one: the conversation ends here.")
        return said

    def _answer(self, item: int) -> UserActs:
        """Ask until something is said that stands."""
        self.overruled = ()
        while True:
            line = self._line()
            if line.startswith("/"):
                acts = self._command(line, item)
                if acts:
                    self.text = self._voice.say(acts, _PLAIN_STYLE, self._view, _Steady())
            else:
                acts = self._listen(line)
                self.text = line
            if acts is not None:
                self.heard = acts
                return acts

    def _line(self) -> str:
        """The next line with something in it."""
        while True:
            try:
                line = one_line(self._console.ask())
            except EOFError:
                raise InputEnded(
                    "the input ended before the conversation did; finished conversations are "
                    "kept: resume=true run_dir=DIR (the run's directory) continues with this one"
                ) from None
            if line:
                return line
            self._note("Say something, or type /help.")

    def _listen(self, text: str) -> UserActs | None:
        """What the tracker hears; None where it sounds like an end that only a command brings."""
        acts = self._tracker.track(text, self._view)
        ends = next((act.kind for act in acts if act.kind in _SOUNDS_LIKE), None)
        if ends is None:
            return acts
        self._note(_SOUNDS_LIKE[ends])
        return None

    def _command(self, line: str, item: int) -> UserActs | None:
        """Acts of a command; None for one that only shows something, or does not stand."""
        name, *more = line.split()
        if name not in COMMANDS or more:
            self._note("Commands stand alone on a line; there are:", *help_lines())
        elif name == "/quit":
            self.left = True
            return (UserAct(QUIT),)
        elif name == "/goal":
            self._note(*goal_lines(self.catalog, self.goal))
        elif name == "/help":
            self._note(*help_lines())
        elif name == "/accept" and not (item >= 0 and self.acceptable >> item & 1):
            self._overrule(item)
        elif item < 0:
            self._note(f"{name} is about what is offered, and nothing is offered in this turn.")
        elif name == "/look":
            self._note(*item_lines(self.catalog, item))
        else:
            return (UserAct(_REACTIONS[name], other=item),)
        return None

    def _overrule(self, item: int) -> None:
        """Say why a claimed acceptance does not stand."""
        self.overruled = (FALSE_ACCEPT,)
        if item < 0:
            self._note("Nothing is offered in this turn, so there is nothing to accept.")
            return
        lacks = " or ".join(missed(self.catalog, self.goal, item))
        self._note(
            f"{self.catalog.items[item].label} is not what you were asked to look for (it does not "
            f"fit your {lacks}), so it cannot be accepted. Answer again."
        )

    def _note(self, *lines: str) -> None:
        for line in lines:
            self._console.tell(NOTE, one_line(line))

    def get_state(self) -> dict[str, Any]:
        """What changes during a dialogue, as plain JSON values."""
        return {"left": self.left, "text": self.text, "overruled": list(self.overruled)}

    def set_state(self, state: dict[str, Any]) -> None:
        """Return to a state from :meth:`get_state`; the person has to go along."""
        self.left, self.text = state["left"], state["text"]
        self.overruled = tuple(state["overruled"])


class _Steady:
    """Numbers with which the voice words an act plainly and always alike."""

    def random(self) -> float:
        """No mood, and of several templates the last."""
        return 0.999
