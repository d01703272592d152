"""Language models: typed role calls over an OpenAI-compatible endpoint, counted and robust."""
