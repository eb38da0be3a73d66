import { isObject } from '@svc/contracts';
import { PemFiles } from '@svc/toolkit/network';
import type { Static } from 'typebox';
import { Value } from 'typebox/value';
import { type NetworkContext, withSecrets } from './read-network.ts';
import { TlsSchema } from './server-schema.ts';

export type ServerTls = Static<typeof TlsSchema>;

const PATH = ['server', 'tls'];

/** The section `server.tls` with its secrets; null if there is none, or it cannot be used (which is reported). */
export async function readTls(server: unknown, context: NetworkContext): Promise<ServerTls | null> {
  const tls = isObject(server) ? server.tls : undefined;
  if (!isObject(tls) || !Value.Check(TlsSchema, tls)) return null;
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
