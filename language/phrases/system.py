"""What the system says, per action. The turn number chooses the wording."""

ASK = (
    "What {singular} are you in the mood for?",
    "Which {plural} do you like best?",
    "Could you name a {singular} that you would enjoy?",
)

ASK_PERSON = (
    "Is there a {singular} whose {nouns} you enjoy?",
    "Do you have any favourite {plural}?",
    "Which {singular} would you like to see involved?",
)

ASK_MORE = (
    "You mentioned {names}. Are there other {plural} that you want?",
    "Besides {names}, which {plural} would you like?",
)

CLARIFY = (
    "Just to be sure: do you mean {first} or {second}?",
    "When you say that, are you thinking of {first} or of {second}?",
)

REFLECT = (
    "I see that was not it. What should the next {noun} have instead?",
    "Sorry that it did not fit. What would you rather have?",
)

REFLECT_FACET = (
    "So the {singular} was the problem. Which {singular} would you rather have?",
    "Understood, a different {singular}. Which one would suit you?",
)

REFLECT_VALUE = (
    "Understood, you would rather do without {name}. Which {singular} do you want instead?",
    "So {name} put you off; I will keep that in mind. What {singular} would be better?",
)

OFFER = (
    "I suggest {label}. It fits what you told me ({match}).",
    "How about {label}? It has what you asked for ({match}).",
)

OFFER_PLAIN = (
    "I suggest {label}. Many people know it.",
    "How about {label}? It may be a good start.",
)

EXPLAIN = (
    "About {label}: {facts}.",
    "Here is more on {label}: {facts}.",
)

NOTHING_LEFT = ("I have no further {noun} to offer.",)
