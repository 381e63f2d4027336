"""URLs through the indexing graph: a real server, its address allowed."""

import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest

from app.errors import UsageError
from app.indexing import index_paths
from app.sources import list_sources
from app.urls import split_urls
from components.access.principal import Principal, acting_as
from components.fetchers.url_fetcher import UrlFetcher
from tests.light_graph import LightGraph


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture
def site(tmp_path):
    root = tmp_path / "site"
    root.mkdir()
    (root / "leave.md").write_text("Leave.\n\nTwenty days.")
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(root)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield root, f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


def test_a_url_is_a_source_with_a_life(site, store, admin, tmp_path):
    root, url = site
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/a.md").write_text("A file.")
    graph = LightGraph(store)

    def index(*paths, **options):
        return index_paths(graph.run, paths, store=store, fetcher=UrlFetcher(allow_private=["127.0.0.1"]), **options)

    pages = (f"{url}/leave.md", f"{url}/gone.md")
    report = index(tmp_path / "docs", *pages, access=["hr"], prune=True)
    assert report["added"] == [str(tmp_path / "docs/a.md"), f"{url}/leave.md"]
    assert report["failed"] == [{"source": f"{url}/gone.md", "reason": "the server answered 404"}]
    entry = next(meta for meta in list_sources(store) if meta["uri"] == f"{url}/leave.md")
    assert (entry["file_name"], entry["access"], entry["url"]) == ("leave.md", ["hr"], f"{url}/leave.md")
    assert index(tmp_path / "docs", *pages, prune=True)["unchanged"] == report["added"]
    (root / "leave.md").write_text("Leave.\n\nThirty days.")
    again = index(f"{url}/leave.md", prune=True, alias="handbook")
    assert (again["updated"], again["embedded"], again["removed"]) == ([f"{url}/leave.md"], 1, [])
    with acting_as(Principal("ravi")):
        assert list_sources(store) == []


def test_an_address_inside_is_refused_by_default_and_told(site, store, admin):
    _, url = site
    report = index_paths(LightGraph(store).run, [f"{url}/leave.md"], store=store)
    assert "not a public address" in report["failed"][0]["reason"]
    assert list_sources(store) == []


def test_a_url_with_passages_that_is_refused_later_stays_and_is_told(site, store, admin):
    _, url = site
    page, graph = f"{url}/leave.md", LightGraph(store)
    index_paths(graph.run, [page], store=store, fetcher=UrlFetcher(allow_private=["127.0.0.1"]))
    report = index_paths(graph.run, [page], store=store, access=["hr"])
    assert [failure["source"] for failure in report["failed"]] == [page]
    (entry,) = list_sources(store)
    assert (entry["access"], entry["chunks"] > 0) == (["hr"], True)


def test_urls_are_told_from_paths():
    assert split_urls(["docs", "HTTPS://Example.org/a#b", "https://example.org/a"]) == (["docs"], ["https://example.org/a"])
    with pytest.raises(UsageError, match="password"):
        split_urls(["https://a:b@example.org/"])
