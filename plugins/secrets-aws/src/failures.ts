import { isObject } from '@svc/sdk';
import type { SecretFailure } from '@svc/sdk/secrets';

/** By the names of the errors: https://docs.aws.amazon.com/secretsmanager/latest/apireference/CommonErrors.html and API_GetSecretValue.html */
const FAILURES: Readonly<Record<string, SecretFailure>> = {
  ResourceNotFoundException: 'not_found',
  // The secret is about to be deleted.
  InvalidRequestException: 'not_found',
  // A name or a staging label that no secret can have.
  InvalidParameterException: 'not_found',
  ValidationException: 'not_found',
  AccessDeniedException: 'forbidden',
  // The key with which it is encrypted.
  DecryptionFailure: 'forbidden',
  NotAuthorized: 'login_failed',
  OptInRequired: 'login_failed',
  RequestExpired: 'login_failed',
  // Of STS, which gives the credentials.
  AccessDenied: 'login_failed',
  ExpiredToken: 'login_failed',
  IDPRejectedClaim: 'login_failed',
  InvalidIdentityToken: 'login_failed',
  // Of the client: it found no credentials.
  CredentialsProviderError: 'login_failed',
  TokenProviderError: 'login_failed',
};

/** Null: it cannot be reached, or is not ready. */
export function failureOf(error: unknown): SecretFailure | null {
  const name = isObject(error) && typeof error.name === 'string' ? error.name : '';
  if (Object.hasOwn(FAILURES, name)) return FAILURES[name] ?? null;
  const isAboutCredentials =
    /^(?:ExpiredToken|IncompleteSignature|InvalidClientTokenId|InvalidSignature|InvalidIdentityToken|MissingAuthenticationToken|SignatureDoesNotMatch|UnrecognizedClient)(?:Exception)?$/;
  return isAboutCredentials.test(name) ? 'login_failed' : null;
}
