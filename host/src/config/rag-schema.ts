import { NAMESPACE_PATTERN } from '@svc/contracts';
import { type TProperties, Type } from 'typebox';
import { closed } from './schema-parts.ts';

const RagPluginSchema = <T extends TProperties>(which: string, examples: string, more: T) =>
  Type.Object(
    { type: Type.String({ minLength: 1, description: `Which ${which} plugin: ${examples}.` }), ...more },
    { additionalProperties: true, description: "All other keys are the plugin's own." },
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
      description: 'Packs that check every document before it is indexed, in this order. Sanitized text is stored sanitized.',
    }),
    namespaces: Type.Record(
      Type.String(),
      closed(
        {
          routes: Type.Array(Type.String(), {
            uniqueItems: true,
            description: 'Routes whose guards may retrieve from this namespace. An empty list: none.',
          }),
        },
        { description: 'One namespace.' },
      ),
      {
        propertyNames: Type.String({ pattern: NAMESPACE_PATTERN, title: 'the name of a namespace' }),
        default: {},
        description: 'Namespaces that are kept to some routes. Guards of every route may retrieve from all others.',
      },
    ),
  },
  { description: 'Documents and retrieval. Without it, the endpoints answer 503.' },
);
