/** Maps a `stop_reason` to OpenAI's `finish_reason`. `pause_turn` belongs to server tools, which are never requested. */
export function finishReason(stop_reason: unknown): string {
  switch (stop_reason) {
    case 'max_tokens':
    case 'model_context_window_exceeded':
      return 'length';
    case 'tool_use':
      return 'tool_calls';
    case 'refusal':
      return 'content_filter';
    default:
      return 'stop';
  }
}
