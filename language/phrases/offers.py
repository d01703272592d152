"""What users of each age say about an offer, and when their patience wears.

Slots: ``{title}`` (quoted, or "that one"), ``{values}``, ``{facet}``, ``{nouns}``,
``{read}`` (seen, read, heard) and ``{watch}``.
"""

from language.phrases import Phrases

REJECT: Phrases = {
    "children": ("no thanks", "not that one", "nah, not that one", "nope, not {title}"),
    "teens": ("nah pass", "not feeling it", "nope, not {title}", "hard pass on {title}"),
    "adults": (
        "No thanks.",
        "That one isn't for me.",
        "I'll pass on {title}.",
        "Not quite what I had in mind.",
        "I don't think so.",
    ),
    "seniors": (
        "No, thank you.",
        "I am afraid {title} is not for me.",
        "I would rather not, thank you.",
        "I do not think so, dear.",
    ),
}

REASON_THING: Phrases = {
    "children": ("its too much {values}", "i dont want {values} now"),
    "teens": ("too much {values}", "not in the mood for {values}", "im not into {values} rn"),
    "adults": (
        "There is too much {values} in it.",
        "I'm not in the mood for {values}.",
        "I don't care for {values}.",
    ),
    "seniors": (
        "I do not care for {values}.",
        "There is too much {values} in it for my liking.",
        "I am not fond of {values}.",
    ),
}

REASON_PERSON: Phrases = {
    "children": ("i dont like the ones {values}", "not one {values}"),
    "teens": ("not into stuff {values}", "not {values} pls"),
    "adults": (
        "I don't care for {nouns} {values}.",
        "Not {values}, please.",
        "I'm not a fan of {nouns} {values}.",
    ),
    "seniors": ("I do not care for {nouns} {values}.", "I am not fond of {nouns} {values}."),
}

REASON_FACET: Phrases = {
    "children": ("its the wrong {facet}",),
    "teens": ("wrong {facet} for me",),
    "adults": ("Wrong {facet} for me.", "Not my kind of {facet}."),
    "seniors": ("It is not my kind of {facet}.",),
}

SEEN: Phrases = {
    "children": ("i already {read} it!", "we {read} that one already"),
    "teens": ("already {read} it", "{read} it already lol"),
    "adults": ("I've already {read} it.", "I {read} that one already.", "{title}? I've {read} it."),
    "seniors": ("I have already {read} it, dear.", "I believe I have {read} that one."),
}

DETAILS: Phrases = {
    "children": ("what is it about?", "ooh tell me more!"),
    "teens": ("whats it about", "tell me more?", "more info on {title}?"),
    "adults": (
        "Can you tell me more about it?",
        "What is {title} about? I'd need more details.",
        "Tell me more about it.",
    ),
    "seniors": (
        "Would you tell me more about it, please?",
        "I would need some more details, please.",
    ),
}

ACCEPT: Phrases = {
    "children": ("yay, thats the one!", "love it, i want to {watch} it!", "yes please!"),
    "teens": ("sold lol", "perfect, ill {watch} it", "omg deal"),
    "adults": (
        "Perfect, I'll take it.",
        "That sounds great, I'll {watch} it.",
        "Exactly what I wanted, thanks.",
    ),
    "seniors": (
        "That sounds perfect, thank you.",
        "Wonderful, I will take it.",
        "That is just what I wanted, dear.",
    ),
}

QUIT: Phrases = {
    "children": ("i give up", "im done, i quit"),
    "teens": ("im out of here", "forget it, im done"),
    "adults": ("I give up, goodbye.", "Forget it. I'll look elsewhere."),
    "seniors": ("I am afraid I give up. Goodbye.", "Let us stop. I will look elsewhere."),
}

SIGH: dict[int, Phrases] = {
    1: {
        "children": ("this is a bit slow", "it takes long"),
        "teens": ("kinda slow ngl", "this is taking a bit"),
        "adults": ("This is taking a while.", "I hoped this would be quicker."),
        "seniors": ("It is taking a little while.", "I had hoped this would be quicker."),
    },
    2: {
        "children": ("this is getting annoying", "im getting grumpy now"),
        "teens": ("this is so annoying", "ok im losing patience"),
        "adults": (
            "I'm losing patience.",
            "We are going in circles.",
            "This is getting frustrating.",
        ),
        "seniors": ("My patience is wearing thin.", "This is getting rather tiresome."),
    },
    3: {
        "children": ("this is your last try!", "im about to go"),
        "teens": ("last chance fr", "im about to leave"),
        "adults": ("I'm about to give up.", "This is your last chance."),
        "seniors": ("I am very nearly out of patience.", "I am close to giving up."),
    },
}
