"""Phrases that tell how the speaker feels about what is named next to them.

Folded words; the adverbs of ``reply_cues.FILLERS`` are left out.
"""

NEGATIVE = """
not|no|dont|do not|doesnt|does not|didnt|did not|wont|will not|isnt|arent|aint|wasnt|without
except|besides|dont want|do not want|didnt want|dont like|do not like|didnt like|dont love
do not love|dont enjoy|do not enjoy|dont care for|do not care for|didnt care for|dont fancy
do not fancy|dont need|not into|not fond of|not a fan of|no fan of|not fan of|not a lover of
not in the mood for|not looking for|not keen on|not interested in|not mad about|not crazy about
not up for|not after|other than|anything but|aside from|apart from|except for|less|fewer|no more
too much|too many|enough of|had enough of|instead of|rather than|sick of|tired of|fed up with
bored of|bored with|neither|nor|not another|nothing|nothing with|wouldnt|would not|wouldnt want
would not want|dont watch|do not watch|dont read|do not read|not anything|not one for|not big on
not much of a|put off by|lose interest in|not the|dont like the|do not like the|didnt like the
dont care for the|do not care for the|not that|not this|not really|dont get on with
do not get on with|not wild about|not sold on|minus|no interest in|hold the|never been into
never been a fan of|dont do|do not do|dont go for|cant do|not feeling
"""

FIRM = """
hate|hates|hated|dislike|dislikes|detest|despise|loathe|avoid|avoiding|cant stand|cannot stand
can not stand|stay away from|steer clear of|keep away from|never|rule out|leave out|keep out|skip
allergic to|no way|cant bear|cannot bear|never any|please no|stop suggesting|keep me away from
"""

NEGATIVE_AFTER = """
is not preferable|not preferable|is not preferred|not preferred|not my favorite|not my favourite
is not my thing|isnt my thing|are not my thing|arent my thing|not my thing|is not for me
isnt for me|arent for me|not for me|not my cup of tea|isnt my cup of tea|not my style
isnt my style|not my taste|not to my taste|is out|are out|is a no|are a no|turns me off
turn me off|bores me|bore me|off limits|is off limits|are off limits|scares me|scare me
doesnt work for me|does not work for me|dont work for me|puts me off|put me off|leaves me cold
leave me cold|is not what i want|isnt what i want|is not what i like|isnt what i like
is not my favorite|is not my favourite
"""

BEGINNING = """
i|id|im|ill|we|my|please|some|more|just|only|try|it
"""
"""Words that begin a new wish after a negation, but do not wish for anything themselves."""

WISH = """
i like|i love|i want|id like|id love|i enjoy|i prefer|we like|we love|we enjoy|prefer|prefers
preferably|looking for|in the mood for|into|fan of|love|loves|like|likes|enjoy|enjoys|want|wants
something|maybe|give me|show me|how about|what about|more of|rather|find|lets|would be|ideally
interested in|keen on|fond of|not enough|cant get enough of|cant get enough|dont mind|do not mind
wouldnt mind|would not mind|cant go wrong with|open to|okay with|fine with|ok with|though i|adore
in favour of|in favor of|no problem with|nothing beats|i do like|i do love|recommend|suggest
suggestion|suggestions|favorite|favourite|favorites|favourites|prefer to|enjoyed|help me
looking forward to|hoping for|suit|mood|go for|for me|im after|i am after|in mind|can it be
could it be|set on|gotta have|got to have|do you have|can you find|could you find|curious about
will do|keep saying|once more|i believe|i suppose
"""
"""Words of wishing; they begin anew, too."""

UNDECIDED = """
what are|what is|what were|which of|does he|does she|did he|did she|are they|how many|in praise of
looks|looked|seems|seemed|sounds|sounded|looks like|sounds like|seems like|was|were|its|it is
will be|dont mind if|do not mind if|thought it|found it|find it|it has|it had|whether
doesnt have to be|does not have to be|dont have to be|need not be|not necessarily|havent seen
have not seen|never seen|never saw|havent watched|have not watched|never watched|havent read
have not read|never read|have you seen|have you read|used to like|is it|is that|is this|are there
does it|is there
"""

BUT = """
but|though|although|however|yet|otherwise|while|whereas|still|instead
"""

IDLE = """
no problem|no worries|not only|not just|cant wait|cannot wait|can not wait|why not|no doubt
not bad|no rush|no matter|not yet|no restrictions|no limits|no need|dont forget|do not forget
no offence|no offense|not a problem|not at all|not a bad idea|more than|more or less|at least
no longer|like it|like that|like this|i guess|would like to know|no less|not many|no hurry
no particular order
"""

_ASPECTS = """
part parts scene scenes sequence sequences moment moments element elements plot tone numbers aspect
aspects character characters setting settings context event events itself content references side
level
"""
ASPECTS = frozenset(_ASPECTS.split())
"""After a value: the speaker comments on a trait of something, and does not name a kind of it."""
