"""What a user of the tuning can mend."""

from __future__ import annotations


class TuningError(ValueError):
    """A tuning that cannot start or go on; the message says why and what to do."""
