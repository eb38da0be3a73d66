import type { AnswerBody, AnswerFrame, Protocol, RequestBody } from '@svc/contracts';

/** Bodies that clients and servers of the protocol have sent, with personal details replaced. */
export interface RecordedBodies {
  /**
   * Requests with the `model` of a route. Together they should contain turns of users and models, tool calls and results, files, and
   * thinking.
   */
  readonly requests: readonly RequestBody[];
  readonly answers: readonly AnswerBody[];
  /** Streamed answers. Each is the frames of one whole answer, in order. */
  readonly streams: readonly (readonly AnswerFrame[])[];
}

export interface ProtocolConformanceOptions extends RecordedBodies {
  /** A protocol without frames or without a bridge, such as the chat format, gets the other checks. */
  readonly protocol: Protocol;
}

export const IDENTITY = { id: '01890a5d-ac96-774b-bcce-b302099a8057', created: 1_700_000_000, model: 'route' } as const;
