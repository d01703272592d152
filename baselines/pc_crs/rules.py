"""PC-CRS without a model: rules on what the dialogue's words tell, a step each."""

from __future__ import annotations

from baselines.heard import hear
from baselines.pc_crs.claims import false_claims
from baselines.pc_crs.shapes import (
    About,
    Account,
    Checked,
    Chosen,
    DecideIn,
    Doubted,
    Drafted,
    Framed,
)
from baselines.pc_crs.strategies import Claims, Name, worded
from baselines.questions import Question, open_questions, question_text, reflection_text
from baselines.taste import Taste, taste_of
from language.prompts.single_call import PolicyAnswer, Situation
from language.text import fold_key

SPEAK = "I have something for you."
"""Stands in for what is said about an item, which is written later."""


def decide(situation: Situation, given: DecideIn) -> PolicyAnswer:
    """What to do next.

    1. The user asks about the last offer: explain it.
    2. The user refused an offer and said why: ask what to have instead.
    3. Too little is known, and asking is not tiring yet: ask what is most worth asking.
    4. Offer the candidate with the most of what the user named, which is the first.
    """
    catalog, heard, rules = situation.catalog, hear(situation), given.rules
    domain, taste = catalog.domain, taste_of(catalog, heard)
    explained = situation.last_offer in heard.explained
    if heard.details == situation.last_offer >= 0 and not explained:
        return _answer(situation, domain.explain, SPEAK)
    asking = given.turns_left > rules.late and heard.impatience < rules.hurry
    just = heard.just
    reason = just is not None and not just.seen and just.facet >= 0
    if just and reason and asking and rules.reflect and domain.reflect in situation.legal:
        text = reflection_text(catalog, just.facet, just.value)
        return _answer(situation, domain.reflect, text)
    questions = open_questions(catalog, heard, taste, rules.questions)
    limit = rules.between if heard.offers else rules.opening
    known = sum(len(values) for values in taste.wanted)
    if asking and questions and heard.streak < limit and known < rules.enough:
        return _ask(situation, taste, questions[0])
    if domain.recommend in situation.legal:
        return _answer(situation, domain.recommend, SPEAK, 1)
    return _ask(situation, taste, questions[0] if questions else Question(0, "more"))


def _ask(situation: Situation, taste: Taste, question: Question) -> PolicyAnswer:
    return _answer(situation, question.facet, question_text(situation.catalog, taste, question))


def _answer(situation: Situation, action: int, reply: str, item: int | None = None) -> PolicyAnswer:
    names = situation.catalog.domain.actions
    return PolicyAnswer(action=names[action], item=item, reply=reply)


def choose_strategy(situation: Situation, given: About) -> Chosen:
    """A strategy that the dialogue calls for.

    Whoever asks for details gets evidence; whoever loses patience, what there is to gain; after a
    refusal the last offer is the anchor; several wishes, or a person's name, are argued from;
    another single wish is a mood; and who has said nothing hears what others know.
    """
    heard = hear(situation)
    taste = taste_of(situation.catalog, heard)
    wanted = sum(len(values) for values in taste.wanted)
    facets = situation.catalog.domain.facets
    named = any(values and f.person for f, values in zip(facets, taste.wanted, strict=True))
    name: Name
    if given.offered:
        name = "evidence"
    elif heard.impatience >= 2:
        name = "framing"
    elif heard.just is not None and not heard.just.seen:
        name = "anchoring"
    elif wanted >= 2 or named:
        name = "logic"
    elif wanted or any(taste.unclear):
        name = "emotion"
    else:
        name = "social_proof"
    return Chosen(strategy=name)


def draft(situation: Situation, given: Framed) -> Account:
    """An account from the dialogue alone: the item is said to have everything that is wanted."""
    return Account(text=_told(situation, given, _wishes(situation)))


def check(situation: Situation, given: Drafted) -> Checked:
    """The account's false claims; see :mod:`baselines.pc_crs.claims`."""
    catalog = situation.catalog
    return Checked(false=false_claims(catalog, catalog.items[given.item], given.text))


def refine(situation: Situation, given: Doubted) -> Account:
    """The account without what was found false; with no wish left, the entry's own facts."""
    catalog = situation.catalog
    struck = {(claim.field, fold_key(claim.claim)) for claim in given.false}
    kept = [
        (
            f,
            [
                value
                for value in values
                if (catalog.domain.facets[f].name, fold_key(catalog.value(f, value))) not in struck
            ],
        )
        for f, values in _wishes(situation)
    ]
    familiar = all(claim.field != "popularity" for claim in given.false)
    return Account(text=_told(situation, given, kept, familiar))


def _wishes(situation: Situation) -> list[tuple[int, list[int]]]:
    heard = hear(situation)
    return [(f, list(heard.wanted(f))) for f in range(situation.catalog.domain.n_facets)]


def _told(situation: Situation, given: Framed, claims: Claims, familiar: bool = True) -> str:
    catalog = situation.catalog
    item = catalog.items[given.item]
    if given.offered:
        claims = list(enumerate(item.values))
    return worded(
        catalog, item, given.strategy, claims, familiar=familiar, plot=given.strategy == "evidence"
    )
