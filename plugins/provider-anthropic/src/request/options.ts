import { addressOf, checkApiKey, limitOptions, type UpstreamTarget } from '@svc/toolkit/upstream';
import { type Static, Type } from 'typebox';

/** Version of the API. Anthropic changes it only for breaking changes. */
const API_VERSION = '2023-06-01';

export const AnthropicOptions = Type.Object(
  {
    base_url: Type.String({
      default: 'https://api.anthropic.com',
      description: 'http or https URL up to, without, `/v1/messages`.',
    }),
    api_key: Type.Optional(
      Type.String({ writeOnly: true, description: 'Sent as `x-api-key`. Leave it out where the server needs none.' }),
    ),
    max_tokens: Type.Integer({
      default: 4096,
      minimum: 1,
      description: 'Most tokens of an answer where the request does not say; the API needs a figure.',
    }),
    leave_out: Type.Array(Type.Enum(['temperature', 'top_p', 'reasoning_effort', 'response_format']), {
      default: [],
      uniqueItems: true,
      description: 'Parameters that the models behind this provider refuse: not sent, and recorded as unsupported.',
    }),
    ...limitOptions,
  },
  { additionalProperties: false },
);
export type AnthropicOptions = Static<typeof AnthropicOptions>;

/**
 * Checks what the schema cannot.
 * @throws {Error} naming the key and the remedy, never a value.
 */
export function targetOf({ base_url, api_key }: AnthropicOptions): UpstreamTarget {
  const address = addressOf(base_url, '/v1/messages');
  checkApiKey(api_key);
  return { ...address, headers: { 'anthropic-version': API_VERSION, ...(api_key !== undefined && { 'x-api-key': api_key }) } };
}
