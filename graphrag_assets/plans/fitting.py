"""How much of a text fits into a chunk: the bounds, and the search for the greatest end within them."""

from bisect import bisect_right
from collections.abc import Sequence
from typing import Final

from graphrag_assets.gateways.tokens import TokenCounter
from graphrag_assets.model.settings import ChunkingSettings

_FIRST_GUESS_BYTES_PER_TOKEN: Final = 4.0
_GUESSES: Final = 6


class Fitting:
    """The bounds of a chunk's text, over one document.

    The real count of the text decides, never a sum of parts. A greatest end is found with few counts: first by
    interpolation, then by halving. That takes the count of a beginning to grow with its length; where a counter does
    not keep that (one token for a very long word), the end found still fits.
    """

    def __init__(self, text: bytes, settings: ChunkingSettings, counter: TokenCounter) -> None:
        self._text = text
        self._counter = counter
        self.max_tokens = settings.max_tokens - settings.context_tokens
        self.max_bytes = settings.max_utf8_bytes
        self._counts: dict[tuple[int, int], int] = {}

    def tokens(self, start: int, end: int) -> int:
        """Tokens of the bytes from ``start`` to ``end``, both between code points."""
        span = (start, end)
        count = self._counts.get(span)
        if count is None:
            count = self._counts[span] = self._counter.count(self._text[start:end].decode())
        return count

    def forget(self) -> None:
        """Drop remembered counts; a new section asks for other spans."""
        self._counts.clear()

    def fits(self, start: int, end: int) -> bool:
        """Whether a chunk may be this text."""
        return end - start <= self.max_bytes and self.tokens(start, end) <= self.max_tokens

    def fits_half(self, start: int, end: int) -> bool:
        """Whether this text takes at most half of a chunk."""
        return (end - start) * 2 <= self.max_bytes and self.tokens(start, end) * 2 <= self.max_tokens

    def greatest(self, start: int, ends: Sequence[int], *, tolerance: float = 0.0) -> int | None:
        """The greatest of ``ends`` that fits from ``start``; None when none does.

        Args:
            ends: Ascending offsets after ``start``.
            tolerance: Share of the token bound that may stay unused, which saves counts where no end is better than
                another.
        """
        bad = bisect_right(ends, start + self.max_bytes)
        good = -1
        enough = self.max_tokens * (1.0 - tolerance)
        ratio = _FIRST_GUESS_BYTES_PER_TOKEN
        guesses = 0
        while good + 1 < bad:
            guess = bisect_right(ends, start + self.max_tokens * ratio) - 1 if guesses < _GUESSES else (good + bad) // 2
            guess = max(good + 1, min(guess, bad - 1))
            guesses += 1
            count = self.tokens(start, ends[guess])
            ratio = (ends[guess] - start) / max(1, count)
            if count > self.max_tokens:
                bad = guess
            else:
                good = guess
                if tolerance and count >= enough:
                    break
        return ends[good] if good >= 0 else None
