/** Average bytes per token of English and code. */
const BYTES_PER_TOKEN = 4;

/** Tokens counted for an image or file in a text. */
const FILE_TOKENS = 1_500;

/** Estimates the tokens of all texts in a value when there is no time to count them. At least 1. */
export function estimateTokens(value: unknown): number {
  const left: unknown[] = [value];
  let bytes = 0;
  let files = 0;
  while (left.length > 0) {
    const next = left.pop();
    if (typeof next === 'string') {
      if (isFile(next)) files += 1;
      else bytes += Buffer.byteLength(next);
    } else if (Array.isArray(next)) for (const member of next) left.push(member);
    else if (typeof next === 'object' && next !== null)
      for (const [name, member] of Object.entries(next)) {
        bytes += name.length;
        left.push(member);
      }
  }
  return Math.max(1, Math.ceil(bytes / BYTES_PER_TOKEN) + files * FILE_TOKENS);
}

/** Whether a text is file data: long base64, or a data URL. */
function isFile(text: string): boolean {
  return text.length > 1_024 && (/^data:[\w/+.-]{1,100};base64,/.test(text) || /^[\w+/=-]{1024}/.test(text));
}
