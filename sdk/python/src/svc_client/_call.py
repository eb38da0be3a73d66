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
    """Instead of the client's: seconds that each wait for the gateway may take; None: for ever."""
    max_retries: int
    """Instead of the client's."""
    extra_headers: Mapping[str, str]
    """Sent besides the client's, such as `{"x-svc-keep": "request"}`."""


class Unset:
    """The type of `UNSET`: as the client has it. None would mean something else."""


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
    """Whether it may be carried out twice: then it is sent again when a connection breaks."""


def base_of(base_url: str) -> str:
    """The URL that paths are put behind, of one with or without `/v1`."""
    return re.sub(r"(/v1)?/*$", "", base_url.rstrip("/"))


def authorization(key: str | None) -> dict[str, str]:
    """The header with a key, which may have been read from a file with its last line break.

    Raises:
        ValueError: No header can hold it. httpx would repeat it in its error.
    """
    if key is None:
        return {}
    key = key.strip()
    if not (key.isascii() and key.isprintable()):
        raise ValueError("the key has characters that no key has")
    return {"authorization": f"Bearer {key}"}


def run_path(run_id: str, part: str = "") -> str:
    """The path of a run, or of a part of it."""
    return f"/v1/runs/{quote(run_id, safe='')}{part}"


def given(**fields: Any) -> dict[str, Any]:
    """The fields that are not None."""
    return {name: value for name, value in fields.items() if value is not None}


def chat_call(model: str, messages: Messages, parameters: Mapping[str, Any], *, stream: bool) -> Call:
    """A chat. Each one creates a run: it is not idempotent."""
    body = {**parameters, "model": model, "messages": messages, "stream": stream}
    return Call("POST", "/v1/chat/completions", body=body, idempotent=False)


class ChatAnswer(ChatCompletion):
    """A chat completion, with what the headers of the response say of its run."""

    svc_evidence: str | None
    """`<seq> <hash>` of the run's ledger record; None for a run that waits for an approver."""


def chat_answer(response: httpx.Response) -> ChatAnswer:
    """The completion in a response. `svc_run_id` is there for every answer, not only for stops."""
    answer = response.json()
    answer.setdefault("svc_run_id", response.headers.get("x-svc-run-id"))
    answer["svc_evidence"] = response.headers.get("x-svc-evidence")
    return cast(ChatAnswer, answer)


def next_query(response: httpx.Response) -> Mapping[str, str] | None:
    """The query of the next page. Only the query of the link is used: the key goes where it went before."""
    target = response.links.get("next", {}).get("url")
    return None if target is None else httpx.QueryParams(httpx.URL(target).query)
