import type { ProviderErrorKind } from '@svc/sdk/provider';
import { kindOfStatus } from '@svc/toolkit/upstream';

/** Classifies a status other than 2xx. Bedrock reports with 424 that the model failed, which neither caller nor operator can fix. */
export function kindOf(status: number): ProviderErrorKind {
  return status === 424 ? 'unavailable' : kindOfStatus(status);
}
