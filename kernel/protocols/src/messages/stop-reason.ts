/** `finish_reason` of the chat format for a `stop_reason`. After `pause_turn`, the turn of a server tool is not at its end. */
export function finishReason(stop_reason: unknown): string {
  switch (stop_reason) {
    case 'max_tokens':
    case 'model_context_window_exceeded':
    case 'pause_turn':
      return 'length';
    case 'tool_use':
      return 'tool_calls';
    case 'refusal':
      return 'content_filter';
    default:
      return 'stop';
  }
}
