import { type Static, Type } from 'typebox';
import { HEADER_VALUE } from './header-value.ts';
import { addressOf, checkApiKey, type UpstreamTarget } from './target.ts';
import { TokenSource, tokenOptions } from './token-source.ts';

/** RFC 9110, section 5.6.2: the characters of a header name. */
const HEADER_NAME = "^[A-Za-z0-9!#$%&'*+.^_`|~-]+$";

/** Headers that the client sets itself. */
const OWN_HEADERS = new Set([
  'accept',
  'connection',
  'content-length',
  'content-type',
  'expect',
  'host',
  'transfer-encoding',
  'upgrade',
]);

/** Properties for the options schema of any plugin that calls an OpenAI-compatible server. */
export const openAiAccountOptions = {
  api_key: Type.Optional(
    Type.String({
      writeOnly: true,
      description:
        'Sent as `Authorization: Bearer …`, or without `Bearer` in the header `auth_header`. Omit it if the server needs none.',
    }),
  ),
  auth_header: Type.Optional(
    Type.String({ pattern: HEADER_NAME, description: 'Header for the `api_key` without `Bearer`, such as `api-key`.' }),
  ),
  ...tokenOptions,
  organization: Type.Optional(Type.String({ pattern: HEADER_VALUE, description: 'Sent as `OpenAI-Organization`.' })),
  project: Type.Optional(Type.String({ pattern: HEADER_VALUE, description: 'Sent as `OpenAI-Project`.' })),
  headers: Type.Optional(
    Type.Record(
      Type.String({ pattern: HEADER_NAME }),
      Type.String({ pattern: '^[\\x21-\\x7e]([\\x20-\\x7e]*[\\x21-\\x7e])?$' }),
      {
        additionalProperties: false,
        description: 'Additional headers of every call. Write a secret value as a secret:// reference.',
      },
    ),
  ),
  query: Type.Optional(
    Type.Record(Type.String({ minLength: 1 }), Type.String(), {
      description: 'Query parameters of every call, such as `{ api-version: "2024-10-21" }`.',
    }),
  ),
};

const Account = Type.Object({ ...openAiAccountOptions, base_url: Type.String() });

/**
 * The target of calls to `path`. Checks the options that the schema cannot check.
 * @throws {Error} with the key and the remedy, never with a value
 */
export function openAiTarget(options: Static<typeof Account>, path: string): UpstreamTarget {
  const { base_url, api_key, auth_header, organization, project, headers = {}, query = {} } = options;
  const address = addressOf(base_url, path);
  checkApiKey(api_key);
  const tokens = TokenSource.of(options);
  if (api_key !== undefined && tokens !== undefined)
    throw new Error('api_key: cannot be combined with a token; remove one of them');
  const own = Object.keys(headers).find((name) => OWN_HEADERS.has(name.toLowerCase()));
  const isTwice = Object.keys(headers).some((name) =>
    [(auth_header ?? 'authorization').toLowerCase(), tokens && 'authorization'].includes(name.toLowerCase()),
  );
  if (isTwice && (api_key !== undefined || tokens !== undefined))
    throw new Error('headers: sets the header of the key or token; remove one of them');
  if (own !== undefined) throw new Error(`headers: ${own} is set by the gateway; remove it`);
  const search = new URLSearchParams(query).toString();
  return {
    origin: address.origin,
    path: search === '' ? address.path : `${address.path}?${search}`,
    headers: {
      ...headers,
      ...(api_key !== undefined && credential(api_key, auth_header)),
      ...(organization !== undefined && { 'openai-organization': organization }),
      ...(project !== undefined && { 'openai-project': project }),
    },
    ...(tokens !== undefined && { tokens }),
  };
}

function credential(api_key: string, auth_header: string | undefined): Record<string, string> {
  return auth_header === undefined ? { authorization: `Bearer ${api_key}` } : { [auth_header]: api_key };
}
