import type { ContextLength } from '@svc/contracts';
import type { ErrorWords } from './error-words.ts';
import { atBeginning, ownWords } from './own-words.ts';

/** Placeholders for token counts: of the input, of the requested output, of both together, and of the limit. */
const NUMBERS = { T: 'tokens', O: 'output', S: 'sum', L: 'limit' } as const;

/** Gaps and numbers have a limited length, so that matching any sentence takes linear time. */
const form = (words: string): RegExp =>
  atBeginning(
    new RegExp(
      words
        .replace(/<([TOSL])>/g, (_, name: keyof typeof NUMBERS) => `(?<${NUMBERS[name]}>\\d[\\d,]{0,14})`)
        .replaceAll('…', '[^]{0,90}?'),
    ),
  );

/** The messages that upstreams send for this error. Those with more numbers come first. */
const FORMS: readonly RegExp[] = [
  // Anthropic, also on Bedrock and Vertex.
  'prompt is too long: <T> tokens > <L>',
  'input length and .?max_tokens.? exceed context limit: <T> \\+ <O> > <L>',
  // OpenAI, Azure, DeepSeek, OpenRouter, vLLM, SGLang.
  'context length is <L> tokens….?you requested (?:about )?<S> tokens(?: \\([^)]{0,90}?<O> (?:for|in) the (?:completion|output))?',
  'context length of <L> tokens….?you requested a total of <S> tokens: <T> tokens…and <O> tokens',
  '.?max_tokens.?(?: or .?max_completion_tokens.?)? is too large: <O>….?context length is <L> tokens and your request has <T> input tokens',
  'context length is <L> tokens….?(?:messages|prompt|request|input)(?: has| have)? (?:resulted in|contains?|has) (?:at least )?<T> (?:input )?tokens',
  'passed <T> input tokens and requested <O> output tokens….?context length is (?:only )?<L>',
  'prompt \\(length <T>\\) is longer than the maximum model length of <L>',
  'prompt \\(<T> tokens\\) is too long and exceeds limit of <L>',
  "input \\(<T> tokens\\) is longer than the model's context length \\(<L>",
  'input tokens exceed the configured limit of <L> tokens….?resulted in <T> tokens',
  // llama.cpp.
  'request \\(<T> tokens\\) exceeds the available context size \\(<L>',
  // Google.
  'input token count \\(<T>\\) exceeds the maximum number of tokens allowed \\(<L>',
  'input token count exceeds the maximum number of tokens allowed \\(?<L>',
  // Mistral.
  'prompt contains <T> tokens….?too large for model with <L>',
  // Bedrock's own models.
  'max input tokens: <L>, request input token count: <T>',
  // Cohere.
  'number of tokens in the prompt cannot exceed <L>….?received <T>',
  // Text Generation Inference, Together.
  '.?inputs.? tokens \\+ .?max_new_tokens.? must be <= <L>\\. given: <T> .?inputs.? tokens and <O>',
  '.?inputs.? must have less than <L> tokens\\. given: <T>',
  // xAI.
  'maximum prompt length is <L> but the request contains <T>',
  // Fireworks.
  'prompt is too long: <T>, model maximum context length: <L>',
  // Cerebras.
  'current length is <T> while limit is <L>',
  // GitHub.
  'prompt token count of <T> exceeds the limit of <L>',
  // Moonshot.
  'exceeded model token limit: <L>(?:….?requested: ?<T>)?',
  // LM Studio.
  'first <T> tokens when context the overflows….?context length of only <L>',
  'input too long:….?<T> input tokens, limit is <L>',
  // Messages that lack some of the numbers.
  'maximum context length (?:is|of|for this model is) <L>',
  'exceeds? (?:the |this |its |your )?(?:model.s )?(?:available |maximum |max )?(?:context.?(?:length|window|size|limit)|model.?length)',
  'maximum context length exceeded|context (?:length|window|limit|size) (?:was |is |has been )?exceed',
  'input is too long for (?:the )?requested model',
  'prompt is too long|prompt exceeds max(?:imum)? length',
  'input token count exceeds the maximum|too many input tokens',
].map(form);

/** Error codes and types that upstreams send beside the message. */
const NAMES: ReadonlySet<unknown> = new Set([
  'context_length_exceeded',
  'exceed_context_size_error',
  'context_window_exceeded',
  'context_window_exceeded_error',
  'ContextWindowExceededError',
  'model_max_prompt_tokens_exceeded',
  'tokens_limit_reached',
  'input_too_long',
]);

/** llama.cpp's message. It comes with status 500 and without an error code. */
const AS_GOOD_AS_A_NAME = /^the request exceeds the available context size/i;

/** @property isNamed whether a code or field identifies the error; if false, only its message does */
export interface TooLong {
  readonly length: ContextLength;
  readonly isNamed: boolean;
}

/** By how many tokens a request was too long, from an upstream's error. Null if the error means something else. */
export function contextLengthIn({ objects, classes, texts }: ErrorWords): TooLong | null {
  const counted = objects.find(({ n_prompt_tokens, n_ctx }) => numberOf(n_prompt_tokens) !== null && numberOf(n_ctx) !== null);
  // Fields of llama.cpp's error.
  if (counted !== undefined)
    return { length: { tokens: numberOf(counted.n_prompt_tokens), output: null, limit: numberOf(counted.n_ctx) }, isNamed: true };
  const words = texts.map(ownWords);
  const names = [...classes, ...objects.flatMap(({ code, type, error_type }) => [code, type, error_type])];
  const isNamed = names.some((name) => NAMES.has(name)) || words.some((each) => AS_GOOD_AS_A_NAME.test(each));
  for (const each of FORMS) {
    for (const text of words) {
      const found = each.exec(text);
      if (found !== null) return { length: lengthOf(found.groups ?? {}), isNamed };
    }
  }
  return isNamed ? { length: { tokens: null, output: null, limit: null }, isNamed } : null;
}

function lengthOf(groups: Readonly<Record<string, string | undefined>>): ContextLength {
  const [tokens = null, output = null, sum = null, limit = null] = Object.values(NUMBERS).map((name) => numberOf(groups[name]));
  const input = tokens ?? (sum === null ? null : sum - (output ?? 0));
  return { tokens: input !== null && input >= 0 ? input : null, output, limit };
}

/** Parses a token count. No model has a limit above a trillion tokens. */
function numberOf(value: unknown): number | null {
  const number = typeof value === 'string' ? Number(value.replaceAll(',', '')) : value;
  return typeof number === 'number' && Number.isInteger(number) && number >= 0 && number <= 1e12 ? number : null;
}
