import { Type } from 'typebox';
import { DEFAULT_ROLES, ROLES } from './roles.ts';
import { closed, PRINCIPAL, RagNamespace } from './schema-parts.ts';

/** What of retrieval a principal may use. */
const RagAccessSchema = closed(
  {
    namespaces: Type.Array(RagNamespace, {
      uniqueItems: true,
      description:
        'Namespaces to index, query and delete in: names, or prefixes with a trailing `*`, such as `acme-*`. An empty list: none.',
    }),
  },
  { description: 'Namespaces of retrieval. Default: all.' },
);

export const AuthKeySchema = closed(
  {
    principal_id: Type.String({
      ...PRINCIPAL,
      description: 'Principal of this key. Several keys may have the same principal.',
    }),
    key_hash: Type.Optional(
      Type.String({
        pattern: '^sha256:[0-9a-f]{64}$',
        title: 'sha256: and 64 lower-case hex characters',
        description: 'SHA-256 of the whole key, as `svc keys new` prints it. Exactly one of key_hash and key.',
      }),
    ),
    key: Type.Optional(
      Type.String({
        minLength: 1,
        writeOnly: true,
        description: 'The key itself, as a secret:// reference. Exactly one of key_hash and key.',
      }),
    ),
    routes: Type.Optional(
      Type.Array(Type.String(), { minItems: 1, uniqueItems: true, description: 'Routes that the key may use. Default: all.' }),
    ),
    rag: Type.Optional(RagAccessSchema),
    roles: Type.Array(Type.Enum([...ROLES]), {
      minItems: 1,
      uniqueItems: true,
      default: [...DEFAULT_ROLES],
      description:
        'What the key may be used for: `call` models, `approve` paused runs, read the `audit` endpoints, `rag`, and as `admin` erase the content of any run, manage keys, apply the configuration, and stop routes, providers, guards and principals.',
    }),
    team: Type.Optional(
      Type.String({ ...PRINCIPAL, description: 'Team whose limits and budgets the key counts for. Default: none.' }),
    ),
  },
  { description: 'One API key.' },
);
