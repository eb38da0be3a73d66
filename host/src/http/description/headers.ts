/** OpenAI's headers for a limit per minute. */
function left<U extends 'requests' | 'tokens'>(unit: U) {
  const header = (description: string, schema: object, example: number | string) => ({ description, schema, example });
  const whole = { type: 'integer', minimum: 0 };
  return {
    [`x-ratelimit-limit-${unit}`]: header(`With \`limits\`: ${unit} per minute, of the tightest limit that applies.`, whole, 60),
    [`x-ratelimit-remaining-${unit}`]: header(`With \`limits\`: remaining ${unit}.`, whole, 59),
    [`x-ratelimit-reset-${unit}`]: header(
      `With \`limits\`: time until all ${unit} are available again.`,
      { type: 'string' },
      '1s',
    ),
  } as Record<`x-ratelimit-${'limit' | 'remaining' | 'reset'}-${U}`, ReturnType<typeof header>>;
}

/** The described response headers. */
export const HEADERS = {
  'x-request-id': {
    description: 'Id of this request, as in the log.',
    schema: { type: 'string', format: 'uuid' },
    example: '5b7c1f0e-8d43-4f0c-9a8e-0c5a1c1de0b4',
  },
  'request-id': {
    description: "Same as `x-request-id`. Only on the endpoints of Anthropic's API.",
    schema: { type: 'string', format: 'uuid' },
    example: '5b7c1f0e-8d43-4f0c-9a8e-0c5a1c1de0b4',
  },
  'x-svc-run-id': {
    description: 'Id of the run.',
    schema: { type: 'string', format: 'uuid' },
    example: '019b8d62-7a80-7c18-aedc-685e15bef7fb',
  },
  'x-svc-evidence': {
    description:
      'Position and hash of the ledger record that proves the run, once the run has ended. A stream has them in its last frame instead.',
    schema: { type: 'string', pattern: '^\\d+ sha256:[0-9a-f]{64}$' },
    example: '2 sha256:e29d43757b0624ddce28412ec2345788bd8a3218da7995492b6cc0bd8a29e4a8',
  },
  'x-svc-left-out': {
    description:
      "Fields removed from the model's answer because no guard can check them, such as `choices.logprobs`, or because the client's API cannot express them. A stream lists them in its last frame, as `svc_left_out`.",
    schema: { type: 'string' },
    example: 'choices.logprobs, choices.message.other',
  },
  'x-svc-unsupported': {
    description:
      "Parts of the request that were not sent to the model, because the route does not allow them (`tools.web_search`), the provider's API cannot express them, or the provider does not support them (`seed`). `other`: names that the protocol does not define. A stream lists those that the provider does not support in its last frame, as `svc_unsupported`.",
    schema: { type: 'string' },
    example: 'tools.web_search, include',
  },
  'x-svc-retry-at': {
    description: 'When an exhausted budget renews. Until then, the same request gets the same answer.',
    schema: { type: 'string', format: 'date-time' },
    example: '2026-11-23T00:00:00.000Z',
  },
  'x-should-retry': {
    description:
      '`false` if a retry would not help: the model call was billed and would be billed again, or the answer would be the same. OpenAI clients honor it.',
    schema: { type: 'string', enum: ['false'] },
    example: 'false',
  },
  'retry-after': {
    description: 'Seconds to wait before a retry, if known.',
    schema: { type: 'integer', minimum: 0 },
    example: 5,
  },
  'retry-after-ms': {
    description: 'Milliseconds to wait before a retry, if the model provider sent them. OpenAI clients honor it.',
    schema: { type: 'integer', minimum: 0 },
    example: 250,
  },
  'ratelimit-limit': {
    description: 'With `--demo`: requests per visitor and minute.',
    schema: { type: 'integer', minimum: 0 },
    example: 30,
  },
  'ratelimit-remaining': {
    description: 'With `--demo`: remaining requests.',
    schema: { type: 'integer', minimum: 0 },
    example: 29,
  },
  'ratelimit-reset': {
    description: 'With `--demo`: seconds until the quota resets.',
    schema: { type: 'integer', minimum: 0 },
    example: 42,
  },
  ...left('requests'),
  ...left('tokens'),
  'www-authenticate': {
    description: 'The authentication scheme.',
    schema: { type: 'string', enum: ['Bearer'] },
    example: 'Bearer',
  },
  link: {
    description: 'Relative link to the next page with rel="next"; absent on the last page.',
    schema: { type: 'string' },
    example: '</v1/audit/ledger?limit=1&cursor=1>; rel="next"',
  },
  'content-security-policy': {
    description: 'Restricts the page to its own script and style, by hash, and to requests to this server.',
    schema: { type: 'string' },
    example: "default-src 'none'; connect-src 'self'",
  },
} as const;

export type HeaderName = keyof typeof HEADERS;
