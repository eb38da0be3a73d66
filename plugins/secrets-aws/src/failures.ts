import { isObject } from '@svc/sdk';
import type { SecretFailure } from '@svc/sdk/secrets';

/**
 * By the names of errors, without `Exception` at their end, which some services leave out. From
 * https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_GetSecretValue.html#API_GetSecretValue_Errors and CommonErrors.html, and
 * https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRoleWithWebIdentity.html#API_AssumeRoleWithWebIdentity_Errors
 */
const FAILURES: Readonly<Record<string, SecretFailure>> = {
  ResourceNotFound: 'not_found',
  // The secret is about to be deleted.
  InvalidRequest: 'not_found',
  // A name or a staging label that no secret can have.
  InvalidParameter: 'not_found',
  Validation: 'not_found',
  AccessDenied: 'forbidden',
  // The key with which it is encrypted.
  DecryptionFailure: 'forbidden',
  ExpiredToken: 'login_failed',
  IncompleteSignature: 'login_failed',
  InvalidClientTokenId: 'login_failed',
  InvalidSignature: 'login_failed',
  MissingAuthenticationToken: 'login_failed',
  NotAuthorized: 'login_failed',
  OptInRequired: 'login_failed',
  RequestExpired: 'login_failed',
  SignatureDoesNotMatch: 'login_failed',
  UnrecognizedClient: 'login_failed',
  IDPRejectedClaim: 'login_failed',
  InvalidIdentityToken: 'login_failed',
  // Of the client, which found no credentials.
  CredentialsProviderError: 'login_failed',
  TokenProviderError: 'login_failed',
};

/** Null: it cannot be reached, or is not ready. */
export function failureOf(error: unknown): SecretFailure | null {
  if (!isObject(error)) return null;
  const name = `${error.name}`.replace(/Exception$/, '');
  const known = Object.hasOwn(FAILURES, name) ? FAILURES[name] : undefined;
  // An answer of something in between, such as a firewall, has no name that the client can read.
  return known ?? (isObject(error.$metadata) && error.$metadata.httpStatusCode === 403 ? 'forbidden' : null);
}
