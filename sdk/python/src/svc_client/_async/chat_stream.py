"""A streamed answer."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import TypeAlias, cast

import httpx
from typing_extensions import Self

from .._sse import SseParser
from ..errors import StreamError
from ..models import ChatCompletionChunk, ChatCompletionChunkSvcEvent

StreamStop: TypeAlias = ChatCompletionChunkSvcEvent


class AsyncChatStream:
    """A streamed answer; iterate over its chunks once.

    Closing it early, or leaving its `with` block, closes the connection, and the gateway ends the run.

    Attributes:
        run_id: From the response header, so set from the start.
        stop: What a guard or an approver did to the answer, once the stream has ended; None if the answer ended
            normally.
        evidence: `<seq> <hash>` of the run's ledger record, once the stream has ended; None while the run waits for
            an approver.

    """

    run_id: str | None
    stop: StreamStop | None
    evidence: str | None

    def __init__(self, response: httpx.Response) -> None:
        """Take a response whose body has not been read."""
        self._response = response
        self._chunks = self._read()
        self.run_id = response.headers.get("x-svc-run-id")
        self.stop = None
        self.evidence = None

    async def __aenter__(self) -> Self:
        """Return the stream; leaving the `with` block closes it."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close the stream."""
        await self.aclose()

    def __aiter__(self) -> Self:
        """Return the stream, which is its own iterator."""
        return self

    async def __anext__(self) -> ChatCompletionChunk:
        """Return the next chunk.

        Raises:
            StreamError: The stream fails.
            httpx.TransportError: The connection breaks, or no data arrives within the timeout.

        """
        return await self._chunks.__anext__()

    async def aclose(self) -> None:
        """Close the connection if the answer has not ended."""
        await self._response.aclose()

    async def text(self) -> str:
        """Read to the end, and return the text of the first choice.

        Raises:
            StreamError: The stream fails.

        """
        text = ""
        async for chunk in self:
            for choice in chunk["choices"]:
                if choice["index"] == 0:
                    text += choice["delta"].get("content") or ""
        return text

    async def _read(self) -> AsyncIterator[ChatCompletionChunk]:
        parser = SseParser()
        try:
            async for received in self._response.aiter_bytes():
                for data in parser.feed(received):
                    if data == "[DONE]":
                        return
                    yield self._chunk(data)
            raise StreamError("the stream ended before the answer was complete", code=None, run_id=self.run_id)
        finally:
            await self._response.aclose()

    def _chunk(self, data: str) -> ChatCompletionChunk:
        frame = json.loads(data)
        if "error" in frame:
            raise StreamError(frame["error"]["message"], code=frame["error"]["code"], run_id=self.run_id)
        chunk = cast(ChatCompletionChunk, frame)
        self.stop = chunk.get("svc_event", self.stop)
        self.evidence = chunk.get("svc_evidence", self.evidence)
        return chunk
