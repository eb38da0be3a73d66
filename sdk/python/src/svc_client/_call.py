"""A call of the gateway before it is sent."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, cast
from urllib.parse import quote

import httpx
from typing_extensions import TypedDict

from .models import ChatCompletion

TIMEOUT_S = 60.0

Messages = Sequence[Mapping[str, Any]]
"""Messages in OpenAI's format, such as `[{"role": "user", "content": "Hello"}]`."""


class CallOptions(TypedDict, total=False):
    """What every method takes besides its own arguments."""

    timeout: float | httpx.Timeout | None
    """Overrides the client's: seconds that each wait for the gateway may take; None for no limit."""
    max_retries: int
    """Overrides the client's."""
    extra_headers: Mapping[str, str]
    """Sent in addition to the client's, such as `{"x-svc-keep": "request"}`."""


class Unset:
    """The type of `UNSET`: use the client's setting. None has its own meaning."""


UNSET = Unset()


def call_options(
    timeout: float | httpx.Timeout | Unset | None, max_retries: int | Unset, extra_headers: Mapping[str, str] | Unset
) -> CallOptions:
    """The options that are set."""
    options: CallOptions = {}
    if not isinstance(timeout, Unset):
        options["timeout"] = timeout
    if not isinstance(max_retries, Unset):
        options["max_retries"] = max_retries
    if not isinstance(extra_headers, Unset):
        options["extra_headers"] = extra_headers
    return options


@dataclass(frozen=True)
class Call:
    """One operation of the HTTP API."""

    method: Literal["GET", "POST", "DELETE"]
    path: str
    """From `/v1` on."""
    query: Mapping[str, str | int | None] = field(default_factory=dict)
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    idempotent: bool = True
    """Whether the call may be carried out twice, and so is retried after a broken connection."""


def base_of(base_url: str) -> str:
    """The URL that paths are appended to, from one with or without `/v1`."""
    return re.sub(r"(/v1)?/*$", "", base_url.rstrip("/"))


def authorization(key: str | None) -> dict[str, str]:
    """The header with a key. A trailing line break, as from a file, is allowed.

    Raises:
        ValueError: The key is not a valid header value. httpx would show it in its error.
    """
    if key is None:
        return {}
    key = key.strip()
    if not (key.isascii() and key.isprintable()):
        raise ValueError("the key contains characters that are not allowed in a key")
    return {"authorization": f"Bearer {key}"}


def run_path(run_id: str, part: str = "") -> str:
    """The path of a run, or of a part of it."""
    return f"/v1/runs/{quote(run_id, safe='')}{part}"


def given(**fields: Any) -> dict[str, Any]:
    """The fields that are not None."""
    return {name: value for name, value in fields.items() if value is not None}


def chat_call(model: str, messages: Messages, parameters: Mapping[str, Any], *, stream: bool) -> Call:
    """A chat. Not idempotent: each chat creates a run."""
    body = {**parameters, "model": model, "messages": messages, "stream": stream}
    return Call("POST", "/v1/chat/completions", body=body, idempotent=False)


class ChatAnswer(ChatCompletion):
    """A chat completion, with the run's data from the response headers."""

    svc_evidence: str | None
    """`<seq> <hash>` of the run's ledger record; None while the run waits for an approver."""


def chat_answer(response: httpx.Response) -> ChatAnswer:
    """The completion in a response. `svc_run_id` is there for every answer, not only for stops."""
    answer = response.json()
    answer.setdefault("svc_run_id", response.headers.get("x-svc-run-id"))
    answer["svc_evidence"] = response.headers.get("x-svc-evidence")
    return cast(ChatAnswer, answer)


def next_query(response: httpx.Response) -> Mapping[str, str] | None:
    """The query of the next page. The rest of the link is ignored, so that the key is sent to the same host."""
    target = response.links.get("next", {}).get("url")
    return None if target is None else httpx.QueryParams(httpx.URL(target).query)
