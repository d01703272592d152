"""The endpoint of the embedded roles, started for one run where ``llm=server`` names none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

from language.llm.call import ROLES
from language.llm.serving_process import ServingProcessError, serving_process


class EndpointError(ValueError):
    """The endpoint did not start; the message says what it said."""


@contextmanager
def endpoint_for(config: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The configuration with an address for every role on a server that has none.

    They share one endpoint, which ends with the block, and with this process however that ends. A
    configuration that names all addresses, or needs none, is yielded as it is.

    Raises:
        EndpointError: ``python -m serving`` did not come up.
    """
    llm = config["llm"]
    roles = _without_address(llm)
    if not roles or llm["replay"]:
        yield config
        return
    with _serving() as address:
        given = llm["roles"] or {}
        found = {role: {**(given.get(role) or {}), "base_url": address} for role in roles}
        yield {**config, "llm": {**llm, "roles": {**given, **found}}}


def _without_address(llm: Mapping[str, Any]) -> Sequence[str]:
    """Roles on a server that neither they nor the top name an address of."""
    found = []
    for role in ROLES:
        own = (llm["roles"] or {}).get(role) or {}
        inherits = own.get("backend") in (None, llm["backend"])
        backend = llm["backend"] if inherits else own["backend"]
        address = own.get("base_url") or (llm["base_url"] if inherits else None)
        if backend == "server" and not address:
            found.append(role)
    return found


@contextmanager
def _serving() -> Iterator[str]:
    """An endpoint in a process of its own; its address."""
    with ExitStack() as stack:
        try:
            _, address = stack.enter_context(serving_process())
        except ServingProcessError as error:
            raise EndpointError(
                f"llm=server could not start its endpoint ({error}); start one and name it with "
                f"llm.base_url=http://HOST:PORT/v1"
            ) from error
        yield address
