"""The runs API."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Mapping, Sequence
from typing import Any, Literal, cast

from typing_extensions import Unpack

from .._call import Call, CallOptions, Messages, given, run_path
from ..models import CreatedRun, DecideDecision, DecidedRun, ErasedRun, PendingRun, Run, RunDecisions, RunResponse
from .run_events import AsyncRunEvents
from .transport import AsyncTransport

_ENDED = ("completed", "blocked", "denied", "error")
_FIRST_LOOK_S = 0.2
_LATEST_LOOK_S = 5.0


class AsyncRuns:
    """The runs API. Every method raises an `HTTPStatusError` if the gateway returns an error."""

    def __init__(self, transport: AsyncTransport) -> None:
        """Use the client's transport."""
        self._transport = transport

    async def create(
        self,
        *,
        messages: Messages,
        route: str | None = None,
        approvers: Sequence[str] | None = None,
        background: bool | None = None,
        idempotency_key: str | None = None,
        **options: Unpack[CallOptions],
    ) -> CreatedRun:
        """Create a run.

        Args:
            messages: The conversation so far, in OpenAI's format.
            route: The route; `default` by default.
            approvers: Who may decide: some of the route's approvers. Default: all of them.
            background: Return at once with status `pending`.
            idempotency_key: Repeating a call with the same key returns the same run; another run with that key gets
                409. By default each call gets a new key, so that a broken connection does not create two runs.
            **options: See `CallOptions`.

        """
        body = given(messages=messages, route=route, approvers=approvers, background=background)
        headers = {"idempotency-key": idempotency_key or str(uuid.uuid4())}
        return cast(CreatedRun, await self._transport.json(Call("POST", "/v1/runs", body=body, headers=headers), **options))

    async def get(self, run_id: str, **options: Unpack[CallOptions]) -> Run:
        """Return a run and its events."""
        return cast(Run, await self._transport.json(Call("GET", run_path(run_id)), **options))

    async def wait(self, run_id: str, *, paused: Literal["wait", "return"] = "wait", timeout: float | None = None) -> Run:
        """Wait until a run has ended.

        Args:
            run_id: The run.
            paused: For a run that waits for an approver: `wait` for the decision, or `return` the paused run.
            timeout: Maximum wait in seconds; None for no limit.

        Raises:
            TimeoutError: The run has not ended in time.

        """
        deadline = None if timeout is None else time.monotonic() + timeout
        look_s = _FIRST_LOOK_S
        while True:
            run = await self.get(run_id)
            if run["status"] in _ENDED or (run["status"] == "paused" and paused == "return"):
                return run
            left_s = look_s if deadline is None else deadline - time.monotonic()
            if left_s <= 0:
                raise TimeoutError(f"run {run_id} is {run['status']}")
            await asyncio.sleep(min(look_s, left_s))
            look_s = min(2 * look_s, _LATEST_LOOK_S)

    async def events(self, **options: Unpack[CallOptions]) -> AsyncRunEvents:
        """Return when later changes of paused runs will be received.

        To miss no change, then read `audit.runs(status="paused")`, and iterate. For keys with the role `audit` or
        `approve`. `timeout` bounds each wait for data; an idle connection gets a comment every 15 seconds.
        """
        return AsyncRunEvents(await self._transport.send(Call("GET", "/v1/runs/events"), stream=True, **options))

    async def pending(self, run_id: str, **options: Unpack[CallOptions]) -> PendingRun:
        """Return the pending request of a paused run, for callers who may decide it."""
        return cast(PendingRun, await self._transport.json(Call("GET", run_path(run_id, "/pending")), **options))

    async def resume(
        self,
        run_id: str,
        *,
        decision: DecideDecision,
        digest: str | None = None,
        reason: str | None = None,
        edits: Sequence[Mapping[str, Any]] | None = None,
        **options: Unpack[CallOptions],
    ) -> DecidedRun:
        """Decide on a paused run, and return the run as it continues.

        Args:
            run_id: The run.
            decision: The decision. Only the first one counts.
            digest: The digest of the pending request: the decision applies only to what you saw.
            reason: The reason, in one line. The caller sees the reason for a denial.
            edits: Texts to change before the approval, each with the `index` of a text of the pending request and the
                new `text`. Only with `digest`.
            **options: See `CallOptions`.

        """
        body = given(decision=decision, digest=digest, reason=reason, edits=edits)
        call = Call("POST", run_path(run_id, "/resume"), body=body, idempotent=False)
        return cast(DecidedRun, await self._transport.json(call, **options))

    async def decisions(self, run_id: str, **options: Unpack[CallOptions]) -> RunDecisions:
        """Return the decisions on a run with their reasons."""
        return cast(RunDecisions, await self._transport.json(Call("GET", run_path(run_id, "/decisions")), **options))

    async def response(self, run_id: str, **options: Unpack[CallOptions]) -> RunResponse:
        """Return the answer of an ended run, for as long as it is stored."""
        return cast(RunResponse, await self._transport.json(Call("GET", run_path(run_id, "/response")), **options))

    async def erase(self, run_id: str, *, reason: str | None = None, **options: Unpack[CallOptions]) -> ErasedRun:
        """Delete the run's request and answer permanently, and deny a paused run. The evidence stays.

        Args:
            run_id: The run.
            reason: Recorded in the operations log.
            **options: See `CallOptions`.

        """
        call = Call("DELETE", run_path(run_id, "/content"), query=given(reason=reason))
        return cast(ErasedRun, await self._transport.json(call, **options))
