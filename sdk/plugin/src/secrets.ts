/** For authors of backends of secrets, and of keys that sign outside the gateway. */
export {
  type HeldKey,
  type RefreshedSecret,
  SecretFailedError,
  type SecretFailure,
  type SecretsBackend,
  type SigningBackend,
  type SigningKey,
} from '@svc/contracts';
export { defineSecrets } from './define.ts';
