import { readFile } from 'node:fs/promises';
import type { ReadCertificate } from './certificate-chain.ts';

const PEM = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]*-----END CERTIFICATE-----/g;

/** The root certificates of a file in PEM. Null: it cannot be read, contains none, or one that is not valid. */
export async function readRoots(file: string): Promise<readonly ReadCertificate[] | null> {
  const { readCertificate } = await import('./certificate-chain.ts');
  try {
    const roots = [...(await readFile(file, 'utf8')).matchAll(PEM)].map(([pem]) => readCertificate(pem));
    return roots.length > 0 ? roots : null;
  } catch {
    return null;
  }
}
