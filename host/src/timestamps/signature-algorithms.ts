import type { AlgorithmIdentifier } from '@peculiar/asn1-x509';

/** How each algorithm signs, and with which hash. `null`: with that of the signed content. */
export const SIGNATURES: Readonly<Record<string, { readonly key: string; readonly hash: string | null; readonly isPss?: true }>> =
  {
    '1.2.840.113549.1.1.1': { key: 'rsa', hash: null },
    '1.2.840.113549.1.1.10': { key: 'rsa', hash: null, isPss: true },
    '1.2.840.113549.1.1.11': { key: 'rsa', hash: 'sha256' },
    '1.2.840.113549.1.1.12': { key: 'rsa', hash: 'sha384' },
    '1.2.840.113549.1.1.13': { key: 'rsa', hash: 'sha512' },
    '1.2.840.10045.4.3.2': { key: 'ec', hash: 'sha256' },
    '1.2.840.10045.4.3.3': { key: 'ec', hash: 'sha384' },
    '1.2.840.10045.4.3.4': { key: 'ec', hash: 'sha512' },
    '1.3.101.112': { key: 'ed25519', hash: null },
  };

const ED25519 = '1.3.101.112';
/** RSASSA-PSS-params begin with the hash, RFC 4055, 3.1: its tag, then at offset 6 its OBJECT IDENTIFIER, here without the last byte. */
const PSS_HASH = 0xa0;
const SHA2 = Buffer.from('06096086480165030402', 'hex');
/** The last byte for SHA-256, SHA-384 and SHA-512. */
const SIZES: readonly (number | undefined)[] = [1, 2, 3];

/** Whether a certificate is signed with a hash of the SHA-2 family. */
export function usesSha2({ algorithm, parameters }: AlgorithmIdentifier): boolean {
  if (algorithm === ED25519) return true;
  const known = SIGNATURES[algorithm];
  if (known?.isPss !== true) return known !== undefined && known.hash !== null;
  const bytes = Buffer.from(parameters ?? new ArrayBuffer(0));
  const hash = bytes.subarray(6, 6 + SHA2.length);
  return bytes[2] === PSS_HASH && hash.equals(SHA2) && SIZES.includes(bytes[6 + SHA2.length]);
}
