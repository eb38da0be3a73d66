/** A `stop_reason` in OpenAI's words. `pause_turn` belongs to tools that Anthropic runs itself, which are never asked for. */
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
