import { createHash } from 'node:crypto';
import { AsnConvert, OctetString } from '@peculiar/asn1-schema';
import { MessageImprint, TSTInfo } from '@peculiar/asn1-tsp';
import { AlgorithmIdentifier } from '@peculiar/asn1-x509';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readCertificate } from './certificate-chain.ts';
import { InvalidTimestamp } from './invalid-timestamp.ts';
import { type Oddities, opensslAccepts, skipsTimestamps, TestTimestampAuthority } from './test-authority.ts';
import { checkTimestamp, timestampRequest } from './timestamp-response.ts';

const DATA = Buffer.from('example.org/gateway\n3\nroot\n\n— signature\n');
const DAY_MS = 86_400_000;
/** Each flip costs milliseconds. */
const STEP = 5;

/** The code of the refusal, or `valid`. */
function checked(reply: Uint8Array, by: { readonly ca: string }, { data = DATA, nonce = null as bigint | null } = {}): string {
  try {
    checkTimestamp(reply, data, [readCertificate(by.ca)], nonce);
    return 'valid';
  } catch (error) {
    if (error instanceof InvalidTimestamp) return error.code;
    throw error;
  }
}

/** The content of a token, with a time. */
function contentOf(genTime = new Date()): Uint8Array {
  const info = new TSTInfo({
    policy: '1.2.3.4.1',
    messageImprint: new MessageImprint({
      hashAlgorithm: new AlgorithmIdentifier({ algorithm: '2.16.840.1.101.3.4.2.1', parameters: null }),
      hashedMessage: new OctetString(createHash('sha256').update(DATA).digest()),
    }),
    serialNumber: Uint8Array.of(7).buffer,
    genTime,
  });
  return new Uint8Array(AsnConvert.serialize(info));
}

describe.skipIf(skipsTimestamps)('checkTimestamp', () => {
  const made: TestTimestampAuthority[] = [];
  const authority = (oddities?: Oddities): TestTimestampAuthority => {
    const one = new TestTimestampAuthority(oddities);
    made.push(one);
    return one;
  };
  let honest: TestTimestampAuthority;
  let reply: Buffer;
  let nonce: bigint;
  beforeAll(() => {
    honest = authority();
    const request = timestampRequest(DATA);
    nonce = request.nonce;
    reply = honest.reply(request.der);
  });
  afterAll(() => {
    for (const one of made) one.dispose();
  });

  it('accepts what openssl ts made, and openssl accepts it', () => {
    const { time, authority } = checkTimestamp(reply, DATA, [readCertificate(honest.ca)], nonce);
    expect(Math.abs(time.getTime() - Date.now())).toBeLessThan(60_000);
    expect(authority).toBe('O=svc test, CN=signer');
    expect(opensslAccepts(DATA, reply, honest.ca)).toBe(true);
  });

  it.each([
    ['RSA', ['-newkey', 'rsa:2048']],
    ['P-384', ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-384']],
  ])('accepts a signature with %s', (_, key) => {
    const one = authority({ key });
    expect(checked(one.reply(timestampRequest(DATA).der), one)).toBe('valid');
  });

  it('accepts tokens by openssl cms, also with RSA-PSS', () => {
    expect(checked(honest.sign(contentOf()), honest)).toBe('valid');
    const rsa = authority({ key: ['-newkey', 'rsa:2048'] });
    expect(checked(rsa.sign(contentOf(), '-keyopt', 'rsa_padding_mode:pss'), rsa)).toBe('valid');
    const pss = authority({ key: ['-newkey', 'rsa-pss'] });
    expect(checked(pss.sign(contentOf(), '-keyopt', 'rsa_padding_mode:pss'), pss)).toBe('valid');
  });

  it('refuses other bytes, another nonce and another root', () => {
    expect(checked(reply, honest, { data: Buffer.from('other') })).toBe('WRONG_IMPRINT');
    expect(checked(reply, honest, { nonce: nonce + 1n })).toBe('WRONG_NONCE');
    expect(checked(honest.sign(contentOf()), honest, { nonce })).toBe('WRONG_NONCE');
    expect(checked(reply, authority())).toBe('UNTRUSTED');
  });

  it('finds the root among many, as in the list of a system', () => {
    const other = readCertificate(authority().ca);
    const others = Array.from({ length: 300 }, () => other);
    const roots = [...others, readCertificate(honest.ca)];
    expect(checkTimestamp(reply, DATA, roots, nonce).authority).toBe('O=svc test, CN=signer');
  });

  it('refuses a time outside the validity of the certificates', () => {
    for (const days of [-1, 3])
      expect(checked(honest.sign(contentOf(new Date(Date.now() + days * DAY_MS))), honest)).toBe('OUT_OF_VALIDITY');
  });

  it.each([
    ['no purpose', { signer: 'keyUsage=digitalSignature\n' }, 'WRONG_PURPOSE'],
    ['another purpose', { signer: 'extendedKeyUsage=critical,codeSigning\n' }, 'WRONG_PURPOSE'],
    ['a further purpose', { signer: 'extendedKeyUsage=critical,timeStamping,codeSigning\n' }, 'WRONG_PURPOSE'],
    ['a purpose that is not critical', { signer: 'extendedKeyUsage=timeStamping\n' }, 'WRONG_PURPOSE'],
    ['a key that may not sign', { signer: 'extendedKeyUsage=critical,timeStamping\nkeyUsage=keyAgreement\n' }, 'WRONG_PURPOSE'],
    [
      'an unknown critical extension',
      { signer: 'extendedKeyUsage=critical,timeStamping\n1.2.3.4=critical,ASN1:NULL\n' },
      'UNTRUSTED',
    ],
    ['an issuer that is no authority', { between: 'basicConstraints=CA:false\n' }, 'UNTRUSTED'],
    ['an issuer that may not sign certificates', { between: 'basicConstraints=CA:true\nkeyUsage=cRLSign\n' }, 'UNTRUSTED'],
    ['a root that allows no authority below it', { root: 'basicConstraints=CA:true,pathlen:0\n' }, 'UNTRUSTED'],
    ['a certificate with a hash that can be forged', { hash: 'sha1' }, 'UNTRUSTED'],
    // Every order of them would take hours.
    ['many certificates that could issue each other', { decoys: 20 }, 'UNTRUSTED'],
    ['an issuer for other purposes', { between: 'basicConstraints=CA:true\nextendedKeyUsage=serverAuth\n' }, 'UNTRUSTED'],
  ] satisfies [string, Oddities, string][])('refuses a signer with %s', (_, oddities, code) => {
    const one = authority(oddities);
    expect(checked(one.sign(contentOf()), one)).toBe(code);
  });

  it('refuses a response without a token, and bytes after it', () => {
    expect(checked(honest.reply(Buffer.from('3003020101', 'hex')), honest)).toBe('NOT_GRANTED');
    expect(checked(Buffer.concat([reply, Buffer.of(0)]), honest)).toBe('MALFORMED');
    expect(checked(Buffer.from('not DER'), honest)).toBe('MALFORMED');
    expect(checked(new Uint8Array(), honest)).toBe('MALFORMED');
  });

  it('refuses every flipped byte that changes what is proven', () => {
    const roots = [readCertificate(honest.ca)];
    const { time } = checkTimestamp(reply, DATA, roots, nonce);
    let accepted = 0;
    for (let at = 0; at < reply.length; at += STEP) {
      const flipped = Buffer.from(reply);
      flipped[at] = (flipped[at] ?? 0) ^ 1;
      if (checked(flipped, honest, { nonce }) !== 'valid') continue;
      accepted += 1;
      expect(checkTimestamp(flipped, DATA, roots, nonce).time).toEqual(time);
    }
    // The status text, versions and digest lists are not signed.
    expect(accepted).toBeLessThan(reply.length / STEP / 10);
  });
});
