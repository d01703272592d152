"""The conversational recommendation environment."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from operator import index
from typing import Any, Literal

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from catalogs.catalog import Catalog
from catalogs.domain import Domain
from catalogs.goal import Goal, goal_from_names
from catalogs.goals import GoalSplits
from dialogue.streams import Role, Stream
from dialogue.view import DialogueView, SystemTurn
from envs.arguments import check_arguments, console_of
from envs.conversation import Conversation
from envs.observation import Observer
from envs.options import ResetOptions, parse_options
from envs.record import dialogue_record
from envs.rendering import render_dialogue
from envs.voices import BESIDE_A_PERSON, SPEAKERS, Voices, models_in_record
from envs.worlds import open_world
from rewards.total import make_reward
from simulators.console import Console
from simulators.human import HUMAN
from simulators.personas import Persona
from simulators.resume import StreamKey
from simulators.user import EmbeddedUser

Channel = Literal["text", "acts"]
Info = dict[str, Any]


_MASKS: dict[tuple[int, bool, bool, bool], NDArray[np.bool_]] = {}


def mask_array(view: DialogueView) -> NDArray[np.bool_]:
    """The legal actions as a new array, which callers may change; each mask is made only once."""
    key = (len(view.asked), *view.open_acts())
    found = _MASKS.get(key)
    if found is None:
        found = _MASKS[key] = np.array(view.mask())
    return found.copy()


class CRSEnv(gym.Env[NDArray[np.float32], np.int64]):
    """A conversation with a simulated user who wants an item that it will recognise.

    ## Description
    The user has a hidden goal (dreams §A.9): for movies preferred genres, actors and directors, for
    books genres and writers. It opens the dialogue; then the system acts and the user replies, turn
    by turn. Success is the offer of a *target*: an item with all wanted values of each ``all``
    facet and one of each ``any`` facet, which the user has not seen. Success is verified against
    the catalogue.

    ## Action space
    ``Discrete(F + 3)`` for a domain with F facets; for movies:

    |   | action            | legal                   | meaning                                    |
    |---|-------------------|-------------------------|--------------------------------------------|
    | 0 | GenreInquiry      | always                  | ask for a genre                            |
    | 1 | StarInquiry       | always                  | ask for an actor                           |
    | 2 | DirectorInquiry   | always                  | ask for a director                         |
    | 3 | FailureReflection | right after a rejection | confirm its reason, ask what is wanted     |
    | 4 | ItemRec           | while items are left    | offer the retriever's best not offered yet |
    | 5 | ItemExplanation   | after an offer          | tell of the item asked about, or the last  |

    ``action_masks()`` and ``info["action_mask"]`` say what is legal. An illegal action is played as
    the first inquiry, costs extra, and sets ``info["invalid_action"]``.

    ## Observation space
    ``Box(0, 1, (size,), float32)`` over the public state only; ``env.unwrapped.observer.names``
    names each entry (per facet: missing/ambiguous/stated/corrected, counts, confidence; turn,
    rejections, candidates, scores, ...).

    ## Rewards
    The sum of five weighted terms in ``info["reward_terms"]`` (dreams §A.4; see ``rewards``):
    explore (0.5), retrieve (0.5), attitude (0.5), cost (0.1), accept (10). With these weights a
    turn's reward lies in [-1.7, 10.9): accepting is worth more than everything else together.

    ## Episode end
    Terminated when a target is accepted or the user gives up; truncated after ``max_turns`` system
    turns. The last ``info`` names the ``persona``, so that curves can be told apart by it; before
    the end nothing does.

    ## Arguments
    * ``name``: catalogue (``redial``, ``opendialkg_movie``, ``opendialkg_book``, ``custom``); set
      by the id.
    * ``domain``, ``items``: for ``custom``, the domain YAML (or ``movie`` / ``book``) and the CSV
      or JSONL of items.
    * ``channel``: ``text`` (user speaks, a tracker listens) or ``acts`` (fast, for training).
    * ``split``: ``train``, ``heldout`` or ``test``; ``order``: ``random`` or ``sequential``
      episodes.
    * ``max_turns``: turn limit T (the paper's released code: 10).
    * ``reward``: weights or terms by name (``rewards.total.make_reward``).
    * ``retrieval``: ``structured``, ``lexical``, ``dense`` or ``fusion``; ``encoder`` of the last
      two: ``embedded``, ``openai`` or ``minilm``.
    * ``llm``: settings of language models as in ``conf/llm`` (``backend``, ``model``, ``roles``,
      ...), which then play user, tracker and responder in ``channel="text"``; default: none.
    * ``simulator``: ``embedded`` (the simulated users above), ``human`` (a person plays the user at
      the terminal), or a front end of your own: an object with ``tell(speaker, text)`` and
      ``ask() -> line`` (``simulators.console.Console``). The person is shown the goal, every item
      that meets it is a target, ``persona`` is ``human`` in the record, and ``said`` is what the
      tracker heard (``simulators.human``). Only in ``channel="text"``.
    * ``data_dir``, ``strict``: where data sets are and whether a bad row is an error.
    * ``keep_steps``: whether turns are kept for ``dialogue_record``; default: only with text or a
      render mode, since training has no use for them.
    * ``render_mode``: ``ansi`` (``render()`` returns the dialogue) or ``human`` (prints its turns).

    ## Reset options
    ``episode`` (number), ``split``, ``goal`` (values by facet name), ``persona`` (name). Episode k
    of a split is goal k mod G and persona (k mod G + k div G) mod 10; the seed changes only the
    user's randomness.

    ## Version history
    * v0: first version.
    """

    # Gymnasium declares it on instances, so it cannot be a ClassVar.
    metadata: dict[str, Any] = {"render_modes": ["ansi", "human"], "render_fps": 1}  # noqa: RUF012

    def __init__(
        self,
        name: str = "redial",
        *,
        domain: str | None = None,
        items: str | None = None,
        channel: Channel = "text",
        split: str = "train",
        order: Literal["random", "sequential"] = "random",
        max_turns: int = 10,
        reward: Mapping[str, Any] | None = None,
        retrieval: str = "structured",
        encoder: str = "embedded",
        llm: Mapping[str, Any] | None = None,
        data_dir: str | None = None,
        strict: bool = True,
        keep_steps: bool | None = None,
        render_mode: str | None = None,
        simulator: str | Console = "embedded",
    ) -> None:
        check_arguments(channel, split, order, max_turns, render_mode)
        self.world = open_world(name, domain, items, retrieval, data_dir, strict, encoder, llm)
        self._llm = llm
        self._console = console_of(simulator, channel)
        self._voices: Voices | None = None
        self.channel, self.split, self.order, self.max_turns = channel, split, order, max_turns
        self.render_mode = render_mode
        self.reward = make_reward(reward)
        self._keep = (
            keep_steps if keep_steps is not None else channel == "text" or render_mode is not None
        )
        self.observer = Observer(self.domain, len(self.catalog))
        self.action_space = spaces.Discrete(len(self.domain.actions))
        self.observation_space = spaces.Box(0.0, 1.0, (self.observer.size,), np.float32)
        self.episode = -1
        self._conversation: Conversation | None = None
        self._printed = 0
        self._goal_index: int | None = None
        self._persona: str | None = None
        self._episode_split = split

    @property
    def catalog(self) -> Catalog:
        """The items."""
        return self.world.catalog

    @property
    def domain(self) -> Domain:
        """Facets and actions."""
        return self.world.catalog.domain

    @property
    def splits(self) -> GoalSplits:
        """Goals by split."""
        return self.world.splits

    @property
    def conversation(self) -> Conversation:
        """The running conversation, hidden side included (sealed while a policy decides)."""
        if self._conversation is None:
            raise RuntimeError("no dialogue yet: call reset() first")
        return self._conversation

    @property
    def view(self) -> DialogueView:
        """The public view of the running conversation."""
        return self.conversation.view

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], Info]:
        """Start a dialogue; see the class for options.

        Raises:
            ValueError: An option is unknown or does not fit the catalogue.
        """
        super().reset(seed=seed)
        if seed is not None:
            self.episode = -1
        chosen = parse_options(options)
        self._begin(chosen)
        self._printed = 0
        if self.render_mode == "human":
            self._print()
        return self.observer.encode(self.view), {"action_mask": self.action_masks()}

    def _begin(self, chosen: ResetOptions) -> None:
        split = chosen.split or self.split
        if chosen.episode is not None:
            self.episode = chosen.episode
        elif self.order == "random":
            self.episode = int(self.np_random.integers(1 << 31))
        else:
            self.episode += 1
        self._goal_index, goal, persona = self.world.episode(split, self.episode)
        if chosen.goal is not None:
            goal, self._goal_index = self._named_goal(chosen.goal), None
        if chosen.persona is not None:
            persona = self._named_persona(chosen.persona)
        self._persona, self._episode_split = persona.name if self._console is None else HUMAN, split
        self._conversation = self._converse(goal, persona)
        self._conversation.open()

    def _converse(self, goal: Goal, persona: Persona) -> Conversation:
        world, seed = self.world, self._run_seed()
        view = DialogueView(world.catalog, world.retriever, self.channel, self.max_turns)
        if self._voices is None and self.channel == "text":
            self._voices = Voices(world, self._llm)
        if self._voices is not None and self._console is not None:
            speaker, text = self._voices.person(goal, view, self._console)
            return Conversation(view, speaker, self.reward, text, self._keep)
        stream = Stream(seed, self.episode, Role.USER, self.max_turns + 1)
        seen = world.seen.draw(seed, self.episode, persona.behaviour.seen, world.targets(goal))
        user = EmbeddedUser(
            world.catalog,
            goal,
            persona.behaviour,
            seen,
            stream,
            world.vague,
            world.targets(goal) & ~seen,
        )
        user.shuffle()
        if self._voices is None:
            return Conversation(view, user, self.reward, None, self._keep, (stream,))
        wording = Stream(seed, self.episode, Role.TEXT, self.max_turns + 1)
        key = StreamKey(seed, self.episode, self.max_turns + 1)
        speaker, text = self._voices.cast(user, persona, view, wording, key)
        return Conversation(view, speaker, self.reward, text, self._keep, (stream, wording))

    def _run_seed(self) -> int:
        return self.np_random_seed

    def _named_goal(self, names: Mapping[str, Any]) -> Goal:
        try:
            goal = goal_from_names(self.catalog, names)
        except KeyError as error:
            raise ValueError(f"reset option 'goal': {error.args[0]}") from error
        if not self.world.targets(goal):
            raise ValueError(
                f"reset option 'goal': no item of {self.catalog.source} meets {dict(names)}"
            )
        return goal

    def _named_persona(self, name: str) -> Persona:
        for persona in self.world.personas:
            if persona.name == name:
                return persona
        names = ", ".join(persona.name for persona in self.world.personas)
        raise ValueError(f"reset option 'persona': no persona {name!r}; there are {names}")

    def step(self, action: np.int64 | int) -> tuple[NDArray[np.float32], float, bool, bool, Info]:
        """Play one action with the environment's own retriever and responder."""
        return self.play(index(action))

    def play(self, turn: SystemTurn | int) -> tuple[NDArray[np.float32], float, bool, bool, Info]:
        """Play a policy's own turn (its text, query, ranking). It bypasses Gymnasium wrappers."""
        talk = self._conversation or self.conversation
        view = talk.view
        invalid = view.invalid
        reward = talk.advance(turn)
        info: Info = {
            "action_mask": mask_array(view),
            "reward_terms": dict(zip(self.reward.names, talk.rewards, strict=True)),
            "invalid_action": view.invalid > invalid,
            "is_success": talk.accepted,
            "turn": view.turn,
        }
        if self._persona is not None and (talk.terminated or talk.truncated):
            info["persona"] = self._persona
        if self.render_mode == "human":
            self._print()
        return self.observer.encode(view), reward, talk.terminated, talk.truncated, info

    def action_masks(self) -> NDArray[np.bool_]:
        """Legal actions, shape ``(F + 3,)``; never all false."""
        return mask_array(self.view)

    def dialogue_record(self) -> dict[str, Any]:
        """The dialogue so far as one JSON-compatible line (see ``envs.record``)."""
        if self._persona is None:
            raise RuntimeError("no dialogue yet: call reset() first")
        return dialogue_record(
            self.conversation,
            self.reward.names,
            {
                "episode": self.episode,
                "split": self._episode_split,
                "seed": self._run_seed(),
                "goal_index": self._goal_index,
                "persona": self._persona,
                **models_in_record(
                    self._llm, SPEAKERS if self._console is None else BESIDE_A_PERSON
                ),
            },
        )

    def render(self) -> str | None:
        """The dialogue so far as text (``ansi``); ``human`` prints turns as they happen."""
        if self.render_mode == "ansi":
            return render_dialogue(self.view)
        return None

    def _print(self) -> None:
        text = render_dialogue(self.view, self._printed)
        known = sys.stdout.encoding or "utf-8"
        sys.stdout.write(text.encode(known, "replace").decode(known))
        sys.stdout.flush()
        self._printed = len(self.view.exchanges)

    def _setting(self) -> dict[str, Any]:
        """What reset decided: two dialogues with equal settings have the same user."""
        conversation = self.conversation
        return {
            "episode": self.episode,
            "seed": self._run_seed(),
            "split": self._episode_split,
            "persona": self._persona,
            "goal": conversation.user.goal.named(self.catalog),
        }

    def get_state(self) -> dict[str, Any]:
        """Exact snapshot of the running dialogue as plain JSON values; valid for this episode."""
        return {**self._setting(), "conversation": self.conversation.get_state()}

    def set_state(self, state: dict[str, Any]) -> None:
        """Return to a snapshot of this episode; ValueError for one of another dialogue."""
        for name, here in self._setting().items():
            if state[name] != here:
                raise ValueError(
                    f"the snapshot is of {name} {state[name]}, the environment is in {here}; "
                    f"reset with that {name} first"
                )
        self.conversation.set_state(state["conversation"])
