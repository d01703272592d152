"""Configuration: Hydra groups as YAML, and what turns a composed configuration into objects."""
