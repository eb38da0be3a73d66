# Generated from _async/client.py by `npm run client-types`. Do not make direct changes to the file.
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
from .audit import Audit
from .chat_stream import ChatStream
from .runs import Runs
from .transport import Transport


class SvcClient:
    """A client of the gateway.

    Every method raises an `HTTPStatusError` where the gateway refuses, an `httpx.TimeoutException` where it takes too long,
    and another `httpx.TransportError` where it cannot be reached. Objects are plain dicts, typed by `svc_client.models`.

    Attributes:
        runs: Runs without a chat client, and decisions on them.
        audit: Runs, ledger and proofs for auditors.
    """

    runs: Runs
    audit: Audit

    def __init__(
        self,
        base_url: str,
        key: str | None = None,
        *,
        timeout: float | httpx.Timeout | None = TIMEOUT_S,
        max_retries: int = MAX_RETRIES,
        headers: Mapping[str, str] | None = None,
        http_client: httpx.Client | None = None,
    ) -> None:
        """Open no connection yet.

        Args:
            base_url: Where the gateway is, such as `http://127.0.0.1:8000`, with or without `/v1`.
            key: `svc-` and 64 hex characters. Left out: for a gateway that runs with `--no-auth`.
            timeout: Seconds that each wait for the gateway may take: to connect, and for more of an answer. None: for ever.
            max_retries: How often a call is sent again: after 408, 409, 429 and 5xx, unless the gateway answers
                `x-should-retry: false`, and after a broken connection, but then no chat or decision that may have arrived.
            headers: Sent with every call.
            http_client: For proxies, certificates, limits of connections and the like. Closed with this client.
        """
        self._transport = Transport(
            base_url=base_url,
            key=key,
            timeout=timeout,
            max_retries=max_retries,
            headers=headers or {},
            http_client=http_client,
        )
        self.runs = Runs(self._transport)
        self.audit = Audit(self._transport)

    def __enter__(self) -> Self:
        """Give the client; the end of the `with` closes it."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()

    def close(self) -> None:
        """Close all connections."""
        self._transport.close()

    def chat(
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

        An answer that was blocked, paused or denied is no error: its `finish_reason` is `content_filter`. `svc_run_id` names
        the run.

        Args:
            model: The route.
            messages: The conversation so far, in OpenAI's format.
            timeout: See `CallOptions`. The gateway's own limit of a whole answer is 300 s: for slow models give more, or stream.
            max_retries: See `CallOptions`.
            extra_headers: See `CallOptions`.
            **parameters: OpenAI's, such as `temperature=0`.
        """
        options = call_options(timeout, max_retries, extra_headers)
        return chat_answer(self._transport.send(chat_call(model, messages, parameters, stream=False), **options))

    def chat_stream(
        self,
        *,
        model: str,
        messages: Messages,
        timeout: float | httpx.Timeout | Unset | None = UNSET,
        max_retries: int | Unset = UNSET,
        extra_headers: Mapping[str, str] | Unset = UNSET,
        **parameters: Any,
    ) -> ChatStream:
        """Ask as `chat` does, and give the answer as it comes. Returns when the first part has come."""
        options = call_options(timeout, max_retries, extra_headers)
        call = chat_call(model, messages, parameters, stream=True)
        return ChatStream(self._transport.send(call, stream=True, **options))

    def models(self, **options: Unpack[CallOptions]) -> ModelList:
        """Give the routes that this key may call, as OpenAI lists models."""
        return cast(ModelList, self._transport.json(Call("GET", "/v1/models"), **options))

    def routes(self, **options: Unpack[CallOptions]) -> RouteList:
        """Give the routes that this key may call, with their attributes and guards."""
        return cast(RouteList, self._transport.json(Call("GET", "/v1/routes"), **options))

    def health(self, **options: Unpack[CallOptions]) -> Health:
        """Give the gateway's health. One that cannot serve answers 503, which is an `HTTPStatusError`."""
        return cast(Health, self._transport.json(Call("GET", "/v1/health"), **options))

    def rag_index(
        self, *, namespace: str, documents: Sequence[RagIndexDocument], **options: Unpack[CallOptions]
    ) -> RagIndexed:
        """Index documents, each a `text` with any `metadata`: all of them, or none. The same document is stored once."""
        call = Call("POST", "/v1/rag/index", body={"namespace": namespace, "documents": documents})
        return cast(RagIndexed, self._transport.json(call, **options))

    def rag_delete(
        self, *, namespace: str, ids: Sequence[str], reason: str | None = None, **options: Unpack[CallOptions]
    ) -> RagDeleted:
        """Delete documents by the ids that queries give. Unknown ids are ignored. The reason goes on record."""
        call = Call("POST", "/v1/rag/delete", body=given(namespace=namespace, ids=ids, reason=reason))
        return cast(RagDeleted, self._transport.json(call, **options))

    def rag_erase(self, namespace: str, *, reason: str | None = None, **options: Unpack[CallOptions]) -> RagErased:
        """Delete all documents of a namespace and destroy the key of their texts. The reason goes on record."""
        call = Call("DELETE", f"/v1/rag/namespaces/{quote(namespace, safe='')}", query=given(reason=reason))
        return cast(RagErased, self._transport.json(call, **options))

    def rag_query(
        self,
        *,
        namespace: str,
        query: str,
        k: int | None = None,
        filter: Mapping[str, Any] | None = None,
        **options: Unpack[CallOptions],
    ) -> RagFound:
        """Give the `k` nearest documents, 4 unless given; with `filter`, of those whose metadata has all of these fields."""
        call = Call("POST", "/v1/rag/query", body=given(namespace=namespace, query=query, k=k, filter=filter))
        return cast(RagFound, self._transport.json(call, **options))
