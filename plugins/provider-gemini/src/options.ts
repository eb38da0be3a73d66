import { addressOf, checkApiKey, connectionOptions, type UpstreamTarget } from '@svc/toolkit/upstream';
import { type Static, Type } from 'typebox';

export const GeminiOptions = Type.Object(
  {
    base_url: Type.String({
      default: 'https://generativelanguage.googleapis.com',
      description: 'http or https URL without `/v1beta`.',
    }),
    api_key: Type.Optional(
      Type.String({ writeOnly: true, description: 'Sent as `x-goog-api-key`. Omit it if the server needs none.' }),
    ),
    ...connectionOptions,
  },
  { additionalProperties: false },
);
export type GeminiOptions = Static<typeof GeminiOptions>;

/**
 * Checks the options that the schema cannot check.
 * @throws {Error} with the key and the remedy, never with a value
 */
export function targetOf({ base_url, api_key }: GeminiOptions): UpstreamTarget {
  const address = addressOf(base_url, '/v1beta');
  checkApiKey(api_key);
  return { ...address, headers: api_key === undefined ? {} : { 'x-goog-api-key': api_key } };
}
