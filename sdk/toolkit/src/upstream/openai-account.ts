import { type Static, Type } from 'typebox';
import { addressOf, checkApiKey, HEADER_VALUE, type UpstreamTarget } from './target.ts';

/** Properties for the options schema of whatever calls a server that speaks OpenAI's API. */
export const openAiAccountOptions = {
  api_key: Type.Optional(
    Type.String({
      writeOnly: true,
      description: 'Sent as `Authorization: Bearer …`. Leave it out where the server needs none.',
    }),
  ),
  organization: Type.Optional(Type.String({ pattern: HEADER_VALUE, description: 'Sent as `OpenAI-Organization`.' })),
  project: Type.Optional(Type.String({ pattern: HEADER_VALUE, description: 'Sent as `OpenAI-Project`.' })),
};

const Cost = Type.Object({ ...openAiAccountOptions, base_url: Type.String() });

/**
 * Where calls of `path` go. Judges what the schema cannot.
 * @throws {Error} naming the key and the remedy, never a value.
 */
export function openAiTarget({ base_url, api_key, organization, project }: Static<typeof Cost>, path: string): UpstreamTarget {
  const address = addressOf(base_url, path);
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
