"""Monte-Carlo tree search over an abstract generative model with a hidden state.

The package knows nothing of what is searched: a caller supplies a `Model` (how worlds are drawn
and moved) and an `Evaluator` (which actions deserve attention, what a world is worth), and gets
back a `SearchResult` with the decision, its statistics and the tree.
"""

from search.choice import combine
from search.model import Evaluator, Model
from search.nodes import ChanceNode, DecisionNode
from search.printing import format_tree
from search.result import SearchResult
from search.settings import UCTSettings
from search.uct import UCT

__all__ = [
    "UCT",
    "ChanceNode",
    "DecisionNode",
    "Evaluator",
    "Model",
    "SearchResult",
    "UCTSettings",
    "combine",
    "format_tree",
]
