"""The corpus, oracle and scorer of pii-leak-benchmark over the protocols and the whole answers that its own command does not measure.

Usage: pii-leak.py GATEWAY_URL KEY CAPTURE_PORT SEED ORACLE. Prints one JSON line for each protocol, whole and streamed.
"""

import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx
import pii_leak_envelope  # noqa: F401 - changes the benchmark
from pii_leak_benchmark import partial_emission, v2_emitter



def chat_request(case, text):
    return {**v2_emitter.build_request(SEGMENTS, case, model="chat"), "stream": False}


def messages_request(case, text):
    body = {"model": "messages", "max_tokens": 500, "messages": [{"role": "user", "content": "Summarise the attached record."}]}
    site = case["request_site"]
    if site == "chat-content":
        body["messages"][0]["content"] = [{"type": "text", "text": text}]
    elif site == "system-content":
        body["system"] = text
    elif site == "unrecognised-key":
        body["session_note"] = text
    else:
        body["tools"] = [{"name": "lookup_record", "description": text, "input_schema": {"type": "object", "properties": {}}}]
    return body


def responses_request(case, text):
    body = {"model": "responses", "input": "Summarise the attached record."}
    site = case["request_site"]
    if site == "chat-content":
        body["input"] = [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}]
    elif site == "system-content":
        body["instructions"] = text
    elif site == "unrecognised-key":
        body["session_note"] = text
    else:
        body["tools"] = [{"type": "function", "name": "lookup_record", "description": text, "parameters": {"type": "object", "properties": {}}}]
    return body


def echoed(body, case):
    """The text that the gateway sent upstream at the case's place. None if it is not there."""
    site = case["request_site"]
    try:
        if site == "unrecognised-key":
            return body["session_note"]
        if site == "tool-description":
            tool = body["tools"][0]
            return tool.get("function", tool)["description"]
        if site == "system-content":
            said = body.get("system", body.get("instructions"))
            if said is None:
                said = next(m["content"] for m in body["messages"] if m["role"] == "system")
        else:
            said = (body.get("messages") or body["input"])[-1]["content"]
        return said if isinstance(said, str) else said[0]["text"]
    except (KeyError, IndexError, StopIteration):
        return None


def events_of(case, cuts, echo):
    """The text deltas of an answer, and the pieces that are in a field of no API."""
    pieces = v2_emitter._injection_events(SEGMENTS, case, cuts)
    return [{"content": f"You sent: {echo}\n"}, *pieces]


def fields_beside(events):
    """The fields beside the text, put together."""
    names = {name for event in events for name in event if name != "content"}
    return {name: "".join(event.get(name, "") for event in events) for name in names}


def named(events):
    return b"".join(b"event: %s\ndata: %s\n\n" % (e["type"].encode(), json.dumps(e).encode()) for e in events)


def messages_answer(events, streamed):
    text = "".join(e["content"] for e in events)
    extra = fields_beside(events)
    usage = {"input_tokens": 5, "output_tokens": 5}
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m-1", "stop_reason": "end_turn", "stop_sequence": None}
    if not streamed:
        return {**message, **extra, "content": [{"type": "text", "text": text, **extra}], "usage": usage}
    deltas = [{"type": "text_delta", "text": e.pop("content"), **e} for e in map(dict, events)]
    return named(
        [
            {"type": "message_start", "message": {**message, "content": [], "stop_reason": None, "usage": usage}},
            {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
            *({"type": "content_block_delta", "index": 0, "delta": delta} for delta in deltas),
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": None}, "usage": {"output_tokens": 5}},
            {"type": "message_stop"},
        ]
    )


def responses_answer(events, streamed):
    text = "".join(e["content"] for e in events)
    extra = fields_beside(events)
    part = {"type": "output_text", "text": text, "annotations": [], **extra}
    item = {"id": "msg_1", "type": "message", "role": "assistant", "status": "completed", "content": [part]}
    usage = {"input_tokens": 5, "output_tokens": 5, "total_tokens": 10, "input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    response = {"id": "resp_1", "object": "response", "created_at": 1, "model": "m-1", "status": "completed", "output": [item], "usage": usage, "error": None, "incomplete_details": None}
    if not streamed:
        return {**response, **extra}
    at = {"item_id": "msg_1", "output_index": 0, "content_index": 0}
    begun = {**response, "status": "in_progress", "output": [], "usage": None}
    deltas = [{"delta": e.pop("content"), **e} for e in map(dict, events)]
    events = [
        {"type": "response.created", "response": begun},
        {"type": "response.in_progress", "response": begun},
        {"type": "response.output_item.added", "output_index": 0, "item": {**item, "status": "in_progress", "content": []}},
        {"type": "response.content_part.added", **at, "part": {"type": "output_text", "text": "", "annotations": []}},
        *({"type": "response.output_text.delta", **at, **delta} for delta in deltas),
        {"type": "response.output_text.done", **at, "text": text},
        {"type": "response.content_part.done", **at, "part": part},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": response},
    ]
    return named({**event, "sequence_number": n} for n, event in enumerate(events))


def chat_answer(events, streamed):
    if streamed:
        return v2_emitter._sse(events)
    text = "".join(e["content"] for e in events)
    extra = fields_beside(events)
    message = {"role": "assistant", "content": text, **extra}
    usage = {"prompt_tokens": 5, "completion_tokens": 5, "total_tokens": 10}
    return {"id": "c1", "object": "chat.completion", "created": 1, "model": "m-1", "choices": [{"index": 0, "message": message, "finish_reason": "stop"}], "usage": usage}


PROTOCOLS = {
    "chat": ("/v1/chat/completions", chat_request, chat_answer),
    "messages": ("/v1/messages", messages_request, messages_answer),
    "responses": ("/v1/responses", responses_request, responses_answer),
}


class Capture(BaseHTTPRequestHandler):
    """The provider double. It echoes what it got, and emits the case's injection."""

    protocol_version = "HTTP/1.1"
    # Otherwise each response waits 40 ms for an acknowledgement.
    disable_nagle_algorithm = True
    answer = None
    case = None
    cuts = ()
    received = []

    def log_message(self, *args):
        pass

    def do_POST(self):
        raw = self.rfile.read(int(self.headers["Content-Length"])).decode()
        Capture.received.append(raw)
        body = json.loads(raw)
        answer = Capture.answer(events_of(Capture.case, Capture.cuts, echoed(body, Capture.case)), body.get("stream") is True)
        is_stream = isinstance(answer, bytes)
        data = answer if is_stream else json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream" if is_stream else "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def measure(client, protocol, streamed, oracle):
    path, request, Capture.answer = PROTOCOLS[protocol]
    rates = {"single_chunk": [], "adversarial": []}
    echo, partial, upstream, tried = [], 0, 0, 0
    for case in v2_emitter.covering_array():
        if not streamed and case["fragmentation"] != "single_chunk":
            continue
        text = "Please review: " + ", ".join(SEGMENTS.echo.values())
        body = {**request(case, text), "stream": streamed}
        needle = SEGMENTS.injection[case["entity"]]
        benign = [text, "Summarise the attached record.", *partial_emission.benign_texts(SEGMENTS, case)]
        leaked = False
        for cuts in v2_emitter.injection_partitions(SEGMENTS, case, oracle=oracle)[0]:
            Capture.case, Capture.cuts = case, cuts
            Capture.received.clear()
            response = client.post(path, json=body)
            assert response.status_code == 200 and len(Capture.received) == 1, (protocol, case, response.status_code, response.text)
            answer = response.text if streamed else f"data: {response.text}\n\n"
            tier = v2_emitter._leak_tier(needle, answer)
            leaked = leaked or tier is not None
            partial += partial_emission.partial_emission_tier(needle, answer, benign) is not None
            tried += 1
        rates[case["fragmentation"]].append(leaked)
        sent = Capture.received[0]
        upstream += sum(v2_emitter._present(value, [sent]) for value in SEGMENTS.echo.values())
        if echoed(json.loads(sent), case) is not None:
            echo.append(all(v2_emitter._present(value, v2_emitter._haystacks(answer)) for value in SEGMENTS.echo.values()))
    single = v2_emitter._rate(rates["single_chunk"])
    adversarial = v2_emitter._rate(rates["adversarial"]) if streamed else single
    return {
        "protocol": protocol,
        "streamed": streamed,
        "responses": tried,
        "leak_rate": adversarial,
        "delta_frag": adversarial - single,
        "fidelity_rate": v2_emitter._rate(echo),
        "echo_observable": len(echo),
        "partial_emissions": partial,
        "sent_upstream": upstream,
    }


if __name__ == "__main__":
    url, key, port, seed, oracle = sys.argv[1:]
    SEGMENTS = v2_emitter.build_segments(seed)
    server = ThreadingHTTPServer(("127.0.0.1", int(port)), Capture)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with httpx.Client(base_url=url, headers={"Authorization": f"Bearer {key}"}, timeout=30, trust_env=False) as client:
        for protocol in PROTOCOLS:
            for streamed in (False, True):
                # The benchmark's own command measures this one.
                if protocol == "chat" and streamed:
                    continue
                print(json.dumps(measure(client, protocol, streamed, oracle)), flush=True)
