import { Type } from 'typebox';
import { ROLES } from '../../config/roles.ts';
import { RagNamespace } from '../../config/schema-parts.ts';
import { closed, nullable, reasonOnRecord, ref, text } from './parts.ts';

const NAME = { pattern: '^[A-Za-z0-9._@:+-]{1,128}$' };
const time = (description: string) => Type.String({ format: 'date-time', description });

const about = {
  principal_id: Type.String({ ...NAME, description: 'Principal of the key. Several keys may have the same principal.' }),
  roles: Type.Array(Type.Enum([...ROLES]), { minItems: 1, uniqueItems: true, description: 'Roles of the key.' }),
};
const keyNamespaces = Type.Object(
  { namespaces: Type.Array(RagNamespace, { uniqueItems: true, description: 'Names, or prefixes with a trailing `*`.' }) },
  closed,
);
const keyRoutes = Type.Array(Type.String(), { minItems: 1, uniqueItems: true });

export const CreateKey = Type.Object(
  {
    ...about,
    routes: Type.Optional(
      Type.Array(Type.String(), { minItems: 1, uniqueItems: true, description: 'Routes that the key can use. Default: all.' }),
    ),
    rag: Type.Optional({ ...keyNamespaces, description: 'Retrieval namespaces that the key may use. Default: all.' }),
    team: Type.Optional(Type.String({ ...NAME, description: 'Team whose limits and budgets apply to the key. Default: none.' })),
    expires_at: Type.Optional(time('When the key expires. Default: never.')),
    reason: Type.Optional(reasonOnRecord),
  },
  { ...closed, $id: 'CreateKey', description: 'A key to create.' },
);

export const RotateKey = Type.Object(
  {
    overlap_s: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 2_592_000,
        description: 'Seconds for which the old key stays valid, unless it expires earlier. Default: 86400, a day.',
      }),
    ),
    expires_at: Type.Optional(
      nullable(time('A time.'), 'When the new key expires. Null: never. Default: the expiry of the old key.'),
    ),
    reason: Type.Optional(reasonOnRecord),
  },
  { ...closed, $id: 'RotateKey', description: 'How to replace a key.' },
);

const known = {
  id: text('Id of the key. It is not secret.'),
  ...about,
  routes: nullable(keyRoutes, 'Routes that the key may use. Null: all.'),
  rag: nullable(keyNamespaces, 'Retrieval namespaces that the key may use. Null: all.'),
  team: nullable(Type.String(), 'Team of the key; null: none.'),
  created_at: time('When it was created.'),
  created_by: nullable(Type.String(), 'Principal that created it.'),
  expires_at: nullable(time('A time.'), 'When the key expires. Null: never.'),
  revoked_at: nullable(time('A time.'), 'When it was revoked. Null: it was not revoked.'),
  rotated_from: nullable(Type.String(), 'Id of the key that it replaces; null: none.'),
};

export const CreatedKey = Type.Object(
  { ...known, key: text('The secret key: `svc-` and 64 hexadecimal characters. Returned only once.') },
  { $id: 'CreatedKey', description: 'A key that was just created.' },
);

export const Key = Type.Object(
  {
    ...known,
    last_used_at: nullable(time('A time.'), 'When the key was last used at any gateway, to the minute. Null: never.'),
  },
  { $id: 'Key', description: 'A key that was created while the gateway runs, without its secret value.' },
);

export const KeyList = Type.Object(
  {
    keys: Type.Array(ref(Key), {
      description: 'Ordered by creation, including keys that are no longer valid.',
    }),
  },
  { $id: 'KeyList', description: 'Keys that were created while the gateway runs.' },
);
