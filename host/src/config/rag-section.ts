import { type Embedder, isObject, NAMESPACE_PATTERN, type Vectors } from '@svc/contracts';
import { type TProperties, Type } from 'typebox';
import { Value } from 'typebox/value';
import { createPlugin } from './create-plugin.ts';
import type { Reader } from './reader.ts';
import { closed } from './schema-parts.ts';

const RagPluginSchema = <T extends TProperties>(which: string, examples: string, more: T) =>
  Type.Object(
    { type: Type.String({ minLength: 1, description: `Which ${which} plugin: ${examples}.` }), ...more },
    { additionalProperties: true, description: 'All other keys are options of the plugin.' },
  );

export const RagSchema = closed(
  {
    vectors: RagPluginSchema('vectors', '`local`, `pgvector`', {}),
    embedder: RagPluginSchema('embedder', '`local`, `openai`', {
      region: Type.Optional(
        Type.String({
          minLength: 1,
          description:
            'Region of the embedder, which receives the questions of callers. Without it, no route with a residency can use the embedder, unless it runs inside the gateway, as `local` does.',
        }),
      ),
    }),
    index_pipeline: Type.Array(Type.String(), {
      uniqueItems: true,
      default: [],
      description:
        'Packs that check every document before it is indexed, in this order. Sanitized text is stored in its sanitized form.',
    }),
    namespaces: Type.Record(
      Type.String(),
      closed(
        {
          routes: Type.Array(Type.String(), {
            uniqueItems: true,
            description: 'Routes whose guards can retrieve from this namespace. An empty list: none.',
          }),
        },
        { description: 'One namespace.' },
      ),
      {
        propertyNames: Type.String({ pattern: NAMESPACE_PATTERN, title: 'the name of a namespace' }),
        default: {},
        description: 'Namespaces that only some routes may use. Guards of every route may retrieve from all other namespaces.',
      },
    ),
  },
  { description: 'Documents and retrieval. Without this section, the endpoints return 503.' },
);

/** The section `rag` with its instances. */
export interface RagNode {
  readonly vectors: Vectors;
  readonly embedder: Embedder;
  /** Keys of `packs`. */
  readonly index_pipeline: readonly string[];
}

export interface RagPart {
  /** Null: not configured. */
  readonly rag: RagNode | null;
}

/** Creates the plugins of the section. Errors are reported. */
export const readRag: Reader<RagPart> = async (section, context) => {
  const { former } = context;
  if (section === undefined) return { rag: null };
  if (former !== undefined) return { rag: former.rag };
  if (!isObject(section)) return null;
  const { vectors, embedder } = section;
  const made = {
    vectors: isObject(vectors) ? await createPlugin('vectors', 'vectors', vectors, ['rag', 'vectors'], context) : null,
    embedder: isObject(embedder) ? await createPlugin('embedder', 'embedder', embedder, ['rag', 'embedder'], context) : null,
  };
  if (made.vectors === null || made.embedder === null || !Value.Check(RagSchema, section)) {
    await Promise.allSettled([made.vectors?.instance.close?.(), made.embedder?.instance.close?.()]);
    return null;
  }
  const { index_pipeline } = section;
  return { rag: { vectors: made.vectors.instance, embedder: made.embedder.instance, index_pipeline } };
};
