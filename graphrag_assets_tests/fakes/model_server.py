"""A model server on a real socket that answers from a script."""

import json
import re
import socket
import threading
from collections.abc import Callable, Mapping
from typing import Any

from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

SendAnswer = Callable[[Request], Response]


class ScriptedModelServer:
    """Answers each request with the next answer of its script. ``requests`` holds the path and JSON body of each."""

    def __init__(self, http: HTTPServer) -> None:
        self.requests: list[tuple[str, dict[str, Any]]] = []
        self.base_url = http.url_for("/v1")
        self._script: list[SendAnswer] = []
        self._released = threading.Event()
        http.expect_request(re.compile("^/v1/.*")).respond_with_handler(self._handle)

    def answer(self, body: object, *, status: int = 200, headers: Mapping[str, str] | None = None) -> None:
        """Answer with JSON, or with bytes as they are."""
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        self._script.append(lambda _: Response(content, status, dict(headers or {}), content_type="application/json"))

    def drop(self) -> None:
        """Close the connection without an answer."""
        self._script.append(_drop)

    def keep_waiting(self) -> None:
        """Give no answer until `release`."""
        self._script.append(self._wait)

    def release(self) -> None:
        """Let a request that was kept waiting end."""
        self._released.set()

    def _wait(self, _: Request) -> Response:
        self._released.wait(timeout=30)
        return Response(b"{}", 503)

    def _handle(self, request: Request) -> Response:
        self.requests.append((request.path, json.loads(request.get_data())))
        send = self._script.pop(0) if self._script else lambda _: Response(b"the script has run out", 418)
        return send(request)


def _drop(request: Request) -> Response:
    request.environ["werkzeug.socket"].shutdown(socket.SHUT_RDWR)
    return Response(b"")


def completion(content: str | None, finish_reason: str = "stop", **message: object) -> dict[str, object]:
    """The body of a chat completion."""
    return {
        "model": "test-model",
        "choices": [{"finish_reason": finish_reason, "message": {"content": content, **message}}],
        "usage": {"prompt_tokens": 17, "completion_tokens": 5},
    }
