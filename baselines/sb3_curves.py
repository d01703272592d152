"""The learning curve: what is counted while an agent trains, and where it is written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

Scalars = dict[str, float]
Progress = Callable[[int, int], None]

_REPORTS = 200
"""How often progress is reported in a training."""


class EpisodeTally:
    """Counts episodes into the algorithm's logger; a number is the mean since the last point.

    ``train/success_rate``, ``train/return``, ``train/turns``, ``train/invalid_actions`` (share of
    the turns), ``train/reward_<term>`` for each term in ``info["reward_terms"]``, and by persona
    ``train/persona/<name>/success_rate`` and ``.../return``. What an environment does not say is
    left out.

    Args:
        n_envs: Number of environments.
        total_timesteps: Length of the training, for ``progress``.
        progress: Called with the timesteps done and in all.
    """

    def __init__(self, n_envs: int, total_timesteps: int, progress: Progress | None = None) -> None:
        self._terms: list[Scalars] = [{} for _ in range(n_envs)]
        self._invalid = [0] * n_envs
        self._total = total_timesteps
        self._progress = progress
        self._due = 0

    def step(self, local: dict[str, Any], _: dict[str, Any]) -> bool:
        """Read one step of all environments; give it to ``learn`` as ``callback``."""
        model = local["self"]
        record = model.logger.record_mean
        for i, info in enumerate(local["infos"]):
            terms = self._terms[i]
            for name, value in info.get("reward_terms", {}).items():
                terms[name] = terms.get(name, 0.0) + value
            self._invalid[i] += bool(info.get("invalid_action", False))
            if local["dones"][i]:
                self._finish(i, info, record)
        if self._progress is not None and model.num_timesteps >= self._due:
            self._due = model.num_timesteps + self._total // _REPORTS
            self._progress(min(model.num_timesteps, self._total), self._total)
        return True

    def _finish(self, i: int, info: dict[str, Any], record: Callable[[str, float], None]) -> None:
        episode = info["episode"]
        record("train/return", float(episode["r"]))
        record("train/turns", float(episode["l"]))
        if "is_success" in info:
            record("train/success_rate", float(info["is_success"]))
        if "invalid_action" in info:
            record("train/invalid_actions", self._invalid[i] / float(episode["l"]))
        if "persona" in info and "is_success" in info:
            tag = f"train/persona/{info['persona']}"
            record(f"{tag}/success_rate", float(info["is_success"]))
            record(f"{tag}/return", float(episode["r"]))
        for name, value in self._terms[i].items():
            record(f"train/reward_{name}", value)
        self._terms[i] = {}
        self._invalid[i] = 0


def scalar_logger(log_dir: Path | None, on_scalars: Callable[[Scalars, int], None] | None) -> Any:
    """The library's logger: a TensorBoard file, a receiver of the numbers, both or neither."""
    from stable_baselines3.common.logger import KVWriter, Logger, TensorBoardOutputFormat

    class Receiver(KVWriter):
        """Hands the numbers on."""

        def __init__(self, receive: Callable[[Scalars, int], None]) -> None:
            self._receive = receive

        def write(
            self,
            key_values: dict[str, Any],
            key_excluded: dict[str, tuple[str, ...]],
            step: int = 0,
        ) -> None:
            """One point of the curve."""
            values = {k: float(v) for k, v in sorted(key_values.items()) if _is_number(v)}
            if values:
                self._receive(values, step)

        def close(self) -> None:
            """The receiver is its owner's."""

    formats: list[KVWriter] = []
    if log_dir is not None:
        formats.append(TensorBoardOutputFormat(str(log_dir)))
    if on_scalars is not None:
        formats.append(Receiver(on_scalars))
    return Logger(None if log_dir is None else str(log_dir), formats)


def _is_number(value: Any) -> bool:
    import numpy as np

    return isinstance(value, int | float | np.number) and not isinstance(value, bool)
