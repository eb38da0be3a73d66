import type { Edit, GuardContext, JsonValue, Segment } from '@svc/sdk';
import { Type } from 'typebox';
import { Compile } from 'typebox/compile';

/** The request that LiteLLM sends to a guardrail. `texts` has all texts, including those of tool calls: a guardrail can edit only these. */
export function question(
  segments: readonly Segment[],
  { stage, run_id, route }: GuardContext,
  parameters: Readonly<Record<string, unknown>>,
) {
  return {
    input_type: stage === 'ingress' ? 'request' : 'response',
    litellm_call_id: run_id,
    litellm_trace_id: run_id,
    texts: segments.map(({ text }) => text),
    structured_messages: segments.map(({ role, text }) => ({ role: role ?? 'system', content: text })),
    images: null,
    tools: null,
    tool_calls: null,
    request_data: {},
    request_headers: null,
    litellm_version: null,
    additional_provider_specific_params: parameters,
    model: route,
  };
}

const texts = Type.Optional(Type.Union([Type.Array(Type.String()), Type.Null()]));
/** `blocked_reason` is not read, because it may quote the text. LiteLLM treats a missing action as `NONE`; here, that is no verdict. */
const Answer = Compile(Type.Object({ action: Type.Enum(['NONE', 'GUARDRAIL_INTERVENED', 'BLOCKED']), texts }));

export interface Answered {
  readonly isBlocked: boolean;
  readonly edits: readonly Edit[];
}

/** Null if the answer is invalid, or is about other texts. */
export function read(answer: JsonValue, segments: readonly Segment[]): Answered | null {
  if (!Answer.Check(answer)) return null;
  const { action, texts: edited } = answer;
  if (action === 'BLOCKED') return { isBlocked: true, edits: [] };
  // LiteLLM applies edited texts whatever the action is. If an intervention has no texts, the text would stay as it is.
  if (edited == null) return action === 'NONE' ? { isBlocked: false, edits: [] } : null;
  if (edited.length !== segments.length) return null;
  const edits = segments.flatMap(({ index, text }, i) => {
    const replacement = edited[i] ?? '';
    return replacement === text ? [] : [{ segment: index, start: 0, end: text.length, replacement }];
  });
  return { isBlocked: false, edits };
}
