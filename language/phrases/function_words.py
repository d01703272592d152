"""Words that hold sentences and small talk together: they tell nothing about what is wanted.

Frequent content words are in :mod:`language.phrases.ordinary`; these are the short and closed
classes, with what is left of contractions when an apostrophe separates (``don't``: don, t) and
when it is left out (``dont``).
"""

_PRONOUNS = """
i me my mine myself you your yours yourself he him his himself she her hers herself it its itself
we us our ours ourselves they them their theirs themselves this that these those one ones each
every both either neither some any all none no such what which who whom whose whatever whichever
whoever something anything nothing everything someone anyone nobody everybody somebody
"""

_VERBS = """
am is are was were be been being do does did doing done have has had having can could will would
shall should may might must ought let lets get gets got getting go goes going went gone come comes
came make makes made take takes took give gives gave put see seen saw say says said tell told ask
know knew think thought want wants wanted need needs needed like likes liked love loves loved hope
hoped look looks looking find found mean means meant prefer feel feeling enjoy care mind watch
watched read hear heard try pick choose wish suggest recommend please thank thanks
"""

_SMALL = """
a an the and or but nor so if then than as at by for from in into of off on onto out over to up
down under with without about after again against before between during through until upon while
because since though although unless whether when where why how here there now just only also too
very really quite rather much many more most few less least other another same own not never ever
always still yet already maybe perhaps well even back away else once twice soon later
"""

_TALK = """
yes yeah yep no nah nope ok okay hi hey hello yo hm hmm umm um uh oh ooh omg lol tbh ngl rn fr pls
plz idk dunno kinda gonna wanna gotta bit lot lots kind sort thing things stuff good great nice
best better sure right wrong true way time day today tonight evening night
"""

_CONTRACTIONS = """
s t d m ll ve re don doesn didn isn aren wasn weren hasn haven hadn won wouldn couldn shouldn can
ain im ive id ill youre youve youll hes shes its theyre weve were dont doesnt didnt isnt arent
wasnt werent hasnt havent wont wouldnt couldnt shouldnt cant cannot thats whats hows lets theres
heres whos
"""

FUNCTION_WORDS = frozenset((_PRONOUNS + _VERBS + _SMALL + _TALK + _CONTRACTIONS).split())
