import { type AnswerBody, isSvcError, type Protocol, type RequestBody, type RunEvent, type RunRow } from '@svc/contracts';
import { CHAT, type Protocols } from '@svc/protocols';
import { keptRequest } from '../../content/kept-request.ts';
import { PAUSE_CONTENT, type PausedPayload } from '../../content/paused-payload.ts';
import { ANSWER_CONTENT, decodeBody, decodeJson } from '../../content/run-content.ts';
import type { ContentVault } from '../../content/vault.ts';
import type { RunView } from '../runs/stored-runs.ts';

/**
 * Why a recorded run cannot be replayed. `gone`: it continues a run that is no longer kept. `edited`: an approver changed the content. `undecided`:
 * it failed before its guards had decided, or one of them failed.
 */
export const LEFT_OUT = [
  'route_missing',
  'not_ended',
  'not_kept',
  'erased',
  'gone',
  'unreadable',
  'edited',
  'undecided',
] as const;
export type LeftOut = (typeof LEFT_OUT)[number];

export interface KeptBodies {
  readonly protocol: Protocol;
  readonly request: RequestBody;
  /** Null: there was no answer, or it is not kept. */
  readonly completion: AnswerBody | null;
  readonly is_embedding: boolean;
}

interface KeptIn {
  readonly content: ContentVault;
  readonly protocols: Protocols;
}

/** The request and the answer of a recorded run, as its guards left them, or why they cannot be replayed. */
export async function keptBodies(view: RunView, kept: KeptIn): Promise<KeptBodies | LeftOut> {
  const { row, events } = view;
  if (row.status === 'pending' || row.status === 'running') return 'not_ended';
  if (events.some(({ event_type, data }) => event_type === 'decision' && data.edited !== undefined)) return 'edited';
  try {
    return (
      (await (row.status === 'paused' ? pausedBodies : endedBodies)(row, kept)) ?? (isErased(events) ? 'erased' : 'not_kept')
    );
  } catch (error) {
    if (isSvcError(error) && error.code === 'SVC-RUN-005') return 'unreadable';
    // Unencrypted content of an earlier release may be cut off. The message would show some of it.
    if (error instanceof SyntaxError) return 'unreadable';
    throw error;
  }
}

async function pausedBodies({ run_id }: RunRow, { content, protocols }: KeptIn): Promise<KeptBodies | LeftOut | null> {
  const found = await content.read(run_id, PAUSE_CONTENT);
  if (found === null) return null;
  const { protocol: id = CHAT.id, request, completion, original } = decodeJson<PausedPayload>(found.bytes);
  if (original !== undefined) return 'edited';
  const protocol = protocols.get(id);
  return protocol === undefined ? 'unreadable' : bodies(protocol, request, completion);
}

async function endedBodies({ run_id }: RunRow, kept: KeptIn): Promise<KeptBodies | LeftOut | null> {
  const found = await keptRequest(run_id, kept, () => undefined);
  if (found === null) return null;
  if ('gone' in found) return 'gone';
  const answer = await kept.content.read(run_id, ANSWER_CONTENT);
  return bodies(
    found.protocol,
    found.request,
    answer === null ? null : decodeBody<AnswerBody>(answer.bytes, kept.protocols).body,
  );
}

function bodies(protocol: Protocol, request: RequestBody, completion: AnswerBody | null): KeptBodies {
  // A request for vectors is kept in the chat format, with its texts in `input` and without messages.
  const is_embedding = protocol === CHAT && request.input !== undefined && !hasMessages(request);
  return { protocol, request, completion, is_embedding };
}

function hasMessages({ messages }: RequestBody): boolean {
  return Array.isArray(messages) && messages.length > 0;
}

function isErased(events: readonly RunEvent[]): boolean {
  return events.some(({ event_type }) => event_type === 'erased');
}
