"""A proxy on loopback that stands before an S3 server and gives the answers that a network gives on a bad day.

It passes requests on as they were signed, or answers by itself.
What does not belong here: faults at the seam of our own store (FaultyStore).
"""

from __future__ import annotations

import http.client
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TypeAlias
from urllib.parse import unquote, urlsplit

from mrv_assets_tests.s3_server import S3Server

_HOPS = {"connection", "keep-alive", "transfer-encoding", "content-length"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What the proxy does with a request; without a status the connection is broken off, or held open when it `hangs`.

    `has_landed` passes the request on first, and `passes` gives the server's own answer back. `strips_condition` does
    so without the If-None-Match of a put; `ignores_condition` puts the object unconditionally in the proxy's own name.
    """

    status: int | None = None
    code: str = ""
    has_landed: bool = False
    passes: bool = False
    hangs: bool = False
    strips_condition: bool = False
    ignores_condition: bool = False


PASS = Answer(has_landed=True, passes=True)
Plan: TypeAlias = Callable[[str, str], Answer]


@dataclass(slots=True)
class Proxy:
    """A running proxy: `plan` chooses the answer by method and path; `requests` is what was asked, in order."""

    endpoint_url: str
    plan: Plan
    requests: list[tuple[str, str]] = field(default_factory=list)
    is_over: threading.Event = field(default_factory=threading.Event)

    def first(self, times: int, answer: Answer, *, method: str, key: str = "") -> None:
        """Give `answer` to the first requests of `method` for a path that ends in `key`, and pass all others on."""
        left = [answer] * times
        self.plan = lambda asked, path: left.pop() if left and asked == method and path.endswith(key) else PASS

    def always(self, answer: Answer, *, methods: tuple[str, ...], key: str = "") -> None:
        """Give `answer` to every request of the methods for a path that ends in `key`, and pass all others on."""
        self.plan = lambda asked, path: answer if asked in methods and path.endswith(key) else PASS

    def count(self, method: str, key: str = "") -> int:
        """Return how many requests of `method` there were for a path that ends in `key`."""
        return sum(1 for asked, path in self.requests if asked == method and path.endswith(key))


@contextmanager
def s3_proxy(server: S3Server) -> Iterator[Proxy]:
    """Start a proxy before the server, which passes everything on until told otherwise."""
    listener = _Listener(("127.0.0.1", 0), _Handler)
    proxy = Proxy(f"http://127.0.0.1:{listener.server_address[1]}", lambda _, __: PASS)
    _Handler.running[listener.server_address[1]] = proxy, server
    thread = threading.Thread(target=listener.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield proxy
    finally:
        proxy.is_over.set()
        listener.shutdown()
        thread.join()
        listener.server_close()


def _put(server: S3Server, path: str, body: bytes) -> tuple[int, dict[str, str], bytes]:
    access = server.access()
    client = access.session.client("s3", endpoint_url=access.endpoint_url)
    bucket, _, key = path.strip("/").partition("/")
    tag = client.put_object(Bucket=bucket, Key=key, Body=body)["ETag"]
    return 200, {"ETag": tag}, b""


class _Listener(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of a client that has gone: that is what most of the tests are about."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    running: dict[int, tuple[Proxy, S3Server]] = {}  # noqa: RUF012 - by port, shared on purpose: the server makes the handlers

    def _answer(self) -> None:
        proxy, server = self.running[self.server.server_address[1]]  # type: ignore[index]
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        path = unquote(urlsplit(self.path).path)
        proxy.requests.append((self.command, path))
        answer = proxy.plan(self.command, path)
        passed_on = None
        if answer.ignores_condition:
            passed_on = _put(server, path, body)
        elif answer.has_landed:
            passed_on = self._pass_on(urlsplit(server.endpoint_url).netloc, body, answer)
        if answer.hangs:
            proxy.is_over.wait(30)
        if passed_on is not None and answer.passes:
            self._send(*passed_on)
        elif answer.status is not None:
            xml = f"<?xml version='1.0'?>\n<Error><Code>{answer.code}</Code></Error>".encode() if answer.code else b""
            self._send(answer.status, {}, xml)
        else:
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)

    def _pass_on(self, upstream: str, body: bytes, answer: Answer) -> tuple[int, dict[str, str], bytes]:
        headers = {name: value for name, value in self.headers.items() if name.lower() not in _HOPS}
        if answer.strips_condition:
            headers = {name: value for name, value in headers.items() if name.lower() != "if-none-match"}
        connection = http.client.HTTPConnection(upstream, timeout=30)
        try:
            connection.request(self.command, self.path, body, headers | {"Content-Length": str(len(body))})
            response = connection.getresponse()
            kept = {name: value for name, value in response.getheaders() if name.lower() not in _HOPS}
            length = response.getheader("Content-Length")
            return response.status, kept | ({"Content-Length": length} if length else {}), response.read()
        finally:
            connection.close()

    def _send(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self.send_response_only(status)
        for name, value in ({"Content-Length": str(len(body))} | headers).items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_GET = do_PUT = do_HEAD = do_DELETE = _answer  # noqa: N815 - the base class asks for these names

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is the base class's
        """Say nothing."""
