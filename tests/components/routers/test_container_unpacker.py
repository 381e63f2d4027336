import io

import msoffcrypto
import pytest
from haystack import Pipeline

from components.chunk import source_id
from components.routers.container_members import safe_path
from components.routers.container_unpacker import ContainerUnpacker
from config.settings import SettingsError, load_settings, settings
from tests.components.routers.containers import locked_zip, mail, source, zipped


def run(name: str, data: bytes, meta: dict | None = None, **limits) -> tuple[dict[str, bytes], dict[str, str], list[str]]:
    """Sources and failures by what their uri adds to the container's, and the notices."""
    out = ContainerUnpacker(**limits).run([source(name, data, **(meta or {}))])
    found = {s.meta["uri"].removeprefix(name): s.data for s in out["sources"]}
    return found, {f["source"].removeprefix(name): f["reason"] for f in out["failed"]}, [n["reason"] for n in out["notices"]]


def test_an_archive_becomes_its_files():
    data = zipped(
        ("readme.md", "# Read me"), ("reports/", ""), ("reports/may.txt", "May."), ("__MACOSX/x.txt", "x"), (".git/config", "x"), ("a/Thumbs.db", "x")
    )
    found, failed, notices = run("kb/a.zip", data)
    assert found == {"#readme.md": b"# Read me", "#reports/may.txt": b"May."}
    assert (failed, notices) == ({}, [])


def test_a_member_has_an_identity_of_its_own_and_the_meta_of_its_container():
    given = {"title": "The archive", "valid_from": "2024-01-01", "access": ["hr"]}
    stream = ContainerUnpacker().run([source("kb/a.zip", zipped(("reports/may.txt", "May.")), **given)])["sources"][0]
    assert stream.meta == {
        "uri": "kb/a.zip#reports/may.txt",
        "path": "kb/a.zip#reports/may.txt",
        "file_name": "may.txt",
        "source_id": source_id("default", "", "kb/a.zip#reports/may.txt"),
        "container_id": source_id("default", "", "kb/a.zip"),
        "tenant": "default",
        "alias": "",
        "access": ["hr"],
        "valid_from": "2024-01-01",
    }


def test_other_sources_pass_in_their_order():
    docx = zipped(("[Content_Types].xml", "<Types/>"), ("word/document.xml", "<w/>"))
    epub = zipped(("mimetype", "application/epub+zip"), ("META-INF/container.xml", "<c/>"))
    names = {
        "a.txt": b"Subject: not a mail",
        "b.docx": docx,
        "c.epub": epub,
        "d.zip": zipped(("x.txt", "x")),
        "e.zip": b"PK\x03\x04broken",
        "f.eml": bytes(mail()),
    }
    out = ContainerUnpacker().run([source(name, data) for name, data in names.items()])
    assert [s.meta["uri"] for s in out["sources"]] == ["a.txt", "b.docx", "c.epub", "d.zip#x.txt", "e.zip", "f.eml"]
    assert out["failed"] == out["notices"] == []


def test_a_mail_stays_beside_its_attachments():
    inner = mail("As you asked.", ("deep.txt", b"deep"), subject="Answer 1/2")
    message = mail("Dear all.", ("notes.txt", b"notes"), ("more.zip", zipped(("a/b.txt", "b"))))
    message.add_attachment(inner)
    found, failed, _ = run("m.eml", bytes(message))
    assert list(found) == ["", "#notes.txt", "#more.zip#a/b.txt", "#Answer 1-2.eml", "#Answer 1-2.eml#deep.txt"]
    assert found[""] == bytes(message)
    assert not failed
    sources = ContainerUnpacker().run([source("m.eml", bytes(message))])["sources"]
    assert sources[0].meta["attachments"] == ["notes.txt", "more.zip", "Answer 1-2.eml"]
    assert sources[3].meta["attachments"] == ["deep.txt"]
    assert "attachments" not in sources[1].meta


def test_images_that_a_mail_shows_are_members_only_where_they_are_large():
    message = mail("See the picture.")
    message.add_alternative('<p>See <img src="cid:logo"><img src="cid:shot"></p>', subtype="html")
    html = message.get_payload()[1]
    html.add_related(b"\x89PNG" + b"l" * 2_000, "image", "png", cid="<logo>", filename="logo.png")
    html.add_related(b"\x89PNG" + b"s" * 60_000, "image", "png", cid="<shot>", filename="shot.png")
    message.add_attachment(b"\x89PNG" + b"a" * 2_000, "image", "png", filename="attached.png")
    message.add_attachment(b"signature", "application", "pkcs7-signature", filename="smime.p7s")
    found, failed, notices = run("m.eml", bytes(message))
    assert (list(found), failed) == (["", "#shot.png", "#attached.png"], {})
    assert notices == ["1 small image shown in the text, such as a logo, left out"]


def test_names_that_lead_elsewhere_or_are_taken_are_changed_and_named():
    names = ["../../etc/passwd", "/root/x.txt", "C:\\Windows\\y.txt", "a.txt", "a.txt", "b\u202etxt.exe", "..", "caf\u00e9.txt"]
    found, failed, notices = run("a.zip", zipped(*((name, "x") for name in names)))
    assert list(found) == ["#etc/passwd", "#root/x.txt", "#Windows/y.txt", "#a.txt", "#a (2).txt", "#btxt.exe", "#unnamed", "#caf\u00e9.txt"]
    assert not failed
    assert [len([n for n in notices if word in n]) for word in ("leads elsewhere", "more than once")] == [5, 1]


@pytest.mark.parametrize("name", ["a/./b//c", "a\\b", "./a", "\x00a\x1f", " a / b ", "//server/share/x", "....//x", "a/../../b"])
def test_a_safe_path_stays_inside_and_is_stable(name):
    safe = safe_path(name)
    assert safe == safe_path(safe)
    assert not safe.startswith("/") and ".." not in safe.split("/") and safe


def test_limits_are_kept_before_anything_is_unpacked():
    many = zipped(*((f"{n}.txt", "x") for n in range(11)))
    assert run("a.zip", many, max_members=10)[:2] == ({}, {"": "it holds 11 files or more, which is refused; accepted: up to max_members=10"})
    bomb = zipped(("zeros.txt", b"\0" * 30_000_000))
    assert "accepted: up to max_ratio=100 times" in run("a.zip", bomb)[1][""]
    assert "up to max_unpacked_mb=20" in run("a.zip", bomb, max_unpacked_mb=20, max_ratio=10_000)[1][""]
    assert list(run("a.zip", bomb, max_ratio=10_000)[0]) == ["#zeros.txt"]


def test_the_limits_hold_for_inner_containers_together():
    inner = zipped(*((f"{n}.txt", "x") for n in range(6)))
    found, failed, _ = run("a.zip", zipped(("1.zip", inner), ("2.zip", inner), ("c.txt", "c")), max_members=10)
    assert set(found) == {*(f"#1.zip#{n}.txt" for n in range(6)), "#c.txt"}
    assert list(failed) == ["#2.zip"]


def test_nesting_has_an_end():
    data = zipped(("a.txt", "a"))
    for _ in range(4):
        data = zipped(("inner.zip", data), ("b.txt", "b"))
    found, failed, _ = run("a.zip", data)
    assert set(found) == {"#b.txt", "#inner.zip#b.txt", "#inner.zip#inner.zip#b.txt"}
    assert "max_depth=3" in failed["#inner.zip#inner.zip#inner.zip"]
    message = mail("outer", ("in.eml", bytes(mail("inner", ("a.txt", b"a")))))
    found, failed, _ = run("m.eml", bytes(message), max_depth=1)
    assert (set(found), list(failed)) == ({"", "#in.eml"}, ["#in.eml#attachments"])  # it is read, its attachments are not


def test_what_is_damaged_fails_alone_and_an_empty_archive_says_so():
    data = bytearray(zipped(("good.txt", "good"), ("bad.txt", "bad " * 100)))
    data[data.index(b"bad.txt") + 12] ^= 0xFF
    found, failed, _ = run("a.zip", bytes(data))
    assert (list(found), list(failed)) == (["#good.txt"], ["#bad.txt"])
    assert run("a.zip", zipped(("x/", "")))[1] == {"": "no file is in the archive"}
    assert run("a.zip", zipped(("inner.zip", zipped()), ("x.txt", "x")))[1] == {"#inner.zip": "no file is in it"}


def test_a_link_is_not_followed():
    import zipfile

    entry = zipfile.ZipInfo("passwd")
    entry.external_attr = 0o120777 << 16
    assert run("a.zip", zipped((entry, "/etc/passwd")))[:2] == ({}, {"#passwd": "a link, which is not followed"})  # type: ignore[arg-type]


@pytest.fixture
def passwords(monkeypatch):
    monkeypatch.setenv("SAKSHYA_FILE_PASSWORDS", '["wrong", "s3cret", "pässwort"]')
    settings.cache_clear()
    yield
    settings.cache_clear()


def locked_office() -> bytes:
    import docx

    plain, out = io.BytesIO(), io.BytesIO()
    document = docx.Document()
    document.add_paragraph("The secret figures.")
    document.save(plain)
    file = msoffcrypto.OfficeFile(plain)
    file.encrypt("s3cret", out)  # type: ignore[attr-defined]
    return out.getvalue()


def test_without_a_password_the_reason_is_the_password():
    failed = run("a.zip", locked_zip("s3cret", ("a.txt", "a")))[1]
    assert "encrypted with a password" in failed["#a.txt"] and "SAKSHYA_FILE_PASSWORDS names none" in failed["#a.txt"]
    assert "encrypted with a password" in run("a.docx", locked_office())[1][""]


def test_given_passwords_open_archives_and_office_files(passwords, caplog):
    caplog.set_level(0)
    assert run("a.zip", locked_zip("pässwort", ("a.txt", "a")))[0] == {"#a.txt": b"a"}
    found, failed, _ = run("a.zip", locked_zip("another", ("a.txt", "a")))
    assert (found, failed) == ({}, {"#a.txt": "it is encrypted with a password: no password of SAKSHYA_FILE_PASSWORDS opens it"})
    found, failed, _ = run("a.docx", locked_office())
    assert found[""].startswith(b"PK") and not failed
    assert run("a.zip", zipped(("in.docx", locked_office())))[0]["#in.docx"].startswith(b"PK")
    for password in settings().passwords:
        assert password not in caplog.text and password not in repr(settings()) and password not in str(failed)


def test_passwords_come_from_a_list_or_a_file(monkeypatch, tmp_path):
    (tmp_path / "words.json").write_text('["one", "two", "one"]')
    monkeypatch.setenv("SAKSHYA_FILE_PASSWORDS", str(tmp_path / "words.json"))
    assert load_settings().passwords == ("one", "two")
    for wrong in ("s3cret", '{"a": 1}', '["s3cret", 2]', '["s3cret", ""]', "[s3cret"):
        monkeypatch.setenv("SAKSHYA_FILE_PASSWORDS", wrong)
        with pytest.raises(SettingsError, match="SAKSHYA_FILE_PASSWORDS") as error:
            load_settings()
        assert "s3cret" not in str(error.value)


@pytest.mark.parametrize(
    "wrong",
    [
        {"max_members": 0},
        {"max_depth": 0},
        {"max_unpacked_mb": 0},
        {"max_ratio": 1},
        {"min_inline_image_kb": -1},
        {"timeout_s": 0},
        {"max_memory_mb": 1},
    ],
)
def test_a_limit_out_of_range_is_refused(wrong):
    with pytest.raises(ValueError, match=f"{next(iter(wrong))}=.* is not accepted"):
        ContainerUnpacker(**wrong)


def test_yaml_round_trip():
    pipeline = Pipeline()
    pipeline.add_component("unpacker", ContainerUnpacker(max_members=5, min_inline_image_kb=0))
    again = Pipeline.loads(pipeline.dumps())
    assert again.to_dict() == pipeline.to_dict()
