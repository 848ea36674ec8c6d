from graphrag_assets.gateways.token_estimates import estimated_input_tokens
from graphrag_assets.gateways.tokens import ByteTokenCounter, TokenCounter
from graphrag_assets_tests.gateways.chat_requests import chat_request


class WordCounter(TokenCounter):
    name = "words"

    def count(self, text: str) -> int:
        return len(text.split())

    def count_many(self, texts: list[str]) -> list[int]:
        return [self.count(text) for text in texts]


def test_messages_and_the_request_have_their_own_tokens() -> None:
    request = chat_request(follow_up="Once more.")
    texts = [message["content"] for message in request.messages()]
    assert len(texts) == 3
    assert estimated_input_tokens(request, WordCounter()) == sum(len(text.split()) for text in texts) + 3 * 4 + 3


def test_without_a_counter_four_bytes_are_a_token() -> None:
    request = chat_request()
    assert estimated_input_tokens(request) == estimated_input_tokens(request, ByteTokenCounter())
