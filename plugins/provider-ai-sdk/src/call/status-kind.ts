import type { ProviderErrorKind } from '@svc/sdk/provider';
import { kindOfStatus } from '@svc/toolkit/upstream';

/** What a status other than 2xx means. Bedrock's 424 says that the model failed, which nobody here can mend. */
export function kindOf(status: number): ProviderErrorKind {
  return status === 424 ? 'unavailable' : kindOfStatus(status);
}
