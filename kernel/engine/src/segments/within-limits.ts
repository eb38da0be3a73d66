import { type ChatCompletion, type ChatRequest, JsonCounter, type JsonExcess, SvcError } from '@svc/contracts';
import type { ByteReservation } from '../admission/bytes-in-flight.ts';
import { type Admit, collectCompletion, collectRequest, NoRoomForJson, TooMuchJson } from './collect.ts';
import type { Payload } from './payload.ts';

/** A request's text, or why it cannot be checked. */
export function collectAsked(request: ChatRequest, numbers: boolean, admit?: Admit): Payload | SvcError {
  return unlessTooMuch(
    () => collectRequest(request, numbers, new JsonCounter(), admit),
    (excess, cause) =>
      excess === 'nested_too_deep'
        ? new SvcError('SVC-REQ-001', 'JSON in the text of a tool is nested too deep to be looked at', { cause })
        : new SvcError('SVC-REQ-002', 'the request and the JSON in the texts of its tools hold too many values or keys', {
            cause,
          }),
  );
}

/** An answer's text, or why it cannot be checked. */
export function collectAnswer(
  { bytes }: { readonly bytes: ByteReservation },
  completion: ChatCompletion,
  numbers: boolean,
): Payload | SvcError {
  return unlessTooMuch(
    () => collectCompletion(completion, numbers, (values) => bytes.weigh('answer', values)),
    (excess, cause) => {
      const much = excess === 'nested_too_deep' ? 'are nested too deep' : 'hold too many JSON values or keys';
      const detail = `the answer and the JSON in its tool calls ${much} to be looked at`;
      return new SvcError('SVC-PROV-001', detail, { paid: true, cause });
    },
    true,
  );
}

function unlessTooMuch(
  collect: () => Payload,
  error: (excess: JsonExcess, cause: unknown) => SvcError,
  paid = false,
): Payload | SvcError {
  try {
    return collect();
  } catch (thrown) {
    if (thrown instanceof NoRoomForJson)
      return new SvcError('SVC-BUSY-001', 'too much JSON is under work; ask again later', {
        retry_after_s: RETRY_AFTER_S,
        ...(paid && { paid }),
        cause: thrown,
      });
    if (!(thrown instanceof TooMuchJson)) throw thrown;
    return error(thrown.excess, thrown);
  }
}

const RETRY_AFTER_S = 1;
