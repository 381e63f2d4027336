"""Rules that give sources access, validity or other meta by their path. Used by `SourceIntake` and by the command line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from pathspec import GitIgnoreSpec

from components.routers.source_meta import check_fields, check_validity

RULE_PATH = "rule_path"
"""Meta key: the path of a source relative to its root, on which rules match. It is read and not stored."""
OVERRIDES = "overrides"
"""Meta key: fields that win over the graph's own rules, as a rules file of the command line gives them. Read and not stored."""

_IDENTITY = frozenset({"tenant", "alias", "path", "uri", "file_name", "mime_type", RULE_PATH, OVERRIDES})


def check_pattern(pattern: Any) -> GitIgnoreSpec:
    """A glob in the syntax of .gitignore: `hr/**`, `*.old.md` (at any depth), `/top.md`, `**/drafts/*`.

    :raises ValueError: empty, a negation, or a comment.
    """
    spec = GitIgnoreSpec.from_lines([pattern]) if isinstance(pattern, str) else None
    if spec is None or len(spec.patterns) != 1 or not spec.patterns[0].include:
        raise ValueError(f"pattern {pattern!r} is not accepted: it must be a glob such as hr/** or *.old.md")
    return spec


def check_rules(rules: Any) -> list[dict[str, Any]]:
    """Rules as plain data, dates as ISO text.

    :param rules: a list of mappings. `match` is a glob (see `check_pattern`); the other keys (`access`, `valid_from`, `valid_to`,
        `superseded_by`, `title`, `language`, or any field of your own) are set in the meta of the sources that match.
    :raises ValueError: anything else; the rule is named by its number, from 1.
    """
    if not isinstance(rules, list | tuple):
        raise ValueError(f"path rules must be a list of mappings with `match`, not {type(rules).__name__}")
    checked = []
    for number, rule in enumerate(rules, 1):
        where = f"path rule {number}"
        if not isinstance(rule, Mapping) or "match" not in rule:
            raise ValueError(f"{where} is not accepted: it must be a mapping such as {{match: 'hr/**', access: [hr]}}, not {rule!r}")
        fields = {key: value for key, value in rule.items() if key != "match"}
        if not fields:
            raise ValueError(f"{where} ({rule['match']!r}) sets nothing: name at least one field beside `match`, for instance access: [hr]")
        for key, value in fields.items():
            if key in _IDENTITY:
                raise ValueError(f"{where} ({rule['match']!r}) sets {key!r}: a rule cannot change what identifies a source")
            if value is None:
                raise ValueError(f"{where} ({rule['match']!r}) leaves {key!r} empty: give it a value or leave it out")
        try:
            check_pattern(rule["match"])
            fields = check_fields(fields)
            check_validity(fields)
        except ValueError as error:
            raise ValueError(f"{where}: {error}") from None
        checked.append({"match": rule["match"], **fields})
    return checked


class PathRules:
    """Rules applied first to last; a later match overrides an earlier one, field by field.

    >>> rules = PathRules([{"match": "hr/**", "access": ["hr"]}, {"match": "*.old.md", "valid_to": "2024-07-01"}])
    >>> rules.fields("hr/pay.old.md")
    {'access': ['hr'], 'valid_to': '2024-07-01'}
    >>> rules.fields("leave.md")
    {}
    """

    def __init__(self, rules: Sequence[Mapping[str, Any]]) -> None:
        """:raises ValueError: see `check_rules`."""
        self.rules = check_rules(rules)
        self._compiled = [(check_pattern(rule["match"]), {k: v for k, v in rule.items() if k != "match"}) for rule in self.rules]

    def fields(self, path: str, *, rooted: bool = True) -> dict[str, Any]:
        """The fields that the rules set for a path.

        :param path: relative to its root, with `/`.
        :param rooted: False where the root is not known: then any folder above the file may be it, so a rule that restricts access
            is not missed.
        """
        parts = PurePosixPath(path.lstrip("/")).parts
        candidates = [path] if rooted else ["/".join(parts[i:]) for i in range(len(parts))]
        found: dict[str, Any] = {}
        for spec, fields in self._compiled:
            if any(spec.match_file(candidate) for candidate in candidates):
                found.update(fields)
        return found
