import { type Static, Type } from 'typebox';

/** 64 MiB: a streamed answer of 128,000 tokens at about 350 bytes a token's frame is 45 MB. */
const MAX_RESPONSE_BYTES = 67_108_864;

const HEADER_VALUE = '^[\\x21-\\x7e]+$';

export const OpenAiOptions = Type.Object(
  {
    base_url: Type.String({
      description: 'http or https URL up to, without, `/chat/completions`: `https://api.openai.com/v1`.',
    }),
    api_key: Type.Optional(
      Type.String({
        writeOnly: true,
        description: 'Sent as `Authorization: Bearer …`. Leave it out where the server needs none.',
      }),
    ),
    organization: Type.Optional(Type.String({ pattern: HEADER_VALUE, description: 'Sent as `OpenAI-Organization`.' })),
    project: Type.Optional(Type.String({ pattern: HEADER_VALUE, description: 'Sent as `OpenAI-Project`.' })),
    connections: Type.Integer({
      default: 128,
      minimum: 1,
      maximum: 65_536,
      description: 'Most connections at once; each call in flight has one, further calls wait.',
    }),
    max_response_bytes: Type.Integer({
      default: MAX_RESPONSE_BYTES,
      minimum: 1024,
      description: 'A longer answer, whole or streamed, is given up as malformed.',
    }),
  },
  { additionalProperties: false },
);
export type OpenAiOptions = Static<typeof OpenAiOptions>;

/** Where calls go and what every one of them carries. */
export interface Target {
  readonly origin: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Judges what the schema cannot.
 * @throws {Error} naming the key and the remedy, never a value.
 */
export function targetOf(options: OpenAiOptions): Target {
  const url = URL.parse(options.base_url);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new Error('base_url: must be an http or https URL, such as https://api.openai.com/v1');
  }
  if (url.username !== '' || url.password !== '') {
    throw new Error('base_url: must not hold a user name or password; put the key into api_key');
  }
  if (url.search !== '' || url.hash !== '') {
    throw new Error('base_url: must not have a query or fragment; /chat/completions is appended to its path');
  }
  // A key read from a file often ends in a line feed, which no header may hold.
  if (options.api_key !== undefined && !new RegExp(HEADER_VALUE).test(options.api_key)) {
    throw new Error(
      'api_key: is empty or holds white space, control or non-ASCII characters; mend the secret, or leave the key out where the server needs none',
    );
  }
  return {
    origin: url.origin,
    path: `${url.pathname.replace(/\/+$/, '')}/chat/completions`,
    headers: {
      'content-type': 'application/json',
      'user-agent': 'svc',
      ...(options.api_key !== undefined && { authorization: `Bearer ${options.api_key}` }),
      ...(options.organization !== undefined && { 'openai-organization': options.organization }),
      ...(options.project !== undefined && { 'openai-project': options.project }),
    },
  };
}
