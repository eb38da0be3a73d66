import { isUtf8 } from 'node:buffer';
import { JSON_LIMITS, JsonCounter, type JsonExcess, nextTurn, SvcError } from '@svc/kernel/contracts';
import type { FastifyInstance } from 'fastify';
import { noRoom } from './admission.ts';

const LARGE_BYTES = 262_144;

/** Takes JSON in UTF-8 as it is and nothing else: a replaced byte would be recorded as something that nobody sent. It is counted first. */
export function useJsonParser(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const encoding = request.headers['content-encoding'] ?? 'identity';
    if (encoding !== 'identity') return done(new SvcError('SVC-REQ-004', 'send the body without a content encoding'));
    if (typeof body === 'string' || !isUtf8(body)) return done(new SvcError('SVC-REQ-001', 'the body is not UTF-8'));
    const counter = new JsonCounter();
    counter.begin();
    const excess = counter.push(body);
    if (excess !== null) return done(tooMuch(excess));
    const { bytes, routeOptions } = request;
    if (routeOptions.config.alwaysAdmitted !== true && !bytes.weigh('request', counter.values)) return done(noRoom());
    // To read a large body and to look at what is in it are two pieces of work, between which others have their turn.
    const parsed: typeof done = (error, value) => {
      if (body.length > LARGE_BYTES) void nextTurn().then(() => done(error, value));
      else done(error, value);
    };
    return parse(request, body.toString(), parsed);
  });
}

function tooMuch(excess: JsonExcess): SvcError {
  switch (excess) {
    case 'nested_too_deep':
      return new SvcError('SVC-REQ-001', 'the body is nested deeper than 64 levels');
    case 'too_many_values':
      return new SvcError('SVC-REQ-002', `the body holds more than ${JSON_LIMITS.values} JSON values`);
    case 'too_many_keys':
      return new SvcError('SVC-REQ-002', `the body holds more than ${JSON_LIMITS.keys} keys`);
  }
}
