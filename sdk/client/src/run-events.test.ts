import { expect, it } from 'vitest';
import { SvcClient } from './client.ts';

const CHANGE = { change: 'waiting', run: { run_id: 'run-1', status: 'paused' } };
const FRAME = `data: ${JSON.stringify(CHANGE)}\n\n`;

/** A client whose server sends this, each text in one piece, and then leaves the connection open or ends it. */
function served(pieces: readonly string[], then: 'stay' | 'end') {
  let aborted = false;
  const fetch = async (_url: unknown, init?: RequestInit): Promise<Response> => {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        init?.signal?.addEventListener('abort', () => {
          aborted = true;
        });
        for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece));
        if (then === 'end') controller.close();
      },
    });
    return new Response(body);
  };
  const { runs } = new SvcClient({ base_url: 'http://gateway', fetch: fetch as typeof globalThis.fetch });
  return { runs, isAborted: () => aborted };
}

it('yields each change, however its bytes arrive, and no comment', async () => {
  const pieces = [': keep-alive\n\n', FRAME.slice(0, 20), `${FRAME.slice(20)}: keep-alive\n\n${FRAME}`];
  const { runs } = served(pieces, 'end');
  const seen: unknown[] = [];
  for await (const change of await runs.events()) seen.push(change);
  expect(seen).toEqual([CHANGE, CHANGE]);
});

it('closes the connection when the loop is left, or on close', async () => {
  const { runs, isAborted } = served([FRAME], 'stay');
  for await (const { change } of await runs.events()) if (change === 'waiting') break;
  expect(isAborted()).toBe(true);
  const other = served([], 'stay');
  (await other.runs.events()).close();
  expect(other.isAborted()).toBe(true);
});
