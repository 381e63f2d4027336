"""Over real sockets: a server on this machine, reached under invented names by a resolver of the test."""

import gzip
import socket
import ssl
import threading
import time
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar

import pytest
from haystack import Pipeline

from components.fetchers.addresses import Allowed
from components.fetchers.pinned_http import resolve_host
from components.fetchers.url_fetcher import UrlFetcher, file_name, normal_url

TEXT = b"Twenty days of leave. " * 50


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    seen: ClassVar[list[tuple[str, str]]] = []

    def do_GET(self):
        type(self).seen.append((self.headers["Host"], self.path))
        name = self.path.strip("/").partition("?")[0]
        if name.startswith("to-"):
            target = {"to-page": "/page", "to-loop": "/to-loop", "to-file": "file:///etc/passwd", "to-inside": "http://inside.test/secret"}
            target |= {"to-octal": "http://0177.1/x", "to-password": "http://a:b@docs.test/page"}
            return self.answer(302, b"", {"Location": target[name]})
        if name == "slow":
            return self.drip()
        bodies = {
            "page": (TEXT, {"Content-Type": "text/html; charset=ISO-8859-1", "ETag": '"7"', "Last-Modified": "Mon, 01 Jan 2024 10:00:00 GMT"}),
            "zipped": (gzip.compress(TEXT), {"Content-Encoding": "gzip", "Content-Type": "text/plain"}),
            "deflated": (zlib.compress(TEXT), {"Content-Encoding": "deflate"}),
            "bomb": (gzip.compress(b"0" * 30_000_000), {"Content-Encoding": "gzip"}),
            "cut": (gzip.compress(TEXT)[:-9], {"Content-Encoding": "gzip"}),
            "brotli": (TEXT, {"Content-Encoding": "br"}),
            "large": (b"x" * 3_000_000, {}),
        }
        if name not in bodies:
            return self.answer(404, b"no", {})
        return self.answer(200, *bodies[name])

    def answer(self, status, body, headers):
        self.send_response(status)
        for key, value in headers.items():
            self.send_header(key, value)
        if "unstated" in self.path:
            self.send_header("Connection", "close")
        else:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        try:
            self.wfile.write(body)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def drip(self):
        try:
            for byte in b"HTTP/1.1 200 OK\r\nX-Long: " + b"x" * 200:
                self.wfile.write(bytes([byte]))
                time.sleep(0.05)
        except (BrokenPipeError, ConnectionResetError):
            pass
        self.close_connection = True

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def port():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_address[1]
    server.shutdown()
    server.server_close()


@pytest.fixture
def fetch(port):
    """Fetches from the test's server, which `docs.test` names; other names are at addresses of their own."""
    Handler.seen.clear()
    names = {"docs.test": ["127.0.0.1"], "inside.test": ["10.0.0.7"], "mixed.test": ["93.184.216.34", "127.0.0.1"], "none.test": []}

    def run(url, **options):
        fetcher = UrlFetcher(**{"allow_private": ["docs.test"], **options})
        fetcher._resolve = lambda host, asked: names[host] if host in names else resolve_host(host, asked)
        return fetcher.run([url.replace("PORT", str(port))])

    return run


def reason(out) -> str:
    assert out["sources"] == []
    (failure,) = out["failed"]
    assert "\n" not in failure["reason"]
    return failure["reason"]


def test_a_page_with_what_the_server_says_of_it(fetch, port):
    (stream,) = fetch("http://docs.test:PORT/page?q=1#part")["sources"]
    assert (stream.data, stream.mime_type) == (TEXT, "text/html")
    url = f"http://docs.test:{port}/page?q=1"
    assert {stream.meta[key] for key in ("url", "path", "uri", "final_url")} == {url}
    assert (stream.meta["charset"], stream.meta["etag"], stream.meta["file_name"]) == ("iso-8859-1", '"7"', "page.html")
    assert stream.meta["modified_at"] == "2024-01-01T10:00:00+00:00"
    assert Handler.seen == [(f"docs.test:{port}", "/page?q=1")]


def test_a_redirect_is_followed_and_the_url_asked_for_stays_the_identity(fetch):
    (stream,) = fetch("http://docs.test:PORT/to-page")["sources"]
    assert (stream.meta["uri"].endswith("/to-page"), stream.meta["final_url"].endswith("/page")) == (True, True)


@pytest.mark.parametrize("name", ["zipped", "deflated", "page?unstated"])
def test_bodies_are_unpacked(fetch, name):
    assert fetch(f"http://docs.test:PORT/{name}")["sources"][0].data == TEXT


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("to-loop", "more than 5 redirects"),
        ("to-file", "redirects to what is refused"),
        ("to-password", "password is refused"),
        ("to-inside", "inside.test is at 10.0.0.7, which is not a public address"),
        ("to-octal", "0177.1 is at 127.0.0.1"),
        ("missing", "answered 404"),
        ("brotli", "content coding 'br' is not accepted"),
        ("cut", "cut off"),
        ("large", "larger than 1 MB"),
        ("large?unstated", "larger than 1 MB"),
        ("bomb", "larger than 1 MB"),
    ],
)
def test_what_is_not_fetched_and_why(fetch, name, why):
    assert why in reason(fetch(f"http://docs.test:PORT/{name}", max_mb=1))


@pytest.mark.parametrize("host", ["127.0.0.1", "2130706433", "0x7f.1", "0177.1", "[::1]", "[::ffff:127.0.0.1]", "localhost", "mixed.test"])
def test_no_written_form_of_a_private_address_is_connected_to(fetch, host):
    assert "not a public address" in reason(fetch(f"http://{host}:PORT/page"))
    assert Handler.seen == []


@pytest.mark.parametrize(
    "url",
    [
        "ftp://docs.test/x",
        "file:///etc/passwd",
        "http://user:pw@docs.test/",
        "http://user@docs.test/",
        "http://",
        "docs.test/page",
        "http://[::1",
        "",
    ],
)
def test_what_is_no_url_to_fetch(fetch, url):
    assert reason(fetch(url))


def test_a_name_is_resolved_once_and_the_connection_goes_where_was_checked(port):
    answers = iter([["127.0.0.1"], ["10.0.0.1"]])
    fetcher = UrlFetcher(allow_private=["127.0.0.0/8"])
    fetcher._resolve = lambda _host, _port: next(answers)
    assert fetcher.fetch(f"http://rebinding.test:{port}/page").data == TEXT
    assert next(answers) == ["10.0.0.1"]


def test_a_server_that_sends_a_byte_now_and_then_is_given_up(fetch):
    started = time.monotonic()
    assert "longer than 0.4 s" in reason(fetch("http://docs.test:PORT/slow", timeout_s=0.4))
    assert time.monotonic() - started < 3


def test_a_resolver_that_hangs_is_given_up():
    fetcher = UrlFetcher(timeout_s=0.3)
    fetcher._resolve = lambda _host, _port: time.sleep(2) or []
    assert "longer than 0.3 s" in reason(fetcher.run(["http://hangs.test/"]))


def test_what_is_not_there(fetch):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        closed = free.getsockname()[1]
    assert "cannot be fetched" in reason(fetch(f"http://docs.test:{closed}/"))
    assert "no address" in reason(fetch("http://none.test/"))


def test_a_certificate_is_checked_against_the_name(fetch, port):
    assert "cannot be fetched" in reason(fetch("https://docs.test:PORT/page"))  # the server speaks no TLS
    assert ssl.create_default_context().check_hostname


@pytest.mark.parametrize(
    ("address", "open_"),
    [
        ("8.8.8.8", True),
        ("2606:4700::1111", True),
        ("10.1.2.3", False),
        ("172.16.0.1", False),
        ("192.168.0.1", False),
        ("169.254.169.254", False),
        ("100.64.0.1", False),
        ("0.0.0.0", False),
        ("224.0.0.1", False),
        ("255.255.255.255", False),
        ("198.18.0.1", False),
        ("::", False),
        ("::1", False),
        ("fe80::1%eth0", False),
        ("fc00::1", False),
        ("fec0::1", False),
        ("ff02::1", False),
        ("::ffff:10.0.0.1", False),
        ("::ffff:8.8.8.8", True),
        ("::127.0.0.1", False),
        ("2002:7f00:1::", False),
        ("64:ff9b::7f00:1", False),
        ("64:ff9b::808:808", True),
        ("2001:db8::1", False),
    ],
)
def test_addresses(address, open_):
    try:
        Allowed().check("host", address)
        assert open_
    except ValueError:
        assert not open_


def test_an_intranet_is_named_by_host_or_network():
    allowed = Allowed(["Wiki.Corp.example", "10.1.0.0/16", "fd00::/8"])
    for host, address in (("wiki.corp.example", "192.168.1.1"), ("x", "10.1.2.3"), ("x", "::ffff:10.1.2.3"), ("x", "fd00::1")):
        allowed.check(host, address)
    for host, address in (("evil.wiki.corp.example", "192.168.1.1"), ("x", "10.2.0.1")):
        with pytest.raises(ValueError, match="not a public address"):
            allowed.check(host, address)
    for wrong in ("*.corp", "10.0.0.0/33", "a b", "", "1.2.3"):
        with pytest.raises(ValueError, match="not accepted"):
            Allowed([wrong])


def test_names():
    assert normal_url("HTTP://Docs.Test:80") == "http://docs.test/"
    assert file_name("https://x.test/a/report.pdf", "application/pdf") == "report.pdf"
    assert file_name("https://x.test/a/..%2f..%2fetc", "text/csv") == "etc.csv"
    assert file_name("https://x.test/data", "text/csv") == "data.csv"


@pytest.mark.parametrize("options", [{"timeout_s": 0}, {"max_mb": -1}, {"max_redirects": 99}, {"allow_private": ["*"]}, {"read_timeout_s": 0}])
def test_wrong_use(options):
    with pytest.raises(ValueError, match="not accepted"):
        UrlFetcher(**options)


def test_round_trip_in_yaml():
    pipeline = Pipeline()
    pipeline.add_component("fetcher", UrlFetcher(max_mb=5, allow_private=["wiki.corp.example"]))
    assert Pipeline.loads(pipeline.dumps(), allowed_modules=["components.*"]).dumps() == pipeline.dumps()
