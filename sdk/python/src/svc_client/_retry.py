"""Retries as OpenAI's client does, except for calls that might be carried out twice."""

from __future__ import annotations

import email.utils
import random
import time

import httpx

MAX_RETRIES = 2
_FIRST_DELAY_S = 0.5
_MAX_DELAY_S = 8.0
_MAX_RETRY_AFTER_S = 60.0

_NEVER_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
_MAY_HAVE_ARRIVED = (httpx.TimeoutException, httpx.NetworkError, httpx.RemoteProtocolError)


def repeats_error(error: httpx.TransportError, *, idempotent: bool) -> bool:
    """Whether to retry a call whose connection failed. A call that may have arrived is retried only if it is idempotent."""
    return isinstance(error, _NEVER_SENT) or (idempotent and isinstance(error, _MAY_HAVE_ARRIVED))


def repeats_status(response: httpx.Response) -> bool:
    """Whether to retry a call that got an error response. The gateway says so if a retry cannot help."""
    should_retry = response.headers.get("x-should-retry")
    if should_retry in ("true", "false"):
        return bool(should_retry == "true")
    return response.status_code in (408, 409, 429) or response.is_server_error


def delay_s(attempt: int, headers: httpx.Headers | None = None) -> float:
    """Seconds before the next attempt: as the server asked, up to a minute; otherwise 0.5 s, doubled each time, with jitter."""
    asked = None if headers is None else _retry_after_s(headers)
    if asked is not None and 0 < asked <= _MAX_RETRY_AFTER_S:
        return asked
    delay: float = min(_FIRST_DELAY_S * 2**attempt, _MAX_DELAY_S)
    return delay * (1 - 0.25 * random.random())


def _retry_after_s(headers: httpx.Headers) -> float | None:
    """`retry-after-ms`, else `retry-after` in seconds or as a date."""
    try:
        return float(headers["retry-after-ms"]) / 1000
    except (KeyError, ValueError):
        value = headers.get("retry-after", "")
    try:
        return float(value)
    except ValueError:
        date = email.utils.parsedate_tz(value)
    return None if date is None else email.utils.mktime_tz(date) - time.time()
