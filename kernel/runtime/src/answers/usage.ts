import { type AnswerBody, type Protocol, type RequestBody, type TokenUsage, withTimeout } from '@svc/contracts';
import { isCount, readUsage } from '@svc/protocols';

/** Counts the tokens of each text. If the counter rejects or takes too long, the tokens are estimated from the length. */
export type TokenCounter = (texts: readonly string[]) => Promise<readonly number[]>;

/** The usage of a call whose answer cannot be counted. */
export const NO_USAGE: TokenUsage = { input_tokens: 0, output_tokens: 0, cached_input_tokens: 0, estimated: true };

interface ModelRequest {
  readonly protocol: Protocol;
  readonly request: RequestBody;
}

/** Tokens of an answered call: the provider's own figures, or figures that were counted here and are marked `estimated`. */
export function usageOf(
  call: ModelRequest,
  answer: AnswerBody,
  reported: TokenUsage | null,
  count: TokenCounter | null,
): TokenUsage | Promise<TokenUsage> {
  return reported !== null && reported.output_tokens > 0 ? reported : countedUsage(call, answer, reported, count);
}

async function countedUsage(
  call: ModelRequest,
  answer: AnswerBody,
  reported: TokenUsage | null,
  count: TokenCounter | null,
): Promise<TokenUsage> {
  const written = call.protocol.writtenIn(answer);
  if (reported !== null && written === null) return reported;
  const text = JSON.stringify(written);
  const counted = await estimatedUsage(call.protocol.readIn(call.request), text, text.length, count);
  // A text cannot have zero tokens. The provider's other figures may be right.
  if (reported === null || reported.input_tokens === 0) return counted;
  return { ...reported, output_tokens: counted.output_tokens, estimated: true };
}

/** The usage of texts that were embedded. */
export async function embeddingUsage(
  input: readonly string[],
  usage: { readonly prompt_tokens: number } | null,
  count: TokenCounter | null,
): Promise<TokenUsage> {
  return (
    readUsage(usage) ??
    estimatedUsage(
      input.map((content) => ({ role: 'user', content })),
      '',
      0,
      count,
    )
  );
}

/**
 * Usage as counted here. `written` is the output or its beginning; `length` is the length of the whole output.
 * @param read see `Protocol.readIn`
 */
export async function estimatedUsage(
  read: unknown,
  written: string,
  length: number,
  count: TokenCounter | null,
): Promise<TokenUsage> {
  const readText = JSON.stringify(read);
  const [input = 0, output = 0] = await tokensOf(
    [readText, written].map((text) => text.slice(0, MAX_COUNTED)),
    count,
  );
  return {
    cached_input_tokens: 0,
    estimated: true,
    input_tokens: extended(input, readText.length),
    output_tokens: extended(output, length),
  };
}

/**
 * The tokens of a text that was not sent to a model.
 * @param beginning the first {@link MAX_COUNTED} characters, or the whole text
 * @param length length of the whole text
 */
export async function estimatedTokens(beginning: string, length: number, count: TokenCounter | null): Promise<number> {
  const [tokens = 0] = await tokensOf([beginning], count);
  return extended(tokens, length);
}

/** A counter that takes longer has died, or the machine is overloaded. */
const MAX_WAIT_MS = 5_000;
const CHARACTERS_OF_TOKEN = 4;

/** The tokens of these texts. If they cannot be counted, one for every four characters. */
async function tokensOf(texts: readonly string[], count: TokenCounter | null): Promise<readonly number[]> {
  const counting = async (): Promise<readonly number[] | null> => (count === null ? null : await count(texts));
  const counted = await withTimeout(counting(), MAX_WAIT_MS).catch(() => null);
  const tokens = counted?.done ? counted.value : null;
  return tokens?.length === texts.length && tokens.every(isCount)
    ? tokens
    : texts.map(({ length }) => Math.ceil(length / CHARACTERS_OF_TOKEN));
}

/** Only this many characters are counted. The result for a longer text is extrapolated. */
export const MAX_COUNTED = 32_000;

function extended(tokens: number, length: number): number {
  return length <= MAX_COUNTED ? tokens : Math.ceil((tokens * length) / MAX_COUNTED);
}
