import type { AnswerBody, Clock, ContentItem, Protocol, RequestBody, RunEvent, RunRow } from '@svc/contracts';
import type { Conversation, History } from '@svc/kernel/ports';
import { referenceTo } from './history.ts';
import type { Continuation } from './kept-request.ts';
import {
  ANSWER_CONTENT,
  CONTINUATION_CONTENT,
  CONVERSATION_CONTENT,
  encodeJson,
  keptUntil,
  named,
  REQUEST_CONTENT,
  reachedModel,
} from './run-content.ts';

/** The parts of an ended run that decide what content is kept. */
interface EndedRun {
  readonly row: RunRow;
  readonly events: readonly RunEvent[];
  readonly protocol: Protocol;
  readonly request: RequestBody;
  readonly completion: AnswerBody | null;
  readonly keepAnswer: boolean;
  readonly keepRequest: boolean;
  readonly conversation: Conversation | null;
  readonly history: History | null;
}

interface Keeping {
  readonly record_content: boolean;
  readonly result_ttl_ms: number;
  readonly retention_ms: number | null;
  readonly clock: Clock;
}

/** The content to keep of an ended run, for its caller or because of the configuration. */
export function keptContent(run: EndedRun, env: Keeping): ContentItem[] {
  const { record_content } = env;
  const items: ContentItem[] = [];
  const keep = (name: string, value: unknown): void => {
    const expires_at = keptUntil(run.row, record_content ? null : env.result_ttl_ms, env);
    items.push({ name, bytes: encodeJson(value), expires_at });
  };
  const answer = run.row.status === 'completed' ? run.completion : null;
  if (answer !== null && (run.keepAnswer || record_content)) keep(ANSWER_CONTENT, named(answer, run.protocol));
  const continuation = record_content ? continuationOf(run) : null;
  if (continuation !== null) keep(CONTINUATION_CONTENT, continuation);
  else if (record_content || (run.keepRequest && reachedModel(run.events)))
    keep(REQUEST_CONTENT, named(run.request, run.protocol));
  if (answer !== null && record_content && run.conversation !== null) keep(CONVERSATION_CONTENT, run.conversation);
  return items;
}

/** The request without the messages that an earlier run keeps. Null if no run keeps any. */
function continuationOf({ protocol, request, history }: EndedRun): Continuation | null {
  if (history === null) return null;
  const turns = protocol.turnsOf(request);
  const reference = referenceTo(history, turns);
  if (reference === null) return null;
  const { at } = history;
  return { ...reference, at, request: named(protocol.withTurns(request, turns.toSpliced(at, reference.count)), protocol) };
}
