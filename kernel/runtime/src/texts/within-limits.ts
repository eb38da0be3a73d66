import { type FieldTable, type Protocol, type RequestBody, SvcError } from '@svc/contracts';
import type { ByteReservation } from '@svc/kernel/admission';
import type { Admit } from '@svc/kernel/ports';
import type { RuntimeRoute } from '@svc/kernel/routes';
import { collectRequest, collectTable, NoRoomForJson, TooMuchJson } from './collect.ts';
import type { Payload } from './payload.ts';

/** The text of a request, or why it cannot be checked. */
export function tryCollectRequest(
  { protocol, request }: { readonly protocol: Protocol; readonly request: RequestBody },
  numbers: boolean,
  admit?: Admit,
): Payload | SvcError {
  try {
    return collectRequest(protocol, request, numbers, undefined, admit);
  } catch (cause) {
    if (!(cause instanceof TooMuchJson)) return noRoom(cause);
    return cause.excess === 'nested_too_deep'
      ? new SvcError('SVC-REQ-001', 'the JSON in the text of a tool is nested too deeply for guards to check', { cause })
      : new SvcError(
          'SVC-REQ-002',
          'the request, including the JSON in the texts of its tools, contains too many values or keys',
          { cause },
        );
  }
}

/** The text of an answer or a part, or why it cannot be checked. @param part its path, and the paths of the fields that were removed from it */
export function collectAnswer(
  { bytes, route }: { readonly bytes: ByteReservation; readonly route: Pick<RuntimeRoute, 'untrusted'> },
  table: FieldTable,
  answer: object,
  numbers: boolean,
  { path, unread = [] }: { readonly path?: string | undefined; readonly unread?: readonly string[] } = {},
): Payload | SvcError {
  try {
    const payload = collectTable(table, answer, numbers, (values) => bytes.weigh('answer', values), path);
    payload.untrusted = route.untrusted;
    payload.skipped.push(...unread.map((place) => ({ path: place, why: 'opaque' as const })));
    return payload;
  } catch (cause) {
    if (!(cause instanceof TooMuchJson)) return noRoom(cause, { paid: true });
    const much = cause.excess === 'nested_too_deep' ? 'are nested too deeply' : 'contain too many JSON values or keys';
    const detail = `the answer and the JSON in its tool calls ${much} for guards to check`;
    return new SvcError('SVC-PROV-001', detail, { paid: true, cause });
  }
}

const RETRY_AFTER_S = 1;

function noRoom(cause: unknown, paid: { readonly paid?: true } = {}): SvcError {
  if (!(cause instanceof NoRoomForJson)) throw cause;
  return new SvcError('SVC-BUSY-001', 'other requests in progress use all of server.max_bytes_in_flight; try again later', {
    retry_after_s: RETRY_AFTER_S,
    ...paid,
    cause,
  });
}
