import { readFileSync } from 'node:fs';
import { refusalDetails, reportedError } from '@svc/protocols';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { refusalError } from './refusal.ts';

const openai = (message: string, fields: object = {}) => ({ error: { message, type: 'invalid_request_error', ...fields } });
const length = (tokens: number | null, limit: number | null, output: number | null = null) => ({ tokens, output, limit });

/** A refusal as a vendor or server sends it. */
interface Refusal {
  readonly who: string;
  readonly status: number;
  readonly body: unknown;
}

/** A table of test/fixtures/refusals, one row per line. */
function refusals<Row>(table: string): Row[] {
  const file = new URL(`../../../../test/fixtures/refusals/${table}.jsonl`, import.meta.url);
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  return lines.map((line): Row => JSON.parse(line));
}

describe('a context window that was exceeded', () => {
  it.each(refusals<Refusal & { readonly context_length: object }>('too-long'))('$who', ({ status, body, context_length }) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const told = { kind: 'invalid_request', code: 'context_length_exceeded', context_length };
    expect(refusalError(status, text, {})).toMatchObject({ ...told, status });
    // Checks it as an event of an answer that began normally.
    expect(reportedError(body as never)).toMatchObject({ ...told, cost: 'unknown' });
  });

  it.each<[string, number, unknown]>([
    ['too much output', 400, openai('max_tokens is too large: 100000. This model supports at most 16384 completion tokens')],
    [
      "Anthropic's output",
      400,
      openai('max_tokens: 100000 > 8192, which is the maximum allowed number of output tokens for claude'),
    ],
    [
      'tokens a minute',
      429,
      openai('Request too large for gpt-4 on tokens per min (TPM): Limit 10000, Requested 12000.', {
        code: 'rate_limit_exceeded',
      }),
    ],
    ['a body', 413, { type: 'error', error: { type: 'request_too_large', message: 'Request exceeds the maximum size' } }],
    ['what a caller wrote', 422, { detail: [{ msg: 'Field required', input: 'prompt is too long: 5 tokens > 4 maximum' }] }],
    ['a key', 401, openai('prompt is too long: 5 tokens > 4 maximum')],
  ])('does not follow from a refusal of %s', (_what, status, body) => {
    const failure = refusalError(status, JSON.stringify(body), {});
    expect(failure.code).not.toBe('context_length_exceeded');
    expect(failure.context_length).toBeUndefined();
  });

  it('is looked for in linear time', () => {
    const hostile = [
      'prompt is too long: ',
      'maximum context length is 1 tokens ',
      '1,'.repeat(7),
      'input (1 tokens) ',
      'model ',
      'a.',
      'Error ',
      'Error code: 400 - ',
      'invalid request: ',
      "model `x` not 'inputs' it's ",
      'no ',
      '{"error": ',
      '400 {',
    ];
    for (const words of hostile) {
      const text = JSON.stringify({ error: { message: words.repeat(65_536 / words.length) } });
      const begun = process.cpuUsage();
      refusalDetails(text, 400);
      const { user, system } = process.cpuUsage(begun);
      expect(user + system).toBeLessThan(500_000);
    }
  });
});

describe('other meanings of a refusal', () => {
  it.each(refusals<Refusal & { readonly kind: string; readonly code: string }>('other-meanings'))(
    '$who with $status',
    ({ status, body, kind, code }) => {
      expect(refusalError(status, typeof body === 'string' ? body : JSON.stringify(body), {})).toMatchObject({
        status,
        kind,
        code,
      });
    },
  );

  it.each<[number, string, string]>([
    [404, '<html>not found</html>', 'configuration'],
    [400, JSON.stringify(openai('Unknown parameter: x.')), 'invalid_request'],
    [400, JSON.stringify(openai('No tool output found for the function call of the model')), 'invalid_request'],
    [503, 'upstream connect error', 'unavailable'],
    [401, JSON.stringify(openai('Incorrect API key provided')), 'configuration'],
  ])('does not follow from %i with %s', (status, text, kind) => {
    expect(refusalError(status, text, {})).toMatchObject({ status, kind });
    expect(refusalDetails(text, status).code).toBeOneOf([undefined, 'invalid_request_error']);
  });
});

/** Sentences that would be recognised in an upstream's message. */
const SENTENCES = [
  'my card was declined: insufficient funds',
  'what is your usage policy?',
  'this violates our usage policies',
  'prompt is too long: 5 tokens > 3',
  'the input length exceeds the context length',
  "This model's maximum context length is 4 tokens. However, your messages resulted in 5 tokens.",
  'litellm.ContextWindowExceededError: x',
  'The model x does not exist',
  'The model is overloaded',
  '{"error":{"code":"context_length_exceeded"}}',
];

describe('text that a caller wrote', () => {
  it.each<[string, number, unknown]>([
    [
      'of a card',
      400,
      {
        object: 'error',
        type: 'BadRequestError',
        code: 400,
        message:
          "1 validation error for ChatCompletionRequest: messages.0.content [type=list_type, input_value='my card was declined: insufficient funds', input_type=str]",
      },
    ],
    ['of a policy', 400, openai('Invalid value: "what is your usage policy?". Supported values are: \'a\'.')],
    ['without quotation marks', 400, openai('Invalid content: my card was declined: insufficient funds')],
    ['beside a code', 400, openai("Invalid value: 'prompt is too long: 5 tokens > 3'.", { code: 'invalid_value' })],
    ['at the beginning, beside a code', 400, openai('prompt is too long: 5 tokens > 3 is none', { code: 'invalid_value' })],
    ['of an output', 400, openai('max_tokens: 100000 exceeds the model limit of 8192 output tokens')],
  ])('%s means nothing', (_what, status, body) => {
    const failure = refusalError(status, JSON.stringify(body), {});
    expect(failure.kind).toBe('invalid_request');
    expect(failure.code).toBeOneOf([undefined, 'invalid_request_error', 'invalid_value']);
    expect(failure.context_length).toBeUndefined();
  });

  it.each([
    'upstream timeout; request was: prompt is too long: 1 tokens > 0',
    'upstream timeout; request was prompt is too long: 1 tokens > 0',
    'prompt is too long',
  ])('does not blame the request if an upstream failed: %s', (message) => {
    for (const text of [message, JSON.stringify({ error: { message } })]) {
      const failure = refusalError(503, text, {});
      expect(failure).toMatchObject({ kind: 'unavailable', status: 503 });
      expect(failure.code).toBeUndefined();
    }
  });

  it('has no effect in a quotation or after a repetition of the request', () => {
    const frames: ((text: string) => string)[] = [
      ...["''", '""', '``', '“”'].map(
        ([open, close]) =>
          (text: string) =>
            `Invalid value ${open}${text}${close} of a message`,
      ),
      (text) => `'${text}' is not valid`,
      (text) => `Invalid message, input: ${text}`,
      (text) => `Validation failed for input=${text}`,
      (text) => `The request failed; request was: ${text}`,
      (text) => `Field required [type=missing, input_value={'content': '${text}'}, input_type=dict]`,
    ];
    const text = fc.array(fc.oneof(fc.constantFrom(...SENTENCES), fc.string({ maxLength: 12 })), { maxLength: 4 });
    fc.assert(
      fc.property(
        fc.constantFrom(...frames),
        text.map((parts) => parts.join(' ')),
        fc.constantFrom(400, 402, 403, 404, 413, 422, 429, 500, 503),
        fc.constantFrom({}, { code: 'invalid_value' }, { type: 'BadRequestError', code: 400 }),
        (frame, words, status, fields) => {
          const of = (quoted: string) => {
            const { kind, code, context_length } = refusalError(status, JSON.stringify(openai(frame(quoted), fields)), {});
            return { kind, code, context_length };
          };
          expect(of(words)).toEqual(of('x'));
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe('a context window that was exceeded, of an upstream that failed', () => {
  it.each<[string, object, ReturnType<typeof length>]>([
    ['a type', { type: 'exceed_context_size_error', message: 'x' }, length(null, null)],
    ['fields', { message: 'x', n_prompt_tokens: 9000, n_ctx: 4096 }, length(9000, 4096)],
    ['the class of a wrapper', { message: 'litellm.ContextWindowExceededError: x', type: null, code: '500' }, length(null, null)],
  ])("is the request's error according to %s", (_what, error, context_length) => {
    const told = { kind: 'invalid_request', code: 'context_length_exceeded', context_length, status: 500 };
    expect(refusalError(500, JSON.stringify({ error }), {})).toMatchObject(told);
  });

  it('is left to another endpoint if only a sentence with numbers says so', () => {
    const told = { kind: 'unavailable', code: 'context_length_exceeded', context_length: length(5, 4) };
    expect(refusalError(503, JSON.stringify(openai('prompt is too long: 5 tokens > 4 maximum')), {})).toMatchObject(told);
  });
});

describe('an error that was wrapped as text', () => {
  const anthropic = {
    type: 'error',
    error: { type: 'invalid_request_error', message: 'prompt is too long: 5 tokens > 4 maximum' },
  };
  const json = JSON.stringify(anthropic);
  const python =
    "{'type': 'error', 'error': {'type': 'invalid_request_error', 'message': 'prompt is too long: 5 tokens > 4 maximum'}}";
  it.each([
    `litellm.BadRequestError: AnthropicException - ${json}`,
    `litellm.BadRequestError: AnthropicException - ${json}. Received Model Group=a\nAvailable Model Group Fallbacks=None`,
    `litellm.BadRequestError: AnthropicException - b'${json}'`,
    `litellm.BadRequestError: AnthropicException - Error code: 400 - ${python}`,
    `litellm.BadRequestError: VertexAIException BadRequestError - ${json}`,
    'litellm.BadRequestError: AnthropicException - prompt is too long: 5 tokens > 4 maximum',
    `400 ${json}`,
    `Error code: 400 - ${python}`,
    'An error occurred (ValidationException) when calling the Converse operation: prompt is too long: 5 tokens > 4 maximum',
    `The model returned the following errors: ${json}`,
    'Error from provider (Anthropic): prompt is too long: 5 tokens > 4 maximum',
    'Upstream request failed: prompt is too long: 5 tokens > 4 maximum',
    json.slice(0, -2),
  ])('is read: %s', (message) => {
    const told = { kind: 'invalid_request', code: 'context_length_exceeded', context_length: length(5, 4) };
    expect(refusalError(400, JSON.stringify({ error: { message } }), {})).toMatchObject(told);
  });
});
