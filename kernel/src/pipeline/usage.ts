import type { ChatCompletion, ChatRequest, ChatUsage, TokenUsage } from '../contracts/index.ts';

/** Tokens of an answered call: the provider's own figures, or counted here and marked `estimated`. */
export async function usageOf(request: ChatRequest, { usage, choices }: ChatCompletion): Promise<TokenUsage> {
  const reported = reportedUsage(usage);
  const written = choices.map(({ message: { role: _, audio: __, ...fields } }) => fields);
  if (reported !== null && (reported.output_tokens > 0 || !written.some(isWritten))) return reported;
  const text = JSON.stringify(written);
  const counted = await estimatedUsage(request, text, text.length);
  // No tokens for a text cannot be; what else was reported may be.
  if (reported === null || reported.input_tokens === 0) return counted;
  return { ...counted, input_tokens: reported.input_tokens, cached_input_tokens: reported.cached_input_tokens };
}

/** Whether a model wrote anything into one of these fields. */
function isWritten(fields: object): boolean {
  return Object.values(fields).some((value: unknown) =>
    typeof value === 'string' || Array.isArray(value) ? value.length > 0 : value != null,
  );
}

/** The provider's own figures; null where it gave none that can be read. */
export function reportedUsage(usage: ChatUsage | null | undefined): TokenUsage | null {
  if (usage == null || !isCount(usage.prompt_tokens) || !isCount(usage.completion_tokens)) return null;
  const cached = usage.prompt_tokens_details?.cached_tokens;
  return {
    cached_input_tokens: isCount(cached) ? cached : 0,
    estimated: false,
    input_tokens: usage.prompt_tokens,
    output_tokens: usage.completion_tokens,
  };
}

/** Counted here. `written` may be the beginning only of what was written, `length` is the length of all of it. */
export async function estimatedUsage(request: ChatRequest, written: string, length: number): Promise<TokenUsage> {
  const asked = JSON.stringify(request.messages);
  return {
    cached_input_tokens: 0,
    estimated: true,
    input_tokens: await countTokens(asked, asked.length),
    output_tokens: await countTokens(written, length),
  };
}

/** The same in OpenAI's words, for an answer that came without. */
export function chatUsage({ input_tokens, output_tokens }: TokenUsage): ChatUsage {
  return { prompt_tokens: input_tokens, completion_tokens: output_tokens, total_tokens: input_tokens + output_tokens };
}

/** Counting takes the square of a piece's length in the worst case; in pieces of this size it stays linear. */
const PIECE = 1_000;
/** Beyond this many characters the count is extended from what was counted: it is an estimate all the same. */
export const MOST_COUNTED = 32_000;

/** o200k_base, the encoding of OpenAI's models since GPT-4o. Loaded on first use: its tables are large and most providers count. */
async function countTokens(text: string, length: number): Promise<number> {
  const { countTokens: count } = await import('gpt-tokenizer/encoding/o200k_base');
  const counted = Math.min(text.length, MOST_COUNTED);
  let tokens = 0;
  for (let from = 0; from < counted; from += PIECE) {
    // Special tokens in a text are text.
    tokens += count(text.slice(from, Math.min(from + PIECE, counted)), { disallowedSpecial: new Set() });
  }
  return counted === length ? tokens : Math.ceil((tokens * length) / counted);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
