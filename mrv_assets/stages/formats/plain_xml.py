"""Walking through XML that nobody trusts: no document type, so no entities, and broken XML is refused by name.

What does not belong here: what the elements mean.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from xml.parsers import expat

from mrv_assets.stages.delivery import unreadable

Attributes = dict[str, str]


def new_parser(where: str) -> expat.XMLParserType:
    """Return a parser that refuses a document type. It names elements as their namespace, a space and `local`."""
    parser = expat.ParserCreate(namespace_separator=" ")

    def refuse(*_: object) -> None:
        raise unreadable(where, expected="XML without a document type", found="one, which can hold entities")

    parser.StartDoctypeDeclHandler = refuse
    return parser


def parse(parser: expat.XMLParserType, xml: bytes, *, where: str, is_whole: bool = True) -> None:
    """Walk through the XML, or through its beginning. Raises GateError (gate `source_readable`) when it is broken."""
    try:
        parser.Parse(xml, is_whole)
    except expat.ExpatError as error:
        raise unreadable(where, expected="well-formed XML", found=str(error)) from error


@lru_cache(maxsize=2**10)
def local(name: str) -> str:
    """Return the name of an element without its namespace."""
    return name.rpartition(" ")[2]


def hand_out(
    xml: bytes, takers: Mapping[str, Callable[[Attributes], None]], *, where: str, is_whole: bool = True
) -> None:
    """Hand the attributes of the elements that are named to their takers. Raises as `parse`."""

    def start(name: str, attributes: Attributes) -> None:
        taker = takers.get(local(name))
        if taker is not None:
            taker(attributes)

    parser = new_parser(where)
    parser.StartElementHandler = start
    parse(parser, xml, where=where, is_whole=is_whole)
