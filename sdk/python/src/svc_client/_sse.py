"""Server-sent events, as far as the gateway uses them."""

from __future__ import annotations

from collections.abc import Iterator


class SseParser:
    """Returns the data of each event as its bytes arrive, however they are split. Comments and other fields are ignored.

    Lines end with LF or CRLF. `str.splitlines` would also split at U+2028 and the like, which JSON may hold.
    """

    def __init__(self) -> None:
        """Start before the first line."""
        self._rest = b""
        self._data: list[bytes] = []

    def feed(self, chunk: bytes) -> Iterator[str]:
        """Take the next bytes, and return the data of each event that they complete."""
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        for line in lines:
            name, _, value = line.removesuffix(b"\r").partition(b":")
            if name == b"data":
                self._data.append(value.removeprefix(b" "))
            elif name == b"" and value == b"" and self._data:
                data, self._data = self._data, []
                yield b"\n".join(data).decode()
