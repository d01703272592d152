"""What users of each age say about what they want.

Slots: ``{values}`` (people with their role: "with ...", "by ..."), ``{old}`` and ``{new}``,
``{nouns}``.
"""

from language.phrases import Phrases

LIKE_THING: Phrases = {
    "children": (
        "i like {values}!",
        "i want {values} please",
        "{values} please please",
        "can it be {values}?",
        "i love {values} so much",
    ),
    "teens": (
        "im so into {values}",
        "id go for {values} tbh",
        "lets do {values}",
        "{values} for me",
        "i want {values} lol",
    ),
    "adults": (
        "I'd like {values}.",
        "I'm in the mood for {values}.",
        "I usually enjoy {values}.",
        "Let's say {values}.",
        "{values} would be great.",
    ),
    "seniors": (
        "I should like {values}, please.",
        "I have always enjoyed {values}.",
        "I am rather fond of {values}, if you please.",
        "I would prefer {values}, thank you.",
    ),
}

LIKE_PERSON: Phrases = {
    "children": (
        "i want one {values}!",
        "can it be one {values}?",
        "i love the ones {values}",
    ),
    "teens": (
        "something {values} would be cool",
        "gimme one {values}",
        "id watch anything {values} tbh",
    ),
    "adults": (
        "I'd like something {values}.",
        "Something {values} would be great.",
        "I enjoy {nouns} {values}.",
    ),
    "seniors": (
        "I would be pleased with something {values}.",
        "I do enjoy {nouns} {values}.",
        "If you please, something {values}.",
    ),
}

DISLIKE_THING: Phrases = {
    "children": ("i hate {values}", "please never any {values}", "i cant stand {values}"),
    "teens": ("i hate {values} tbh", "stay away from {values} pls", "cant stand {values}"),
    "adults": (
        "Please avoid {values}.",
        "I can't stand {values}.",
        "I generally steer clear of {values}.",
    ),
    "seniors": (
        "Kindly avoid {values}.",
        "I am afraid I dislike {values}.",
        "I would ask you to leave out {values}, please.",
    ),
}

DISLIKE_PERSON: Phrases = {
    "children": ("i hate the ones {values}", "please never any {values}"),
    "teens": ("i avoid stuff {values}", "stay away from anything {values} pls"),
    "adults": ("Please avoid anything {values}.", "I tend to avoid {nouns} {values}."),
    "seniors": (
        "Kindly avoid {nouns} {values}.",
        "I would ask you to leave out anything {values}.",
    ),
}

VAGUE: Phrases = {
    "children": ("something {values}!", "i want a {values} one", "can it be {values}?"),
    "teens": (
        "something {values} i guess",
        "smth {values} would be cool",
        "im after a {values} vibe",
    ),
    "adults": (
        "Something {values}, ideally.",
        "I'd like it to be {values}.",
        "I'm looking for something {values}.",
    ),
    "seniors": (
        "Something {values} would suit me well.",
        "I should like a {values} one, if I may.",
        "I am hoping for something {values}.",
    ),
}

VAGUE_PAIR: Phrases = {
    "children": ("i cant decide between {old} and {new}",),
    "teens": ("{old} or {new}, not sure which lol",),
    "adults": ("{old} or {new}, I'm not sure which.", "I'm torn between {old} and {new}."),
    "seniors": ("{old} or {new}, I am not sure which.",),
}

CORRECT: Phrases = {
    "children": ("oops i meant {new}, not {old}", "no wait, not {old}, i meant {new}"),
    "teens": ("wait scratch {old}, make that {new}", "oops not {old}, i meant {new}"),
    "adults": (
        "Actually, not {old}, I meant {new}.",
        "I said {old}, but make that {new}.",
        "Scratch {old}, I meant {new}.",
    ),
    "seniors": (
        "I beg your pardon, I said {old} but I meant {new}.",
        "Forgive me, I meant {new}, not {old}.",
    ),
}

LIKE_BY_EMOTION: Phrases = {
    "excitement": ("{values}, yesss!!", "gotta have {values}!!"),
    "boredom": ("just {values} or so", "{values}, why not"),
    "trust": (
        "I would love {values}, and I leave the rest to your judgement.",
        "I have {values} in mind, and I rely on you.",
    ),
    "frustration": ("Once more: {values}.", "As I keep saying, {values}."),
    "curiosity": ("ooh do you have {values}?", "can you find {values}?"),
    "confusion": ("Let me think, {values} I believe.", "Where was I? Ah yes, {values}."),
    "indifference": ("{values}, I suppose.", "{values} will do."),
    "anticipation": ("I'm looking forward to {values}.", "I'm curious about {values}."),
    "disappointment": ("I had been hoping for {values}.", "My heart is set on {values}."),
    "delight": ("yay {values}!", "{values}, hooray!"),
}
"""More ways to name wanted things; for people "something" is put before the values."""
