"""Phrases that answer a question, react to an offer or show impatience.

Folded words; the adverbs of :data:`FILLERS` are left out.
"""

EVADE = """
no preference|no preferences|no particular preference|no particular preferences
no strong preference|dont know|do not know|no idea|not sure|unsure|dont care|do not care
doesnt matter|does not matter|any|anything|anyone|anybody|whoever|whatever|whichever|any is fine
no one in particular|nobody in particular|no one particular|nothing in particular
nothing particular|nothing specific|no one specific|no particular one|surprise me|up to you
you choose|you decide|you pick|your call|your choice|im open|im easy|open to anything|cant say
cannot say|hard to say|couldnt say|could not say|couldnt tell you|no opinion|no opinions
no favourites|no favorites|no favourite|no favorite|not picky|not fussy|no clue|dunno|idk|none
none in particular|all the same to me|havent thought|have not thought|not particular|im flexible
no views|either way|never thought|not bothered|no one|nobody|dont have a preference
dont have any preference|dont have any|do not have any|dont have one|do not have a preference
makes no difference|you tell me|nothing comes to mind|no one comes to mind|nobody comes to mind
cant think of any|cant think of anyone|cant think|cannot think|not fussed
"""

NOMORE = """
no more|thats all|that is all|thats it|that is it|thats everything|that is everything|nothing else
nothing more|no one else|nobody else|noone else|no more than that|nothing to add|nothing further
already told you|told you already|already said|already answered|already mentioned|ive said it all
said it all|said everything|told you everything|no others|thats about it|thats the lot|all i have
all i can think of|all ive got|all i know|no more wishes|no more preferences|that covers it
nothing new to add|have no more|dont have any more|do not have any more|no more from me
all there is|told you all
"""

NO = """
no|not really|no not really|nothing|next
"""

REJECT = """
nah|nope|not great|not good|dont love it|do not love it|dont like that|not what i was looking for
not what i wanted|not what im after|not what i was hoping for|not what i hoped for|next please
no thanks|no thank you|not that one|not this one|not what im looking for|not what i am looking for
not what i want|not what i had in mind|not interested|pass|ill pass|i pass|hard pass|not quite
something else|another one|try again|doesnt appeal|does not appeal|not convinced|dont fancy it
dont fancy that|dont like it|dont like that one|dont like this one|dont want it|dont want that
dont want this|next one|skip it|skip that|not feeling it|not feeling that|wrong one|wont do
will not do|wont work|not the right|not right|isnt right|isnt it|not it|rather not|a different one
something different|not the one|not for me|not my thing|not my style|not my cup of tea
not my taste|not to my taste|isnt for me|is not for me|not my kind|doesnt sound like me
isnt quite it|not today|leave that one|let us leave that|that one is out|not a match
doesnt grab me|does not grab me|dont think so|do not think so|keep looking
"""

SEEN = """
seen it|seen that|seen this|seen them|seen that one|seen this one|already seen|watched it
watched that|watched this|already watched|read it|read that|read this|read that one|already read
heard it|heard that|already heard|know that one already|know it already|already know that one
already know it|saw it|saw that|saw this|ive seen|i have seen|weve seen|been there already
already had that
"""

DETAILS = """
tell me more|more about it|more about that|more about this|what is it about|whats it about
what it is about|what its about|who is in it|whos in it|who directed|who directs|who made
who wrote|who stars|who plays|who acts|who is it by|whos it by|more details|more detail
some details|more info|more information|what kind of|what sort of|what is the plot|whats the plot
what happens|describe it|know more|hear more|learn more|why this one|why that one|why did you pick
whats so good|what genre|which genre|what should i know|what can you tell me|can you tell me about
"""

ACCEPT = """
i love it|i like it|i like that one|i like this one|i love this one|i love that one|ill take it
i will take it|ill take that|i will take that|ill take this|ill watch it|i will watch it
ill watch that|i will watch that|ill read it|i will read it|ill read that|lets watch it
lets watch that|sounds perfect|sounds great|sounds good|sounds interesting|sounds fun
sounds amazing|sounds awesome|looks great|looks good|looks perfect|perfect|thats the one
that is the one|thats perfect|that is perfect|great choice|good choice|excellent choice
wonderful choice|lovely choice|love it|count me in|deal|sold|im in|ill go with|i will go with
lets go with|exactly what i wanted|exactly what i was looking for|exactly what i want
just what i wanted|just what i was looking for|what i was hoping for|what i hoped for|youve got it
you got it|you found it|nailed it|ill give it a try|ill try it|i will try it|ill check it out
i will check it out|ill have it|want to watch it|want to watch that|want to watch this
want to read it|want this one|want that one|yes please|great recommendation
excellent recommendation|thats a great|that one please|this one please
"""

YES = """
yes|yeah|yep|sure|yup
"""

QUIT = """
i give up|im giving up|i am giving up|im done|i am done|im leaving|i am leaving|im out of here
i quit|forget it|never mind|nevermind|ill look elsewhere|i will look elsewhere
ill look somewhere else|i will look somewhere else|ill find something myself
i will find something myself|ill find one myself|lets stop|let us stop|im going now|i am going now
stop the chat|end it here|leave it there|leave it here|ill ask someone else
i will ask someone else
"""

GOODBYE = """
bye|goodbye|bye bye|good bye
"""

SIGH_1 = """
taking a while|taking a little while|taking a bit|hoped this would be quicker
hoping this would be quicker|a bit slow|a little slow|kinda slow|speed this up|speed up
still searching|still looking|a few tries already|long time|takes long|take long|bit of a wait
little quicker
"""

SIGH_2 = """
losing patience|losing my patience|running out of patience|getting tired of this|getting annoyed
getting annoying|annoying|taking too long|takes too long|going in circles|getting frustrated
getting frustrating|wearing me out|tiresome|not helping|wearing thin|grumpy now|wears me out
wearing on me|tiring
"""

SIGH_3 = """
last chance|last try|last attempt|about to give up|about to leave|about to go|one more miss
almost done with this|out of patience|last straw|patience is gone|no patience left|end of my rope
end of my tether|ready to give up|close to giving up|nearly had enough|one more wrong one
"""

CORRECTION = """
i meant|meant to say|i mean|make that|scratch|scratch that|did i say|take back|take that back
correction|misspoke|wrong word|slip of the tongue|swap|switch|changed my mind|change of heart
replace|when i said|i said
"""

MILD_CORRECTION = """
actually|instead of|rather than|sorry
"""

OLD = """
not|no|i said|did i say|scratch|take back|forget|swap|switch|replace|instead of|rather than|drop
when i said|never mind|not the
"""

NEW = """
id like|i would like|i like|id prefer|i prefer|give me|want|i meant|meant to say|i mean|make that
make it|to|for|with|into|id rather|should be|i want|rather|now|but|go for
"""

SWAPPED = """
to|for|with|into
"""

UNSURE = """
not sure which|cant decide between|cannot decide between|either one|somewhere between|torn between
not sure which one|cant say which|cannot say which|one of the two|dont know which
"""

TASTE = """
wrong|not the|dont like the|do not like the|didnt like the|not my kind of|not my sort of|different
dont care for the|do not care for the|another
"""
"""Complaints about a whole facet, without a value: "not my kind of genre"."""

_FILLERS = """
really very quite particularly especially super pretty big huge so totally absolutely real truly
terribly honestly awfully overly
"""
FILLERS = frozenset(_FILLERS.split())
"""Adverbs that change the strength of a phrase but not what it means."""
