import { isObject } from '@svc/contracts';
import { isCount } from '../common/count.ts';
import { objectsIn } from '../common/json-shapes.ts';

/** The fields in which servers report each count. The first valid one counts. */
const NAMES = {
  input: [
    'prompt_tokens',
    'input_tokens',
    'inputTokens',
    'promptTokenCount',
    'inputTokenCount',
    'inputTextTokenCount',
    'prompt_eval_count',
    'prompt_n',
  ],
  output: [
    'completion_tokens',
    'output_tokens',
    'outputTokens',
    'candidatesTokenCount',
    'responseTokenCount',
    'outputTokenCount',
    'eval_count',
    'predicted_n',
  ],
  total: ['total_tokens', 'totalTokens', 'totalTokenCount'],
  /** Cache reads that are part of the input. */
  cached: [
    'prompt_tokens_details.cached_tokens',
    'input_tokens_details.cached_tokens',
    'prompt_cache_hit_tokens',
    'cached_tokens',
    'num_cached_tokens',
    'cachedContentTokenCount',
  ],
  /** Cache reads in addition to the input. If the usage has `prompt_tokens`, they are part of it. */
  cached_beside: ['cache_read_input_tokens', 'cacheReadInputTokens', 'cacheReadInputTokenCount', 'cache_n'],
  written: [
    'prompt_tokens_details.cache_creation_tokens',
    'prompt_tokens_details.cache_write_tokens',
    'input_tokens_details.cache_write_tokens',
  ],
  written_beside: ['cache_creation_input_tokens', 'cacheWriteInputTokens', 'cacheWriteInputTokenCount'],
  written_5m: [
    'cache_creation.ephemeral_5m_input_tokens',
    'prompt_tokens_details.cache_creation_token_details.ephemeral_5m_input_tokens',
  ],
  written_1h: [
    'cache_creation.ephemeral_1h_input_tokens',
    'prompt_tokens_details.cache_creation_token_details.ephemeral_1h_input_tokens',
  ],
  input_audio: ['prompt_tokens_details.audio_tokens', 'input_tokens_details.audio_tokens'],
  output_audio: ['completion_tokens_details.audio_tokens', 'output_tokens_details.audio_tokens'],
  reasoning: [
    'completion_tokens_details.reasoning_tokens',
    'output_tokens_details.reasoning_tokens',
    'output_tokens_details.thinking_tokens',
    'reasoning_tokens',
  ],
  /** Always counted in addition to the output. */
  thoughts: ['thoughtsTokenCount'],
  /** Always counted in addition to the input. */
  tool_prompt: ['toolUsePromptTokenCount'],
  /** Tokens that a search model read, in addition to the input. */
  citations: ['citation_tokens'],
  searches: ['server_tool_use.web_search_requests', 'num_search_queries'],
} as const satisfies Record<string, readonly string[]>;

type Figure = keyof typeof NAMES;

export type Figures = Partial<Record<Figure, number>>;

/** A field of a usage: a count, or an object with further fields. */
interface Place {
  readonly figure: Figure | null;
  /** Position of the name in the list. The count with the lowest rank is used. */
  readonly rank: number;
  readonly members: Map<string, Place>;
}

const USAGE = new Map<string, Place>();
for (const figure of Object.keys(NAMES) as Figure[]) {
  for (const [rank, name] of NAMES[figure].entries()) {
    const parents = name.split('.');
    const last = parents.pop() ?? '';
    let members = USAGE;
    for (const parent of parents) {
      const place = members.get(parent) ?? { figure: null, rank: 0, members: new Map<string, Place>() };
      members.set(parent, place);
      members = place.members;
    }
    members.set(last, { figure, rank, members: new Map() });
  }
}

/** Reads each field of a usage once. Skips unknown fields and values that are not counts. */
export function figuresOf(usage: Readonly<Record<string, unknown>>): Figures {
  const figures: Figures = {};
  addFigures(figures, {}, usage, USAGE);
  return figures;
}

/** @param ranks ranks of the names under which the present counts were found */
function addFigures(
  figures: Figures,
  ranks: Figures,
  object: Readonly<Record<string, unknown>>,
  places: Map<string, Place>,
): void {
  for (const key in object) {
    const place = places.get(key);
    if (place === undefined) continue;
    const value = object[key];
    const { figure, rank, members } = place;
    if (figure === null) {
      if (isObject(value)) addFigures(figures, ranks, value, members);
    } else if (isCount(value) && rank <= (ranks[figure] ?? rank)) {
      figures[figure] = value;
      ranks[figure] = rank;
    }
  }
}

/** Sums a count over those entries of a list that have a given value, such as Gemini's tokens by modality or Bedrock's by cache lifetime. */
export function sumWhere(list: unknown, key: string, value: string, count: string): number {
  if (!Array.isArray(list)) return 0;
  return objectsIn(list).reduce((sum, item) => {
    const tokens = item[key] === value ? item[count] : 0;
    return sum + (isCount(tokens) ? tokens : 0);
  }, 0);
}
