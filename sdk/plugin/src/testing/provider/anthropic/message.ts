type Fields = Readonly<Record<string, unknown>>;

/** A content block of an answer: `text`, `thinking`, `tool_use` and others. */
export type AnthropicBlock = Fields & { readonly type: string };

/** An answer of Anthropic's Messages API. */
export interface AnthropicMessage {
  readonly id: string;
  readonly type: 'message';
  readonly role: 'assistant';
  readonly model: string;
  readonly content: readonly AnthropicBlock[];
  readonly stop_reason: string | null;
  readonly stop_sequence: string | null;
  readonly usage: Fields;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}

function lastUserText(body: Fields): string {
  const messages: unknown[] = Array.isArray(body.messages) ? body.messages : [];
  const content = messages.filter(isFields).findLast(({ role }) => role === 'user')?.content;
  const blocks: unknown[] = Array.isArray(content) ? content : [];
  return blocks
    .map((block) => (isFields(block) && typeof block.text === 'string' ? block.text : JSON.stringify(block)))
    .join(' ');
}

const wordsOf = (text: string): number => text.split(/\s+/).filter((word) => word !== '').length;

/** A text answer to a Messages API request: `upstream: ` and the last user turn, modified by `changes`. A token is a word. */
export function messageOf(body: unknown, changes: Partial<AnthropicMessage> = {}): AnthropicMessage {
  const request = isFields(body) ? body : {};
  const question = lastUserText(request);
  const text = `upstream: ${question}`;
  return {
    id: 'msg_upstream',
    type: 'message',
    role: 'assistant',
    model: typeof request.model === 'string' ? request.model : 'upstream-model',
    content: [{ type: 'text', text, citations: null }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: {
      input_tokens: wordsOf(question),
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      output_tokens: wordsOf(text),
    },
    ...changes,
  };
}
