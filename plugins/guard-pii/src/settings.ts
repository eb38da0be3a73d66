import { assertRestorable, type Restore } from '@svc/toolkit/masking';
import type { Language } from './languages/languages.ts';
import type { OperatorRecogniser, Options } from './options.ts';

/** What to look for. Plain data, so that it can be sent to a worker. */
export interface ScanSettings {
  readonly entities: readonly string[];
  readonly threshold: number;
  readonly recognizers: readonly OperatorRecogniser[];
  /** Languages in whose texts names are looked for. */
  readonly languages: readonly Language[];
  /** Whether to look for names in instructions and tool definitions too. */
  readonly names_in_instructions: boolean;
}

export function scanSettings({
  entities,
  extra_entities,
  exclude,
  threshold,
  languages,
  recognizers,
  preset,
}: Options): ScanSettings {
  const listed = [...new Set([...entities, ...extra_entities])].filter((entity) => !exclude.includes(entity));
  return { entities: listed, threshold, languages, recognizers, names_in_instructions: preset !== 'agents' };
}

/** Which values are restored in the answer. */
export function restoreOf({ restore, preset }: Options): Restore {
  return preset === 'agents' ? 'all' : restore;
}

/**
 * How a streamed answer is checked.
 * @throws {Error} with the key and the remedy, if options contradict each other
 */
export function streamMode(options: Options): 'window' | 'post' | 'buffer' {
  const { stream, verdict } = options;
  const restore = restoreOf(options);
  if (verdict === 'require_approval' && (stream === 'window' || stream === 'post')) {
    throw new Error(
      `stream: ${stream} cannot be combined with verdict: require_approval, because text that was already sent cannot be held for approval; use stream: buffer`,
    );
  }
  if (restore !== false && stream === 'post')
    throw new Error(
      'stream: post cannot be combined with restore, because text that was already sent cannot be changed; use stream: window',
    );
  assertRestorable(restore, verdict);
  return stream ?? (verdict === 'require_approval' ? 'buffer' : 'window');
}
