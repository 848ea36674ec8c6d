"""What a prompt is told about a chunk beside its text: the heading path, and the header of a table that was cut."""

from collections.abc import Sequence
from typing import Final

from graphrag_assets.gateways.tokens import TokenCounter
from graphrag_assets.model.names import clean_name
from graphrag_assets.model.plans import Section
from graphrag_assets.model.settings import ChunkingSettings
from graphrag_assets.plans.blocks import Block
from graphrag_assets.plans.headings import heading_path

BETWEEN_HEADINGS: Final = " > "


class Contexts:
    """Contexts of one document's chunks, each within its reserve of tokens and within the bytes of a chunk.

    ``cut`` says whether anything had to be left out.
    """

    def __init__(self, text: bytes, sections: Sequence[Section], settings: ChunkingSettings, counter: TokenCounter) -> None:
        self._text = text
        self._sections = sections
        self._max_tokens = settings.context_tokens
        self._max_bytes = settings.max_utf8_bytes
        self._counter = counter
        self._known: dict[tuple[int | None, int | None], str] = {}
        self.cut = False

    def of(self, section_order: int | None, table: Block | None) -> str:
        """The heading path on one line, outermost first, then the table's header rows; empty when there is neither.

        Whole headings are left out from the outermost on until it fits. A header that alone is too long goes
        without the line below it, or not at all.
        """
        known = (section_order, table.span.start if table is not None else None)
        if known not in self._known:
            self._known[known] = self._build(heading_path(self._sections, section_order), self._header_lines(table))
        return self._known[known]

    def _build(self, path: tuple[str, ...], header: tuple[str, ...]) -> str:
        for rows in range(len(header), -1, -1):
            for first in range(len(path) + 1):
                context = "\n".join([*filter(None, [BETWEEN_HEADINGS.join(path[first:])]), *header[:rows]])
                if self._fits(context):
                    self.cut = self.cut or first > 0 or rows < len(header)
                    return context
                if header[:rows] and not self._fits("\n".join(header[:rows])):
                    break
        return ""

    def _fits(self, context: str) -> bool:
        return not context or (len(context.encode()) <= self._max_bytes and self._counter.count(context) <= self._max_tokens)

    def _header_lines(self, table: Block | None) -> tuple[str, ...]:
        if table is None or table.header is None:
            return ()
        lines = table.header.text(self._text).replace("\r\n", "\n").replace("\r", "\n").split("\n")
        return tuple(filter(None, map(clean_name, lines)))
