"""Against a running gateway, which `test/e2e/python-client.test.ts` starts."""

from __future__ import annotations

import json
import os
import re
import uuid
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from conftest import Connect

from svc_client import HTTPStatusError, StreamError, SvcClient


def say(content: str) -> list[dict[str, str]]:
    return [{"role": "user", "content": content}]


class TestChat:
    def test_whole_answer_has_its_run_and_evidence(self, connect: Connect) -> None:
        alice = connect()
        answer = alice.chat(model="default", messages=say("hello"))
        assert answer["choices"][0]["message"]["content"] == "echo: hello"
        assert answer["choices"][0]["finish_reason"] == "stop"
        last = list(alice.audit.ledger())[-1]
        assert answer["svc_evidence"] == f"{last['seq']} {last['hash']}"
        assert last["record_type"] == "run_evidence"
        assert last["run_id"] == answer["svc_run_id"]

    def test_blocked_is_an_answer_not_an_error(self, connect: Connect) -> None:
        alice = connect()
        answer = alice.chat(model="default", messages=say("forbidden"))
        assert answer["choices"][0]["finish_reason"] == "content_filter"
        assert alice.runs.get(answer["svc_run_id"])["status"] == "blocked"

    def test_paused_has_no_evidence_yet(self, connect: Connect) -> None:
        answer = connect().chat(model="default", messages=say("a wire transfer"))
        assert answer["choices"][0]["finish_reason"] == "content_filter"
        assert answer["svc_evidence"] is None

    def test_parameters_and_headers_go_along(self, connect: Connect) -> None:
        alice = connect()
        answer = alice.chat(model="upstream", messages=say("hello"), temperature=0.25, extra_headers={"x-svc-keep": "request"})
        url = f"{os.environ['SVC_URL']}/v1/runs/{answer['svc_run_id']}/request"
        kept = httpx.get(url, headers={"authorization": f"Bearer {os.environ['SVC_KEY_ALICE']}"})
        assert kept.json()["parameters"] == {"temperature": 0.25}

    def test_stream_chunk_by_chunk(self, connect: Connect) -> None:
        alice = connect()
        with alice.chat_stream(model="stopping", messages=say("one two three")) as stream:
            chunks = list(stream)
        assert len(chunks) > 1
        assert (
            "".join(choice["delta"].get("content") or "" for chunk in chunks for choice in chunk["choices"])
            == "echo: one two three"
        )
        last = list(alice.audit.ledger())[-1]
        assert stream.stop is None
        assert stream.evidence == f"{last['seq']} {last['hash']}"
        assert last["record_type"] == "run_evidence"
        assert stream.run_id == last["run_id"]

    @pytest.mark.parametrize(
        ("text", "route", "stop"),
        [
            ("forbidden", "default", "blocked"),
            ("a wire transfer", "default", "paused"),
            ("please stop here now", "stopping", "stream_violation"),
        ],
    )
    def test_stream_says_what_stopped_it(self, connect: Connect, text: str, route: str, stop: str) -> None:
        stream = connect().chat_stream(model=route, messages=say(text))
        stream.text()
        assert stream.stop == stop

    def test_stream_that_breaks_off_raises_its_code(self, connect: Connect) -> None:
        stream = connect().chat_stream(model="broken", messages=say("hello"))
        with pytest.raises(StreamError) as raised:
            stream.text()
        assert (raised.value.code, raised.value.run_id) == ("SVC-PROV-001", stream.run_id)

    def test_closing_a_stream_cancels_the_run(self, connect: Connect) -> None:
        alice = connect()
        # The upstream streams for as long as the client reads.
        with alice.chat_stream(model="endless", messages=say("hello")) as stream:
            assert next(iter(stream))["choices"]
        run = alice.runs.wait(str(stream.run_id), timeout=20)
        assert run["status"] == "error"
        assert "disconnected" in [event["event_type"] for event in run["events"]]


class TestRuns:
    def test_events_report_the_changes_of_paused_runs(self, connect: Connect) -> None:
        alice, bob = connect(), connect("bob")
        seen: list[tuple[str, str]] = []
        with bob.runs.events() as events:
            run_id = alice.runs.create(messages=say("a wire transfer"))["run_id"]
            for event in events:
                if event["run"]["run_id"] != run_id:
                    continue
                seen.append((event["change"], event["run"]["status"]))
                if event["change"] == "decided":
                    break
                bob.runs.resume(run_id, decision="denied", digest=bob.runs.pending(run_id)["digest"])
        assert seen == [("waiting", "paused"), ("decided", "denied")]

    def test_waits_for_one_in_the_background_reads_its_answer_and_erases_it(self, connect: Connect) -> None:
        alice = connect()
        created = alice.runs.create(messages=say("later"), background=True)
        assert created["status"] == "pending"
        run_id = created["run_id"]
        assert alice.runs.wait(run_id)["status"] == "completed"
        assert alice.runs.response(run_id)["response"] == "echo: later"
        with pytest.raises(httpx.HTTPStatusError, match="reason"):
            alice.runs.erase(run_id, reason="two\nlines")
        erased = alice.runs.erase(run_id, reason="asked by mail")
        assert erased == {"run_id": run_id, "status": "completed", "backups_unreadable": True}
        assert alice.runs.response(run_id)["completion"] is None

    def test_resumes_what_another_paused(self, connect: Connect) -> None:
        alice, bob = connect(), connect("bob")
        created = alice.runs.create(route="default", messages=say("a wire transfer"))
        run_id = created["run_id"]
        assert created["status"] == "paused"
        assert alice.runs.wait(run_id, paused="return")["status"] == "paused"
        pending = bob.runs.pending(run_id)
        assert pending["node"] == "policy"
        decided = bob.runs.resume(run_id, decision="approved", digest=pending["digest"], reason="as agreed")
        assert (decided["status"], decided["response"]) == ("completed", "echo: a wire transfer")
        assert alice.runs.wait(run_id)["status"] == "completed"
        decisions = alice.runs.decisions(run_id)["decisions"]
        assert [(each["principal_id"], each["reason"]) for each in decisions] == [("bob", "as agreed")]

    def test_stops_waiting_in_time(self, connect: Connect) -> None:
        alice = connect()
        run_id = alice.runs.create(messages=say("a wire transfer"))["run_id"]
        with pytest.raises(TimeoutError, match="paused"):
            alice.runs.wait(run_id, timeout=0.1)

    def test_makes_one_run_of_two_with_a_key(self, connect: Connect, request: pytest.FixtureRequest) -> None:
        alice = connect()
        key = request.node.name
        first = alice.runs.create(messages=say("once"), idempotency_key=key)
        assert alice.runs.create(messages=say("once"), idempotency_key=key)["run_id"] == first["run_id"]
        assert alice.runs.create(messages=say("once"))["run_id"] != first["run_id"]


class TestApprovals:
    def test_delegates_lists_and_ends(self, connect: Connect) -> None:
        bob = connect("bob")
        made = bob.approvals.delegate("alice", duration="1h", reason="on leave")
        assert (made["from"], made["to"], made["reason"]) == ("bob", "alice", "on leave")
        assert bob.approvals.delegations() == {"delegations": [made]}
        assert bob.approvals.end_delegation(made["id"], reason="back")["id"] == made["id"]
        assert bob.approvals.delegations() == {"delegations": []}
        with pytest.raises(HTTPStatusError) as raised:
            bob.approvals.end_delegation(made["id"])
        assert raised.value.code == "SVC-APPR-001"


class TestAudit:
    def test_iterates_over_all_pages(self, connect: Connect) -> None:
        alice = connect()
        for number in range(5):
            alice.chat(model="default", messages=say(f"page {number}"))
        whole = list(alice.audit.ledger())
        assert [record["seq"] for record in whole] == list(range(1, alice.audit.report()["chain_length"] + 1))
        assert list(alice.audit.ledger(since_seq=1, limit=2)) == whole[1:]
        runs = [run["run_id"] for run in alice.audit.runs(limit=2)]
        assert len(set(runs)) == len(runs) > 5
        assert {run["status"] for run in alice.audit.runs(status="completed")} == {"completed"}
        assert {record["model_id"] for record in alice.audit.inventory(route="default")} == {"default"}

    def test_lists_and_exports_a_session(self, connect: Connect) -> None:
        alice, session = connect(), str(uuid.uuid4())
        answer = alice.chat(model="default", messages=say("hello"), extra_headers={"x-svc-session": session})
        assert [run["run_id"] for run in alice.audit.runs(session=session)] == [answer["svc_run_id"]]
        note, record = alice.audit.session("alice", session).splitlines()
        assert "checkpoint" in json.loads(note)
        assert json.loads(record)["run_id"] == answer["svc_run_id"]

    def test_reads_checkpoint_and_proofs(self, connect: Connect) -> None:
        audit = connect().audit
        length = audit.report()["chain_length"]
        assert re.match(r"\S+\n\d+\n", audit.checkpoint())
        assert audit.proof(1).startswith("c2sp.org/tlog-proof")
        assert audit.consistency(1, length)["to"]["size"] == length


class TestOther:
    def test_models_routes_and_health(self, connect: Connect) -> None:
        alice = connect()
        assert "default" in [model["id"] for model in alice.models()["data"]]
        assert alice.routes()["caller"]["principal_id"] == "alice"
        assert alice.health()["status"] == "ok"

    def test_rag(self, connect: Connect, request: pytest.FixtureRequest) -> None:
        alice = connect()
        namespace = re.sub(r"\W", "-", request.node.name)[:64].strip("-")
        documents: list[Any] = [
            {"text": "Holidays are requested two weeks before.", "metadata": {"lang": "en"}},
            {"text": "Die Küche wird freitags geputzt.", "metadata": {"lang": "de"}},
        ]
        assert alice.rag_index(namespace=namespace, documents=documents)["indexed"] == 2
        (found,) = alice.rag_query(namespace=namespace, query="Küche", k=1)["docs"]
        assert found["text"] == documents[1]["text"]
        (other,) = alice.rag_query(namespace=namespace, query="Küche", filter={"lang": "en"})["docs"]
        assert other["text"] == documents[0]["text"]
        assert alice.rag_delete(namespace=namespace, ids=[found["id"]], reason="old")["deleted"] == 1
        with pytest.raises(httpx.HTTPStatusError, match="reason"):
            alice.rag_erase(namespace, reason="two\nlines")
        assert alice.rag_erase(namespace, reason="contract ended")["deleted"] == 1
        assert alice.rag_query(namespace=namespace, query="Küche")["docs"] == []

    @pytest.mark.parametrize("base", ["", "/", "/v1", "/v1/"])
    def test_base_url_with_or_without_v1(self, connect: Connect, new_client: Connect, base: str) -> None:
        client = new_client(os.environ["SVC_URL"] + base, os.environ["SVC_KEY_ALICE"] + "\n")
        assert client.health()["status"] == "ok"


REFUSED: list[tuple[str, Callable[[SvcClient], object], int, str]] = [
    ("a route that is not there", lambda svc: svc.chat(model="nowhere", messages=say("hello")), 404, "SVC-ROUTE-001"),
    ("a stream of it", lambda svc: svc.chat_stream(model="nowhere", messages=say("hello")), 404, "SVC-ROUTE-001"),
    ("an unknown run", lambda svc: svc.runs.get("00000000-0000-7000-8000-000000000000"), 404, "SVC-RUN-001"),
    ("a page of no size", lambda svc: list(svc.audit.runs(limit=0)), 400, "SVC-REQ-001"),
]


@pytest.mark.parametrize(("call", "status", "code"), [of[1:] for of in REFUSED], ids=[of[0] for of in REFUSED])
def test_refused(connect: Connect, call: Callable[[SvcClient], object], status: int, code: str) -> None:
    with pytest.raises(HTTPStatusError) as raised:
        call(connect())
    assert (raised.value.status_code, raised.value.code) == (status, code)
    assert raised.value.detail.startswith(code)


def test_error_names_the_run_that_was_begun(connect: Connect) -> None:
    alice = connect()
    with pytest.raises(HTTPStatusError) as raised:
        alice.chat(model="failing", messages=say("hello"), max_retries=0)
    assert (raised.value.status_code, raised.value.code) == (502, "SVC-PROV-001")
    assert alice.runs.get(str(raised.value.run_id))["status"] == "error"
