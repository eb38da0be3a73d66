/** For authors of backends of secrets. */
export { type RefreshedSecret, SecretFailedError, type SecretFailure, type SecretsBackend } from '@svc/contracts';
export { defineSecrets } from './define.ts';
