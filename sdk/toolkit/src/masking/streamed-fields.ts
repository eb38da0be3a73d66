/** Matches fields of an answer whose text is streamed piece by piece. Everything else in an answer is checked when it is complete. */
const STREAMED = new RegExp(
  [
    String.raw`^choices\.\d+\.message\.(?:content(?:\.\d+\.text)?|refusal|reasoning_content|reasoning|thinking_blocks\.\d+\.thinking)$`,
    String.raw`^content\.\d+\.(?:text|thinking)$`,
    String.raw`^output\.\d+\.(?:content\.\d+\.(?:text|refusal)|summary\.\d+\.text)$`,
  ].join('|'),
);

/** Whether a stream would send this text piece by piece. A whole answer must get the same result as its stream. */
export function isStreamed(path: string): boolean {
  return STREAMED.test(path);
}

/** Whether a stream checks this text after all streamed text, as in the chat format. Other protocols check each part in its place. */
export function isCheckedLast(path: string): boolean {
  return path.startsWith('choices.') && !isStreamed(path);
}
