"""The client."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast
from urllib.parse import quote

import httpx
from typing_extensions import Self, Unpack

from .._call import (
    TIMEOUT_S,
    UNSET,
    Call,
    CallOptions,
    ChatAnswer,
    Messages,
    Unset,
    call_options,
    chat_answer,
    chat_call,
    given,
)
from .._retry import MAX_RETRIES
from ..models import Health, ModelList, RagDeleted, RagErased, RagFound, RagIndexDocument, RagIndexed, RouteList
from .approvals import AsyncApprovals
from .audit import AsyncAudit
from .chat_stream import AsyncChatStream
from .runs import AsyncRuns
from .transport import AsyncTransport


class AsyncSvcClient:
    """A client of the gateway.

    Every method raises an `HTTPStatusError` if the gateway returns an error, an `httpx.TimeoutException` if it takes
    too long, and another `httpx.TransportError` if it cannot be reached. Objects are plain dicts, typed by
    `svc_client.models`.

    Attributes:
        runs: The runs API, including decisions on paused runs.
        approvals: Delegations of approvals.
        audit: Runs, ledger and proofs for auditors.

    """

    runs: AsyncRuns
    approvals: AsyncApprovals
    audit: AsyncAudit

    def __init__(
        self,
        base_url: str,
        key: str | None = None,
        *,
        timeout: float | httpx.Timeout | None = TIMEOUT_S,
        max_retries: int = MAX_RETRIES,
        headers: Mapping[str, str] | None = None,
        http_client: httpx.AsyncClient | None = None,
    ) -> None:
        """Create a client; it connects on the first call.

        Args:
            base_url: URL of the gateway, such as `http://127.0.0.1:8000`, with or without `/v1`.
            key: `svc-` and 64 hex characters. Omit it for a gateway that runs with `--no-auth`.
            timeout: How long each wait for the gateway may take, in seconds: to connect, and for more of an answer.
                None for no limit.
            max_retries: How often a call is repeated after 408, 409, 429 and 5xx, unless the gateway answers
                `x-should-retry: false`, and after a broken connection, except for a chat or decision that may have
                arrived.
            headers: Sent with every call.
            http_client: For your own proxies, certificates or connection limits. Closed with this client.

        """
        self._transport = AsyncTransport(
            base_url=base_url,
            key=key,
            timeout=timeout,
            max_retries=max_retries,
            headers=headers or {},
            http_client=http_client,
        )
        self.runs = AsyncRuns(self._transport)
        self.approvals = AsyncApprovals(self._transport)
        self.audit = AsyncAudit(self._transport)

    async def __aenter__(self) -> Self:
        """Return the client; leaving the `with` block closes it."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close the client."""
        await self.aclose()

    async def aclose(self) -> None:
        """Close all connections."""
        await self._transport.aclose()

    async def chat(
        self,
        *,
        model: str,
        messages: Messages,
        timeout: float | httpx.Timeout | Unset | None = UNSET,
        max_retries: int | Unset = UNSET,
        extra_headers: Mapping[str, str] | Unset = UNSET,
        **parameters: Any,
    ) -> ChatAnswer:
        """Ask a model through a route.

        A blocked, paused or denied answer is not an error: its `finish_reason` is `content_filter`. `svc_run_id`
        names the run.

        Args:
            model: The route.
            messages: The conversation so far, in OpenAI's format.
            timeout: See `CallOptions`. The gateway's own limit for a whole answer is 300 s: for slow models set a
                higher timeout, or stream.
            max_retries: See `CallOptions`.
            extra_headers: See `CallOptions`.
            **parameters: OpenAI's parameters, such as `temperature=0`.

        """
        options = call_options(timeout, max_retries, extra_headers)
        return chat_answer(await self._transport.send(chat_call(model, messages, parameters, stream=False), **options))

    async def chat_stream(
        self,
        *,
        model: str,
        messages: Messages,
        timeout: float | httpx.Timeout | Unset | None = UNSET,
        max_retries: int | Unset = UNSET,
        extra_headers: Mapping[str, str] | Unset = UNSET,
        **parameters: Any,
    ) -> AsyncChatStream:
        """Ask like `chat`, and stream the answer. Returns when the first part has arrived."""
        options = call_options(timeout, max_retries, extra_headers)
        call = chat_call(model, messages, parameters, stream=True)
        return AsyncChatStream(await self._transport.send(call, stream=True, **options))

    async def models(self, **options: Unpack[CallOptions]) -> ModelList:
        """Return the routes that this key may call, in OpenAI's format for models."""
        return cast(ModelList, await self._transport.json(Call("GET", "/v1/models"), **options))

    async def routes(self, **options: Unpack[CallOptions]) -> RouteList:
        """Return the routes that this key may call, with their attributes and guards."""
        return cast(RouteList, await self._transport.json(Call("GET", "/v1/routes"), **options))

    async def health(self, **options: Unpack[CallOptions]) -> Health:
        """Return the gateway's health. A gateway that cannot serve answers 503, which raises an `HTTPStatusError`."""
        return cast(Health, await self._transport.json(Call("GET", "/v1/health"), **options))

    async def rag_index(
        self, *, namespace: str, documents: Sequence[RagIndexDocument], **options: Unpack[CallOptions]
    ) -> RagIndexed:
        """Index documents, each a `text` with optional `metadata`: all of them, or none. Identical documents are stored once."""
        call = Call("POST", "/v1/rag/index", body={"namespace": namespace, "documents": documents})
        return cast(RagIndexed, await self._transport.json(call, **options))

    async def rag_delete(
        self, *, namespace: str, ids: Sequence[str], reason: str | None = None, **options: Unpack[CallOptions]
    ) -> RagDeleted:
        """Delete documents by the ids that queries return. Unknown ids are ignored. The reason is recorded."""
        call = Call("POST", "/v1/rag/delete", body=given(namespace=namespace, ids=ids, reason=reason))
        return cast(RagDeleted, await self._transport.json(call, **options))

    async def rag_erase(self, namespace: str, *, reason: str | None = None, **options: Unpack[CallOptions]) -> RagErased:
        """Delete all documents of a namespace and destroy the key of their texts. The reason is recorded."""
        call = Call("DELETE", f"/v1/rag/namespaces/{quote(namespace, safe='')}", query=given(reason=reason))
        return cast(RagErased, await self._transport.json(call, **options))

    async def rag_query(
        self,
        *,
        namespace: str,
        query: str,
        k: int | None = None,
        filter: Mapping[str, Any] | None = None,
        **options: Unpack[CallOptions],
    ) -> RagFound:
        """Return the `k` nearest documents, 4 by default; with `filter`, only those whose metadata has all of these fields."""
        call = Call("POST", "/v1/rag/query", body=given(namespace=namespace, query=query, k=k, filter=filter))
        return cast(RagFound, await self._transport.json(call, **options))
