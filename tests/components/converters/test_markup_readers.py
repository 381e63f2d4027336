"""HTML, XML, and what pandoc reads."""

import io
import shutil
import zipfile

import docx
import pytest
from haystack.dataclasses import ByteStream

from components.converters import old_office
from components.converters.html_reader import read_html
from components.converters.outcome import UnreadableError
from components.converters.pandoc_reader import to_html
from components.converters.programs import run_program
from components.converters.text_converter import read
from components.converters.xml_reader import read_xml
from components.routers.file_types import DOC, EPUB, ODT, RTF


def blocks(parts) -> list[tuple[str, str]]:
    return [(fields["kind"], text) for text, fields in parts]


def body(html: str) -> list[tuple[str, str]]:
    return blocks(read_html(f"<html><body>{html}</body></html>").parts)


def test_captions_definitions_and_loose_text():
    assert body(
        "Loose<div>inner</div>text<figure><figcaption>Figure 1. Growth</figcaption></figure><dl><dt>Leave</dt><dd>Time off</dd></dl>"
        "<details><summary>More</summary><p>Within</p></details><ul><li>one<li><p>two</p><p>three</p></ul>"
    ) == [
        ("paragraph", "Loose"),
        ("paragraph", "inner"),
        ("paragraph", "text"),
        ("caption", "Figure 1. Growth"),
        ("list", "- Leave: Time off"),
        ("paragraph", "More"),
        ("paragraph", "Within"),
        ("list", "- one\n- two\n  three"),
    ]


def test_tables_with_merged_cells_spacers_and_cut_figures():
    rows = read_html(
        "<table><caption>Table 2</caption><tr><th rowspan=2>Year</th><th colspan=3>Sales</th></tr><tr><th colspan=3>North</th></tr>"
        "<tr><td>2023</td><td>$</td><td>1,200</td><td></td></tr><tr><td>2024</td><td>$</td><td>(300</td><td>)</td></tr></table>"
    ).parts
    assert rows[0] == ("Table 2", {"kind": "caption"})
    assert rows[1][1]["header_rows"] == 1
    assert rows[1][0].split("\n") == ["Year | Sales North", "2023 | $1,200", "2024 | $(300)"]


def test_a_table_that_places_things_is_no_table():
    assert body("<table><tr><td>Menu</td></tr><tr><td><h1>Leave</h1><p>Twenty days.</p></td></tr></table>") == [
        ("paragraph", "Menu"),
        ("heading", "Leave"),
        ("paragraph", "Twenty days."),
    ]


def test_raised_and_lowered_digits_are_no_part_of_a_number():
    assert body("<p>20 m<sup>2</sup>, as said<sup>[3]</sup>, H<sub>2</sub>O</p>") == [("paragraph", "20 m², as said³, H₂O")]


@pytest.mark.parametrize(
    "hidden",
    [
        '<p class="ghost">secret word</p>',
        '<p style="color:#FFF">secret word</p>',
        '<p style="font-size:1px">secret word</p>',
        '<p style="position:absolute;left:-9999px">secret word</p>',
        '<font color="white">secret word</font>',
        '<p aria-hidden="true">secret word</p>',
    ],
)
def test_hidden_text_is_left_out_and_counted(hidden):
    page = read_html(f"<html><head><style>.ghost {{ display: none }}</style></head><body><p>Seen.</p>{hidden}</body></html>")
    assert blocks(page.parts) == [("paragraph", "Seen.")]
    assert page.notices == ["hidden text left out: 2 words"]


@pytest.mark.parametrize(
    "seen",
    [
        '<div style="background:#000"><p style="color:#fff">kept word</p></div>',
        '<td bgcolor="navy"><font color="white">kept word</font></td>',
        '<p style="font-size:0.9em">kept word</p>',
        '<p class="banner" style="color:white">kept word</p>',
    ],
)
def test_what_may_be_seen_stays(seen):
    assert "kept word" in str(body(f"<table><tr>{seen}</tr></table>" if seen.startswith("<td") else seen))


def test_links_before_the_first_heading_are_navigation():
    links = "".join(f'<li><a href="/{name}">{name}</a></li>' for name in ("Home", "News", "About"))
    assert body(f"<ul>{links}</ul><h1>Leave</h1><ul>{links}</ul>") == [("heading", "Leave"), ("list", "- Home\n- News\n- About")]


# ---- XML
def test_xml_records_and_documents():
    records = read_xml(
        "<?xml version='1.0'?><staff><person><name>Asha</name><city>Pune</city></person><person grade='B'><name>Bo</name></person></staff>"
    )
    assert blocks(records.parts) == [("paragraph", "name: Asha\ncity: Pune"), ("paragraph", "grade: B\nname: Bo")]
    document = read_xml(
        "<article xml:lang='en'><title>Leave</title><section><title>Scope</title><para>Twenty <emphasis>full</emphasis> days.</para>"
        "<itemizedlist><listitem><para>one</para></listitem><listitem><para>two</para></listitem></itemizedlist></section></article>"
    )
    assert blocks(document.parts) == [("heading", "Leave"), ("heading", "Scope"), ("paragraph", "Twenty full days."), ("list", "- one\n- two")]
    assert (document.title, document.language) == ("Leave", "en")


def test_xml_entities_of_its_own_are_read_and_others_refused():
    assert "Twenty days" in str(read_xml('<!DOCTYPE a [<!ENTITY n "Twenty">]><a><p>&n; days</p></a>').parts)
    with pytest.raises(UnreadableError, match="external entities"):
        read_xml('<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>')
    lines = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 12))
    with pytest.raises(UnreadableError, match="grow without end"):
        read_xml(f'<!DOCTYPE a [<!ENTITY l0 "lollollol">{lines}]><a>&l11;</a>')


def test_broken_xml_is_read_as_far_as_it_goes():
    found = read_xml("<?xml version='1.0'?><a><b>Twenty days</b><c>more")
    assert "Twenty days" in str(found.parts)
    assert "not well-formed" in found.notices[0]


def test_deep_xml_is_refused():
    with pytest.raises(UnreadableError, match="nested deeper"):
        read_xml("<a><b>" * 150 + "x" + "</b></a>" * 150)


# ---- by way of pandoc
def converted(data: bytes, kind: str) -> list[tuple[str, str]]:
    return blocks(read_html(to_html(data, kind, timeout_s=60)).parts)


def test_rtf():
    text = rb"{\rtf1\ansi\ansicpg1251 \pard\outlinelevel0 \'c4\'ed\'e8\par \pard Seen {\v hidden }words\par"
    text += rb"{\trowd\cellx100\cellx200\pard\intbl A\cell 20\cell\row \pard\intbl B\cell 25\cell\row}}"
    assert converted(text, RTF) == [("heading", "Дни"), ("paragraph", "Seen words"), ("table", "A | 20\nB | 25")]


def test_opendocument_and_epub_keep_headings_lists_and_tables(tmp_path):
    import pypandoc

    text = "# Leave\n\n- one\n- two\n\n| Grade | Days |\n|---|---|\n| A | 20 |\n\nTwenty days.[^1]\n\n[^1]: Of full time.\n"
    for kind, extension in ((ODT, "odt"), (EPUB, "epub")):
        path = tmp_path / f"leave.{extension}"
        pypandoc.convert_text(text, extension, "markdown", outputfile=str(path), extra_args=["--metadata", "title=Rules"])
        (document,) = read(ByteStream(path.read_bytes(), mime_type=kind))
        content = document.content or ""
        found = [(b["kind"], content[b["start"] : b["end"]]) for b in document.meta["blocks"] if b["kind"] != "title"]
        for wanted in [("heading", "Leave"), ("list", "- one\n- two"), ("table", "Grade | Days\nA | 20")]:
            assert wanted in found, extension
        assert any(kind == "footnote" and "Of full time." in text for kind, text in found), (extension, found)
        assert document.meta["title"] in ("Rules", "Leave")


def test_a_program_is_stopped_on_time(tmp_path):
    with pytest.raises(UnreadableError, match="longer than"):
        run_program(["/bin/sleep", "30"], timeout_s=0.3, folder=tmp_path)
    with pytest.raises(UnreadableError, match="cannot read it"):
        run_program(["/bin/ls", "nowhere"], timeout_s=30, folder=tmp_path)


def test_old_files_without_libreoffice_say_what_to_install(monkeypatch):
    monkeypatch.setattr(old_office, "office_program", lambda: None)
    with pytest.raises(UnreadableError, match="LibreOffice, which is not installed: install its Writer"):
        read(ByteStream(b"anything", mime_type=DOC))


@pytest.mark.long
@pytest.mark.skipif(shutil.which("soffice") is None, reason="LibreOffice is not installed")
def test_an_old_file_is_read_by_way_of_libreoffice(tmp_path):
    document = docx.Document()
    document.add_heading("Leave", 1)
    document.add_paragraph("Twenty days.")
    document.save(str(tmp_path / "a.docx"))
    profile = f"-env:UserInstallation={(tmp_path / 'profile').as_uri()}"
    command = ["soffice", profile, "--headless", "--convert-to", "doc", "--outdir", str(tmp_path), str(tmp_path / "a.docx")]
    run_program(command, timeout_s=120, folder=tmp_path, max_memory_mb=4096)
    (document,) = read(ByteStream((tmp_path / "a.doc").read_bytes(), mime_type=DOC))
    assert (document.meta["title"], document.meta["notices"]) == ("Leave", ["the doc file was read by way of LibreOffice"])


def test_a_document_with_entities_keeps_its_other_text():
    document, buffer, changed = docx.Document(), io.BytesIO(), io.BytesIO()
    document.add_paragraph("Twenty days.")
    document.save(buffer)
    with zipfile.ZipFile(buffer) as old, zipfile.ZipFile(changed, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            if name == "word/document.xml":
                start = data.index(b"<w:document")
                data = data[:start] + b'<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]>' + data[start:].replace(b"Twenty", b"&x;Twenty")
            new.writestr(name, data)
    (read_document,) = read(ByteStream(changed.getvalue(), meta={"file_name": "a.docx"}))
    assert "root:" not in (read_document.content or "")
    assert "days" in (read_document.content or "")
    assert "document type" in str(read_document.meta["notices"])
