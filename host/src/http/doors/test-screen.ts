import type { ChatRequest } from '@svc/contracts';
import { noopObserver, type PipelineNode, screenRequest } from '@svc/kernel';
import { CHAT } from '@svc/protocols';
import { NO_WORKERS } from '../../../../kernel/engine/src/workers/guard-workers.ts';

/** Every text of a request that a guard is shown, whatever kind it is. */
export async function textsShown(request: ChatRequest): Promise<readonly string[]> {
  const shown: string[] = [];
  const node: PipelineNode = {
    name: 'reads',
    package: 'test',
    version: '0',
    namespaces: [],
    mode: 'enforce',
    required: false,
    scope: 'all',
    on_error: 'block',
    timeout_ms: 1_000,
    guard: {
      stages: ['ingress'],
      verdicts: ['allow'],
      reads_numbers: true,
      check: (segments) => {
        shown.push(...segments.map(({ text }) => text));
        return { verdict: 'allow', code: 'none', edits: [], findings: [] };
      },
    },
  };
  const clock = { now: () => 0, monotonic: () => 0 };
  const signal = new AbortController().signal;
  const workers = NO_WORKERS;
  const observer = noopObserver;
  const screening = { name: 'r', nodes: [node], principal_id: 'p', signal, clock, workers, observer };
  const stop = await screenRequest(CHAT, request, screening);
  if (stop !== null) throw new Error(`stopped: ${stop.kind}`);
  return shown;
}

/** A text that stands nowhere else, made of an id: its place is known by it. */
export function markedBy(id: string): string {
  return `x ${id} !`;
}

/** The paths of a body's marked texts and keys, by names without indexes. */
export function placesOf(value: unknown, path = ''): [text: string, path: string][] {
  if (typeof value === 'string') return isMarked(value) ? [[value, path]] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => {
    const place = Array.isArray(value) || isMarked(key) ? path : path === '' ? key : `${path}.${key}`;
    const own: [string, string][] = isMarked(key) ? [[key, path]] : [];
    return [...own, ...placesOf(member, place)];
  });
}

function isMarked(text: string): boolean {
  return /^x [0-9a-f-]{36} !$/.test(text);
}
