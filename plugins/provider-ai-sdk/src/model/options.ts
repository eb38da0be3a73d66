import { connectionOptions } from '@svc/toolkit/upstream';
import { type Static, Type } from 'typebox';

/** A bare import specifier: a package name, with an optional subpath. */
const SPECIFIER = '^(@[a-z0-9-][a-z0-9._-]*/)?[a-z0-9-][a-z0-9._-]*(/[a-z0-9-]+)*$';

const secret = () => Type.Optional(Type.String({ writeOnly: true, description: 'A secret:// reference.' }));

export const AiSdkOptions = Type.Object(
  {
    package: Type.String({
      pattern: SPECIFIER,
      description:
        'Package of the AI SDK provider, such as `@ai-sdk/amazon-bedrock`; installed in the folder of the configuration.',
    }),
    factory: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z_$][\\w$]*$',
        description: 'Export that creates the provider. Needed only if the package exports several `create…` functions.',
      }),
    ),
    settings: Type.Object(
      { apiKey: secret(), secretAccessKey: secret(), sessionToken: secret() },
      {
        additionalProperties: true,
        default: {},
        description: 'Passed to the factory: `baseURL`, `region`, `apiKey` and anything else that the package documents.',
      },
    ),
    provider_options: Type.Record(Type.String(), Type.Record(Type.String(), Type.Unknown()), {
      default: {},
      description: "The AI SDK's `providerOptions` for every call, under the package's own provider name: `{ bedrock: { … } }`.",
    }),
    ...connectionOptions,
  },
  { additionalProperties: false },
);
export type AiSdkOptions = Static<typeof AiSdkOptions>;
