import { networkOptions } from '@svc/toolkit/network';
import { type Static, Type } from 'typebox';

const named = (description: string) => Type.Optional(Type.String({ minLength: 1, pattern: '^[^\\s?#%]+$', description }));
const credential = (description: string) => Type.Optional(Type.String({ minLength: 1, writeOnly: true, description }));

export const Options = Type.Object(
  {
    address: Type.String({
      minLength: 1,
      description: 'Origin of the server, such as `https://vault.example:8200`. `http` is allowed only for this machine.',
    }),
    namespace: named('Namespace for the login and the secrets.'),
    mount: Type.String({
      default: 'secret',
      pattern: '^[^\\s?#%]+$',
      description: 'Path of the KV engine. Must be version 2.',
    }),
    token: credential(
      'A token, as a secret:// reference to `env` or `file`. The gateway renews it for as long as the server allows.',
    ),
    token_file: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'File with a token that an agent renews. It is read again before the token expires.',
      }),
    ),
    role_id: Type.Optional(Type.String({ minLength: 1, description: 'Role id for a login with AppRole. It is not secret.' })),
    secret_id: credential('Secret id for a login with AppRole, as a secret:// reference to `env` or `file`.'),
    auth_mount: Type.String({ default: 'approle', pattern: '^[^\\s?#%]+$', description: 'Path of the AppRole login.' }),
    refresh_s: Type.Integer({
      default: 300,
      minimum: 1,
      maximum: 86_400,
      description:
        'How often the gateway reads its secrets again, in seconds. If the token has a short lease, they are read more often.',
    }),
    timeout_ms: Type.Integer({ default: 3_000, minimum: 100, maximum: 9_000, description: 'Timeout of each request.' }),
    ...networkOptions,
  },
  { additionalProperties: false },
);
export type Options = Static<typeof Options>;

/** How the gateway logs in. */
export type Login =
  | { readonly by: 'token'; readonly token: string }
  | { readonly by: 'token_file'; readonly file: string }
  | { readonly by: 'approle'; readonly role_id: string; readonly secret_id: string };

/** @throws {Error} with the keys and the remedy */
export function loginOf({ token, token_file, role_id, secret_id }: Options): Login {
  const logins: Login[] = [];
  if (token !== undefined) logins.push({ by: 'token', token });
  if (token_file !== undefined) logins.push({ by: 'token_file', file: token_file });
  if (role_id !== undefined && secret_id !== undefined) logins.push({ by: 'approle', role_id, secret_id });
  const [login, ...others] = logins;
  const isHalf = (role_id === undefined) !== (secret_id === undefined);
  if (login === undefined || others.length > 0 || isHalf)
    throw new Error('set one of token, token_file, and role_id with secret_id');
  return login;
}
