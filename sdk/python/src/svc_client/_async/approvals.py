"""Delegations of approvals."""

from __future__ import annotations

from typing import cast
from urllib.parse import quote

from typing_extensions import Unpack

from .._call import Call, CallOptions, given
from ..models import Delegation, DelegationList
from .transport import AsyncTransport

_PATH = "/v1/approvals/delegations"


class AsyncApprovals:
    """Delegations: an approver lets another person decide in their place.

    Every method raises an `HTTPStatusError` if the gateway returns an error.
    """

    def __init__(self, transport: AsyncTransport) -> None:
        """Use the client's transport."""
        self._transport = transport

    async def delegate(
        self,
        to: str,
        *,
        reason: str,
        until: str | None = None,
        duration: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Delegation:
        """Let another person decide in your place for a limited time.

        Args:
            to: Principal of the delegate.
            reason: Recorded in the operations log.
            until: When it ends, ISO 8601. Either `until` or `duration` is required.
            duration: How long, such as `8h` or `14d`.
            **options: See `CallOptions`.

        """
        body = given(**{"to": to, "until": until, "for": duration, "reason": reason})
        call = Call("POST", _PATH, body=body, idempotent=False)
        return cast(Delegation, await self._transport.json(call, **options))

    async def delegations(self, **options: Unpack[CallOptions]) -> DelegationList:
        """Return the active delegations that you may see."""
        return cast(DelegationList, await self._transport.json(Call("GET", _PATH), **options))

    async def end_delegation(
        self,
        delegation_id: str,
        *,
        reason: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Delegation:
        """End a delegation early.

        Args:
            delegation_id: The delegation.
            reason: Recorded in the operations log.
            **options: See `CallOptions`.

        """
        call = Call("DELETE", f"{_PATH}/{quote(delegation_id, safe='')}", query=given(reason=reason))
        return cast(Delegation, await self._transport.json(call, **options))
