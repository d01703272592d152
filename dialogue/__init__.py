"""What is said and known in a conversation: acts, turns, the preference state, the public view, policies."""
