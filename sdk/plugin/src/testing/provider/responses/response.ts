type Fields = Readonly<Record<string, unknown>>;

/** An item of `output`: `message`, `reasoning`, `function_call` and others. */
export type ResponseItem = Fields & { readonly type: string };

/** An answer of OpenAI's Responses API. */
export interface UpstreamResponse {
  readonly id: string;
  readonly object: 'response';
  readonly created_at: number;
  readonly model: string;
  readonly status: string;
  readonly error: Fields | null;
  readonly incomplete_details: Fields | null;
  readonly output: readonly ResponseItem[];
  readonly usage: Fields | null;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}

function lastUserText({ input }: Fields): string {
  const items: unknown[] = Array.isArray(input) ? input : [];
  const content = items.filter(isFields).findLast(({ role }) => role === 'user')?.content;
  return typeof content === 'string' ? content : JSON.stringify(content ?? '');
}

const wordsOf = (text: string): number => text.split(/\s+/).filter((word) => word !== '').length;

/** A message item with this text. */
export function messageItem(text: string): ResponseItem {
  const content = [{ type: 'output_text', text, annotations: [], logprobs: [] }];
  return { id: 'msg_upstream', type: 'message', role: 'assistant', status: 'completed', content };
}

/** A text answer to a Responses request: `upstream: ` and the last user text, modified by `changes`. A token is a word. */
export function responseOf(body: unknown, changes: Partial<UpstreamResponse> = {}): UpstreamResponse {
  const request = isFields(body) ? body : {};
  const question = lastUserText(request);
  const text = `upstream: ${question}`;
  const [input_tokens, output_tokens] = [wordsOf(question), wordsOf(text)];
  return {
    id: 'resp_upstream',
    object: 'response',
    created_at: 1_700_000_000,
    model: typeof request.model === 'string' ? request.model : 'upstream-model',
    status: 'completed',
    error: null,
    incomplete_details: null,
    output: [messageItem(text)],
    usage: {
      input_tokens,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: input_tokens + output_tokens,
    },
    ...changes,
  };
}
