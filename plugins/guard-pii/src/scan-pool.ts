import type { Found } from '@svc/sdk/masking';
import type { PluginDeps } from '@svc/sdk/plugin';
import { isDigit } from './characters.ts';
import { NAME_ENTITIES } from './entities.ts';
import type { Scanner } from './scanner.ts';
import type { ScanSettings } from './settings.ts';
import type { ScanTask } from './workers/scan.ts';

/** Code units in all that are scanned at once, about 2 ms; more goes to a thread. See README.md, Speed. */
const MOST_INLINE = { patterns: 32_768, names: 16_384 } as const;
/** A digit counts as so many more: recognisers stop there, and a text made of nearly nothing else takes ten times as long. */
const DIGIT = 8;
/** From when a thread has taken the task. The node's own `timeout_ms` counts the waiting as well. */
const TIMEOUT_MS = 5000;

/** What stands in each of the texts. Small ones are scanned here, others in a worker thread. */
export function scanTexts(
  texts: readonly string[],
  scanner: Scanner,
  settings: ScanSettings,
  { workers, signal }: Pick<PluginDeps, 'workers'> & { signal: AbortSignal },
): readonly (readonly Found[])[] | Promise<readonly (readonly Found[])[]> {
  const line = settings.entities.some((entity) => NAME_ENTITIES.includes(entity)) ? MOST_INLINE.names : MOST_INLINE.patterns;
  if (!isMoreThan(line, texts)) return texts.map((text) => scanner.find(text));
  const task: ScanTask = { settings, texts };
  return workers
    .pool('pii')
    .run(import.meta.resolve('#scan'), task, { timeout_ms: TIMEOUT_MS, signal })
    .then((found) => {
      if (!isFoundInEach(found, texts.length)) throw new Error('the worker gave something else than findings');
      return found;
    });
}

/** Counts no further than it must. */
function isMoreThan(most: number, texts: readonly string[]): boolean {
  let weight = texts.reduce((sum, text) => sum + text.length, 0);
  for (const text of texts) {
    for (let at = 0; at < text.length && weight <= most; at++) if (isDigit(text.charCodeAt(at))) weight += DIGIT;
  }
  return weight > most;
}

function isFoundInEach(value: unknown, count: number): value is readonly (readonly Found[])[] {
  return Array.isArray(value) && value.length === count && value.every((found) => Array.isArray(found));
}
