import { addressOf, checkApiKey, HEADER_VALUE, limitOptions, type UpstreamTarget } from '@svc/sdk/upstream';
import { type Static, Type } from 'typebox';

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
    ...limitOptions,
  },
  { additionalProperties: false },
);
export type OpenAiOptions = Static<typeof OpenAiOptions>;

/**
 * Judges what the schema cannot.
 * @throws {Error} naming the key and the remedy, never a value.
 */
export function targetOf({ base_url, api_key, organization, project }: OpenAiOptions): UpstreamTarget {
  const address = addressOf(base_url, '/chat/completions');
  checkApiKey(api_key);
  return {
    ...address,
    headers: {
      ...(api_key !== undefined && { authorization: `Bearer ${api_key}` }),
      ...(organization !== undefined && { 'openai-organization': organization }),
      ...(project !== undefined && { 'openai-project': project }),
    },
  };
}
