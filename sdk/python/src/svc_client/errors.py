"""Errors from the gateway. A failed connection raises an `httpx.TransportError`."""

from __future__ import annotations

import math

import httpx


class HTTPStatusError(httpx.HTTPStatusError):
    """The gateway refused or failed: any status but 2xx. Also caught as `httpx.HTTPStatusError`; `response` is the whole answer.

    Attributes:
        status_code: The HTTP status.
        code: `SVC-…`, as docs/errors.md of the gateway lists them; None if a proxy answered instead of the gateway.
        detail: Human-readable; starts with the code.
        run_id: The run, if one was created.
        retry_after: Seconds to wait before a retry; None if the gateway sent none.
    """

    status_code: int
    code: str | None
    detail: str
    run_id: str | None
    retry_after: float | None

    def __init__(self, response: httpx.Response) -> None:
        """Read the error from a response whose body has been read. The body may be anything, such as a proxy's error page."""
        body = _json_object(response)
        self.status_code = response.status_code
        self.code = _text(body, "code")
        self.detail = _text(body, "detail") or response.reason_phrase
        self.run_id = response.headers.get("x-svc-run-id") or _text(body, "svc_run_id")
        self.retry_after = _seconds(response.headers.get("retry-after"))
        super().__init__(f"{self.status_code}: {self.detail}", request=response.request, response=response)


class StreamError(Exception):
    """A stream failed after it had begun.

    Attributes:
        code: `SVC-…` if the gateway reported an error; None if the connection ended early.
        run_id: The run of the stream.
    """

    code: str | None
    run_id: str | None

    def __init__(self, message: str, *, code: str | None, run_id: str | None) -> None:
        """Create the error from the stream's error frame."""
        super().__init__(message)
        self.code = code
        self.run_id = run_id


def _json_object(response: httpx.Response) -> dict[object, object]:
    try:
        body = response.json()
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}


def _text(body: dict[object, object], field: str) -> str | None:
    value = body.get(field)
    return value if isinstance(value, str) else None


def _seconds(value: str | None) -> float | None:
    try:
        seconds = float(value or "")
    except ValueError:
        return None
    return seconds if math.isfinite(seconds) else None
