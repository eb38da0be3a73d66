import type { AnyProvider, UpstreamTimeouts } from '@svc/contracts';
import { isObject } from '@svc/contracts';
import { type Static, Type } from 'typebox';
import { createPlugin, type Origin } from './create-plugin.ts';
import type { Reader } from './reader.ts';

const TIMEOUT = { minimum: 1, maximum: 3_600_000 };

export const ProviderSchema = Type.Object(
  {
    type: Type.String({ minLength: 1, description: 'The provider plugin: `echo`, `openai`, …' }),
    region: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'Region of the endpoint. Without it, no route with a residency can use this provider.',
      }),
    ),
    developer: Type.Optional(
      Type.String({ minLength: 1, description: 'Developer of the models, for the inventory. Default: the type.' }),
    ),
    timeout_ms: Type.Integer({
      ...TIMEOUT,
      default: 300_000,
      description: 'Timeout for an answer that is not streamed, in milliseconds. Streams use the next three timeouts.',
    }),
    first_chunk_timeout_ms: Type.Optional(
      Type.Integer({
        ...TIMEOUT,
        description:
          'Maximum time without data from the upstream before the first piece of a streamed answer, in milliseconds. Any byte counts, including a comment or a ping. Default: `timeout_ms`.',
      }),
    ),
    idle_timeout_ms: Type.Integer({
      ...TIMEOUT,
      default: 60_000,
      description:
        'Maximum time without data from the upstream after the first piece of a streamed answer, in milliseconds. Any byte counts.',
    }),
    stream_timeout_ms: Type.Integer({
      ...TIMEOUT,
      default: 1_800_000,
      description: 'Total timeout of a streamed answer, in milliseconds. Waiting for a slow client does not count.',
    }),
  },
  { additionalProperties: true, description: 'A model provider. All other keys are options of the plugin.' },
);

export interface ProviderNode extends Origin {
  /** The provider's key in `providers`. */
  readonly name: string;
  readonly instance: AnyProvider;
  /** Null: no region is declared. */
  readonly region: string | null;
  readonly developer: string;
  readonly timeouts: UpstreamTimeouts;
}

/** The section `providers`. */
export interface ProvidersPart {
  readonly providers: ReadonlyMap<string, ProviderNode>;
}

/** @param section with defaults */
export function providerNode(
  name: string,
  section: Static<typeof ProviderSchema>,
  created: Origin & { readonly instance: AnyProvider },
): ProviderNode {
  const { type, region = null, developer = type } = section;
  const { timeout_ms, first_chunk_timeout_ms = timeout_ms, idle_timeout_ms, stream_timeout_ms } = section;
  const timeouts = { timeout_ms, first_chunk_timeout_ms, idle_timeout_ms, stream_timeout_ms };
  return { ...created, name, region, developer, timeouts };
}

/** Creates the providers one after another, so that reports keep their order. Errors are reported. */
export const readProviders: Reader<ProvidersPart> = async (_, context) => {
  const { entries, former, incomplete } = context;
  const providers = new Map<string, ProviderNode>();
  for (const [name, provider] of entries.providers.repaired) {
    if (!isObject(provider)) continue;
    const created = await createPlugin('provider', name, provider, ['providers', name], context, former?.providers.get(name));
    if (created === null) continue;
    providers.set(name, providerNode(name, provider, created));
  }
  if (providers.size < entries.providers.names.length) incomplete.add('providers');
  return { providers };
};
