"""Everyday words that are also names of genres: after "my" or "the" they are not meant as such."""

_WEAK = """
family families music musicals history war sport sports short shorts news crime crimes animal law
death murder business train television adult language education reference football cartoon
cartoons fiction literature novel drama action romance kids science religion philosophy friendship
england france literary mystery humor humour
"""
WEAK = frozenset(_WEAK.split())

_DETERMINERS = """
my our your his her their the whole entire
"""
DETERMINERS = frozenset(_DETERMINERS.split())

_EVERYDAY = """
family families music
"""
EVERYDAY = frozenset(_EVERYDAY.split())

"""Not a genre unless a noun or another genre follows, or the genre was asked for."""

_OCCASIONS = """
night nights time gathering gatherings day evening member members dinner trip
"""
OCCASIONS = frozenset(_OCCASIONS.split())
"""After "family movie": still not a genre."""

_BEFORE_TITLE = """
seen saw watched watch read called about heard named is
"""
BEFORE_TITLE = frozenset(_BEFORE_TITLE.split())
"""Before the one-word title of the item just offered, which might else be read as a genre."""
