"""Runs, ledger and proofs for auditors."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TypeAlias, cast

from typing_extensions import Unpack

from .._call import Call, CallOptions
from ..models import ConsistencyProof, ModelInventory, Report, RunEvidence, RunStatus, StoredRun, VerdictEventDataVerdict
from .transport import AsyncTransport

LedgerRecord: TypeAlias = RunEvidence | ModelInventory


class AsyncAudit:
    """Lists fetch their pages while they are iterated; `limit` is the page size, 1,000 by default."""

    def __init__(self, transport: AsyncTransport) -> None:
        """Use the client's transport."""
        self._transport = transport

    def runs(
        self,
        *,
        principal: str | None = None,
        route: str | None = None,
        session: str | None = None,
        since: str | None = None,
        status: RunStatus | None = None,
        verdict: VerdictEventDataVerdict | None = None,
        code: str | None = None,
        limit: int | None = None,
        **options: Unpack[CallOptions],
    ) -> AsyncIterator[StoredRun]:
        """Return runs, newest first.

        `since` is an inclusive lower bound of `created_at` in ISO 8601. `code` is text in the code of an event.
        """
        query: dict[str, str | int | None] = {"principal": principal, "route": route, "session": session}
        query |= {"since": since, "status": status, "verdict": verdict, "code": code, "limit": limit}
        return self._transport.items(Call("GET", "/v1/audit", query), lambda page: cast(list[StoredRun], page["runs"]), **options)

    def ledger(
        self, *, since_seq: int | None = None, route: str | None = None, limit: int | None = None, **options: Unpack[CallOptions]
    ) -> AsyncIterator[LedgerRecord]:
        """Return ledger records in order of `seq`, starting after `since_seq`, 0 by default."""
        call = Call("GET", "/v1/audit/ledger", {"since_seq": since_seq, "route": route, "limit": limit})
        return self._transport.items(call, lambda page: cast(list[LedgerRecord], page["records"]), **options)

    def inventory(
        self, *, route: str | None = None, limit: int | None = None, **options: Unpack[CallOptions]
    ) -> AsyncIterator[ModelInventory]:
        """Return records of model inventories in order of `seq`."""
        call = Call("GET", "/v1/audit/inventory", {"route": route, "limit": limit})
        return self._transport.items(call, lambda page: cast(list[ModelInventory], page["records"]), **options)

    async def report(self, **options: Unpack[CallOptions]) -> Report:
        """Return a summary: the inventory of the last start, the number of runs by status, and the number of ledger records."""
        return cast(Report, await self._transport.json(Call("GET", "/v1/audit/report"), **options))

    async def session(self, principal: str, session: str, **options: Unpack[CallOptions]) -> str:
        """Return all records of a session, as JSON lines: a file for `svc ledger verify`."""
        call = Call("GET", "/v1/audit/session", {"principal": principal, "session": session})
        return (await self._transport.send(call, **options)).text

    async def checkpoint(self, **options: Unpack[CallOptions]) -> str:
        """Return the newest signed checkpoint, as a note."""
        return (await self._transport.send(Call("GET", "/v1/audit/ledger/checkpoint"), **options)).text

    async def proof(self, seq: int, **options: Unpack[CallOptions]) -> str:
        """Return a proof that record `seq` is in the ledger: a file for `svc ledger verify-proof`."""
        return (await self._transport.send(Call("GET", "/v1/audit/ledger/proof", {"seq": seq}), **options)).text

    async def consistency(self, from_size: int, to_size: int, **options: Unpack[CallOptions]) -> ConsistencyProof:
        """Return a proof that the ledger of `to_size` records extends the ledger of `from_size` records."""
        call = Call("GET", "/v1/audit/ledger/proof", {"from": from_size, "to": to_size})
        return cast(ConsistencyProof, await self._transport.json(call, **options))
