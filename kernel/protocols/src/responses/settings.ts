import { isObject, type JsonObject, type JsonValue, type RequestBody } from '@svc/contracts';

/** Maximum characters of a request field that a response repeats. Limited because several events of a stream contain the field. */
const MAX_REPEATED = 16_384;

/** The fields of a response that repeat its request, in the form of OpenAI's schema. A value that is too long counts as absent. */
function settingsOf(asked: RequestBody): JsonObject {
  const body = asked as RequestBody & JsonObject;
  const { temperature, top_p, max_output_tokens, parallel_tool_calls, previous_response_id, truncation, service_tier } = body;
  let left = MAX_REPEATED;
  const repeated = (value: JsonValue | undefined): JsonValue | undefined => {
    const size = value == null ? 0 : (JSON.stringify(value)?.length ?? 0);
    if (size > left) return undefined;
    left -= size;
    return value;
  };
  const metadata = repeated(body.metadata);
  const text = repeated(body.text);
  const reasoning = repeated(body.reasoning);
  const tool_choice = repeated(body.tool_choice);
  return {
    background: false,
    instructions: repeated(body.instructions) ?? null,
    max_output_tokens: max_output_tokens ?? null,
    metadata: isObject(metadata) ? metadata : {},
    parallel_tool_calls: parallel_tool_calls ?? true,
    previous_response_id: previous_response_id ?? null,
    reasoning: { effort: null, summary: null, ...(isObject(reasoning) ? reasoning : {}) },
    ...(typeof service_tier === 'string' ? { service_tier } : {}),
    store: body.store ?? false,
    temperature: temperature ?? null,
    text: { format: { type: 'text' }, ...(isObject(text) ? text : {}) },
    tool_choice: tool_choice ?? 'auto',
    tools: repeated(body.tools) ?? [],
    top_p: top_p ?? null,
    truncation: truncation ?? 'disabled',
  };
}

/** The response object at the start of a stream. */
export function begunResponse(
  asked: RequestBody,
  head: { readonly id: string; readonly created: number; readonly model: string },
): JsonObject {
  return {
    id: `resp_${head.id}`,
    object: 'response',
    created_at: head.created,
    status: 'in_progress',
    error: null,
    incomplete_details: null,
    model: head.model,
    output: [],
    access_programs: null,
    ...settingsOf(asked),
    usage: null,
  };
}
