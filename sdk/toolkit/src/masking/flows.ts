/** Fields of an answer whose text comes piece by piece in a stream, and their parts. What else an answer holds is judged after all of them. */
const FLOWING =
  /^choices\.\d+\.message\.(?:content(?:\.\d+\.text)?|refusal|reasoning_content|reasoning|thinking_blocks\.\d+\.thinking)$/;

/** Whether the text in this place would flow if its answer was streamed: what is said of a whole answer is to be what is said of its stream. */
export function flows(path: string): boolean {
  return FLOWING.test(path);
}
