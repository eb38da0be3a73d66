import { isUtf8 } from 'node:buffer';
import { JSON_LIMITS, JsonCounter, type JsonExcess, mayLoseDigits, nextTurn, parseBody, SvcError } from '@svc/contracts';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isAlwaysAdmitted, noRoom } from '../admission.ts';
import { assertRecordable } from './json-body.ts';
import { readBody } from './read-body.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the body goes to a model. If so, a number that a double cannot represent keeps its digits, see `parseBody`. */
    keepsDigits?: boolean;
  }
}

const LARGE_BYTES = 262_144;
/** Number of bytes that are checked in about 10 ms. */
const COUNTED_AT_ONCE = 2_097_152;
/** A body that is not longer cannot contain too many values, so its values are counted after parsing. */
const SMALL_BYTES = 16_384;

/** Accepts JSON in valid UTF-8 only: a replaced byte would be recorded as text that the caller did not send. Sizes are checked first. */
export function useJsonParser(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', async (request: FastifyRequest) => {
    const body = await readBody(request);
    // The endpoint takes no body, but some clients send a content type with every request.
    if (request.method === 'DELETE' && body.length === 0) return undefined;
    // Large bodies are checked in steps, so that other requests are served in between.
    const step = (): Promise<void> => request.bytes.during(nextTurn(request.principal?.principal_id));
    if (!isUtf8(body)) throw new SvcError('SVC-REQ-001', 'the body is not valid UTF-8');
    if (body.length > SMALL_BYTES) await countIn(request, body, step);
    const text = body.toString();
    if (body.length > LARGE_BYTES) await step();
    let parsed: unknown;
    // Calls back synchronously.
    void parse(request, text, (error, value) => {
      if (error !== null) throw error;
      parsed = value;
    });
    if (body.length > LARGE_BYTES) await step();
    const values = assertRecordable(parsed);
    if (body.length <= SMALL_BYTES) reserveFor(request, values, body.length);
    // Parsed only now, because parsing is recursive, and JSON with too many levels has been refused by this point.
    return request.routeOptions.config.keepsDigits === true && mayLoseDigits(text) ? parseBody(text) : parsed;
  });
}

/** @throws {SvcError} SVC-REQ-001, SVC-REQ-002, SVC-BUSY-001 */
async function countIn(request: FastifyRequest, body: Buffer, step: () => Promise<void>): Promise<void> {
  const counter = new JsonCounter();
  counter.begin();
  for (let at = 0; at < body.length; at += COUNTED_AT_ONCE) {
    if (at > 0) await step();
    const excess = counter.push(body.subarray(at, at + COUNTED_AT_ONCE));
    if (excess !== null) throw tooMuch(excess);
  }
  reserveFor(request, counter.values, body.length);
}

/** @throws {SvcError} SVC-BUSY-001 if there is no room for so many values */
function reserveFor(request: FastifyRequest, values: number, length: number): void {
  if (!isAlwaysAdmitted(request, length) && !request.bytes.weigh('request', values)) throw noRoom();
}

function tooMuch(excess: JsonExcess): SvcError {
  switch (excess) {
    case 'nested_too_deep':
      return new SvcError('SVC-REQ-001', 'the body is nested deeper than 64 levels');
    case 'too_many_values':
      return new SvcError('SVC-REQ-002', `the body contains more than ${JSON_LIMITS.values} JSON values`);
    case 'too_many_keys':
      return new SvcError('SVC-REQ-002', `the body contains more than ${JSON_LIMITS.keys} keys`);
  }
}
