"""The events are the same however the bytes of a stream are split."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

import pytest

from svc_client._sse import SseParser

STREAM = ': keep-alive\n\ndata: {"é": "\u2028\x85"}\n\nevent: x\ndata:a\ndata: b\n\n\n\ndata: [DONE]\n\n'.encode()
EVENTS = ['{"é": "\u2028\x85"}', "a\nb", "[DONE]"]


def parsed(chunks: Iterable[bytes]) -> list[str]:
    parser = SseParser()
    return [data for chunk in chunks for data in parser.feed(chunk)]


@pytest.mark.parametrize("stream", [STREAM, STREAM.replace(b"\n", b"\r\n")], ids=["lf", "crlf"])
def test_cut_anywhere(stream: bytes) -> None:
    assert parsed([stream]) == EVENTS
    assert parsed(bytes([byte]) for byte in stream) == EVENTS
    for first, second in itertools.combinations(range(len(stream) + 1), 2):
        assert parsed([stream[:first], stream[first:second], stream[second:]]) == EVENTS


def test_event_without_its_end_is_none() -> None:
    assert parsed([b"data: half"]) == []
    assert parsed([b"data: half\n"]) == []
