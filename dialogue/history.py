"""A view made again from its finished turns: what a policy needs that enters in the middle."""

from __future__ import annotations

from collections.abc import Iterator

from dialogue.view import DialogueView, Exchange


def apply_exchange(view: DialogueView, exchange: Exchange) -> None:
    """Take a finished turn into a view that stands just before it, as the environment did."""
    if exchange.action >= 0:
        view.apply_system(exchange.action, exchange.item)
    view.apply_user(exchange.acts)
    view.exchanges.append(exchange)


def relive(view: DialogueView) -> Iterator[DialogueView]:
    """The view as it was after the opening and after each turn, the present one last.

    What is yielded is one view that moves on; ``view`` itself stays as it is. Illegal actions,
    scores that a model suggested on the way, and that an acceptance was verified are no part of a
    finished turn and are left out.
    """
    earlier = DialogueView(view.catalog, view.retriever, view.channel, view.max_turns)
    for exchange in view.exchanges:
        apply_exchange(earlier, exchange)
        yield earlier
