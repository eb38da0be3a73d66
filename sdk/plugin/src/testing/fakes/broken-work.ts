import type { HeavyWork } from '@svc/contracts';
import { runInTestThread } from './thread.ts';

type Change = (reply: unknown) => unknown;

const changed = (change: Change): HeavyWork => ({
  runInWorker: async (moduleUrl, input) => change(await runInTestThread(moduleUrl, input)),
});

/** The reply, with every array and typed array in it empty, as if nothing had been found or checked. */
function emptied(value: unknown): unknown {
  if (Array.isArray(value)) return [];
  if (value instanceof Float64Array) return new Float64Array();
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, emptied(field)]));
}

/** Heavy work that fails or returns invalid data, by name. A guard that needs such work must fail, and must never report that nothing was found. */
export const brokenWork: Readonly<Record<string, HeavyWork>> = {
  rejects: { runInWorker: () => Promise.reject(new Error('no thread')) },
  throws: {
    runInWorker: () => {
      throw new Error('no thread');
    },
  },
  'answers nothing': changed(() => undefined),
  'answers null': changed(() => null),
  'answers a list': changed(() => []),
  'answers an empty object': changed(() => ({})),
  'answers without its fields': changed((reply) =>
    typeof reply === 'object' ? Object.fromEntries(Object.entries(reply ?? {}).slice(1)) : reply,
  ),
  'answers for fewer segments': changed((reply) => ({ ...(reply as object), segments: 0, characters: 0 })),
  'answers for fewer characters': changed((reply) => ({ ...(reply as object), characters: 0 })),
  'answers for nothing at all': changed((reply) => ({ ...(emptied(reply) as object), segments: 0, characters: 0 })),
  'answers with rubbish for places': changed((reply) => ({
    ...(reply as object),
    places: { names: ['<b>'], rows: new Float64Array(6) },
  })),
  'answers with half a place': changed((reply) => ({ ...(reply as object), places: { names: [], rows: new Float64Array(3) } })),
  'answers with places as text': changed((reply) => ({ ...(reply as object), places: 'none' })),
  'answers with rubbish for its summary': changed((reply) => ({ ...(reply as object), summary: { found: 'nothing' } })),
};
