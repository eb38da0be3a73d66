import type { IncomingHttpHeaders } from 'node:http';
import type { ChatCompletionChunk, ChatRequest } from '@svc/contracts';
import type { AskedRun, RunOutcome, RuntimeRoute } from '@svc/kernel';
import type { StopForm } from './stop-form.ts';

/**
 * A door is a client protocol. It reads a request into the chat format, which guards and providers know, and writes answers, streams and
 * stops in its own words. Whatever of the request goes to a model is in `request`, and what a door writes of an answer comes from the chat
 * format: so each text is looked at by the same guards.
 * @throws {SvcError} SVC-REQ-001
 */
export type ReadRequest<Body> = (body: Body, headers: IncomingHttpHeaders, route: RuntimeRoute) => DoorRequest;

export interface DoorRequest {
  /** In the chat format; `model` is the route. It shares nothing with the body, since guards edit it. */
  readonly request: ChatRequest;
  readonly stream: boolean;
  /**
   * What of the request has no place in the chat format and goes nowhere: paths of known names, told in a header and an event. What a provider
   * does not take is told beside it.
   */
  readonly unsupported: readonly string[];
  /** An earlier run whose conversation stands in `request.messages` before the one at this index; absent: none. */
  readonly continues?: { readonly run_id: string; readonly at: number } | null;
  /** See `AskedRun`; absent: no later request may continue it. */
  readonly conversation?: AskedRun['conversation'];
  readonly writer: AnswerWriter;
}

/** Writes the one answer of a request. Whole or streamed: an answer is written in one of both ways. */
export interface AnswerWriter {
  /** A whole answer, or a stop, as the body of a response. */
  whole(outcome: RunOutcome, form: StopForm): object;
  /** Frames for a piece of the answer; empty where the protocol has none for it. */
  piece(chunk: ChatCompletionChunk): string;
  /** What says that the run goes on, where nothing else was sent for a while. */
  keepAlive(run_id: string): string;
  /** The last frames of a run that is settled, with its receipts: each is made when it is asked for, since one may repeat the whole answer. */
  end(outcome: RunOutcome, form: StopForm): Iterable<string>;
  /** The last frames where a run failed, or its evidence could not be written. */
  failed(run_id: string, error: unknown): string;
}
