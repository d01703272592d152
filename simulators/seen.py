"""Which items a user has seen: more of the well-known ones, never all targets."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from catalogs.catalog import Catalog, members
from dialogue.streams import Role, bit_generator


class SeenItems:
    """Draws seen sets for one catalogue.

    An item of familiarity rank q in [0, 1] has been seen with probability ``min(0.98, 2 * rate *
    q)``, which is ``rate`` on average over the catalogue (for rates up to 0.49). Rows of the same
    work share one draw.
    """

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._familiarity: NDArray[np.float64] = np.asarray(catalog.familiarity)
        repeats = [(i, bits) for i, bits in enumerate(catalog.works) if bits != 1 << i]
        self._repeats = np.array([i for i, _ in repeats], dtype=np.intp)
        self._firsts = np.array(
            [(bits & -bits).bit_length() - 1 for _, bits in repeats], dtype=np.intp
        )
        self._chances: dict[float, NDArray[np.uint16]] = {}

    def probability(self, item: int, rate: float) -> float:
        """Chance that a user with this rate has seen an item."""
        return min(0.98, 2.0 * rate * self._catalog.familiarity[item])

    def draw(self, seed: int, episode: int, rate: float, targets: int) -> int:
        """Bit set of seen items; never all of ``targets``.

        Where all are seen, one that is drawn becomes unseen again, with its repeated rows. A 16-bit
        number per item decides: chances are kept to 1/65536, which is four times as fast as drawing
        floats, and every reset pays it.
        """
        bits_of = bit_generator(seed, episode, Role.SEEN)
        count = len(self._familiarity)
        raw = bits_of.random_raw(count // 4 + 2).astype("<u8", copy=False)
        flags = raw[:-1].view("<u2")[:count] < self._chance(rate)
        flags[self._repeats] = flags[self._firsts]
        bits = int.from_bytes(np.packbits(flags, bitorder="little").tobytes(), "little")
        if targets and not targets & ~bits:
            options = list(members(targets))
            kept = options[int(raw[-1]) * len(options) >> 64]
            bits &= ~self._catalog.works[kept]
        return bits

    def _chance(self, rate: float) -> NDArray[np.uint16]:
        found = self._chances.get(rate)
        if found is None:
            chances = np.minimum(0.98, 2.0 * rate * self._familiarity)
            found = self._chances[rate] = np.round(chances * 65536.0).astype(np.uint16)
        return found
