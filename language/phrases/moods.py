"""Interjections by emotion, before and after what is said; none has a meaning of its own."""

from language.phrases import Phrases

BEFORE: Phrases = {
    "excitement": ("omg", "woo", "yesss"),
    "boredom": ("meh", "sigh", "yawn"),
    "trust": ("Thank you for your help.", "I know I am in good hands.", "You have good judgement."),
    "frustration": ("Ugh.", "Look.", "Come on."),
    "curiosity": ("ooh", "hmm", "oh oh"),
    "confusion": ("Oh dear, where was I.", "Let me see.", "Bear with me."),
    "indifference": ("Fine.", "Okay.", "If it helps."),
    "anticipation": ("I can't wait.", "Great.", "This is going to be a good evening."),
    "disappointment": ("Oh well.", "What a pity.", "Alas."),
    "delight": ("yay", "wow", "hooray"),
}

AFTER: Phrases = {
    "excitement": ("!!", " woohoo!", " lets goooo"),
    "boredom": ("", " ..", " yawn"),
    "trust": ("", " I count on you.", " You know best."),
    "frustration": ("", " Seriously.", " Please hurry."),
    "curiosity": ("", " hm hm", " ooh"),
    "confusion": ("", " If that makes sense.", " Dear me."),
    "indifference": ("", " So be it.", " Fine."),
    "anticipation": ("", " I can't wait!", " Exciting!"),
    "disappointment": ("", " Alas.", " Oh well."),
    "delight": ("", " hihi", " wheee"),
}
