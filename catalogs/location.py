"""Where a user keeps the published data sets."""

from __future__ import annotations

import os
from pathlib import Path


def data_root() -> Path:
    """The folder with one sub-folder a data set: `CRS_DATA`, else `~/.cache/crsgym`.

    The folder need not exist. `~` is expanded; an empty variable counts as unset. A relative value
    stays relative, to the working directory.
    """
    return Path(os.environ.get("CRS_DATA", "").strip() or "~/.cache/crsgym").expanduser()
