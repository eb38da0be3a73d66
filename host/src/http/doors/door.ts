import type { IncomingHttpHeaders } from 'node:http';
import type { AnswerFrame, Protocol, RequestBody } from '@svc/contracts';
import type { RunOutcome } from '@svc/kernel';
import type { RuntimeRoute } from '@svc/kernel/routes';
import type { RunRequest } from '@svc/runtime';
import type { StopForm } from './stop-form.ts';

/**
 * A door is a path and a client protocol. It passes requests on to guards and models unchanged, except for parts that the route does not allow.
 * @throws {SvcError} SVC-REQ-001
 */
export type ReadRequest<Body> = (body: Body, headers: IncomingHttpHeaders, route: RuntimeRoute) => DoorRequest;

export interface DoorRequest {
  readonly protocol: Protocol;
  /** `model` is the route. The run owns the body, and guards edit it. */
  readonly request: RequestBody;
  readonly stream: boolean;
  /** Parts of the request that were removed: paths of known names, reported in a header and an event. */
  readonly unsupported: readonly string[];
  /** An earlier run whose conversation comes before the turn at this index. Absent: none. */
  readonly continues?: { readonly run_id: string; readonly at: number } | null;
  /** See `RunRequest`. Absent: no later request may continue the run. */
  readonly conversation?: RunRequest['conversation'];
  readonly writer: AnswerWriter;
}

/** Writes the answer of a request, whole or streamed. */
export interface AnswerWriter {
  /** Headers of a streamed answer. */
  readonly head: Readonly<Record<string, string>>;
  /** A whole answer, or a stop, as the body of a response. */
  whole(outcome: RunOutcome, form: StopForm): object;
  /** The text of a frame of the answer. Empty: nothing is sent. */
  piece(frame: AnswerFrame): string;
  /** Bytes of frames that the writer buffers. */
  readonly held: number;
  /** The keep-alive of an idle stream. */
  keepAlive(run_id: string): string;
  /** The last frames of a settled run, with its receipts. Each is created when it is sent, because one of them may repeat the whole answer. */
  end(outcome: RunOutcome, form: StopForm): Iterable<string>;
  /** The last frames of a run that failed, or whose evidence could not be written. */
  failed(run_id: string, error: unknown): string;
}
