"""Path rules of a run that no file of it matches: a mistyped one that restricts access would leave its files open."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

import yaml

from app.errors import UsageError
from app.finding import Found, absolute, collect
from components.access.principal import PUBLIC
from components.routers.path_rules import PathRules, check_pattern

SHOWN = 3
"""Paths that a warning names."""


def rule_lines(text: str) -> list[int]:
    """The line, from 1, where each rule of a YAML list begins.

    >>> rule_lines("- match: hr/**\\n  access: [hr]\\n- match: old/**\\n  valid_to: 2024-07-01\\n")
    [1, 3]
    """
    node = yaml.compose(text, Loader=yaml.SafeLoader)
    return [item.start_mark.line + 1 for item in node.value] if isinstance(node, yaml.SequenceNode) else []


def unmatched_rules(
    rules: Sequence[Mapping[str, Any]],
    found: Sequence[Found],
    paths: Sequence[str | Path],
    urls: Sequence[str] = (),
    lines: Sequence[int] = (),
    alias: str = "",
) -> list[dict[str, Any]]:
    """The rules that match nothing of a run, in order.

    A run is refused for one that restricts access, unless it is plain that nothing becomes open by it: the run has no file; its folder is there
    and empty; what it matches is hidden by `--include` or `--exclude`; or only single files are given, none of which it would match from above.

    :param found: the files of the run.
    :param paths: what was given, without URLs.
    :param urls: the paths of the URLs that were given, as rules see them.
    :param lines: where each rule stands in its file.
    :returns: `rule` (from 1), `line` (0: unknown), `match`, `restricts`, `refused`, and `reason`, one line.
    :raises UsageError: a rule that is not accepted.
    """
    try:
        checked = PathRules(list(rules)).rules
    except ValueError as error:
        raise UsageError(str(error)) from None
    tried = [*(f.relative for f in found), *urls]
    out: list[dict[str, Any]] = []
    for number, rule in enumerate(checked, 1):
        spec = check_pattern(rule["match"])
        if any(spec.match_file(path) for path in tried):
            continue
        restricts = "access" in rule and PUBLIC not in rule["access"]
        above = next((f for f in found if PathRules([rule]).fields(f.file.as_posix(), rooted=False)), None)
        refused = restricts and bool(tried) and (above is not None or not _harmless(rule["match"], paths, alias))
        line = lines[number - 1] if number <= len(lines) else 0
        reason = _reason(rule["match"], tried, paths, above)
        out.append({"rule": number, "line": line, "match": rule["match"], "restricts": restricts, "refused": refused, "reason": reason})
    return out


def _harmless(pattern: str, paths: Sequence[str | Path], alias: str) -> bool:
    """Whether a rule that matches nothing is plainly no mistake."""
    roots = [absolute(path) for path in paths]
    folders = [root for root in roots if root.is_dir()]
    if not folders:
        return True
    spec = check_pattern(pattern)
    literal = _literal_folder(pattern)
    there = bool(literal) and any((root / literal).is_dir() and next(_files(root / literal), None) is None for root in folders)
    return there or any(spec.match_file(f.relative) for f in collect(paths, alias)[0])


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.is_file() and not any(part.startswith(".") for part in path.relative_to(folder).parts))


def _literal_folder(pattern: str) -> str:
    """The folders at the beginning of a glob that are written out: `hr` of `hr/**`."""
    parts = PurePosixPath(pattern.strip("/")).parts
    plain = next((i for i, part in enumerate(parts) if any(c in part for c in "*?[")), len(parts) - (not pattern.endswith("/")))
    return "/".join(parts[:plain])


def told(rule: Mapping[str, Any], file: Path) -> str:
    """One line on a rule that matches nothing: where it stands, and what it was tried on."""
    where = f":{rule['line']}" if rule["line"] else ""
    return f"{file}{where}: rule {rule['rule']} ({rule['match']}): {rule['reason']}"


def _reason(pattern: str, tried: Sequence[str], paths: Sequence[str | Path], above: Found | None) -> str:
    roots = ", ".join(str(absolute(path)) for path in paths[:SHOWN])
    if not tried:
        return "it matches no file: there is none in this run"
    listed = ", ".join(tried[:SHOWN]) + (f" and {len(tried) - SHOWN} more" if len(tried) > SHOWN else "")
    said = f"it matches none of the {len(tried)} paths of this run" if len(tried) > 1 else "it does not match the one path of this run"
    said += f" (relative to {roots}: {listed})" if roots else f" ({listed})"
    if above is not None:
        return f"{said}; it would match {above.file} from a folder above: index that folder, or write the rule relative to the one given"
    literal = _literal_folder(pattern)
    names = {parent.as_posix() for path in tried for parent in PurePosixPath(path).parents} - {"."}
    like = next((n for n in sorted(names) if literal and n.casefold() == literal.casefold()), "") or next(
        iter(difflib.get_close_matches(literal, sorted(names), 1) if literal else []), ""
    )
    return f"{said}; there is a folder {like}/" if like and like != literal else said
