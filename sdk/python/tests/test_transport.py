"""Which calls are retried, and when, against a server with non-gateway responses."""

from __future__ import annotations

import email.utils
import json
from collections.abc import Callable, Iterator

import httpx
import pytest
from conftest import Connect, Serve

from svc_client import HTTPStatusError, StreamError, SvcClient

MESSAGES = [{"role": "user", "content": "hello"}]
CALLS: dict[str, Callable[[SvcClient], object]] = {
    "chat": lambda svc: svc.chat(model="m", messages=MESSAGES),
    "stream": lambda svc: svc.chat_stream(model="m", messages=MESSAGES),
    "create": lambda svc: svc.runs.create(messages=MESSAGES),
    "resume": lambda svc: svc.runs.resume("r", decision="approved"),
    "health": lambda svc: svc.health(),
    "ledger": lambda svc: list(svc.audit.ledger()),
}
IDEMPOTENT = ["create", "health", "ledger"]
any_call = pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())


class Script:
    """Performs one action after another, and records the requests."""

    def __init__(self, *steps: httpx.Response | Exception) -> None:
        self._steps: Iterator[httpx.Response | Exception] = iter(steps)
        self.asked: list[httpx.Request] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(request)
        step = next(self._steps)
        if isinstance(step, Exception):
            raise step
        return step


def ok() -> httpx.Response:
    return httpx.Response(200, json={"records": []})


@any_call
@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 504])
def test_sends_again_after_a_status(serve: Serve, delays: list[float], call: Callable[[SvcClient], object], status: int) -> None:
    script = Script(httpx.Response(status), httpx.Response(status), ok())
    call(serve(script))
    assert len(script.asked) == 3
    assert 0.375 <= delays[0] <= 0.5
    assert 0.75 <= delays[1] <= 1


@any_call
def test_gives_up_after_two(serve: Serve, delays: list[float], call: Callable[[SvcClient], object]) -> None:
    script = Script(*(httpx.Response(503) for _ in range(3)))
    with pytest.raises(HTTPStatusError):
        call(serve(script))
    assert len(script.asked) == 3


@pytest.mark.parametrize("status", [302, 400, 401, 403, 404, 410, 413, 422])
def test_does_not_send_again_what_was_refused(serve: Serve, status: int) -> None:
    script = Script(httpx.Response(status, headers={"location": "http://elsewhere/"}))
    with pytest.raises(httpx.HTTPStatusError) as raised:
        serve(script).health()
    assert raised.value.response.status_code == status


def test_does_as_the_gateway_says(serve: Serve, delays: list[float]) -> None:
    billed = Script(httpx.Response(503, headers={"x-should-retry": "false"}))
    with pytest.raises(HTTPStatusError):
        serve(billed).health()
    again = Script(httpx.Response(400, headers={"x-should-retry": "true"}), ok())
    serve(again).health()
    assert (len(billed.asked), len(again.asked)) == (1, 2)


@pytest.mark.parametrize("max_retries", [0, 1])
def test_max_retries_of_a_call(serve: Serve, delays: list[float], max_retries: int) -> None:
    script = Script(*(httpx.Response(503) for _ in range(3)))
    with pytest.raises(HTTPStatusError):
        serve(script).chat(model="m", messages=MESSAGES, max_retries=max_retries)
    assert len(script.asked) == 1 + max_retries


@pytest.mark.parametrize(
    ("headers", "least", "most"),
    [
        ({"retry-after": "7"}, 7, 7),
        ({"retry-after": "7", "retry-after-ms": "1500"}, 1.5, 1.5),
        ({"retry-after": "61"}, 0.375, 0.5),
        ({"retry-after": "soon"}, 0.375, 0.5),
    ],
)
def test_waits_as_long_as_it_is_told(
    serve: Serve, delays: list[float], headers: dict[str, str], least: float, most: float
) -> None:
    serve(Script(httpx.Response(429, headers=headers), ok())).health()
    assert least <= delays[0] <= most


def test_waits_until_the_date_that_it_is_told(serve: Serve, delays: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.time", lambda: 1000.0)
    serve(Script(httpx.Response(429, headers={"retry-after": email.utils.formatdate(1040, usegmt=True)}), ok())).health()
    assert delays == [40]


@any_call
def test_sends_again_what_was_never_sent(serve: Serve, delays: list[float], call: Callable[[SvcClient], object]) -> None:
    script = Script(httpx.ConnectError("refused"), httpx.ConnectTimeout("slow"), ok())
    call(serve(script))
    assert len(script.asked) == 3


@pytest.mark.parametrize("name", CALLS.keys())
@pytest.mark.parametrize(
    "error", [httpx.ReadError("reset"), httpx.ReadTimeout("slow"), httpx.RemoteProtocolError("closed")], ids=str
)
def test_sends_again_what_may_have_arrived_only_if_it_is_idempotent(
    serve: Serve, delays: list[float], name: str, error: Exception
) -> None:
    script = Script(error, ok())
    if name in IDEMPOTENT:
        CALLS[name](serve(script))
        assert len(script.asked) == 2
    else:
        with pytest.raises(type(error)):
            CALLS[name](serve(script))
        assert len(script.asked) == 1


def test_a_run_has_one_key_for_all_attempts_and_each_run_its_own(serve: Serve, delays: list[float]) -> None:
    script = Script(httpx.ReadError("reset"), ok(), ok())
    svc = serve(script)
    svc.runs.create(messages=MESSAGES)
    svc.runs.create(messages=MESSAGES)
    first, again, other = (request.headers["idempotency-key"] for request in script.asked)
    assert first == again != other
    assert len(first) >= 32


def test_timeout_is_a_minute_and_can_be_set(new_client: Connect) -> None:
    script = Script(ok(), ok(), ok(), ok())
    transport = httpx.MockTransport(script)
    new_client("http://gateway", transport=transport).health()
    new_client("http://gateway", transport=transport, timeout=5).health()
    new_client("http://gateway", transport=transport, timeout=5).health(timeout=300)
    new_client("http://gateway", transport=transport).chat(model="m", messages=MESSAGES, timeout=None)
    assert [request.extensions["timeout"]["read"] for request in script.asked] == [60, 5, 300, None]


def test_headers_of_client_and_call(new_client: Connect) -> None:
    script = Script(ok())
    svc = new_client(
        "http://gateway/gate", "svc-00", transport=httpx.MockTransport(script), headers={"x-team": "a", "x-svc-keep": "nothing"}
    )
    svc.chat(model="m", messages=MESSAGES, temperature=0, extra_headers={"X-Svc-Keep": "request"})
    (request,) = script.asked
    assert str(request.url) == "http://gateway/gate/v1/chat/completions"
    assert [request.headers[name] for name in ("authorization", "x-team", "x-svc-keep")] == ["Bearer svc-00", "a", "request"]
    assert json.loads(request.content) == {"model": "m", "messages": MESSAGES, "temperature": 0, "stream": False}


def test_a_proxy_s_page_is_an_error_without_code(serve: Serve) -> None:
    script = Script(httpx.Response(404, headers={"retry-after": "7", "content-type": "text/html"}, text="<h1>gone</h1>"))
    with pytest.raises(HTTPStatusError) as raised:
        serve(script).health()
    error = raised.value
    assert (error.status_code, error.code, error.detail, error.retry_after) == (404, None, "Not Found", 7)


@pytest.mark.parametrize("last", ["completed", "blocked", "denied", "error"])
def test_wait_looks_less_and_less_often(serve: Serve, delays: list[float], last: str) -> None:
    seen = ["pending", "running", "paused", "paused", "running", "running", "running", last]
    script = Script(*(httpx.Response(200, json={"status": status}) for status in seen))
    assert serve(script).runs.wait("a/b")["status"] == last
    assert delays == [0.2, 0.4, 0.8, 1.6, 3.2, 5, 5]
    assert script.asked[0].url.raw_path == b"/v1/runs/a%2Fb"


def test_wait_returns_what_is_paused_if_told_to(serve: Serve, delays: list[float]) -> None:
    script = Script(*(httpx.Response(200, json={"status": status}) for status in ("running", "paused")))
    assert serve(script).runs.wait("r", paused="return")["status"] == "paused"


def test_only_the_query_of_the_next_link_is_used(serve: Serve) -> None:
    page = httpx.Response(200, json={"records": [1]}, headers={"link": '<http://elsewhere/x?cursor=1&limit=2>; rel="next"'})
    script = Script(page, ok())
    assert len(list(serve(script).audit.ledger(limit=2))) == 1
    assert str(script.asked[1].url) == "http://gateway/v1/audit/ledger?cursor=1&limit=2"


def test_a_stream_that_ends_without_saying_so_is_broken(serve: Serve) -> None:
    stream = serve(Script(httpx.Response(200, content=b'data: {"choices":[]}\n\n'))).chat_stream(model="m", messages=MESSAGES)
    with pytest.raises(StreamError) as raised:
        stream.text()
    assert raised.value.code is None


@pytest.mark.parametrize("key", ["svc-\n00", "svc-é", "svc-00\x00"])
def test_a_key_that_no_header_can_hold_is_refused_without_repeating_it(new_client: Connect, key: str) -> None:
    with pytest.raises(ValueError, match="key") as raised:
        new_client("http://gateway", key)
    assert "svc-" not in str(raised.value)
