"""Words that tell what somebody named in the text does: acts, directs, writes."""

_WRITES = frozenset(
    [
        "by",
        "written",
        "wrote",
        "write",
        "writes",
        "writer",
        "writers",
        "author",
        "authors",
        "penned",
    ]
)

ROLE_WORDS: dict[str, frozenset[str]] = {
    "star": frozenset(
        [
            "star",
            "stars",
            "starring",
            "starred",
            "actor",
            "actors",
            "actress",
            "actresses",
            "with",
            "featuring",
            "features",
            "acting",
            "cast",
            "plays",
            "performer",
            "performers",
        ]
    ),
    "director": frozenset(
        [
            "by",
            "directed",
            "direct",
            "directs",
            "director",
            "directors",
            "directing",
            "filmmaker",
            "filmmakers",
        ]
    ),
    "writer": _WRITES,
    "author": _WRITES,
    "artist": frozenset(["by", "artist", "artists", "singer", "band", "played", "performed"]),
}
"""By facet name; the facet's own name, singular and plural are added to these."""
