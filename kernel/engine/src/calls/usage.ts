import { type ChatCompletion, type ChatRequest, type ChatUsage, type TokenUsage, withTimeout } from '@svc/contracts';

/** Tokens of each text. Where it rejects, or takes longer than anybody waits, they are estimated from the length. */
export type TokenCounter = (texts: readonly string[]) => Promise<readonly number[]>;

/** Of a call whose answer cannot be counted. */
export const NO_USAGE: TokenUsage = { input_tokens: 0, output_tokens: 0, cached_input_tokens: 0, estimated: true };

/** Tokens of an answered call: the provider's own figures, or counted here and marked `estimated`. */
export function usageOf(
  request: ChatRequest,
  answer: ChatCompletion,
  count: TokenCounter | null,
): TokenUsage | Promise<TokenUsage> {
  const reported = reportedUsage(answer.usage);
  return reported !== null && reported.output_tokens > 0 ? reported : countedUsage(request, answer, reported, count);
}

async function countedUsage(
  request: ChatRequest,
  { choices }: ChatCompletion,
  reported: TokenUsage | null,
  count: TokenCounter | null,
): Promise<TokenUsage> {
  const written = choices.map(({ message: { role: _, audio: __, ...fields } }) => withoutThinking(fields));
  if (reported !== null && !written.some(isWritten)) return reported;
  const text = JSON.stringify(written);
  const counted = await estimatedUsage(request, text, text.length, count);
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

/** Of texts that were embedded. */
export async function embeddingUsage(
  input: readonly string[],
  usage: { readonly prompt_tokens: number } | null,
  count: TokenCounter | null,
): Promise<TokenUsage> {
  const reported = usage === null ? null : reportedUsage({ ...usage, completion_tokens: 0, total_tokens: usage.prompt_tokens });
  return reported ?? estimatedUsage({ messages: input.map((content) => ({ role: 'user', content })) }, '', 0, count);
}

/** Counted here. `written` may be the beginning only of what was written, `length` is the length of all of it. */
export async function estimatedUsage(
  request: Pick<ChatRequest, 'messages'>,
  written: string,
  length: number,
  count: TokenCounter | null,
): Promise<TokenUsage> {
  const asked = JSON.stringify(request.messages.map(withoutThinking));
  const [input = 0, output = 0] = await tokensOf(
    [asked, written].map((text) => text.slice(0, MAX_COUNTED)),
    count,
  );
  return {
    cached_input_tokens: 0,
    estimated: true,
    input_tokens: extended(input, asked.length),
    output_tokens: extended(output, length),
  };
}

/** Without what only a vendor reads: its text is in other fields, or counts for nothing once it was answered. */
function withoutThinking(message: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { thinking_blocks: _, reasoning_details: __, ...counted } = message;
  return counted;
}

/** Of one text that no model was asked with. @param beginning {@link MAX_COUNTED} characters of it, or all @param length of all of it */
export async function estimatedTokens(beginning: string, length: number, count: TokenCounter | null): Promise<number> {
  const [tokens = 0] = await tokensOf([beginning], count);
  return extended(tokens, length);
}

/** The same in OpenAI's words, for an answer that came without. */
export function chatUsage({ input_tokens, output_tokens }: TokenUsage): ChatUsage {
  return { prompt_tokens: input_tokens, completion_tokens: output_tokens, total_tokens: input_tokens + output_tokens };
}

/** A counter that does not answer within this has died, or the machine has no time for it. */
const MAX_WAIT_MS = 5_000;
const CHARACTERS_OF_TOKEN = 4;

/** Where they cannot be counted, one for every four characters. */
async function tokensOf(texts: readonly string[], count: TokenCounter | null): Promise<readonly number[]> {
  const counting = async (): Promise<readonly number[] | null> => (count === null ? null : await count(texts));
  const counted = await withTimeout(counting(), MAX_WAIT_MS).catch(() => null);
  const tokens = counted?.done ? counted.value : null;
  return tokens?.length === texts.length && tokens.every(isCount)
    ? tokens
    : texts.map(({ length }) => Math.ceil(length / CHARACTERS_OF_TOKEN));
}

/** Beyond this many characters the count is extended from what was counted: it is an estimate all the same. */
export const MAX_COUNTED = 32_000;

function extended(tokens: number, length: number): number {
  return length <= MAX_COUNTED ? tokens : Math.ceil((tokens * length) / MAX_COUNTED);
}

/** Longer figures could name somebody, and stand in evidence and metrics: no answer has so many tokens. */
const MAX_TOKENS = 99_999_999;

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= MAX_TOKENS;
}
