"""Markdown: its bytes as they are, its block tokens, and what it says of itself in its first heading and front matter."""

import re
from collections.abc import Iterable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from typing_extensions import override

from graphrag_assets.model.documents import DocumentMetadata, LoadedDocument, SourceEntry
from graphrag_assets.model.ids import sha256_hex
from graphrag_assets.model.names import clean_name
from graphrag_assets.model.settings import IngestionSettings
from graphrag_assets.sources.loader import Loader
from graphrag_assets.sources.text import MAX_TITLE_CHARACTERS, decoded_source, title_from_name

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

MARKDOWN: Final = "text/markdown"
_TITLE_SEARCH_BYTES: Final = 65_536
_MAX_PARSED_TITLE_CHARACTERS: Final = 2_000
_FRONT_MATTER_MAX_LINES: Final = 500
_LINE: Final = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n|\Z)")
_FIELD: Final = re.compile(rb"[^\s:#-][^:]{0,100}:(?:[ \t].*)?|#.*", re.DOTALL)
_SCALAR: Final = re.compile(r"(?P<name>title|published|date|publisher|url)[ \t]*:[ \t]+(?P<value>\S.*)", re.IGNORECASE)
# ``{ #anchor .class }`` after a heading is an instruction to a site generator, not part of the title.
_ATTRIBUTES: Final = re.compile(r"\s*\{:?\s*[#.][^{}]*\}\s*$")


@cache
def _parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark").enable("table")
    # Inline parsing is most of the time of a parse, and only headings need it.
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser


@dataclass(frozen=True, slots=True)
class ParsedMarkdown:
    """CommonMark block tokens with GitHub's tables, and the link references that inline content may use."""

    tokens: "Sequence[Token]"
    references: MutableMapping[str, object]


def parse_blocks(text: str) -> ParsedMarkdown:
    """Parse blocks only, which takes time in proportion to the text; lines end at LF, CRLF or a lone CR."""
    references: MutableMapping[str, object] = {}
    return ParsedMarkdown(_parser().parse(text, references), references)


def heading_title(source: str, parsed: ParsedMarkdown) -> tuple[str, bool]:
    """The plain text of a heading's source, on one line and without control characters, and whether it was cut.

    Emphasis, code and link marks go, their words stay; HTML tags and a closing attribute list go.
    """
    if len(source) > _MAX_PARSED_TITLE_CHARACTERS:
        plain = source
    else:
        tokens: list[Token] = []
        _parser().inline.parse(source, _parser(), parsed.references, tokens)
        plain = _plain_text(tokens)
    title = clean_name(_ATTRIBUTES.sub("", clean_name(plain)))
    return title[:MAX_TITLE_CHARACTERS].rstrip(), len(title) > MAX_TITLE_CHARACTERS


def _plain_text(tokens: "Iterable[Token]") -> str:
    parts: list[str] = []
    for token in tokens:
        if token.children:
            parts.append(_plain_text(token.children))
        elif token.type in {"text", "text_special", "code_inline"}:
            parts.append(token.content)
        elif token.type in {"softbreak", "hardbreak"}:
            parts.append(" ")
    return "".join(parts)


def front_matter_end(text: bytes) -> int:
    """Where the body starts: after ``---``, lines that begin with a field or a comment, and ``---`` or ``...``; else 0.

    A document may begin with a thematic break, so the line after it must look like a field and the end must be near.
    """
    first = _LINE.match(text)
    if first is None or first[0].rstrip() != b"---":
        return 0
    position = first.end()
    for number in range(_FRONT_MATTER_MAX_LINES):
        line = _LINE.match(text, position)
        if line is None or position == len(text):
            return 0
        content = line[0].rstrip()
        if number == 0 and not _FIELD.fullmatch(content):
            return 0
        position = line.end()
        if content in {b"---", b"..."}:
            return position
    return 0


def _front_matter_fields(text: bytes) -> dict[str, str]:
    """The fields of the front matter that this project knows and that stand on one line."""
    fields: dict[str, str] = {}
    for line in text[: front_matter_end(text)].decode().splitlines():
        match = _SCALAR.fullmatch(line.rstrip())
        if match is not None:
            value = clean_name(match["value"].strip("\"'"))[:MAX_TITLE_CHARACTERS]
            fields.setdefault(match["name"].lower(), value)
    return fields


def _first_title(text: bytes) -> str:
    """The first heading that is in no list and no quotation, within the first bytes of the text."""
    body = text[front_matter_end(text) :]
    if len(body) > _TITLE_SEARCH_BYTES:
        body = body[: max(body.rfind(b"\n", 0, _TITLE_SEARCH_BYTES), body.rfind(b"\r", 0, _TITLE_SEARCH_BYTES)) + 1]
    parsed = parse_blocks(body.decode())
    for opening, content in pairwise(parsed.tokens):
        if opening.type == "heading_open" and opening.level == 0:
            title, _ = heading_title(content.content, parsed)
            if title:
                return title
    return ""


class MarkdownLoader(Loader):
    """Loads ``text/markdown``. The title is the first heading, else the front matter's, else the file's name."""

    name = "markdown/1"
    media_types: Mapping[str, str] = {".md": MARKDOWN, ".markdown": MARKDOWN}

    @override
    def load(self, entry: SourceEntry, limits: IngestionSettings) -> LoadedDocument:
        text = decoded_source(entry, limits)
        fields = _front_matter_fields(text)
        return LoadedDocument(
            uri=entry.uri,
            document_id=entry.document_id,
            key=entry.key,
            media_type=entry.media_type,
            text=text,
            content_hash=sha256_hex(text),
            loader=self.name,
            metadata=DocumentMetadata(
                title=_first_title(text) or fields.get("title") or title_from_name(entry.name),
                published=fields.get("published", fields.get("date")),
                publisher=fields.get("publisher"),
                url=fields.get("url"),
            ),
        )
