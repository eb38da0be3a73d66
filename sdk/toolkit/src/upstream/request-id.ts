import type { CallContext } from '@svc/contracts';

/** Headers in which vendors send the id of a call. */
const REQUEST_IDS = ['x-request-id', 'request-id', 'apim-request-id', 'x-amzn-requestid'];

/** Reports the upstream's id of a call, if the answer has one. */
export function reportRequestId(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  { onRequestId }: Pick<CallContext, 'onRequestId'>,
): void {
  for (const name of REQUEST_IDS) {
    const id = headers[name];
    if (typeof id !== 'string') continue;
    onRequestId?.(id);
    return;
  }
}
