import { type Static, Type } from 'typebox';

/**
 * Marks an option that contains PEM. The host then passes a `secret://file/` reference as the path of its file, so that the file can be read again.
 */
export const PEM = 'application/x-pem-file';

const pem = (description: string) => Type.Optional(Type.String({ minLength: 1, contentMediaType: PEM, description }));

/** Properties for the options schema of a plugin that uses the network. See {@link Network}. */
export const networkOptions = {
  proxy: Type.Optional(
    Type.String({
      minLength: 1,
      description:
        'HTTP proxy for all calls, such as `http://proxy.example:3128`, or `direct` for none. Write a URL with a user and password as a secret:// reference. Default: the environment variable `HTTPS_PROXY` or `HTTP_PROXY`, except for hosts in `NO_PROXY`.',
    }),
  ),
  ca: pem(
    "Certificate authorities to trust instead of Node's: a PEM file, which is read again when it changes, or a secret:// reference.",
  ),
  client_certificate: pem(
    'Client certificate with its chain: a PEM file, which is read again when it changes, or a secret:// reference.',
  ),
  client_key: pem(
    'Private key of `client_certificate`: a PEM file, which is read again when it changes, or a secret:// reference.',
  ),
};

const Options = Type.Object(networkOptions);
export type NetworkOptions = Static<typeof Options>;

/** Whether a value is an unresolved secret reference. Lint creates plugins without their secrets. */
export function isUnresolved(value: string | undefined): boolean {
  return value?.startsWith('secret://') === true;
}
