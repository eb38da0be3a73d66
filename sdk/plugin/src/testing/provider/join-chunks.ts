import type { ChatChoice, ChatChunkChoice, ChatCompletion, ChatCompletionChunk, ToolCall } from '@svc/contracts';

function joinToolCalls(choice: ChatChoice, delta: ChatChunkChoice['delta']): void {
  for (const piece of delta.tool_calls ?? []) {
    choice.message.tool_calls ??= [];
    const calls: ToolCall[] = choice.message.tool_calls;
    calls[piece.index] ??= { id: '', type: 'function' };
    const call = calls[piece.index];
    if (call === undefined) continue;
    call.id = piece.id ?? call.id;
    call.type = piece.type ?? call.type;
    if (piece.function !== undefined) {
      call.function ??= { name: '', arguments: '' };
      call.function.name += piece.function.name ?? '';
      call.function.arguments += piece.function.arguments ?? '';
    }
  }
}

/**
 * Joins the chunks of a streamed answer to a whole answer. Content and arguments are concatenated, and the last usage is used. Fields of a delta
 * other than `role`, `content` and `tool_calls` are ignored.
 */
export function joinChunks(chunks: readonly ChatCompletionChunk[]): ChatCompletion {
  const choices = new Map<number, ChatChoice>();
  const first = chunks[0];
  const joined: ChatCompletion = {
    id: first?.id ?? '',
    object: 'chat.completion',
    created: first?.created ?? 0,
    model: first?.model ?? '',
    choices: [],
  };
  for (const chunk of chunks) {
    if (chunk.usage) joined.usage = chunk.usage;
    for (const { index, delta, finish_reason } of chunk.choices) {
      const choice = choices.get(index) ?? { index, message: { role: 'assistant', content: null }, finish_reason: null };
      choices.set(index, choice);
      choice.message.role = delta.role ?? choice.message.role;
      if (typeof delta.content === 'string') choice.message.content = `${choice.message.content ?? ''}${delta.content}`;
      joinToolCalls(choice, delta);
      choice.finish_reason = finish_reason ?? choice.finish_reason;
    }
  }
  joined.choices = [...choices.values()].sort((a, b) => a.index - b.index);
  return joined;
}
