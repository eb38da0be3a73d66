import type { Edit, GuardContext, JsonValue, Segment } from '@svc/sdk';
import { Type } from 'typebox';
import { Compile } from 'typebox/compile';

/** What LiteLLM sends to a guardrail. All texts are in `texts`, also those of tool calls: only there can a guardrail edit them. */
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
/** `blocked_reason` may quote the text, so it is not read. LiteLLM itself takes an answer without an action for `NONE`; here it is no verdict. */
const Answer = Compile(Type.Object({ action: Type.Enum(['NONE', 'GUARDRAIL_INTERVENED', 'BLOCKED']), texts }));

export interface Answered {
  readonly isBlocked: boolean;
  readonly edits: readonly Edit[];
}

/** Null if it is not a valid answer, or not one about these texts. */
export function read(answer: JsonValue, segments: readonly Segment[]): Answered | null {
  if (!Answer.Check(answer)) return null;
  const { action, texts: edited } = answer;
  if (action === 'BLOCKED') return { isBlocked: true, edits: [] };
  // LiteLLM applies texts whatever the action; intervened without texts would leave the text as it is.
  if (edited == null) return action === 'NONE' ? { isBlocked: false, edits: [] } : null;
  if (edited.length !== segments.length) return null;
  const edits = segments.flatMap(({ index, text }, i) => {
    const replacement = edited[i] ?? '';
    return replacement === text ? [] : [{ segment: index, start: 0, end: text.length, replacement }];
  });
  return { isBlocked: false, edits };
}
