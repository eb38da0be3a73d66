/** Fields of an answer whose text comes piece by piece in a stream, and their parts. What else an answer holds is judged when it is complete. */
const FLOWING = new RegExp(
  [
    String.raw`^choices\.\d+\.message\.(?:content(?:\.\d+\.text)?|refusal|reasoning_content|reasoning|thinking_blocks\.\d+\.thinking)$`,
    String.raw`^content\.\d+\.(?:text|thinking)$`,
    String.raw`^output\.\d+\.(?:content\.\d+\.(?:text|refusal)|summary\.\d+\.text)$`,
  ].join('|'),
);

/** Whether the text in this place would flow if its answer was streamed: what is said of a whole answer is to be what is said of its stream. */
export function flows(path: string): boolean {
  return FLOWING.test(path);
}

/** Whether a stream has it judged after all that flows, as the chat format does. Other protocols have each part judged in its place. */
export function isJudgedLast(path: string): boolean {
  return path.startsWith('choices.') && !flows(path);
}
