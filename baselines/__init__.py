"""Comparators: references, a tuned rule, prompted methods of other papers, and agents of SB3.

A prompted method has a folder: its ``policy`` is the published flow. What they share, each module
about one thing:

- ``prompted``, ``steps``: a method's model calls, and the rules that stand in for a model;
  ``fitting``: whether what a request brings for a step fits;
- ``told``, ``heard``, ``utterances``: what the system's lines did, what the dialogue's words tell,
  what one utterance or name means; ``taste``: how well items fit that;
- ``questions``, ``failures``: what embedded rules ask, and what they do after a refused offer;
- ``item_words``: plain words about an item (``language.prompts.reply_checks``: what models' words
  must contain);
- ``searching``, ``extraction``, ``candidates``, ``candidate_talk``, ``act_words``: for the two that
  search (SAPIENT-LLM, T-EPL), from the state read off the dialogue to the chosen act in words;
- ``methods``: all steps by name.
"""
