/** Headers of answers that tell something of their own, as components of the description. */
export const HEADERS = {
  'x-svc-run-id': {
    description: 'The run that this answer is of.',
    schema: { type: 'string', format: 'uuid' },
    example: '019b8d62-7a80-7c18-aedc-685e15bef7fb',
  },
  'x-svc-evidence': {
    description:
      'Position and hash of the ledger record that proves the run, once it has ended. A stream tells it in its last frame instead.',
    schema: { type: 'string', pattern: '^\\d+ sha256:[0-9a-f]{64}$' },
    example: '2 sha256:0bd060aae3b1f2a7a78c0a83df538cb46206efb899824a5a075b33c9294acaef',
  },
  'x-svc-left-out': {
    description:
      "Fields of the model's answer that were left out because no guard can look at them, such as `choices.logprobs`. A stream that leaves as it comes tells them in its last frame, as `svc_left_out`.",
    schema: { type: 'string' },
    example: 'choices.logprobs, choices.message.other',
  },
  'x-should-retry': {
    description: '`false` where a model was paid already: asking again pays again. OpenAI clients heed it.',
    schema: { type: 'string', enum: ['false'] },
    example: 'false',
  },
  'retry-after': {
    description: 'Seconds to wait before asking again, where that is known.',
    schema: { type: 'integer', minimum: 0 },
    example: 5,
  },
  'ratelimit-limit': {
    description: 'With `--demo`: requests that a visitor has in a minute.',
    schema: { type: 'integer', minimum: 0 },
    example: 30,
  },
  'ratelimit-remaining': {
    description: 'With `--demo`: how many of them are left.',
    schema: { type: 'integer', minimum: 0 },
    example: 29,
  },
  'ratelimit-reset': {
    description: 'With `--demo`: seconds until all of them are there again.',
    schema: { type: 'integer', minimum: 0 },
    example: 42,
  },
  'www-authenticate': {
    description: 'How to sign in.',
    schema: { type: 'string', enum: ['Bearer'] },
    example: 'Bearer',
  },
  link: {
    description: 'Where the next page is, relative, with rel="next"; not there on the last page.',
    schema: { type: 'string' },
    example: '</v1/audit/ledger?limit=1&cursor=1>; rel="next"',
  },
  'content-security-policy': {
    description: 'Lets the page run its own script and style alone, each by its hash, and call this server alone.',
    schema: { type: 'string' },
    example: "default-src 'none'; connect-src 'self'",
  },
} as const;

export type HeaderName = keyof typeof HEADERS;
