import { isObject, type TokenUsage } from '@svc/contracts';
import { isCount } from '../common/count.ts';
import { type Figures, figuresOf, sumWhere } from './figures.ts';

/** For an answer that must contain usage although it is unknown. */
export const NO_TOKENS: TokenUsage = { cached_input_tokens: 0, estimated: false, input_tokens: 0, output_tokens: 0 };

type Usage = Readonly<Record<string, unknown>>;

/**
 * The tokens in the usage of any API, each counted once; null if no counts can be read. Servers disagree on which counts include others. These rules
 * work for all servers:
 * - A part that is greater than its whole is added to the whole: cached tokens to the input, reasoning tokens to the output.
 * - If the total exceeds input plus output, the rest is output.
 * - Unknown fields, and values that are not counts, are skipped.
 */
export function readUsage(usage: unknown): TokenUsage | null {
  if (!isObject(usage)) return null;
  // Cohere nests its counts. Billed units come first.
  for (const counted of [usage, usage.billed_units, usage.tokens]) {
    if (!isObject(counted)) continue;
    const figures = figuresOf(counted);
    if (figures.input !== undefined) return tokensOf(counted, figures, figures.input);
  }
  return null;
}

function tokensOf(usage: Usage, figures: Figures, said: number): TokenUsage | null {
  const read = inputOf(usage, figures, said);
  const written = outputOf(usage, figures, read.tokens);
  if (written === null || !isCount(read.tokens) || !isCount(written.tokens)) return null;
  const cached = Math.min(read.cached, read.tokens);
  const created = Math.min(read.created, read.tokens - cached);
  const created_1h = Math.min(figures.written_1h ?? sumWhere(usage.cacheDetails, 'ttl', '1h', 'inputTokens'), created);
  const input_audio = figures.input_audio ?? sumWhere(usage.promptTokensDetails, 'modality', 'AUDIO', 'tokenCount');
  const output_audio = figures.output_audio ?? sumWhere(usage.candidatesTokensDetails, 'modality', 'AUDIO', 'tokenCount');
  const input_audio_tokens = Math.min(input_audio, read.tokens);
  const output_audio_tokens = Math.min(output_audio, written.tokens);
  const reasoning_tokens = Math.min(written.reasoning, written.tokens);
  // In canonical order; see evidenceOf. Rare counts are omitted if zero.
  return {
    ...(created_1h > 0 && { cache_write_1h_tokens: created_1h }),
    ...(created > created_1h && { cache_write_5m_tokens: created - created_1h }),
    cached_input_tokens: cached,
    estimated: false,
    ...(input_audio_tokens > 0 && { input_audio_tokens }),
    input_tokens: read.tokens,
    ...(output_audio_tokens > 0 && { output_audio_tokens }),
    output_tokens: written.tokens,
    ...(reasoning_tokens > 0 && { reasoning_tokens }),
    ...(figures.searches && { web_searches: figures.searches }),
  };
}

/** All input tokens, and how many of them were read from or written to a cache. */
function inputOf(usage: Usage, figures: Figures, said: number): { tokens: number; cached: number; created: number } {
  const { cached_beside = 0, written_beside = 0, written_5m = 0, written_1h = 0, tool_prompt = 0, citations = 0 } = figures;
  // Some servers report cache writes by lifetime, and others only their sum.
  const created_beside = Math.max(written_beside, written_5m + written_1h);
  const cached = Math.max(figures.cached ?? 0, cached_beside);
  const created = Math.max(figures.written ?? 0, created_beside);
  const isOpenAis = isCount(usage.prompt_tokens) || isObject(usage.input_tokens_details);
  const isBeside = cached + created > said || (!isOpenAis && cached_beside + created_beside > 0);
  return { tokens: said + (isBeside ? cached + created : 0) + tool_prompt + citations, cached, created };
}

/** All output tokens, and how many of them were reasoning. */
function outputOf(usage: Usage, figures: Figures, input: number): { tokens: number; reasoning: number } | null {
  const { output, total, thoughts = 0, citations } = figures;
  // Gemini omits counts of zero.
  if (output === undefined && total === undefined && !isCount(usage.promptTokenCount)) return null;
  const tokens = Math.max((output ?? 0) + thoughts, (total ?? 0) - input);
  const reasoning = thoughts + (figures.reasoning ?? 0);
  // Perplexity's research models count reasoning neither in the output nor in the total.
  const isBeside = reasoning > tokens || citations !== undefined;
  return { tokens: isBeside ? tokens + reasoning : tokens, reasoning };
}
