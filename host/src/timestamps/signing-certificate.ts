import { createHash } from 'node:crypto';
import { AsnArray, AsnConvert, AsnProp, AsnPropTypes, AsnType, AsnTypeTypes, OctetString } from '@peculiar/asn1-schema';
import { AlgorithmIdentifier } from '@peculiar/asn1-x509';

/** ESSCertID and ESSCertIDv2, RFC 5035. The names and serial numbers are not used. */
class CertificateHash {
  hashAlgorithm?: AlgorithmIdentifier;
  certHash = new OctetString();
  issuerSerial?: ArrayBuffer;
}
AsnProp({ type: AlgorithmIdentifier, optional: true })(CertificateHash.prototype, 'hashAlgorithm');
AsnProp({ type: OctetString })(CertificateHash.prototype, 'certHash');
AsnProp({ type: AsnPropTypes.Any, optional: true })(CertificateHash.prototype, 'issuerSerial');

class CertificateHashes extends AsnArray<CertificateHash> {}
AsnType({ type: AsnTypeTypes.Sequence, itemType: CertificateHash })(CertificateHashes);

/** SigningCertificate and SigningCertificateV2. The first hash is that of the signer. */
class SigningCertificate {
  certs = new CertificateHashes();
  policies?: ArrayBuffer;
}
AsnProp({ type: CertificateHashes })(SigningCertificate.prototype, 'certs');
AsnProp({ type: AsnPropTypes.Any, optional: true })(SigningCertificate.prototype, 'policies');

/** The types of the signed attribute, and their hash if it names none. */
const DEFAULT_HASHES: Readonly<Record<string, string>> = {
  '1.2.840.113549.1.9.16.2.12': 'sha1',
  '1.2.840.113549.1.9.16.2.47': 'sha256',
};
const HASHES: Readonly<Record<string, string>> = {
  '2.16.840.1.101.3.4.2.1': 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
  '2.16.840.1.101.3.4.2.3': 'sha512',
};

/** The name of a hash in Node. Null: it is not supported. */
export function hashOf({ algorithm }: AlgorithmIdentifier): string | null {
  return HASHES[algorithm] ?? null;
}

interface SignedAttribute {
  readonly attrType: string;
  readonly attrValues: readonly ArrayBuffer[];
}

/** Whether the signed attributes name this certificate (DER) as that of the signer, RFC 3161, 2.4.1 and RFC 5816. */
export function namesSigner(attributes: readonly SignedAttribute[], certificate: Uint8Array): boolean {
  const named = attributes.filter(({ attrType }) => attrType in DEFAULT_HASHES);
  return named.length > 0 && named.every((attribute) => isHashOf(certificate, attribute));
}

function isHashOf(certificate: Uint8Array, { attrType, attrValues: [value] }: SignedAttribute): boolean {
  if (value === undefined) return false;
  const [first] = AsnConvert.parse(value, SigningCertificate).certs;
  if (first === undefined) return false;
  const hash = first.hashAlgorithm === undefined ? DEFAULT_HASHES[attrType] : hashOf(first.hashAlgorithm);
  return hash != null && createHash(hash).update(certificate).digest().equals(Buffer.from(first.certHash.buffer));
}
