"""A scripted model server, and a client and policy that talk to it."""

from collections.abc import Iterator

import openai
import pytest
from pytest_httpserver import HTTPServer

from graphrag_assets.gateways.openai_client import open_client
from graphrag_assets.gateways.rate_limiter import RateLimiter
from graphrag_assets.gateways.retry import RetryPolicy
from graphrag_assets.model.settings import RetrySettings
from graphrag_assets_tests.fakes.clock import FakeClock
from graphrag_assets_tests.fakes.model_server import ScriptedModelServer

API_KEY = "sk-test-0123456789"


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def policy(clock: FakeClock) -> RetryPolicy:
    return RetryPolicy(RetrySettings(), clock, RateLimiter(clock), draw=lambda: 0.0)


@pytest.fixture
def server(httpserver: HTTPServer) -> Iterator[ScriptedModelServer]:
    scripted = ScriptedModelServer(httpserver)
    yield scripted
    scripted.release()


@pytest.fixture
def client(server: ScriptedModelServer) -> Iterator[openai.OpenAI]:
    with open_client(API_KEY, server.base_url, timeout_seconds=10.0) as opened:
        yield opened
