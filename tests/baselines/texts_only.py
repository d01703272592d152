"""What tests of free-form methods share: a view of texts only, dialogues by hand, models."""

from typing import Any, ClassVar

from catalogs.catalog import Catalog
from dialogue.acts import UserActs
from dialogue.view import DialogueView, Exchange
from retrieval.build import make_retriever
from tests.language.script import Script


class Players(Script):
    """Every role is a model that answers as a function says."""

    def is_model(self, role: str) -> bool:
        return role == "policy"


class TextsOnly:
    """A view that gives a free-form policy what it may read, and fails on everything else."""

    ALLOWED: ClassVar = {
        "catalog", "retriever", "channel", "turn", "max_turns", "offered", "offers", "mask",
        "transcript",
    }  # fmt: skip

    def __init__(self, view: DialogueView) -> None:
        self._view = view

    def __getattr__(self, name: str) -> Any:
        assert name in self.ALLOWED, f"a free-form policy read view.{name}"
        return getattr(self._view, name)


def say(view: DialogueView, action: int, item: int, system: str, user: str, acts: UserActs) -> None:
    """One more turn of a dialogue that is made by hand; action -1 is the opening."""
    if action >= 0:
        view.apply_system(action, item)
    view.apply_user(acts)
    view.exchanges.append(Exchange(view.turn, action, item, (), system, user, acts))


def opened(
    catalog: Catalog, text: str = "I'm looking for a movie.", kind: str = "structured"
) -> DialogueView:
    view = DialogueView(catalog, make_retriever(catalog, kind), "text", 10)
    say(view, -1, -1, "", text, ())
    return view
