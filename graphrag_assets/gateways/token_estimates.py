"""Input tokens of a chat request before it is sent. A preview and the receipt of a provider without usage use the same."""

from typing import Final

from graphrag_assets.gateways.chat import ChatRequest
from graphrag_assets.gateways.tokens import ByteTokenCounter, TokenCounter

TOKENS_PER_MESSAGE: Final = 4
TOKENS_PER_REQUEST: Final = 3


def estimated_input_tokens(request: ChatRequest, counter: TokenCounter | None = None) -> int:
    """Tokens of the messages, 4 for each message and 3 for the request; the schema, which some providers bill, left out.

    Args:
        request: What will be sent.
        counter: Counts the texts; four bytes a token when not given.
    """
    messages = request.messages()
    counts = (counter or ByteTokenCounter()).count_many([message["content"] for message in messages])
    return sum(counts) + TOKENS_PER_MESSAGE * len(messages) + TOKENS_PER_REQUEST
