import { JsonCounter } from '@svc/sdk/json';
import { JSON_VALUE_BYTES, malformed, tooMuchJson } from '@svc/toolkit/upstream';
import type { Call } from '../call/call.ts';

const LINE_FEED = 0x0a;

function assertFew(counter: JsonCounter, bytes: Uint8Array): void {
  const excess = counter.push(bytes);
  if (excess !== null) throw tooMuchJson(excess);
}

function beginning(): JsonCounter {
  const counter = new JsonCounter();
  counter.begin();
  return counter;
}

/** Counts the JSON in a body whose lines are separate texts, such as server-sent events. */
class LineCounter {
  #line = beginning();

  push(bytes: Uint8Array): void {
    for (let from = 0; from < bytes.length; ) {
      const end = bytes.indexOf(LINE_FEED, from);
      assertFew(this.#line, bytes.subarray(from, end < 0 ? bytes.length : end));
      if (end < 0) return;
      this.#line = beginning();
      from = end + 1;
    }
  }
}

const LINES = /^(text\/event-stream|application\/(x-ndjson|jsonl))\b/i;
/** Matches the type of binary frames. Their JSON is not counted. */
const FRAMES = /^application\/vnd\.amazon\.eventstream\b/i;

/**
 * Returns a function that checks each piece of an answer before the package parses it: it limits the bytes and JSON values of the answer, and reports
 * the buffered bytes.
 * @throws {ProviderError} `malformed`, from the returned function
 */
export function bodyCheck(type: string, max_bytes: number, call: Call | undefined): (bytes: Uint8Array) => void {
  const whole = beginning();
  const lines = new LineCounter();
  let received = 0;
  return (bytes) => {
    received += bytes.length;
    if (received > max_bytes) throw malformed('an answer that is too long');
    if (LINES.test(type)) lines.push(bytes);
    else if (!FRAMES.test(type)) assertFew(whole, bytes);
    // The package does not keep the events of a stream.
    const buffered = call?.streamed ? bytes.length : Math.max(received, whole.values * JSON_VALUE_BYTES);
    call?.context.onBuffered?.(buffered);
  };
}
