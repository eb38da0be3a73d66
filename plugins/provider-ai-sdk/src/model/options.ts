import { connectionOptions } from '@svc/toolkit/upstream';
import { type Static, Type } from 'typebox';

/** A bare specifier as in `import`: a package, perhaps with a path that it exports. */
const SPECIFIER = '^(@[a-z0-9-][a-z0-9._-]*/)?[a-z0-9-][a-z0-9._-]*(/[a-z0-9-]+)*$';

const secret = () => Type.Optional(Type.String({ writeOnly: true, description: 'A secret:// reference.' }));

export const AiSdkOptions = Type.Object(
  {
    package: Type.String({
      pattern: SPECIFIER,
      description: 'Package of the AI SDK provider, such as `@ai-sdk/amazon-bedrock`; installed beside the configuration.',
    }),
    factory: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z_$][\\w$]*$',
        description: 'Export that makes the provider. Needed only if the package exports several `create…` functions.',
      }),
    ),
    settings: Type.Object(
      { apiKey: secret(), secretAccessKey: secret(), sessionToken: secret() },
      {
        additionalProperties: true,
        default: {},
        description: 'Handed to the factory: `baseURL`, `region`, `apiKey` and what else the package documents.',
      },
    ),
    provider_options: Type.Record(Type.String(), Type.Record(Type.String(), Type.Unknown()), {
      default: {},
      description: "The AI SDK's `providerOptions` of every call, by the package's name for itself: `{ bedrock: { … } }`.",
    }),
    ...connectionOptions,
  },
  { additionalProperties: false },
);
export type AiSdkOptions = Static<typeof AiSdkOptions>;
