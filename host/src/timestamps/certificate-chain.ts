import { X509Certificate } from 'node:crypto';
import { AsnConvert } from '@peculiar/asn1-schema';
import {
  BasicConstraints,
  Certificate,
  ExtendedKeyUsage,
  id_ce_basicConstraints,
  id_ce_extKeyUsage,
  id_ce_keyUsage,
  KeyUsage,
  KeyUsageFlags,
} from '@peculiar/asn1-x509';
import { InvalidTimestamp } from './invalid-timestamp.ts';
import { usesSha2 } from './signature-algorithms.ts';

const TIME_STAMPING = '1.3.6.1.5.5.7.3.8';
const ANY_PURPOSE = '2.5.29.37.0';
/** Extensions that are checked here. A certificate with another critical one is refused, RFC 5280, 4.2. */
const KNOWN: readonly string[] = [id_ce_basicConstraints, id_ce_keyUsage, id_ce_extKeyUsage];
const MAX_LENGTH = 8;
/** Signatures of certificates that are verified in one search. A response can hold many certificates that could issue each other. */
const MAX_CHECKS = 100;

/** A certificate as OpenSSL and as the schema read it. */
export interface ReadCertificate {
  readonly x509: X509Certificate;
  readonly fields: Certificate;
}

/** @param der or PEM @throws if it is not a certificate */
export function readCertificate(der: Uint8Array | string): ReadCertificate {
  const x509 = new X509Certificate(der);
  return { x509, fields: AsnConvert.parse(x509.raw, Certificate) };
}

/**
 * Checks that a certificate is one for time stamps alone, and that a chain from it to a root was valid at this time, RFC 5280, section 6. Revocation is
 * not checked.
 * @param between intermediate certificates, of any origin
 * @throws {InvalidTimestamp}
 */
export function checkChain(
  signer: ReadCertificate,
  between: readonly ReadCertificate[],
  roots: readonly ReadCertificate[],
  at: Date,
): void {
  if (!isForTimeStamps(signer)) throw new InvalidTimestamp('WRONG_PURPOSE');
  const isChained = (accepts: Search['accepts']): boolean => hasChain([signer], { between, roots, accepts, checks: 0 });
  if (!isChained(() => true)) throw new InvalidTimestamp('UNTRUSTED');
  if (!isChained((certificate) => isValidAt(certificate, at))) throw new InvalidTimestamp('OUT_OF_VALIDITY');
}

interface Search {
  readonly between: readonly ReadCertificate[];
  readonly roots: readonly ReadCertificate[];
  readonly accepts: (certificate: ReadCertificate) => boolean;
  /** Signatures verified so far. */
  checks: number;
}

/** @param chain from the signer up, not ended yet */
function hasChain(chain: readonly ReadCertificate[], search: Search): boolean {
  const { between, roots, accepts } = search;
  const last = chain.at(-1);
  if (last === undefined || chain.length > MAX_LENGTH || !accepts(last) || !hasKnownExtensions(last)) return false;
  const issued = (by: ReadCertificate): boolean => isAuthority(by, chain) && hasIssued(by, last, search);
  if (roots.some((root) => isSame(root, last) || (accepts(root) && hasKnownExtensions(root) && issued(root)))) return true;
  const unused = between.filter((one) => !chain.some((used) => isSame(used, one)));
  return unused.some((one) => issued(one) && hasChain([...chain, one], search));
}

function isSame(one: ReadCertificate, other: ReadCertificate): boolean {
  return one.x509.fingerprint256 === other.x509.fingerprint256;
}

/** RFC 3161, 2.3: the extension is critical, and has this purpose only. */
function isForTimeStamps(certificate: ReadCertificate): boolean {
  const extension = extensionOf(certificate, id_ce_extKeyUsage);
  const purposes = extension === null ? [] : [...AsnConvert.parse(extension.extnValue, ExtendedKeyUsage)];
  if (extension?.critical !== true || purposes.length !== 1 || purposes[0] !== TIME_STAMPING) return false;
  const usage = usageOf(certificate);
  return usage === null || (usage & (KeyUsageFlags.digitalSignature | KeyUsageFlags.nonRepudiation)) !== 0;
}

/** Whether it may issue the last certificate of the chain. */
function isAuthority(certificate: ReadCertificate, below: readonly ReadCertificate[]): boolean {
  const extension = extensionOf(certificate, id_ce_basicConstraints);
  if (extension === null) return false;
  const { cA, pathLenConstraint = Number.POSITIVE_INFINITY } = AsnConvert.parse(extension.extnValue, BasicConstraints);
  // The signer does not count, and neither do certificates that issue a new key of the same name.
  const longest = below.slice(1).filter(({ x509 }) => x509.subject !== x509.issuer).length;
  const usage = usageOf(certificate);
  const purposes = extensionOf(certificate, id_ce_extKeyUsage);
  const allowed = purposes === null ? [] : [...AsnConvert.parse(purposes.extnValue, ExtendedKeyUsage)];
  return (
    cA &&
    longest <= pathLenConstraint &&
    (usage === null || (usage & KeyUsageFlags.keyCertSign) !== 0) &&
    (purposes === null || allowed.some((purpose) => purpose === TIME_STAMPING || purpose === ANY_PURPOSE))
  );
}

/** MD5 and SHA-1 prove nothing today, although OpenSSL verifies them. */
function hasIssued(by: ReadCertificate, { x509, fields }: ReadCertificate, search: Search): boolean {
  if (!usesSha2(fields.signatureAlgorithm)) return false;
  try {
    if (!x509.checkIssued(by.x509)) return false;
    search.checks += 1;
    return search.checks <= MAX_CHECKS && x509.verify(by.x509.publicKey);
  } catch {
    // A key of a kind that OpenSSL does not know.
    return false;
  }
}

function hasKnownExtensions({ fields }: ReadCertificate): boolean {
  return (fields.tbsCertificate.extensions ?? []).every(({ critical, extnID }) => !critical || KNOWN.includes(extnID));
}

function isValidAt({ x509 }: ReadCertificate, at: Date): boolean {
  return x509.validFromDate <= at && at <= x509.validToDate;
}

function usageOf(certificate: ReadCertificate): number | null {
  const extension = extensionOf(certificate, id_ce_keyUsage);
  return extension === null ? null : AsnConvert.parse(extension.extnValue, KeyUsage).toNumber();
}

function extensionOf({ fields }: ReadCertificate, id: string) {
  return fields.tbsCertificate.extensions?.find(({ extnID }) => extnID === id) ?? null;
}
