"""Prompts, one file a role: the words, the shape of the answer, and the version of both."""
