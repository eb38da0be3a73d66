import type { AnswerBody, AnswerFrame, Protocol, RequestBody } from '@svc/contracts';

/** Bodies that clients and servers of the protocol have sent, with personal details replaced. */
export interface RecordedBodies {
  /** With the `model` of a route. Between them: turns of users and models, calls of tools and their results, files, thinking. */
  readonly requests: readonly RequestBody[];
  readonly answers: readonly AnswerBody[];
  /** Each the frames of one whole answer, in their order. */
  readonly streams: readonly (readonly AnswerFrame[])[];
}

export interface ProtocolConformanceOptions extends RecordedBodies {
  /** Of one without frames or without a bridge, such as the chat format, the rest is checked. */
  readonly protocol: Protocol;
}

export const IDENTITY = { id: '01890a5d-ac96-774b-bcce-b302099a8057', created: 1_700_000_000, model: 'route' } as const;
