"""The trace of a run: each component once, counted, timed, and only inside its block."""

import pytest
from haystack import Document, Pipeline, component

from app.tracing import collect_stages, count_documents


@component
class Halver:
    """Keeps every second document."""

    @component.output_types(documents=list[Document], degraded=list, skipped=str, model=str)
    def run(self, documents: list[Document]):
        return {"documents": documents[::2], "degraded": [], "skipped": "", "model": "half"}


def pipeline() -> Pipeline:
    built = Pipeline()
    built.add_component("first", Halver())
    built.add_component("second", Halver())
    built.connect("first.documents", "second.documents")
    return built


DOCUMENTS = [Document(content=str(n)) for n in range(8)]


@pytest.mark.parametrize("run", ["run", "run_async"])
def test_stages_are_counted_and_named(run):
    import asyncio

    with collect_stages() as stages:
        if run == "run":
            pipeline().run({"first": {"documents": DOCUMENTS}})
        else:
            asyncio.run(pipeline().run_async({"first": {"documents": DOCUMENTS}}))
    assert [(s.name, s.candidates_in, s.candidates_out, s.model, s.skipped) for s in stages] == [
        ("first", 8, 4, "half", None),
        ("second", 4, 2, "half", None),
    ]
    assert all(s.type.endswith("Halver") and s.ms > 0 for s in stages)


def test_nothing_is_collected_outside_the_block():
    with collect_stages() as stages:
        pass
    pipeline().run({"first": {"documents": DOCUMENTS}})
    assert stages == []


def test_runs_side_by_side_do_not_mix():
    import asyncio

    async def one(count: int) -> list:
        with collect_stages() as stages:
            await pipeline().run_async({"first": {"documents": DOCUMENTS[:count]}})
        return [s.candidates_in for s in stages]

    async def both():
        return await asyncio.gather(one(2), one(8))

    assert asyncio.run(both()) == [[2, 1], [8, 4]]


def test_counting():
    assert count_documents({"documents": [], "degraded": []}) == 0
    assert count_documents({"degraded": [], "top_k": 3}) is None
    assert count_documents({"legs": [DOCUMENTS[:2], DOCUMENTS[:3]]}) == 5
