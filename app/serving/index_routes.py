"""The endpoints of an indexing graph: files in at `/{name}/run`, and what became of them at `/{name}/jobs/{id}`."""

from __future__ import annotations

import unicodedata
from typing import Annotated, Any

from fastapi import APIRouter, File, Form, Path, UploadFile
from haystack.dataclasses import ByteStream
from pydantic import BaseModel, Field

from app.batches import Item
from app.duplicates import add_duplicates
from app.graphs import Graph
from app.indexing import index_items
from app.serving.filters import is_text
from app.serving.jobs import Job, Jobs, QueueFullError, State, Work
from app.serving.limits import busy
from app.serving.problems import Problem, documented
from app.store import graph_store
from components.access.principal import PUBLIC, Principal, acting_as, current_principal
from components.routers.path_rules import OVERRIDES
from components.routers.source_meta import check_access, check_validity, iso_date
from config.settings import settings

BATCH_FILES = 8
"""Files of one run of the graph: after each the job's progress is told."""
MAX_NAME = 200


class JobState(BaseModel):
    """A job, as a caller sees it."""

    id: str
    state: State
    done: int = Field(description="Files that are through.")
    total: int
    created_at: str
    report: dict[str, Any] | None = Field(description="As of `sakshya index --json`, when the job is done.")
    error: str | None


def file_path(name: str | None) -> str:
    """The identity of an uploaded file: the last part of its name, without what no name needs.

    >>> file_path("..\\\\secret/../leave policy.md"), file_path("caf\\u0000e.md")
    ('leave policy.md', 'cafe.md')

    :raises Problem: 422, nothing is left.
    """
    last = (name or "").replace("\\", "/").rpartition("/")[2]
    kept = "".join(c for c in unicodedata.normalize("NFC", last) if unicodedata.category(c)[0] != "C").strip(" .")
    if last.startswith(".") and kept:
        kept = kept.lstrip(".")
    if not kept or len(kept) > MAX_NAME:
        raise Problem(422, "file-name", f"A file needs a name of 1 to {MAX_NAME} characters.")
    return kept


def asked_meta(
    principal: Principal, access: list[str] | None, valid_from: str | None, valid_to: str | None, superseded_by: str | None
) -> dict[str, Any]:
    """What the caller says of the files, checked.

    :raises Problem: 403, a group that is not the caller's; 422, a value that is not accepted.
    """
    fields: dict[str, Any] = {}
    try:
        if access:
            groups = [part.strip() for item in access for part in item.split(",") if part.strip()]
            fields["access"] = check_access(groups)
        for name, value in (("valid_from", valid_from), ("valid_to", valid_to)):
            if value:
                fields[name] = iso_date(name, value)
        check_validity(fields)
    except (ValueError, TypeError) as error:
        raise Problem(422, "invalid-request", str(error).encode("ascii", "backslashreplace").decode()) from None
    if superseded_by:
        fields["superseded_by"] = superseded_by
    if not all(is_text(text) for value in fields.values() for text in (value if isinstance(value, list) else [value])):
        raise Problem(422, "invalid-request", "A field is not valid Unicode.")
    if not principal.is_admin and set(fields.get("access", [])) - {*principal.groups, PUBLIC}:
        allowed = ", ".join(sorted({*principal.groups, PUBLIC}))
        raise Problem(403, "access", f"access names groups that are not yours; accepted: {allowed}.")
    return fields


def work_for(graph: Graph, items: list[Item], principal: Principal) -> Work:
    """The job that indexes these items in the principal's name."""

    def work(progress: Any) -> dict[str, Any]:
        report = index_items(
            lambda values: graph.run(values).get("report", {}),
            items,
            principal=principal,
            graph_version=graph.version,
            on_progress=progress,
            max_files=BATCH_FILES,
        )
        if (store := graph_store(graph)) is not None:
            with acting_as(principal):
                add_duplicates(store, report)
                if principal.is_admin:
                    store.optimize_if_due()
        return report

    return work


def queued(jobs: Jobs, principal: Principal, total: int, work: Work, size: int) -> Job:
    """The job, in the queue.

    :raises Problem: 503, the queue is full.
    """
    try:
        return jobs.add(principal, total, work, size)
    except QueueFullError:
        raise busy("As many uploads wait as may; try again soon.") from None


def index_router(graph: Graph, jobs: Jobs) -> APIRouter:
    """The routes of one indexing graph."""
    name = graph.name
    router = APIRouter(tags=[name])

    async def upload(
        files: Annotated[list[UploadFile], File(description="The files. A file of the same name by the same user replaces what it was.")],
        access: Annotated[list[str] | None, Form(description="Groups that may read them, of the caller's own and `public`. Default: public.")] = None,
        valid_from: Annotated[str | None, Form(description="First day on which they are in force, YYYY-MM-DD.", max_length=40)] = None,
        valid_to: Annotated[str | None, Form(description="First day on which they no longer are.", max_length=40)] = None,
        superseded_by: Annotated[str | None, Form(description="What replaced them, in words.", max_length=500)] = None,
    ) -> Any:
        """Take files to index, in the name of the key. They wait for their turn: the job says when they can be asked about."""
        principal = current_principal()
        here = settings()
        if len(files) > here.max_upload_files:
            raise Problem(413, "too-many-files", f"{len(files)} files; SAKSHYA_MAX_UPLOAD_FILES accepts {here.max_upload_files}.")
        asked = asked_meta(principal, access, valid_from, valid_to, superseded_by)
        alias = f"upload:{principal.user}"
        items = []
        for file in files:
            path = file_path(file.filename)
            meta = {"tenant": principal.tenant, "alias": alias, "path": path, "uri": f"{alias}/{path}", "file_name": path, OVERRIDES: dict(asked)}
            data = await file.read()
            items.append(Item(ByteStream(data=data), meta, len(data)))
        return queued(jobs, principal, len(items), work_for(graph, items, principal), sum(item.size for item in items)).to_dict()

    async def job_state(job_id: Annotated[str, Path(max_length=64)]) -> Any:
        """Where a job is; its report when it is done. Only for who made it, and administrators of the tenant."""
        job = jobs.get(job_id, current_principal())
        if job is None:
            raise Problem(404, "unknown-job", "There is no such job of yours.")
        return job.to_dict()

    responses = documented(401, 403, 413, 422, 429, 500, 503)
    router.post(f"/{name}/run", name=f"{name}_run", status_code=202, response_model=JobState, responses=responses)(upload)
    router.get(f"/{name}/jobs/{{job_id}}", name=f"{name}_job", response_model=JobState, responses=documented(401, 404, 422, 500))(job_state)
    return router
