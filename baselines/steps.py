"""A comparator's model calls: each a prompt, the shape of its answer, and rules that stand in.

A method is a flow over steps. A step is computed from the situation (what a free-form method knows)
and from what the method hands it, by a language model that plays the role ``policy`` or, where that
role is embedded, by the step's rules; the flow does not know by which.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, Self, TypeVar

from pydantic import BaseModel, ConfigDict

from language.llm.asking import Asker
from language.llm.call import Call
from language.prompts.facts import LINE, chat, item_facts, shortened
from language.prompts.single_call import Situation, legal_names

A = TypeVar("A", bound=BaseModel)
G = TypeVar("G", bound=BaseModel)
J = TypeVar("J")
R = TypeVar("R")

RULES = "rules"
"""Name of the field of a given in which a method hands its rules their constants."""


class Shape(BaseModel):
    """A part of a step: what it is given, or what it answers. No field may be left out."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @classmethod
    def of(cls, settings: object, **made: object) -> Self:
        """A shape whose fields are those of a method's settings, by name, and those made."""
        names = cls.model_fields.keys() - made.keys()
        return cls(**{name: getattr(settings, name) for name in names}, **made)


class Nothing(Shape):
    """For steps that need nothing but the situation."""


class Player(Asker, Protocol):
    """Who may play the role ``policy`` (``language.llm.roles.Roles``)."""

    def is_model(self, role: str) -> bool:
        """Whether a language model plays a role."""
        ...

    def map(self, function: Callable[[J], R], jobs: Sequence[J]) -> list[R]:
        """Results of a function in the order of the jobs, which run at the same time."""
        ...


def _always(_situation: Situation, _given: Any) -> None:
    """Nothing can be wrong."""


@dataclass(frozen=True, slots=True)
class Step(Generic[G, A]):
    """One kind of call.

    Attributes:
        name: ``method/step``; with the version it is the prompt's name in records.
        version: Raised with every change of what a model reads.
        task: Instructions, constant for a domain; ``{noun}``, ``{nouns}``, ``{article}`` (of the
            noun), ``{facets}`` (a line each) and ``{actions}`` (a line each) are filled in.
        given: Shape of what the method hands the step, JSON-compatible and checked where a request
            brings it.
        result: Shape of the answer.
        rules: The embedded implementation: from situation and given to the answer. A pure function.
        shown: What a model is shown beside the situation; by default what is given, without the
            constants of the rules.
        fits: Raises ValueError where the rules cannot go on from what a request brings; the message
            names the field first (``given.item: ...``).
        check: Raises ValueError, with a sentence that tells the model what to mend, where the
            answer breaks a rule that its shape cannot state.
        max_tokens: Longest answer.
    """

    name: str
    version: int
    task: str
    given: type[G]
    result: type[A]
    rules: Callable[[Situation, G], A]
    shown: Callable[[Situation, G], Mapping[str, Any]] | None = None
    check: Callable[[Situation, G, A], None] | None = None
    fits: Callable[[Situation, G], None] = _always
    max_tokens: int = 300

    @property
    def prompt(self) -> str:
        """Name and version of the prompt."""
        return f"{self.name}/{self.version}"

    def call(self, situation: Situation, given: G, turn: int) -> Call[A]:
        """The typed call of a turn (1 is the first)."""

        def read(answer: A) -> A:
            if self.check is not None:
                self.check(situation, given, answer)
            return answer

        return Call(
            role="policy",
            prompt=self.prompt,
            messages=chat(self._instructions(situation), self._data(situation, given)),
            result=self.result,
            read=read,
            inputs=lambda: {
                **situation.inputs(),
                "step": self.name,
                "given": given.model_dump(mode="json"),
            },
            turn=turn,
            max_tokens=self.max_tokens,
        )

    def _instructions(self, situation: Situation) -> str:
        domain = situation.catalog.domain
        return self.task.format(
            noun=domain.noun,
            nouns=domain.nouns,
            article="an" if domain.noun[:1].lower() in "aeiou" else "a",
            facets="\n".join(f"- {facet.name} ({facet.plural})" for facet in domain.facets),
            actions="\n".join(
                f"- {facet.inquiry}: ask about {facet.plural}" for facet in domain.facets
            )
            + "\n- FailureReflection: say what was wrong with the last offer, and ask what to have"
            " instead\n- ItemRec: offer one of the candidates"
            "\n- ItemExplanation: tell more about the last offer, from its entry only",
        )

    def _data(self, situation: Situation, given: G) -> dict[str, Any]:
        catalog = situation.catalog
        offer = situation.last_offer
        extra = (
            given.model_dump(mode="json", exclude={RULES})
            if self.shown is None
            else self.shown(situation, given)
        )
        return {
            "dialogue": [[who, shortened(text, LINE)] for who, text in situation.lines],
            "candidates": [
                {"item": number, **item_facts(catalog, item, plot=False)}
                for number, item in enumerate(situation.candidates, start=1)
            ],
            "last_offer": None if offer < 0 else item_facts(catalog, offer),
            "allowed": list(legal_names(situation)),
            **extra,
        }


class Steps:
    """Computes steps: by a language model, or by their rules.

    Args:
        roles: Who plays the role ``policy``; None: embedded.
    """

    def __init__(self, roles: Player | None = None) -> None:
        self._roles = roles

    def run(self, step: Step[G, A], situation: Situation, given: G, turn: int) -> A:
        """The step's answer in a turn (1 is the first).

        Raises:
            RunStopped: Nothing that follows can work either, or may be paid for.
            DialogueFailed: This dialogue cannot go on.
        """
        if self._roles is None or not self._roles.is_model("policy"):
            return step.rules(situation, given)
        return self._roles.ask(
            step.call(situation, given, turn), lambda: step.rules(situation, given)
        )

    def map(self, function: Callable[[J], R], jobs: Sequence[J]) -> list[R]:
        """Results in the order of the jobs, which wait for a model at the same time.

        For steps that do not need each other's answers.
        """
        if self._roles is None or not self._roles.is_model("policy"):
            return [function(job) for job in jobs]
        return self._roles.map(function, jobs)
