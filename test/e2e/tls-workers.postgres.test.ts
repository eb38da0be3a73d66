import { connect } from 'node:tls';
import { expect, inject, it, onTestFinished } from 'vitest';
import { temporaryDatabase } from '../../plugins/store-postgres/src/test-database.ts';
import { hasOpenssl, type Pair, TestIssuer } from '../harness/certificates.ts';
import { echoConfig, TestGateway } from '../harness/gateway.ts';

it.skipIf(!hasOpenssl)('every worker uses a changed certificate', async () => {
  const database = await temporaryDatabase(inject('postgres'));
  onTestFinished(() => database.remove());
  const issuer = new TestIssuer();
  onTestFinished(() => issuer.dispose());
  const filesOf = ({ cert, key }: Pair): Record<string, string> => ({ 'tls.crt': cert, 'tls.key': key });
  const tls = { certificate: 'tls.crt', key: 'tls.key' };
  const gateway = await TestGateway.start({
    config: echoConfig({ server: { workers: 2, tls } }),
    args: ['--runs-db', database.url],
    files: filesOf(issuer.issue('first')),
  });
  onTestFinished(() => gateway.dispose());

  const shown = (): Promise<string | undefined> =>
    new Promise((resolve, reject) => {
      const socket = connect({ host: '127.0.0.1', port: Number(new URL(gateway.url).port), ca: issuer.ca }, () => {
        resolve(socket.getPeerCertificate().subject.CN?.toString());
        socket.destroy();
      });
      socket.once('error', reject);
    });
  expect(await shown()).toBe('first');
  await gateway.put(filesOf(issuer.issue('second')));
  await gateway.until((output) => (output.split('"event":"tls_renewed"').length > 2 ? true : undefined));
  // Connections are dealt out in turns.
  expect(new Set(await Promise.all([shown(), shown(), shown(), shown()]))).toEqual(new Set(['second']));
});
