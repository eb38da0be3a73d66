import { ProviderError } from '@svc/sdk';
import { fakeCallContext } from '@svc/sdk/testing';
import { describe, expect, test } from 'vitest';
import { Call } from './call.ts';
import { failureOfCall } from './failure.ts';

const TEXT = 'what the caller wrote';

function failure(error: unknown, sent = true, signal = new AbortController().signal): ProviderError {
  const call = new Call(fakeCallContext({ signal }), false);
  call.sent = sent;
  return failureOfCall(error, call, 0);
}

const named = (name: string, more: object = {}) => Object.assign(new Error(TEXT), { name, ...more });
const api = (more: object) => named('AI_APICallError', { url: 'https://a.example', requestBodyValues: { TEXT }, ...more });

describe('an error that a package throws', () => {
  const own = new ProviderError('rate_limited', { status: 429 });
  const refusal = { error: { code: 'context_length_exceeded', message: TEXT } };
  const ring = named('AI_APICallError');
  ring.cause = ring;
  test.each<[string, unknown, object]>([
    ['our own error, wrapped', api({ statusCode: 200, cause: own }), { kind: 'rate_limited', status: 429 }],
    ['an error with a status', api({ statusCode: 503 }), { kind: 'unavailable', status: 503 }],
    ['a model that failed', api({ statusCode: 424 }), { kind: 'unavailable', status: 424 }],
    [
      'an error with a status, a pause and a code',
      api({ statusCode: 400, responseBody: JSON.stringify(refusal), responseHeaders: { 'retry-after': '3' } }),
      { kind: 'invalid_request', status: 400, retry_after_s: 3, code: 'context_length_exceeded' },
    ],
    ['an answer that it cannot read', api({ statusCode: 200, cause: named('AI_TypeValidationError') }), { kind: 'malformed' }],
    ['an answer that is no JSON', named('AI_JSONParseError', { text: TEXT }), { kind: 'malformed' }],
    ['no support', named('AI_UnsupportedFunctionalityError'), { kind: 'unsupported', status: 400, cost: 'none' }],
    ['a broken connection', api({ cause: named('Error', { code: 'ECONNRESET' }) }), { kind: 'unavailable', cause: 'ECONNRESET' }],
    ['something else', named('Error'), { kind: 'unavailable', cost: 'unknown' }],
    ['no error at all', TEXT, { kind: 'unavailable' }],
    ['an event of an error', { type: 'overloaded_error', message: TEXT }, { kind: 'unavailable', code: 'overloaded_error' }],
    [
      'an event of a request that is too long',
      { type: 'invalid_request_error', message: `prompt is too long: 5 tokens > 4 maximum; ${TEXT}` },
      { kind: 'invalid_request', code: 'context_length_exceeded', context_length: { tokens: 5, output: null, limit: 4 } },
    ],
    ['a ring of causes', ring, { kind: 'unavailable' }],
  ])('%s', (_name, error, expected) => {
    const made = failure(error);
    expect(made).toMatchObject(expected);
    expect(JSON.stringify([made, made.message, made.cause])).not.toContain(TEXT);
  });

  test.each(['AI_LoadAPIKeyError', 'AI_LoadSettingError', 'AI_InvalidArgumentError', 'Error'])(
    '%s before anything was sent is a configuration error',
    (name) => expect(failure(named(name), false)).toMatchObject({ kind: 'configuration', cost: 'none' }),
  );

  test('any error after an abort counts as the abort', () => {
    expect(failure(own, true, AbortSignal.abort())).toMatchObject({ kind: 'aborted' });
  });
});
