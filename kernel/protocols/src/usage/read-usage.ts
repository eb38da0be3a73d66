import { isObject, type TokenUsage } from '@svc/contracts';
import { isCount } from '../common/count.ts';
import { figure, modality, writtenFor } from './figures.ts';

/** For an answer that must say something of its usage, and knows nothing. */
export const NO_TOKENS: TokenUsage = { cached_input_tokens: 0, estimated: false, input_tokens: 0, output_tokens: 0 };

type Usage = Readonly<Record<string, unknown>>;

/**
 * The tokens that a usage of any API reports, each counted once. Null: it has no figures that can be read.
 * Servers disagree on what contains what; this holds for all of them:
 * - A part that is greater than its whole stands beside it, and is added: cached tokens to the input, reasoning to the output.
 * - Where the total exceeds input plus output, the rest is output.
 * Members that are not known, or are no counts, are passed over.
 */
export function readUsage(usage: unknown): TokenUsage | null {
  if (!isObject(usage)) return null;
  // Cohere has its figures a level deeper, first those that it bills.
  const nested = figure(Object(usage.billed_units), 'input') === null ? usage.tokens : usage.billed_units;
  const counted = isObject(nested) && figure(usage, 'input') === null ? nested : usage;
  const read = inputOf(counted);
  if (read === null) return null;
  const written = outputOf(counted, read.tokens);
  if (written === null || !isCount(read.tokens) || !isCount(written.tokens)) return null;
  const cached = Math.min(read.cached, read.tokens);
  const created = Math.min(read.created, read.tokens - cached);
  const created_1h = Math.min(writtenForAnHour(counted), created);
  const input_audio = figure(counted, 'input_audio') ?? modality(counted.promptTokensDetails, 'AUDIO');
  const output_audio = figure(counted, 'output_audio') ?? modality(counted.candidatesTokensDetails, 'AUDIO');
  // In canonical order, see evidenceOf.
  return {
    ...some('cache_write_1h_tokens', created_1h),
    ...some('cache_write_5m_tokens', created - created_1h),
    cached_input_tokens: cached,
    estimated: false,
    ...some('input_audio_tokens', Math.min(input_audio, read.tokens)),
    input_tokens: read.tokens,
    ...some('output_audio_tokens', Math.min(output_audio, written.tokens)),
    output_tokens: written.tokens,
    ...some('reasoning_tokens', Math.min(written.reasoning, written.tokens)),
    ...some('web_searches', figure(counted, 'searches') ?? 0),
  };
}

/** A figure that most usages do not have: left out where it is nothing. */
function some<Name extends string>(name: Name, count: number): Partial<Record<Name, number>> {
  return count > 0 ? ({ [name]: count } as Partial<Record<Name, number>>) : {};
}

/** All of the input, and what of it was read from and written to a cache. */
function inputOf(usage: Usage): { tokens: number; cached: number; created: number } | null {
  const said = figure(usage, 'input');
  if (said === null) return null;
  const beside = { cached: figure(usage, 'cached_beside') ?? 0, created: createdBeside(usage) };
  const cached = Math.max(figure(usage, 'cached') ?? 0, beside.cached);
  const created = Math.max(figure(usage, 'written') ?? 0, beside.created);
  const isOpenAis = isCount(usage.prompt_tokens) || isObject(usage.input_tokens_details);
  const isBeside = cached + created > said || (!isOpenAis && beside.cached + beside.created > 0);
  const more = (figure(usage, 'tool_prompt') ?? 0) + (figure(usage, 'citations') ?? 0);
  return { tokens: said + (isBeside ? cached + created : 0) + more, cached, created };
}

/** Some say only how much stays how long, some only the sum. */
function createdBeside(usage: Usage): number {
  const apart = (figure(usage, 'written_5m') ?? 0) + (figure(usage, 'written_1h') ?? 0);
  return Math.max(figure(usage, 'written_beside') ?? 0, apart);
}

function writtenForAnHour(usage: Usage): number {
  return figure(usage, 'written_1h') ?? writtenFor(usage.cacheDetails, '1h');
}

/** All of the output, and what of it was reasoning. */
function outputOf(usage: Usage, input: number): { tokens: number; reasoning: number } | null {
  const total = figure(usage, 'total');
  const thoughts = figure(usage, 'thoughts') ?? 0;
  const said = figure(usage, 'output');
  // Gemini leaves out what is zero.
  if (said === null && total === null && !isCount(usage.promptTokenCount)) return null;
  const reported = (said ?? 0) + thoughts;
  const tokens = Math.max(reported, (total ?? 0) - input);
  const reasoning = thoughts + (figure(usage, 'reasoning') ?? 0);
  // Perplexity's research models reason beside their answer, and do not say so in their total.
  const isBeside = reasoning > tokens || figure(usage, 'citations') !== null;
  return { tokens: isBeside ? tokens + reasoning : tokens, reasoning };
}
