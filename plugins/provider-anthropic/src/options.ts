import { addressOf, checkApiKey, connectionOptions, type UpstreamTarget } from '@svc/toolkit/upstream';
import { type Static, Type } from 'typebox';

export const AnthropicOptions = Type.Object(
  {
    base_url: Type.String({
      default: 'https://api.anthropic.com',
      description: 'http or https URL without `/v1/messages`.',
    }),
    api_key: Type.Optional(
      Type.String({ writeOnly: true, description: 'Sent as `x-api-key`. Omit it if the server needs none.' }),
    ),
    max_tokens: Type.Integer({
      default: 4096,
      minimum: 1,
      description: 'Maximum tokens of an answer if the request does not set it; the API requires one.',
    }),
    anthropic_version: Type.String({
      default: '2023-06-01',
      pattern: '^\\d{4}-\\d{2}-\\d{2}$',
      description: 'Version of the API, sent as `anthropic-version`.',
    }),
    anthropic_beta: Type.Array(Type.String({ pattern: '^[A-Za-z0-9._-]+$' }), {
      default: [],
      uniqueItems: true,
      description: 'Betas for all requests, in addition to those that a request names. Sent as `anthropic-beta`.',
    }),
    leave_out: Type.Array(
      Type.Enum([
        'temperature',
        'top_p',
        'reasoning_effort',
        'response_format',
        'thinking',
        'context_management',
        'output_config',
        'cache_control',
      ]),
      {
        default: [],
        uniqueItems: true,
        description: "Parameters that this provider's models reject. They are not sent, and are recorded as unsupported.",
      },
    ),
    ...connectionOptions,
  },
  { additionalProperties: false },
);
export type AnthropicOptions = Static<typeof AnthropicOptions>;

/**
 * Checks the options that the schema cannot check.
 * @throws {Error} with the key and the remedy, never with a value
 */
export function targetOf({ base_url, api_key }: AnthropicOptions): UpstreamTarget {
  const address = addressOf(base_url, '/v1/messages');
  checkApiKey(api_key);
  return { ...address, headers: api_key === undefined ? {} : { 'x-api-key': api_key } };
}
