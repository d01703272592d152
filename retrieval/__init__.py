"""Query -> ranked items: structured constraints, lexical, dense, and their fusion. Knows no outcome."""
