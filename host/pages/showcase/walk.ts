import type { Route, RunEvent } from '../shared/api-types.ts';
import { byId } from '../shared/dom.ts';
import { stopsOf } from '../shared/pipeline.ts';
import { stopView } from './pipeline-view.ts';

/** Long enough to follow by eye. The gateway's own durations are shown beside each step. */
const STEP_MS = 260;

/** Animates the message along the pipeline, step by step. Steps that are already drawn are skipped. */
export async function walk(route: Route, events: readonly RunEvent[], signal: AbortSignal): Promise<void> {
  const list = byId('pipeline', HTMLElement).querySelector('ol');
  const calm = matchMedia('(prefers-reduced-motion: reduce)').matches;
  for (const [index, stop] of stopsOf(route, events).entries()) {
    const drawn = list?.children[index];
    const view = stopView(stop);
    if (drawn === undefined || stop.label === null || view.isEqualNode(withoutMark(drawn))) continue;
    view.classList.add('arrives');
    drawn.replaceWith(view);
    if (!calm) await new Promise((resolve) => setTimeout(resolve, STEP_MS));
    signal.throwIfAborted();
  }
}

function withoutMark(drawn: Element): Element {
  drawn.classList.remove('arrives');
  return drawn;
}
