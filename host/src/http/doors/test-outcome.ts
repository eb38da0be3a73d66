import type { ChatCompletionChunk, ChatMessage, JsonObject } from '@svc/contracts';
import type { RunOutcome } from '@svc/kernel';
import { CHAT } from '@svc/protocols';
import type { AnswerWriter } from './door.ts';
import type { StopForm } from './stop-form.ts';

export const RUN = '01900000-0000-7000-8000-000000000001';

const ROW: RunOutcome['row'] = {
  run_id: RUN,
  route: 'r',
  principal_id: 'alice',
  status: 'completed',
  approvers: [],
  events: [],
  config_digest: '',
  created_at: '2026-11-21T12:00:00.000Z',
  expires_at: null,
  approver: null,
  owner: '',
  version: 1,
  evidence: { seq: 7, hash: 'sha256:00' },
};
/** A run that has completed without an answer. */
export const NOTHING: RunOutcome = {
  row: ROW,
  events: [],
  protocol: CHAT,
  completion: null,
  stop: null,
  tail: null,
  error: null,
  paid: false,
  cost: 'complete',
};
const HEAD = { id: `chatcmpl-${RUN}`, created: 1, model: 'r' } as const;

/** How a caller reads a stop, unless it asked for JSON or its route has another form. */
export const FORM: StopForm = { field: 'content', origin: 'https://gateway.example' };

/** A run that a guard blocked. */
export const BLOCKED: RunOutcome = { ...NOTHING, stop: { kind: 'blocked', stage: 'ingress', node: 'words', code: 'wire' } };

export function answered(message: Partial<ChatMessage>, finish_reason = 'stop'): RunOutcome {
  const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
  const choices = [{ index: 0, message: { role: 'assistant', content: null, ...message }, finish_reason }];
  return { ...NOTHING, completion: { ...HEAD, object: 'chat.completion', choices, usage } };
}

/** The events that a writer makes of pieces of one choice, and of its end. */
export function streamed(to: AnswerWriter, deltas: readonly Record<string, unknown>[], finish_reason = 'stop'): JsonObject[] {
  const chunk = (delta: Record<string, unknown>, reason: string | null = null): ChatCompletionChunk => ({
    ...HEAD,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason: reason }],
  });
  const pieces = deltas.map((delta) => to.piece(chunk(delta)));
  return eventsOf([...pieces, ...to.end({ ...NOTHING, tail: [chunk({}, finish_reason)] }, FORM)].join(''));
}

/** Events whose `type` is also the name under which they are sent. */
export function eventsOf(text: string): JsonObject[] {
  return text
    .split('\n\n')
    .filter((event) => event !== '')
    .map((event) => {
      const [, name, data = ''] = /^event: (.*)\ndata: (.*)$/.exec(event) ?? [];
      const parsed = JSON.parse(data) as JsonObject;
      if (parsed.type !== name) throw new Error(`an event ${String(parsed.type)} under the name ${name}`);
      return parsed;
    });
}
