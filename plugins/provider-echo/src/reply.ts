import { type ChatRequest, type ChatUsage, ProviderError } from '@svc/sdk';
import { maxTokensIn } from '@svc/sdk/protocol';
import { questionOf, textOf } from './question.ts';
import { words } from './words.ts';

/** Limits the size of the answer to a long question. */
const MAX_CHOICES = 16;

const HONOURED: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'stream',
  'stream_options',
  'n',
  'max_tokens',
  'max_completion_tokens',
]);

/** The content of an answer, whether whole or streamed. Every choice has the same content. */
export interface Reply {
  /** The words. Joined, they are the content of each choice. */
  readonly words: readonly string[];
  readonly choices: number;
  readonly finish_reason: 'stop' | 'length';
  readonly usage: ChatUsage;
  readonly unsupported: readonly string[];
}

/** Reads a positive integer. Returns the default if the parameter is absent or null. */
function count(value: unknown, fallback: number, maximum: number): number {
  if (value === undefined || value === null) return fallback;
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= maximum) return value;
  throw new ProviderError('unsupported', { status: 400 });
}

/**
 * The reply to a request, which is always the same. A token is a word: a run of characters without white space.
 * @throws {ProviderError} `unsupported` if `n` is not from 1 to 16, or a token limit is not a positive integer
 */
export function replyTo(request: ChatRequest): Reply {
  const choices = count(request.n, 1, MAX_CHOICES);
  const limit = count(maxTokensIn(request).limit, Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
  const question = questionOf(request.messages).toWellFormed();
  const all = words(`echo: ${question === '' ? '(nothing to repeat)' : question}`);
  const said = all.slice(0, limit);
  const prompt_tokens = request.messages.reduce((sum, message) => sum + words(textOf(message)).length, 0);
  const completion_tokens = said.length * choices;
  return {
    words: said,
    choices,
    finish_reason: said.length < all.length ? 'length' : 'stop',
    usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens },
    unsupported: Object.keys(request).filter(
      (name) => !HONOURED.has(name) && name !== 'anthropic_version' && (request[name] ?? null) !== null,
    ),
  };
}
