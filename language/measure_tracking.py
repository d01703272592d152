"""How well the embedded tracker reads human text: precision and recall on LAPS movie dialogues.

Usage: ``python -m language.measure_tracking PATH [--catalog redial|sample]``

LAPS (Joko et al. 2024, MIT licence) holds human dialogues in sessions; each session is annotated
with phrases under keys such as ``genre_preferences_like``. The phrases are free text, so they are
mapped to the vocabulary first:

- A genre phrase stands for every genre that the lexicon finds in it ("romantic comedies" is romance
  and comedy, "scary" is horror). Phrases without a genre of the vocabulary ("superhero",
  "feel-good") are left out, and so are vague words.
- An actor phrase stands for every person that the lexicon finds in it. The data set has no key for
  directors and files them under actors, so people are compared by name, whatever their facet.

The tracker hears the user's messages of a session in order, each after the assistant's last one: if
that asks about a facet by its name, the tracker is told so. Then the likes and dislikes it holds
are compared with the mapped phrases as sets, and counts are summed over sessions (micro average).

The annotation spreads genres over other keys as well ("frequently_watched", "users_mood",
"companion_preferences_like"), so part of what counts against precision was really said. The rows
"..., any key" compare with the phrases of all such keys.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from catalogs.catalog import Catalog
from dialogue.view import Assessment, DialogueView
from language.cues import CueFinder
from language.lexicon import Lexicon
from language.mentions import MentionFinder
from language.text import fold_key, fold_words, read_words
from language.tracker import EmbeddedTracker

KEYS = {
    "genre likes": ("genre_preferences_like",),
    "genre dislikes": ("genre_preferences_dislike",),
    "actor likes": ("actor_like",),
    "actor dislikes": ("actor_dislike",),
    "genre likes, any key": (
        "genre_preferences_like",
        "frequently_watched",
        "companion_preferences_like",
        "cultural_preferences_like",
        "users_mood",
        "movie_like",
        "special_occasion",
    ),
    "genre dislikes, any key": (
        "genre_preferences_dislike",
        "companion_preferences_dislike",
        "cultural_preferences_dislike",
        "movie_dislike",
        "content_restrictions",
    ),
}
"""Rows of the table, and the annotation keys that each is compared with."""


@dataclass(slots=True)
class Score:
    """Counts over sessions: values found in both, tracked only, annotated only."""

    both: int = 0
    tracked: int = 0
    annotated: int = 0

    def add(self, tracked: set[str], annotated: set[str]) -> None:
        """Count one session."""
        self.both += len(tracked & annotated)
        self.tracked += len(tracked)
        self.annotated += len(annotated)

    @property
    def precision(self) -> float:
        """Share of the tracked values that are annotated, in [0, 1]; NaN without tracked ones."""
        return self.both / self.tracked if self.tracked else float("nan")

    @property
    def recall(self) -> float:
        """Share of the annotated values that were tracked, in [0, 1]; NaN when there are none."""
        return self.both / self.annotated if self.annotated else float("nan")


class _NoRetriever:
    """The tracker never retrieves; a view needs something in the place."""

    def assess(self, view: DialogueView) -> Assessment:
        raise RuntimeError("measuring the tracker must not retrieve")

    def top(self, view: DialogueView, count: int) -> tuple[int, ...]:
        raise RuntimeError("measuring the tracker must not retrieve")


class Annotations:
    """Maps annotated phrases to values of the vocabulary."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._finder = MentionFinder(lexicon, CueFinder().words)
        self._lexicon = lexicon
        facets = lexicon.catalog.domain.facets
        self.person = tuple(facet.person for facet in facets)
        self.genre = next(f for f, person in enumerate(self.person) if not person)

    def values(self, phrases: Iterable[str], row: str) -> set[str]:
        """Folded names of the genres or people that the phrases of a row name."""
        found: set[str] = set()
        for phrase in phrases:
            for mention in self._finder.find(read_words(phrase), self.genre):
                if mention.other < 0:
                    found |= self.names(mention.facet, (mention.value,), row)
        return found

    def names(self, facet: int, values: Iterable[int], row: str) -> set[str]:
        """Folded names of values of a facet, if the facet belongs to the row."""
        if self.person[facet] == row.startswith("genre"):
            return set()
        names = self._lexicon.catalog.vocabulary[facet]
        return {fold_key(names[value]) for value in values}


def measure(dialogues: Sequence[dict[str, Any]], catalog: Catalog) -> dict[str, Score]:
    """Scores per row of :data:`KEYS` over all sessions of a LAPS movie file."""
    tracker = EmbeddedTracker(catalog)
    annotations = Annotations(tracker.lexicon)
    scores = {row: Score() for row in KEYS}
    for user in dialogues:
        for session in user["sessions"]:
            view = track_session(session["dialogue"], tracker, catalog)
            for row, keys in KEYS.items():
                phrases = [p for key in keys for p in session["preferences"].get(key, ())]
                scores[row].add(
                    tracked_names(view, annotations, row), annotations.values(phrases, row)
                )
    return scores


def track_session(
    messages: Sequence[dict[str, Any]], tracker: EmbeddedTracker, catalog: Catalog
) -> DialogueView:
    """A view whose state is what the tracker understood of the user's messages."""
    view = DialogueView(catalog, _NoRetriever(), "text", len(messages))
    for message in messages:
        if message["role"] == "User":
            view.apply_user(tracker.track(message["message"], view))
        else:
            view.turn += 1
            view.last_action = facet_asked(message["message"], catalog)
    return view


def facet_asked(message: str, catalog: Catalog) -> int:
    """The facet that the last question of a message names, or -1."""
    asked = -1
    for sentence in message.replace("!", ".").replace("\n", ".").split("."):
        words = fold_words(sentence) if "?" in sentence else []
        for f, facet in enumerate(catalog.domain.facets):
            if any(noun in words for noun in (facet.singular, facet.plural)):
                asked = f
                break
    return asked


def tracked_names(view: DialogueView, annotations: Annotations, row: str) -> set[str]:
    """Folded names of what the state holds for a row."""
    names: set[str] = set()
    for facet in range(view.catalog.domain.n_facets):
        if "dislikes" in row:
            values = view.state.dislikes[facet] + view.state.doubts[facet]
        else:
            values = view.state.likes[facet]
        names |= annotations.names(facet, values, row)
    return names


def table(scores: dict[str, Score]) -> str:
    """The scores as aligned text."""
    lines = [f"{'':24}{'precision':>10}{'recall':>10}{'tracked':>10}{'annotated':>11}"]
    for row, score in scores.items():
        lines.append(
            f"{row:24}{score.precision:10.3f}{score.recall:10.3f}"
            f"{score.tracked:10d}{score.annotated:11d}"
        )
    return "\n".join(lines)


def read_dialogues(path: Path) -> list[dict[str, Any]]:
    """The users of a LAPS movie file.

    Raises:
        SystemExit: The file is missing or is not a LAPS file; the message says what is expected.
    """
    try:
        dialogues = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise SystemExit(
            f"{path}: no such file; give a LAPS movie file (movie_dataset_test.json)"
        ) from None
    except ValueError as error:
        raise SystemExit(f"{path}: not JSON: {error}") from error
    if not isinstance(dialogues, list) or not all("sessions" in user for user in dialogues):
        raise SystemExit(f"{path}: expected a list of users with 'sessions', as LAPS files have")
    return dialogues


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table for a file."""
    parser = argparse.ArgumentParser(
        description="Precision and recall of the tracker on LAPS dialogues."
    )
    parser.add_argument("path", type=Path, help="a LAPS movie file, e.g. movie_dataset_test.json")
    parser.add_argument(
        "--catalog",
        default="redial",
        choices=("redial", "sample"),
        help="whose vocabulary: the published catalogue's or the bundled sample's",
    )
    options = parser.parse_args(arguments)
    from catalogs.sources import open_catalog

    dialogues = read_dialogues(options.path)
    catalog = open_catalog("sample_movie" if options.catalog == "sample" else "redial")
    sessions = sum(len(user["sessions"]) for user in dialogues)
    print(f"{options.path.name}: {sessions} sessions; vocabulary: {catalog.source}")
    print(table(measure(dialogues, catalog)))


if __name__ == "__main__":
    main()
