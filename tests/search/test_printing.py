import random

import pytest

from search import UCT, UCTSettings, format_tree
from search.nodes import DecisionNode
from tests.search.problems import Bandit, FixedEvaluator, Trap

NAMES = ("grab", "wait")

GOLDEN = """\
root  n=12  value=+0.825
├─ wait  n=9  value=+1.000  prior=0.250
│  └─ 1  n=9  value=+1.000
│     ├─ grab  n=4  value=+1.000  prior=0.750
│     │  └─ (1, 0)  n=4  value=+0.000
│     └─ wait  n=4  value=+1.000  prior=0.250
│        └─ (1, 1)  n=4  value=+0.000
└─ grab  n=3  value=+0.300  prior=0.750
   └─ 0  n=3  value=+0.000
      ├─ grab  n=1  value=+0.000  prior=0.750
      │  └─ (0, 0)  n=1  value=+0.000
      └─ wait  n=1  value=+0.000  prior=0.250
         └─ (0, 1)  n=1  value=+0.000"""

GOLDEN_ASCII = """\
root  n=12  value=+0.825
|- wait  n=9  value=+1.000  prior=0.250
|  `- 1  n=9  value=+1.000
`- grab  n=3  value=+0.300  prior=0.750
   `- 0  n=3  value=+0.000"""

GOLDEN_CUT = """\
root  n=12  value=+0.825
├─ wait  n=9  value=+1.000  prior=0.250
│  └─ 1  n=9  value=+1.000
└─ (1 below 5 visits)"""


@pytest.fixture
def root() -> DecisionNode:
    settings = UCTSettings(depth=2, discount=1.0)
    evaluator = FixedEvaluator((3.0, 1.0))
    return UCT(Trap(), evaluator, settings).search(random.Random(0), 12).root


def test_the_whole_tree(root: DecisionNode) -> None:
    assert format_tree(root, NAMES) == GOLDEN


def test_ascii_lines_and_depth(root: DecisionNode) -> None:
    assert format_tree(root, NAMES, max_depth=1, ascii_only=True) == GOLDEN_ASCII


def test_rare_branches_are_counted(root: DecisionNode) -> None:
    assert format_tree(root, NAMES, max_depth=1, min_visits=5) == GOLDEN_CUT


def test_depth_zero_is_the_root_alone(root: DecisionNode) -> None:
    assert format_tree(root, NAMES, max_depth=0) == GOLDEN.splitlines()[0]


def test_a_node_without_visits_has_no_value() -> None:
    assert format_tree(DecisionNode(), ()) == "root  n=0  value=-"


def test_a_missing_name_is_an_error(root: DecisionNode) -> None:
    with pytest.raises(ValueError, match="1 action names and the tree has action 1"):
        format_tree(root, NAMES[:1])


def test_a_hostile_observation_stays_on_its_line() -> None:
    class Loud(Bandit):
        def step(self, world: None, action: int, rng: random.Random) -> tuple[str, float, bool]:
            return "a\nb" * 5000, 0.0, True

    result = UCT(Loud((0.0,)), FixedEvaluator((1.0,))).search(random.Random(0), 2)
    lines = format_tree(result.root, ("only",)).splitlines()
    assert len(lines) == 3
    assert all(len(line) < 100 for line in lines)
