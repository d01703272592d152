"""Query -> ranked items.

Structured constraints, lexical, dense, and their fusion. Knows no outcome.
"""
