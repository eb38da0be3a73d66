import type { Attribute } from '@peculiar/asn1-cms';
import { AsnConvert } from '@peculiar/asn1-schema';
import type { Certificate } from '@peculiar/asn1-x509';

const SEQUENCE = 0x30;
const SET = 0x31;
const BIT_STRING = 0x03;

/** Whether the bytes are one SEQUENCE with nothing after it. Parsers ignore later bytes. */
export function isOneValue(bytes: Uint8Array): boolean {
  const [tag, first = 0] = bytes;
  if (tag !== SEQUENCE || first === 0x80) return false;
  if (first < 0x80) return bytes.length === 2 + first;
  const more = first - 0x80;
  const length = bytes.subarray(2, 2 + more).reduce((sum, byte) => sum * 256 + byte, 0);
  return bytes.length === 2 + more + length;
}

/** A certificate that was parsed, with the bytes that its issuer signed: to encode them again could change them. */
export function certificateDer(certificate: Certificate): Buffer {
  const { tbsCertificateRaw, signatureAlgorithm, signatureValue } = certificate;
  if (tbsCertificateRaw === undefined) throw new TypeError('the certificate was not parsed');
  const signature = value(BIT_STRING, Buffer.concat([Buffer.of(0), Buffer.from(signatureValue)]));
  const signed = [Buffer.from(tbsCertificateRaw), Buffer.from(AsnConvert.serialize(signatureAlgorithm)), signature];
  return value(SEQUENCE, Buffer.concat(signed));
}

/** Signed attributes as they are signed: as a SET, in the order in which they were sent. */
export function attributesDer(attributes: readonly Attribute[]): Buffer {
  return value(SET, Buffer.concat(attributes.map((attribute) => Buffer.from(AsnConvert.serialize(attribute)))));
}

function value(tag: number, content: Uint8Array): Buffer {
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.of(tag, ...size), content]);
}
