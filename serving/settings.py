"""How the endpoint behaves: address, speed, capacity, faults, and what it supports."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from catalogs.nearest import nearest_hint
from serving.faults import FAULTS

WhenFull = Literal["wait", "reject"]


@dataclass(frozen=True, slots=True)
class ServingSettings:
    """Settings of the endpoint.

    Attributes:
        host: Address to listen at. The endpoint opens catalogue files that requests name: keep it
            to this machine.
        port: Port to listen at; 0 picks a free one.
        latency_s: Seconds from a request's turn to its answer, the role's own computing included.
        jitter: Spread of the latency: it is multiplied by a uniform number in
            [1 - jitter, 1 + jitter], drawn for each request.
        capacity: Requests served at a time; None for any number.
        when_full: What happens to a request beyond the capacity: it may ``wait`` for its turn, or
            be answered 429 at once (``reject``).
        faults: Probability of each kind of :data:`serving.faults.FAULTS`; they sum to at most 1.
        script: Kinds of faults (an empty text for none) of the first requests in order of arrival;
            after them the probabilities apply.
        hang_s: Seconds after which a request that hangs is dropped, if its client still waits.
        retry_after_s: What the Retry-After header of a 429 says, in seconds.
        seed: Of faults and jitter.
        json_schema: Whether ``response_format`` of type ``json_schema`` is supported.
        json_object: Whether ``response_format`` of type ``json_object`` is supported.
        largest_body: Bytes of a request above which it is refused.
    """

    host: str = "127.0.0.1"
    port: int = 8765
    latency_s: float = 0.0
    jitter: float = 0.0
    capacity: int | None = None
    when_full: WhenFull = "wait"
    faults: Mapping[str, float] = field(default_factory=dict)
    script: tuple[str, ...] = ()
    hang_s: float = 3600.0
    retry_after_s: float = 1.0
    seed: int = 0
    json_schema: bool = True
    json_object: bool = True
    largest_body: int = 8_000_000

    def __post_init__(self) -> None:
        """Refuse what cannot be meant.

        Raises:
            ValueError: A number is out of its range, or a fault is unknown; the message names it.
        """
        for name in ("latency_s", "hang_s", "retry_after_s"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value >= 0):
                raise ValueError(f"{name} must be a number of seconds from 0 on, not {value!r}")
        if not 0 <= self.jitter <= 1:
            raise ValueError(f"jitter must be in [0, 1], not {self.jitter!r}")
        if self.capacity is not None and self.capacity < 1:
            raise ValueError(f"capacity must be at least 1, not {self.capacity!r}")
        if self.when_full not in ("wait", "reject"):
            raise ValueError(f"when_full must be 'wait' or 'reject', not {self.when_full!r}")
        if not 0 <= self.port <= 65535:
            raise ValueError(f"port must be in 0..65535, not {self.port!r}")
        if self.largest_body < 1:
            raise ValueError(f"largest_body must be at least 1 byte, not {self.largest_body!r}")
        self._check_faults()

    def _check_faults(self) -> None:
        for kind in (*self.faults, *filter(None, self.script)):
            if kind not in FAULTS:
                hint = nearest_hint(kind, FAULTS, cutoff=0.4)
                raise ValueError(f"no fault {kind!r}{hint} (there are {', '.join(FAULTS)})")
        for kind, chance in self.faults.items():
            if not 0 <= chance <= 1:
                raise ValueError(f"the probability of {kind} must be in [0, 1], not {chance!r}")
        total = math.fsum(self.faults.values())
        if total > 1 + 1e-9:
            raise ValueError(f"the probabilities of faults sum to {total:g}; at most 1 is possible")
