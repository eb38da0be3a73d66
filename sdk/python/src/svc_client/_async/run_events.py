"""The changes of paused runs."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import cast

import httpx
from typing_extensions import Self

from .._sse import SseParser
from ..models import RunChange


class AsyncRunEvents:
    """The changes of paused runs, about a second after they are made; iterate over them once.

    Closing it, or leaving its `with` block, closes the connection. The loop ends when the gateway ends the connection,
    for example at its shutdown or when the key is revoked. Changes in between are not sent, so connect again and read
    the list again.
    """

    def __init__(self, response: httpx.Response) -> None:
        """Take a response whose body has not been read."""
        self._response = response
        self._changes = self._read()

    async def __aenter__(self) -> Self:
        """Return the events; leaving the `with` block closes the connection."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close the connection."""
        await self.aclose()

    def __aiter__(self) -> Self:
        """Return the events, which are their own iterator."""
        return self

    async def __anext__(self) -> RunChange:
        """Return the next change.

        Raises:
            httpx.TransportError: The connection breaks, or no data arrives within the timeout.

        """
        return await self._changes.__anext__()

    async def aclose(self) -> None:
        """Close the connection."""
        await self._response.aclose()

    async def _read(self) -> AsyncIterator[RunChange]:
        parser = SseParser()
        try:
            async for received in self._response.aiter_bytes():
                for data in parser.feed(received):
                    yield cast(RunChange, json.loads(data))
        finally:
            await self._response.aclose()
