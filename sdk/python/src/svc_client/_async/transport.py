"""Sends calls with the key, retries some, and raises an error for any status but 2xx."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

import httpx
from typing_extensions import Unpack

from .._call import Call, CallOptions, authorization, base_of, given, next_query
from .._retry import delay_s, repeats_error, repeats_status
from ..errors import HTTPStatusError

T = TypeVar("T")


class AsyncTransport:
    """The connection to one gateway."""

    def __init__(
        self,
        *,
        base_url: str,
        key: str | None,
        timeout: float | httpx.Timeout | None,
        max_retries: int,
        headers: Mapping[str, str],
        http_client: httpx.AsyncClient | None,
    ) -> None:
        """Take the options of the client."""
        self._base = base_of(base_url)
        self._headers = {**authorization(key), **headers}
        self._timeout = timeout
        self._max_retries = max_retries
        self._http = httpx.AsyncClient() if http_client is None else http_client

    async def aclose(self) -> None:
        """Close all connections."""
        await self._http.aclose()

    async def send(self, call: Call, *, stream: bool = False, **options: Unpack[CallOptions]) -> httpx.Response:
        """Return the response, read to its end unless it is a stream."""
        max_retries = options.get("max_retries", self._max_retries)
        # The last value wins; header names are case-insensitive.
        headers = httpx.Headers(self._headers)
        headers.update(call.headers)
        headers.update(options.get("extra_headers"))
        request = self._http.build_request(
            call.method,
            f"{self._base}{call.path}",
            params=given(**call.query),
            json=call.body,
            headers=headers,
            timeout=options.get("timeout", self._timeout),
        )
        attempt = 0
        while True:
            try:
                # The key must not be sent to another host.
                response = await self._http.send(request, stream=stream, follow_redirects=False)
                if response.is_success:
                    return response
                await response.aread()
            except httpx.TransportError as error:
                if attempt >= max_retries or not repeats_error(error, idempotent=call.idempotent):
                    raise
                delay = delay_s(attempt)
            else:
                if attempt >= max_retries or not repeats_status(response):
                    raise HTTPStatusError(response)
                delay = delay_s(attempt, response.headers)
            await asyncio.sleep(delay)
            attempt += 1

    async def json(self, call: Call, **options: Unpack[CallOptions]) -> Any:
        """Return the body of the response."""
        return (await self.send(call, **options)).json()

    async def items(self, call: Call, of_page: Callable[[Any], list[T]], **options: Unpack[CallOptions]) -> AsyncIterator[T]:
        """Yield every item of a list; pages are fetched as needed."""
        query: Mapping[str, str | int | None] | None = call.query
        while query is not None:
            response = await self.send(replace(call, query=query), **options)
            for item in of_page(response.json()):
                yield item
            query = next_query(response)
