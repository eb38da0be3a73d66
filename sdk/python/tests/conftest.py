"""Every test runs twice: with the synchronous and the asyncio client."""

from __future__ import annotations

import asyncio
import inspect
import os
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any, TypeAlias, cast

import httpx
import pytest

from svc_client import AsyncApprovals, AsyncAudit, AsyncRuns, AsyncSvcClient, SvcClient

Connect: TypeAlias = Callable[..., SvcClient]
Serve: TypeAlias = Callable[[Callable[[httpx.Request], httpx.Response]], SvcClient]


class Blocking:
    """An asynchronous object with a synchronous interface."""

    def __init__(self, target: Any, loop: asyncio.AbstractEventLoop) -> None:
        self._target = target
        self._loop = loop

    def __getattr__(self, name: str) -> Any:
        return self._blocking(getattr(self._target, {"close": "aclose"}.get(name, name)))

    def __iter__(self) -> Blocking:
        return self

    def __next__(self) -> Any:
        try:
            return self._loop.run_until_complete(anext(self._target))
        except StopAsyncIteration:
            raise StopIteration from None

    def __enter__(self) -> Blocking:
        self._loop.run_until_complete(self._target.__aenter__())
        return self

    def __exit__(self, *of: object) -> None:
        self._loop.run_until_complete(self._target.__aexit__(*of))

    def _blocking(self, value: Any) -> Any:
        if inspect.iscoroutine(value):
            value = self._loop.run_until_complete(value)
        if isinstance(value, AsyncApprovals | AsyncAudit | AsyncRuns | AsyncIterator):
            return Blocking(value, self._loop)
        if callable(value):
            return lambda *args, **kwargs: self._blocking(value(*args, **kwargs))
        return value


@pytest.fixture(params=["sync", "async"])
def new_client(request: pytest.FixtureRequest) -> Iterator[Callable[..., SvcClient]]:
    """Creates clients; `transport` is passed to httpx."""
    loop = asyncio.new_event_loop()
    clients: list[SvcClient] = []

    def new(*args: Any, transport: httpx.MockTransport | None = None, **options: Any) -> SvcClient:
        if request.param == "sync":
            http = None if transport is None else httpx.Client(transport=transport)
            client = SvcClient(*args, http_client=http, **options)
        else:
            async_http = None if transport is None else httpx.AsyncClient(transport=transport)
            client = cast(SvcClient, Blocking(AsyncSvcClient(*args, http_client=async_http, **options), loop))
        clients.append(client)
        return client

    yield new
    for client in clients:
        client.close()
    loop.run_until_complete(loop.shutdown_asyncgens())
    loop.close()


@pytest.fixture
def connect(new_client: Connect) -> Connect:
    """A client of the running gateway, by default as alice."""

    def new(principal: str = "alice", **options: Any) -> SvcClient:
        return new_client(os.environ["SVC_URL"], os.environ[f"SVC_KEY_{principal.upper()}"], **options)

    return new


@pytest.fixture
def serve(new_client: Connect) -> Serve:
    """A client of a server with non-gateway responses."""

    def new(answer: Callable[[httpx.Request], httpx.Response]) -> SvcClient:
        return new_client("http://gateway", "svc-00", transport=httpx.MockTransport(answer))

    return new


@pytest.fixture
def delays(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The delays between attempts, in seconds, recorded instead of slept."""
    waited: list[float] = []

    async def sleep(seconds: float) -> None:
        waited.append(seconds)

    monkeypatch.setattr("asyncio.sleep", sleep)
    monkeypatch.setattr("time.sleep", waited.append)
    return waited
