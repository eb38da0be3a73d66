const REASONS = {
  MALFORMED: 'it is not a time-stamp response in DER (RFC 3161)',
  NOT_GRANTED: 'the authority did not grant a token',
  WRONG_IMPRINT: 'it is for other bytes, or not for their SHA-256',
  WRONG_NONCE: 'it is the response to another request',
  NO_CERTIFICATE: 'it lacks the certificate of the signer',
  WRONG_SIGNATURE: 'the signature of the authority is not valid',
  UNSUPPORTED_ALGORITHM: 'it is signed with an algorithm that is not supported',
  WRONG_PURPOSE: "the signer's certificate is not exclusively for time stamps",
  UNTRUSTED: 'no chain leads from the certificate of the signer to one of the given root certificates',
  OUT_OF_VALIDITY: 'a certificate of every chain was not valid at the stated time',
} as const;

export type InvalidReason = keyof typeof REASONS;

/** A response of a time-stamp authority that proves nothing. `code` is logged; the message is for people. */
export class InvalidTimestamp extends Error {
  override readonly name = 'InvalidTimestamp';
  readonly code: InvalidReason;
  constructor(code: InvalidReason) {
    super(REASONS[code]);
    this.code = code;
  }
}
