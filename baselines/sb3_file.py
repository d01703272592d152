"""The file of a trained agent: a zip with a JSON header and one plain NumPy array per weight.

The libraries' own files hold pickles, which run code when they are read. Here the header is checked
text, and arrays are read without pickle into a network that was built first, so that shape and size
of each are known beforehand.
"""

from __future__ import annotations

import io
import json
import os
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from baselines.sb3_algorithms import ALGORITHMS
from baselines.sb3_interface import Interface
from catalogs.nearest import nearest_names

SCHEMA: Literal["crsgym.agent/1"] = "crsgym.agent/1"
_HEADER = "header.json"
_MAX_HEADER = 1 << 20
_LIBRARIES = ("gymnasium", "numpy", "sb3-contrib", "stable-baselines3", "torch")

_Width = Annotated[int, Field(ge=1, le=4096)]
_Layers = Annotated[list[_Width], Field(max_length=16)]


class AgentFileError(ValueError):
    """A file that is not the agent asked for; the message says why and what to do."""


class Network(BaseModel):
    """Shape of the network; bounded, since a file decides it."""

    model_config = ConfigDict(extra="forbid", strict=True)
    net_arch: _Layers | dict[Literal["pi", "vf"], _Layers] | None = None
    activation: Literal["tanh", "relu", "elu"] | None = None
    lstm_hidden_size: _Width | None = None
    n_lstm_layers: Annotated[int, Field(ge=1, le=8)] | None = None
    shared_lstm: bool | None = None
    enable_critic_lstm: bool | None = None


class Header(BaseModel):
    """What an agent is.

    Attributes:
        schema_: Version of the file's form.
        algorithm: Name from ``ALGORITHMS``.
        observation_space: The space as text.
        observation_names: Name of each entry; empty outside dialogues.
        action_space: The space as text.
        action_names: Name of each action; empty outside dialogues.
        network: Network settings that were given.
        hyperparameters: All hyperparameters that were given, for the reader.
        discount: Discount that it was trained with.
        seed: Seed that it was trained with.
        total_timesteps: Environment steps that it was trained for.
        versions: Versions of the libraries that trained it.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)
    schema_: Literal["crsgym.agent/1"] = Field(default=SCHEMA, alias="schema")
    algorithm: str
    observation_space: str
    observation_names: tuple[str, ...]
    action_space: str
    action_names: tuple[str, ...]
    network: dict[str, Any]
    hyperparameters: dict[str, Any]
    discount: float
    seed: int
    total_timesteps: int
    versions: dict[str, str]


def library_versions() -> dict[str, str]:
    """Versions of the libraries that training depends on."""
    return {name: version(name) for name in _LIBRARIES}


def write_agent_file(path: Path, header: Header, weights: Mapping[str, NDArray[Any]]) -> None:
    """Write header and weights; byte for byte the same for the same agent."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + ".part")
    with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as file:
        text = json.dumps(header.model_dump(by_alias=True), indent=1, sort_keys=True)
        file.writestr(zipfile.ZipInfo(_HEADER), text)
        for name, array in weights.items():
            data = io.BytesIO()
            np.lib.format.write_array(data, np.ascontiguousarray(array), allow_pickle=False)
            file.writestr(zipfile.ZipInfo(_entry(name)), data.getvalue())
    os.replace(part, path)


def _entry(name: str) -> str:
    return f"weights/{name}.npy"


@dataclass(frozen=True, slots=True)
class AgentContent:
    """An open agent file whose header was read."""

    path: Path
    header: Header
    file: zipfile.ZipFile

    def check(self, interface: Interface, algorithm: str | None) -> None:
        """Compare with what is wanted.

        Raises:
            AgentFileError: Another algorithm, or other observation entries, actions or spaces.
        """
        header, where = self.header, f"the agent in {self.path}"
        if algorithm is not None and header.algorithm != algorithm:
            raise AgentFileError(
                f"{where} is of algorithm {header.algorithm}, not {algorithm}: "
                f"use planner={header.algorithm} for it"
            )
        for what, saved, wanted in (
            ("observation entries", header.observation_names, interface.observation_names),
            ("actions", header.action_names, interface.action_names),
        ):
            if saved != wanted:
                raise AgentFileError(
                    f"{where} was trained for another domain: {_difference(what, saved, wanted)}"
                )
        for what, one, other in (
            ("observation space", header.observation_space, str(interface.observation_space)),
            ("action space", header.action_space, str(interface.action_space)),
        ):
            if one != other:
                raise AgentFileError(
                    f"{where} was trained for another environment: its {what} is {one}, "
                    f"here it is {other}"
                )

    def weights(self, shapes: Mapping[str, tuple[int, ...]]) -> dict[str, NDArray[np.float32]]:
        """The arrays of the given names and shapes.

        Raises:
            AgentFileError: One is missing, left over, damaged, or no float32 array of its shape.
        """
        present = {info.filename for info in self.file.infolist()} - {_HEADER}
        if present != {_entry(name) for name in shapes}:
            odd = sorted(present ^ {_entry(name) for name in shapes})
            raise AgentFileError(
                f"{self.path}: the weights are not those of this network "
                f"(first difference: {odd[0]})"
            )
        return {name: self._array(name, shape) for name, shape in shapes.items()}

    def _array(self, name: str, shape: tuple[int, ...]) -> NDArray[np.float32]:
        entry = _entry(name)
        limit = 4 * int(np.prod(shape)) + 4096
        if self.file.getinfo(entry).file_size > limit:
            raise AgentFileError(f"{self.path}: {entry} is larger than its weights can be")
        try:
            data = io.BytesIO(self.file.read(entry))
            array: NDArray[Any] = np.lib.format.read_array(data, allow_pickle=False)
        except (ValueError, EOFError, OSError, zipfile.BadZipFile, NotImplementedError) as error:
            raise AgentFileError(
                f"{self.path}: {entry} cannot be read as plain numbers: {error}"
            ) from error
        if array.dtype != np.float32 or array.shape != shape:
            raise AgentFileError(
                f"{self.path}: {entry} is {array.dtype}{array.shape}, "
                f"this network has float32{shape}"
            )
        return array


@contextmanager
def read_agent_file(path: Path) -> Iterator[AgentContent]:
    """Open an agent file and check its header.

    Raises:
        AgentFileError: No such file, or not an agent's file.
    """
    if not path.is_file():
        raise AgentFileError(f"no agent file {path}{_nearest_file(path)}")
    try:
        file = zipfile.ZipFile(path)
    except (zipfile.BadZipFile, OSError) as error:
        raise AgentFileError(
            f"{path} is not an agent file, or was cut off: {error}; save the agent again"
        ) from error
    with file:
        yield AgentContent(path, _header(path, file), file)


def _header(path: Path, file: zipfile.ZipFile) -> Header:
    if _HEADER not in file.namelist():
        raise AgentFileError(
            f"{path} is a zip file without {_HEADER}: not an agent saved here. Files of "
            "Stable-Baselines3's own save() hold pickles and are not read; train again here"
        )
    try:
        if file.getinfo(_HEADER).file_size > _MAX_HEADER:
            raise ValueError(f"larger than {_MAX_HEADER} bytes")
        content = json.loads(file.read(_HEADER))
        found = content.get("schema") if isinstance(content, dict) else None
        if found != SCHEMA:
            raise ValueError(f"schema {found!r}, this version reads {SCHEMA!r}")
        header = Header.model_validate(content)
        Network.model_validate(header.network)
    except (ValueError, ValidationError, zipfile.BadZipFile, NotImplementedError) as error:
        raise AgentFileError(f"{path}: {_HEADER} cannot be used: {error}") from error
    if header.algorithm not in ALGORITHMS:
        raise AgentFileError(
            f"{path} is of algorithm {header.algorithm!r}; there are {', '.join(ALGORITHMS)}"
        )
    return header


def _difference(what: str, saved: tuple[str, ...], wanted: tuple[str, ...]) -> str:
    lacks = [name for name in wanted if name not in saved]
    odd = [name for name in saved if name not in wanted]
    if not lacks and not odd:
        return f"the same {what} in another order"
    parts = [f"its {what} lack {', '.join(lacks[:5])}"] if lacks else []
    parts += [f"it has {', '.join(odd[:5])}, which this environment has not"] if odd else []
    return "; ".join(parts)


def _nearest_file(path: Path) -> str:
    """The existing file with the nearest name, below the nearest folder that exists."""
    folder = path.parent
    while not folder.is_dir() and folder != folder.parent:
        folder = folder.parent
    names = {str(f.relative_to(folder)): f for f in sorted(folder.glob("**/*.zip"))[:1000]}
    wanted = str(path.relative_to(folder)) if path.is_relative_to(folder) else path.name
    near = nearest_names(wanted, names, cutoff=0.3)
    return f"; did you mean {names[near[0]]}?" if near else f" (and no .zip near it, in {folder})"
