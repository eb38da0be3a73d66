"""A typed client of the svc gateway: `SvcClient`, and `AsyncSvcClient` on asyncio."""

from importlib.metadata import version

from ._async.approvals import AsyncApprovals
from ._async.audit import AsyncAudit
from ._async.chat_stream import AsyncChatStream
from ._async.client import AsyncSvcClient
from ._async.run_events import AsyncRunEvents
from ._async.runs import AsyncRuns
from ._call import CallOptions, ChatAnswer
from ._sync.approvals import Approvals
from ._sync.audit import Audit, LedgerRecord
from ._sync.chat_stream import ChatStream, StreamStop
from ._sync.client import SvcClient
from ._sync.run_events import RunEvents
from ._sync.runs import Runs
from .errors import HTTPStatusError, StreamError

__version__ = version("svc-client")

__all__ = [
    "Approvals",
    "AsyncApprovals",
    "AsyncAudit",
    "AsyncChatStream",
    "AsyncRunEvents",
    "AsyncRuns",
    "AsyncSvcClient",
    "Audit",
    "CallOptions",
    "ChatAnswer",
    "ChatStream",
    "HTTPStatusError",
    "LedgerRecord",
    "RunEvents",
    "Runs",
    "StreamError",
    "StreamStop",
    "SvcClient",
]
