import type { JsonObject } from '@svc/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Behaviour,
  broken,
  dripped,
  failure,
  frames as framesOf,
  raw,
  SSE_HEADERS,
  sseFrame,
  stalled,
  UPSTREAM_MARKER,
} from '../fixtures/upstream.ts';
import { readStream, textOf } from '../harness/stream-reader.ts';
import { chunk, ofType, routeTo, StreamScene, WORD } from '../harness/stream-scene.ts';

let scene: StreamScene;
beforeAll(async () => {
  scene = await StreamScene.start(
    // An upstream without end would take the turns of a gateway in its own process.
    {
      routes: { hasty: routeTo('hasty', []), hastyWindow: routeTo('hasty', ['window']), hastyPost: routeTo('hasty', ['post']) },
    },
    { here: false },
  );
});
afterAll(() => scene.close());

const sse = (...list: unknown[]): string => list.map(sseFrame).join('');
function outputOf(call: JsonObject | undefined): unknown {
  return (call?.usage as JsonObject | undefined)?.output_tokens;
}

const ROLE = chunk({ role: 'assistant', content: '' });
const BEGUN = chunk({ content: 'words that are long enough to leave ' });

describe('an upstream that fails before any of its text was sent', () => {
  it.each<[string, string, Behaviour | Behaviour[], number, string]>([
    ['limits requests', 'open', failure(429, { 'retry-after': '7' }), 429, 'SVC-PROV-003'],
    ['refuses the request', 'open', failure(400), 400, 'SVC-PROV-003'],
    ['does not know our key', 'open', failure(401), 502, 'SVC-PROV-003'],
    ['is broken', 'window', failure(500), 502, 'SVC-PROV-001'],
    // The second is of the new connection in place of the one that was reused.
    ['is not there', 'open', [broken(), broken()], 502, 'SVC-PROV-001'],
    ['answers something else', 'open', raw(200, { 'content-type': 'text/html' }, UPSTREAM_MARKER), 502, 'SVC-PROV-001'],
    ['answers a stream of nothing', 'window', framesOf([]), 502, 'SVC-PROV-001'],
    ['says nothing', 'hasty', stalled(), 504, 'SVC-PROV-002'],
    ['says nothing after its head', 'hasty', stalled('', SSE_HEADERS), 504, 'SVC-PROV-002'],
    ['breaks off after the role', 'open', broken(sse(ROLE), SSE_HEADERS), 502, 'SVC-PROV-001'],
    ['falls silent after the role', 'hastyWindow', stalled(sse(ROLE), SSE_HEADERS), 504, 'SVC-PROV-002'],
    ['breaks off in a window', 'window', broken(sse(ROLE, chunk({ content: 'short' })), SSE_HEADERS), 502, 'SVC-PROV-001'],
    [
      'reports an error in its stream',
      'open',
      framesOf([ROLE, { error: { message: UPSTREAM_MARKER, code: 429 } }]),
      429,
      'SVC-PROV-003',
    ],
  ])('%s: an HTTP error (%s)', async (_what, model, behaviour, status, code) => {
    expect((await scene.gateway.chat('hello', { model: 'open' })).status).toBe(200);
    scene.upstream.respond(...[behaviour].flat());
    const answer = await scene.gateway.chat('hello', { model, stream: true });
    expect(answer).toMatchObject({ status, body: { code, error: { code } } });
    expect(answer.headers.get('content-type')).toContain('application/json');
    expect(answer.text).not.toContain(UPSTREAM_MARKER);
    const run_id = answer.headers.get('x-svc-run-id') ?? '';
    expect(await scene.evidence(run_id)).toMatchObject([{ status: 'error' }]);
  });

  it('its Retry-After is kept', async () => {
    scene.upstream.respond(failure(429, { 'retry-after': '7' }));
    const { headers } = await scene.gateway.chat('hello', { model: 'open', stream: true });
    expect(headers.get('retry-after')).toBe('7');
  });
});

describe('an upstream that fails after some of its text was sent', () => {
  const forEver = (piece: string) =>
    dripped(
      (function* () {
        yield sse(BEGUN);
        while (true) yield piece;
      })(),
    ).behaviour;

  it.each<[string, string, () => Behaviour, string, string]>([
    ['breaks off', 'open', () => broken(sse(BEGUN), SSE_HEADERS), 'SVC-PROV-001', 'unavailable'],
    ['breaks off', 'window', () => broken(sse(BEGUN), SSE_HEADERS), 'SVC-PROV-001', 'unavailable'],
    ['ends without an end', 'post', () => framesOf([BEGUN], { done: false }), 'SVC-PROV-001', 'unavailable'],
    ['falls silent', 'hasty', () => stalled(sse(BEGUN), SSE_HEADERS), 'SVC-PROV-002', 'timeout'],
    ['falls silent', 'hastyPost', () => stalled(sse(BEGUN), SSE_HEADERS), 'SVC-PROV-002', 'timeout'],
    ['drips comments for ever', 'hasty', () => forEver(': x\n\n'), 'SVC-PROV-002', 'timeout'],
    ['drips empty chunks for ever', 'hastyWindow', () => forEver(sse(ROLE)), 'SVC-PROV-002', 'timeout'],
    ['drips text for ever', 'hasty', () => forEver(sse(chunk({ content: 'x' }))), 'SVC-PROV-002', 'timeout'],
    ['sends no JSON', 'open', () => framesOf([BEGUN, UPSTREAM_MARKER]), 'SVC-PROV-001', 'malformed'],
    ['sends no chunk', 'window', () => framesOf([BEGUN, [UPSTREAM_MARKER]]), 'SVC-PROV-001', 'malformed'],
    [
      'sends a text that is none',
      'window',
      () => framesOf([BEGUN, chunk({ refusal: { x: UPSTREAM_MARKER } })]),
      'SVC-PROV-001',
      'malformed',
    ],
    [
      'sends a choice beyond all',
      'open',
      () => framesOf([BEGUN, chunk({ content: 'x' }, { index: 1e9 })]),
      'SVC-PROV-001',
      'malformed',
    ],
    ['reports an error', 'open', () => framesOf([BEGUN, { error: { message: UPSTREAM_MARKER } }]), 'SVC-PROV-001', 'unavailable'],
  ])('%s on the route %s: an error frame with receipts, then [DONE]', async (_what, model, behaviour, code, outcome) => {
    scene.upstream.respond(behaviour());
    const { frames, done, raw: text, run_id, status } = await readStream(scene.gateway, 'hello', { model });
    expect(status).toBe(200);
    expect(done).toBe(true);
    expect(textOf(frames).startsWith('words that are')).toBe(true);
    const [evidence] = await scene.evidence(run_id);
    expect(frames.at(-1)).toMatchObject({
      object: 'chat.completion.chunk',
      model,
      error: { message: expect.any(String), type: 'api_error', code, param: null },
      svc_run_id: run_id,
      svc_evidence: `${evidence?.seq} ${evidence?.hash}`,
    });
    expect(frames.filter((frame) => 'error' in frame)).toHaveLength(1);
    expect(frames.at(-1)).not.toHaveProperty('choices');
    expect(text).not.toContain(UPSTREAM_MARKER);

    const events = await scene.events(run_id);
    expect(evidence).toMatchObject({ status: 'error', events });
    const [call] = ofType(events, 'provider_call');
    expect(call?.data).toMatchObject({ outcome, usage: { estimated: true } });
    expect(outputOf(call?.data)).toBeGreaterThan(0);
    // What left was looked at, and that is said.
    const looked = ofType(events, 'verdict').filter(({ stage }) => stage === 'egress');
    expect(looked).toHaveLength(['open', 'hasty'].includes(model) ? 0 : 1);
    for (const { data } of looked) expect((data.scanned as JsonObject).characters).toBeGreaterThan(0);
  });

  it('text that a window still holds back is not sent', async () => {
    scene.upstream.respond(broken(sse(BEGUN, chunk({ content: WORD.slice(0, -1) })), SSE_HEADERS));
    const { raw: text } = await readStream(scene.gateway, 'hello', { model: 'window' });
    expect(text).not.toContain('ACC');
  });
});
