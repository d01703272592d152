"""Text and structure: lexicon, tracker, voice and responder, and the roles played by models."""
