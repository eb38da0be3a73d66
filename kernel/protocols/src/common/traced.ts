import { isObject, type RequestParameters, type UpstreamHead } from '@svc/contracts';

const NUMBERS = ['temperature', 'top_p', 'top_k', 'frequency_penalty', 'presence_penalty', 'seed'] as const;
/** The words of OpenAI, Anthropic and Gemini. Any other word could be a text. */
const LEVELS: ReadonlySet<unknown> = new Set(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']);

/**
 * The parameters that traces report.
 * @param said the values by OpenAI's names
 * @param effort the requested level of reasoning, in any case
 */
export function parametersOf(said: Readonly<Record<string, unknown>>, effort: unknown): RequestParameters {
  const numbers = NUMBERS.filter((name) => typeof said[name] === 'number').map((name) => [name, said[name]]);
  const level = typeof effort === 'string' ? effort.toLowerCase() : null;
  return { ...Object.fromEntries(numbers), ...(LEVELS.has(level) && { reasoning_level: level }) };
}

/** A member of a value that should be an object. */
export function memberOf(value: unknown, name: string): unknown {
  return isObject(value) ? value[name] : undefined;
}

/** Null unless the body has an id or a model. */
export function headOf({ id, model }: Readonly<Record<string, unknown>>): UpstreamHead | null {
  return id == null && model == null ? null : { id, model };
}
