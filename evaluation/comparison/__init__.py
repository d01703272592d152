"""Several runs compared: methods by metrics, paired tests, and files that show them.

``compare_runs`` reads run directories and computes; ``write_comparison`` also writes the table as
Markdown, CSV and LaTeX, and one HTML page that needs nothing but itself.
"""

from evaluation.comparison.comparing import Comparison, compare_runs
from evaluation.comparison.errors import ComparisonError
from evaluation.comparison.writing import FORMATS, write_comparison

__all__ = ["FORMATS", "Comparison", "ComparisonError", "compare_runs", "write_comparison"]
