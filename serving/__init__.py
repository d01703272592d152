"""The embedded roles as an OpenAI-compatible endpoint, with settable latency and faults."""
