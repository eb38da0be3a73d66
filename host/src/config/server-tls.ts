import { PEM, PemFiles } from '@svc/toolkit/network';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { type NetworkContext, withSecrets } from './read-network.ts';
import { closed } from './schema-parts.ts';

const pem = (description: string) => Type.String({ minLength: 1, contentMediaType: PEM, description });

export const TlsSchema = closed(
  {
    certificate: pem('Certificate of the gateway with its chain: a PEM file, or a secret:// reference.'),
    key: pem('Its private key, without a password: a PEM file, or a secret:// reference.'),
    client_ca: Type.Optional(
      pem(
        'Issuers of client certificates: a PEM file, or a secret:// reference. If set, clients must present a certificate from one of them, in addition to a key.',
      ),
    ),
  },
  {
    description:
      'TLS of the gateway itself, with HTTP/2. Files are read again within 5 seconds after a change, and on SIGHUP; open connections are kept. Default: plain HTTP, for use behind a proxy.',
  },
);

export type ServerTls = Static<typeof TlsSchema>;

const PATH = ['server', 'tls'];

/** TLS of the gateway itself, with secrets resolved. Null if it is invalid, which is reported. */
export async function readTls(tls: unknown, context: NetworkContext): Promise<ServerTls | null> {
  if (!Value.Check(TlsSchema, tls)) return null;
  const expired = ({ message }: Error): void => context.report.warning('SVC-POL-001', [...PATH, 'certificate'], message);
  return withSecrets(TlsSchema, tls, PATH, context, (read) => tlsFiles(read, context.directory, expired).check());
}

/** The files of the gateway's own TLS. */
export function tlsFiles(
  { certificate, key, client_ca }: ServerTls,
  directory: string,
  onProblem: ConstructorParameters<typeof PemFiles>[2],
): PemFiles {
  return new PemFiles(
    { cert: ['certificate', certificate], key: ['key', key], ca: ['client_ca', client_ca] },
    directory,
    onProblem,
  );
}
