"""What users of each age answer when they have nothing to name.

Slots: ``{about}``, ``{noun}``, ``{nouns}``.
``{about}`` is empty, or names a facet that was not the one asked about (" about actors").
"""

from language.phrases import Phrases

EVADE: Phrases = {
    "children": ("i dont know{about}", "dunno{about}, you pick", "umm no idea{about}"),
    "teens": ("idk{about}", "dont care{about} tbh", "whatever{about} lol", "no clue{about}"),
    "adults": (
        "No preference{about}.",
        "I'm not sure{about}.",
        "It doesn't matter{about}.",
        "Anything{about}, really.",
    ),
    "seniors": (
        "I have no particular preference{about}, dear.",
        "I could not say{about}, I am afraid.",
        "I have no opinion{about}, do as you think best.",
    ),
}

NOMORE: Phrases = {
    "children": ("thats all{about}", "nothing else{about}", "i already told you{about}"),
    "teens": ("thats it{about}", "nothing else{about} tbh", "already told you{about}"),
    "adults": ("That's all{about}.", "Nothing else{about}.", "I've already told you{about}."),
    "seniors": (
        "That is all{about}, thank you.",
        "I have nothing to add{about}.",
        "I believe I told you everything{about}.",
    ),
}

OTHER: Phrases = {
    "children": ("hehe", "my mom says hi", "you talk like a robot"),
    "teens": ("lol ok", "hm ok", "k"),
    "adults": ("Okay.", "I see.", "Hm, all right."),
    "seniors": ("I see, thank you.", "Very well.", "How kind of you."),
}

REQUEST: Phrases = {
    "children": ("can you find me a {noun}?", "i need a {noun} please", "help me pick a {noun}"),
    "teens": (
        "need a {noun} for tonight",
        "got a good {noun} for me?",
        "help me find a {noun} pls",
    ),
    "adults": (
        "I'm looking for a {noun}.",
        "Can you recommend a {noun}?",
        "I need a {noun} for this evening.",
    ),
    "seniors": (
        "I would be grateful for a good {noun}.",
        "Could you kindly suggest a {noun}?",
        "I should like some help in choosing a {noun}.",
    ),
}

GREETING: Phrases = {
    "children": ("hi!", "hello!", "hi hi!"),
    "teens": ("hey", "yo", "heyy"),
    "adults": ("Hello.", "Hi there.", "Good evening."),
    "seniors": ("Good day to you.", "Good afternoon.", "Hello, dear."),
}
