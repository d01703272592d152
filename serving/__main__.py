"""``python -m serving``: the embedded roles at an OpenAI-compatible address."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import threading
from collections.abc import Sequence

from serving.faults import FAULTS
from serving.server import Server, address, listen, make_server
from serving.settings import ServingSettings


def parse(words: Sequence[str] | None = None) -> ServingSettings:
    """Settings from a command line; it explains itself and exits where one is wrong."""
    parser = _parser()
    given = parser.parse_args(words)
    try:
        return ServingSettings(
            host=given.host,
            port=given.port,
            latency_s=given.latency,
            jitter=given.jitter,
            capacity=given.capacity,
            when_full=given.when_full,
            faults=_chances(given.fault),
            script=tuple(given.script.split(",")) if given.script is not None else (),
            hang_s=given.hang,
            retry_after_s=given.retry_after,
            seed=given.seed,
            json_schema=given.json_schema,
            json_object=given.json_object,
            largest_body=given.largest_body,
        )
    except ValueError as error:
        parser.error(str(error))


def _parser() -> argparse.ArgumentParser:
    default = ServingSettings()
    parser = argparse.ArgumentParser(
        prog="python -m serving",
        description="Serve the embedded roles as an OpenAI-compatible endpoint, for llm=server.",
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("--host", default=default.host, help="address to listen at (default: %(default)s)")
    add("--port", type=int, default=default.port, help="0: any free one (default: %(default)s)")
    add("--latency", type=float, default=0.0, metavar="SECONDS", help="time that an answer takes")
    add("--jitter", type=float, default=0.0, metavar="SHARE", help="spread of it, 0..1")
    add("--capacity", type=int, metavar="N", help="requests served at a time (default: any number)")
    add(
        "--when-full",
        choices=("wait", "reject"),
        default=default.when_full,
        help="beyond the capacity: wait, or 429 (default: %(default)s)",
    )
    add(
        "--fault",
        action="append",
        default=[],
        metavar="KIND=PROBABILITY",
        help=f"may be repeated; kinds: {', '.join(FAULTS)}",
    )
    add("--script", metavar="KIND,...", help="faults of the first requests, empty for none")
    add("--hang", type=float, default=default.hang_s, metavar="SECONDS", help="a hang at most")
    add("--retry-after", type=float, default=default.retry_after_s, metavar="SECONDS")
    add("--seed", type=int, default=0, help="of faults and jitter (default: 0)")
    add("--no-json-schema", dest="json_schema", action="store_false", help="refuse json_schema")
    add("--no-json-object", dest="json_object", action="store_false", help="refuse json_object")
    add("--largest-body", type=int, default=default.largest_body, metavar="BYTES")
    add(
        "--with-parent",
        action="store_true",
        help="end when standard input closes, as it does when the process at its other end is gone",
    )
    return parser


def _chances(given: Sequence[str]) -> dict[str, float]:
    found: dict[str, float] = {}
    for text in given:
        kind, equals, chance = text.partition("=")
        if not equals:
            raise ValueError(f"--fault {text}: write KIND=PROBABILITY, such as rate_limit=0.05")
        try:
            found[kind] = float(chance)
        except ValueError:
            raise ValueError(f"--fault {text}: {chance!r} is no number") from None
    return found


def main(words: Sequence[str] | None = None) -> int:
    """Serve until interrupted; the first line printed ends in the base URL."""
    settings = parse(words)
    try:
        listener = listen(settings)
    except OSError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    base_url = address(listener)

    def ready() -> None:
        try:
            print(f"serving the embedded roles at {base_url}", flush=True)
        except BrokenPipeError:  # whoever started it is gone
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            server.should_exit = True

    server = make_server(settings, ready)
    if _parser().parse_args(words).with_parent:
        threading.Thread(target=_end_with_input, args=(server,), daemon=True).start()
    with contextlib.suppress(KeyboardInterrupt):
        server.run(sockets=[listener])
    return 0


def _end_with_input(server: Server) -> None:
    # Not through sys.stdin: the interpreter cannot end while a thread holds its lock.
    while os.read(0, 4096):
        pass
    server.should_exit = True


if __name__ == "__main__":
    sys.exit(main())
