import { createHash, randomBytes } from 'node:crypto';
import { type CertificateSet, id_signedData, SignedData, type SignerInfo } from '@peculiar/asn1-cms';
import { AsnConvert, OctetString } from '@peculiar/asn1-schema';
import { id_ct_tstInfo, MessageImprint, PKIStatus, TimeStampReq, TimeStampResp, TSTInfo } from '@peculiar/asn1-tsp';
import { AlgorithmIdentifier } from '@peculiar/asn1-x509';
import { checkChain, type ReadCertificate, readCertificate } from './certificate-chain.ts';
import { certificateDer, isOneValue } from './der.ts';
import { InvalidTimestamp } from './invalid-timestamp.ts';
import { namesSigner } from './signing-certificate.ts';
import { checkSignature } from './token-signature.ts';

const SHA_256 = '2.16.840.1.101.3.4.2.1';
const NONCE_BYTES = 16;

/** A request, and the nonce that its response must have. */
export interface TimestampRequest {
  readonly der: Uint8Array;
  readonly nonce: bigint;
}

/** What a valid response proves: the bytes existed at this time, if the authority is honest. */
export interface ValidTimestamp {
  readonly time: Date;
  /** The subject of the signer's certificate, in one line. */
  readonly authority: string;
}

/** Requests a token over the SHA-256 of these bytes, with the certificates that prove it. */
export function timestampRequest(data: Uint8Array): TimestampRequest {
  const bytes = randomBytes(NONCE_BYTES);
  // Positive, and without leading zeros.
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40;
  const request = new TimeStampReq({
    messageImprint: new MessageImprint({
      hashAlgorithm: new AlgorithmIdentifier({ algorithm: SHA_256, parameters: null }),
      hashedMessage: new OctetString(sha256(data)),
    }),
    nonce: Uint8Array.from(bytes).buffer,
    certReq: true,
  });
  return { der: new Uint8Array(AsnConvert.serialize(request)), nonce: bigintOf(bytes) };
}

/**
 * Checks a response (TimeStampResp, RFC 3161): its status, signature, signer and chain, and that it is for the SHA-256 of these bytes.
 * @param nonce of the request; null: not known
 * @throws {InvalidTimestamp}
 */
export function checkTimestamp(
  response: Uint8Array,
  data: Uint8Array,
  roots: readonly ReadCertificate[],
  nonce: bigint | null,
): ValidTimestamp {
  try {
    return checked(response, data, roots, nonce);
  } catch (error) {
    // The parser throws errors of many kinds.
    throw error instanceof InvalidTimestamp ? error : new InvalidTimestamp('MALFORMED');
  }
}

function checked(
  response: Uint8Array,
  data: Uint8Array,
  roots: readonly ReadCertificate[],
  nonce: bigint | null,
): ValidTimestamp {
  if (!isOneValue(response)) throw new InvalidTimestamp('MALFORMED');
  const { status, timeStampToken } = AsnConvert.parse(response, TimeStampResp);
  if (status.status !== PKIStatus.granted && status.status !== PKIStatus.grantedWithMods)
    throw new InvalidTimestamp('NOT_GRANTED');
  if (timeStampToken?.contentType !== id_signedData) throw new InvalidTimestamp('MALFORMED');
  const { encapContentInfo, signerInfos, certificates } = AsnConvert.parse(timeStampToken.content, SignedData);
  const signed = encapContentInfo.eContent?.single;
  const [signer] = signerInfos;
  if (encapContentInfo.eContentType !== id_ct_tstInfo || signed === undefined || signer === undefined || signerInfos.length !== 1)
    throw new InvalidTimestamp('MALFORMED');
  const info = new Uint8Array(signed.buffer);
  const stated = AsnConvert.parse(info, TSTInfo);
  const { hashAlgorithm, hashedMessage } = stated.messageImprint;
  if (hashAlgorithm.algorithm !== SHA_256 || !Buffer.from(hashedMessage.buffer).equals(sha256(data)))
    throw new InvalidTimestamp('WRONG_IMPRINT');
  if (nonce !== null && (stated.nonce === undefined || bigintOf(new Uint8Array(stated.nonce)) !== nonce))
    throw new InvalidTimestamp('WRONG_NONCE');
  const given = readCertificates(certificates);
  const own = given.find((certificate) => isOfSigner(certificate, signer));
  if (own === undefined) throw new InvalidTimestamp('NO_CERTIFICATE');
  checkSignature(signer, info, own);
  checkChain(own, given, roots, stated.genTime);
  return { time: stated.genTime, authority: own.x509.subject.replaceAll('\n', ', ') };
}

function readCertificates(certificates: CertificateSet | undefined): ReadCertificate[] {
  return (certificates ?? []).flatMap(({ certificate }) =>
    certificate === undefined ? [] : [readCertificate(certificateDer(certificate))],
  );
}

/** With a key id in place of the name, only the signed attributes identify the certificate. */
function isOfSigner({ x509, fields }: ReadCertificate, { sid, signedAttrs = [] }: SignerInfo): boolean {
  if (!namesSigner(signedAttrs, x509.raw)) return false;
  const { issuer, serialNumber } = fields.tbsCertificate;
  const named = sid.issuerAndSerialNumber;
  if (named === undefined) return true;
  const isSame = (one: ArrayBuffer, other: ArrayBuffer) => Buffer.from(one).equals(Buffer.from(other));
  return isSame(serialNumber, named.serialNumber) && isSame(AsnConvert.serialize(issuer), AsnConvert.serialize(named.issuer));
}

function sha256(data: Uint8Array): Buffer {
  return createHash('sha256').update(data).digest();
}

function bigintOf(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
}
