import { constants, createHash, type KeyObject, verify } from 'node:crypto';
import type { SignerInfo } from '@peculiar/asn1-cms';
import { AsnConvert, OctetString } from '@peculiar/asn1-schema';
import type { ReadCertificate } from './certificate-chain.ts';
import { attributesDer } from './der.ts';
import { InvalidTimestamp } from './invalid-timestamp.ts';
import { SIGNATURES } from './signature-algorithms.ts';
import { hashOf } from './signing-certificate.ts';

const CONTENT_TYPE = '1.2.840.113549.1.9.3';
const MESSAGE_DIGEST = '1.2.840.113549.1.9.4';
/** The OBJECT IDENTIFIER id-ct-TSTInfo in DER. */
const TST_INFO = Buffer.from('060b2a864886f70d0109100104', 'hex');

/** @throws {InvalidTimestamp} unless the certificate's key signed the content, RFC 5652, 5.4 */
export function checkSignature(signer: SignerInfo, content: Uint8Array, { x509 }: ReadCertificate): void {
  const { signedAttrs = [], digestAlgorithm, signatureAlgorithm, signature } = signer;
  const contentHash = hashOf(digestAlgorithm);
  const algorithm = SIGNATURES[signatureAlgorithm.algorithm];
  if (contentHash === null || algorithm === undefined) throw new InvalidTimestamp('UNSUPPORTED_ALGORITHM');
  const attribute = (type: string): ArrayBuffer | undefined => {
    const values = signedAttrs.filter(({ attrType }) => attrType === type).flatMap(({ attrValues }) => attrValues);
    // RFC 5652, 11.1 and 11.2: exactly one.
    return values.length === 1 ? values[0] : undefined;
  };
  const digest = createHash(contentHash).update(content).digest();
  const [stated, type] = [attribute(MESSAGE_DIGEST), attribute(CONTENT_TYPE)];
  const isRight =
    stated !== undefined &&
    digest.equals(Buffer.from(AsnConvert.parse(stated, OctetString).buffer)) &&
    type !== undefined &&
    Buffer.from(type).equals(TST_INFO) &&
    hasSigned(x509.publicKey, attributesDer(signedAttrs), Buffer.from(signature.buffer), {
      ...algorithm,
      hash: algorithm.hash ?? contentHash,
    });
  if (!isRight) throw new InvalidTimestamp('WRONG_SIGNATURE');
}

function hasSigned(
  key: KeyObject,
  data: Uint8Array,
  signature: Uint8Array,
  { key: kind, hash, isPss = false }: { readonly key: string; readonly hash: string; readonly isPss?: boolean },
): boolean {
  const { asymmetricKeyType = '' } = key;
  if (asymmetricKeyType !== kind && !(isPss && asymmetricKeyType === 'rsa-pss')) return false;
  if (kind === 'ed25519') return verify(null, data, key, signature);
  if (!isPss) return verify(hash, data, key, signature);
  return verify(
    hash,
    data,
    { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_AUTO },
    signature,
  );
}
