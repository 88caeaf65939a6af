from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path

import pytest

from mrv_assets.cli.demo_text import Demonstrated, demonstrated_json, print_introduction, print_result, print_step
from mrv_assets.cli.terminal import print_json, stdout
from mrv_assets.storage.references import ReferenceData
from mrv_assets_tests.unit.cli.small_replay import PARTITIONS, settings_of
from mrv_assets_tests.world import committed_references, memory_store


def test_the_words_make_sense_from_start_to_end(
    demonstrated: tuple[Path, Demonstrated], capsys: pytest.CaptureFixture[str]
) -> None:
    """The demo prints steps, restatements, the ledger, the page's path and what to do next, within 100 columns."""
    folder, done = demonstrated
    references = ReferenceData(
        memory_store(committed_references() | {"inventories/small.toml": _inventory(folder).encode()})
    )
    console = stdout()
    print_introduction(console, done.replay, references, settings_of(folder))
    for number, step in enumerate(done.replayed, start=1):
        print_step(console, number, done.replay, step, [row for row in done.totals if row.number == number])
    print_result(console, done)
    text = capsys.readouterr().out
    lines = [line for line in text.splitlines() if str(folder) not in line]
    assert max(map(len, lines)) <= 100
    for words in (
        "committed  2021 generation 2: metc-anoka, metc-ramsey",
        "committed  2021 stays generation 4: metc-ramsey",
        "2021  ledger 4,607,838.372 t equals published 4,607,838.372 t",
        "+430,969.679",
        "All 16 certificates and 16 ledger generations",
        str(done.page),
        "make ui",
        "mrv show certificate metc-anoka 2021 mrow-2025.05.20",
    ):
        assert words in text
    assert "\x1b" not in text


def test_the_json_is_one_document(demonstrated: tuple[Path, Demonstrated], capsys: pytest.CaptureFixture[str]) -> None:
    """The demo's JSON holds each partition's outcome, each total as text, and the path of the page."""
    _, done = demonstrated
    print_json(demonstrated_json(done))
    document = json.loads(capsys.readouterr().out)
    partitions = [one for step in document["steps"] for one in step["partitions"]]
    assert len(partitions) == PARTITIONS
    assert document["steps"][1]["totals"][0]["ledger_tco2e"] == "4607838.372320812"
    assert document["is_equal"] is True
    assert Path(document["page"]).is_file()


def test_the_page_is_whole_and_asks_nothing_of_the_network(demonstrated: tuple[Path, Demonstrated]) -> None:
    """The page holds every live certificate digest and total, three described pictures, and no outside address."""
    _, done = demonstrated
    text = done.page.read_text(encoding="utf-8")
    page = _Page()
    page.feed(text)
    page.close()
    assert page.open == []
    assert page.outside == []
    assert len(page.pictures) == 3
    assert all(len(alt) > 40 for alt in page.pictures)
    for figure in done.live:
        assert figure.certificate.sha256 in text
    assert "4,607,838.372" in text
    assert "Three &lt;counties&gt;" in text
    assert "Three <counties>" not in text


def _inventory(folder: Path) -> str:
    return (folder / "reference" / "inventories" / "small.toml").read_text(encoding="utf-8")


class _Page(HTMLParser):
    """Balance the tags of a page, and gather its pictures' descriptions and every address that is not inside it."""

    _VOID = ("meta", "img", "br", "link", "input", "hr")

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.pictures: list[str] = []
        self.outside: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in self._VOID:
            self.open.append(tag)
        named = dict(attrs)
        if tag == "img":
            self.pictures.append(named.get("alt") or "")
        for name in ("src", "href", "srcset", "data"):
            if (value := named.get(name)) is not None and not value.startswith(("data:", "#")):
                self.outside.append(value)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag
