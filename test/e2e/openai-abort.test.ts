import type { JsonObject } from '@svc/contracts';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answer, held, stalled } from '../fixtures/upstream.ts';
import { OpenAiScene, ofType, say } from './openai-scene.ts';

let scene: OpenAiScene;
beforeAll(async () => {
  scene = await OpenAiScene.start();
});
afterAll(() => scene.close());

/** The newest run once it is stored as ended in error; each read waits for the server, not for a clock. */
async function endedRun(known: ReadonlySet<unknown>): Promise<JsonObject> {
  for (;;) {
    const { body } = await scene.gateway.get('/v1/audit?status=error&limit=1');
    const [run] = body.runs;
    if (run !== undefined && !known.has(run.run_id)) return run;
  }
}

async function runIds(): Promise<Set<unknown>> {
  return new Set((await scene.gateway.get('/v1/audit')).body.runs.map(({ run_id }: JsonObject) => run_id));
}

describe('a client that disconnects', () => {
  it.each([
    ['while the upstream has said nothing', false, stalled()],
    ['while the upstream answers', false, stalled('{"id":')],
    ['from a stream', true, stalled()],
  ])('%s ends the upstream call and the run, with evidence', async (_when, stream, behaviour) => {
    const known = await runIds();
    scene.upstream.respond(behaviour);
    const controller = new AbortController();
    const count = scene.upstream.requests.length + 1;
    const call = scene
      .client()
      .chat.completions.create({ model: 'default', messages: say('hello'), stream }, { signal: controller.signal });
    const ended = expect(call).rejects.toBeInstanceOf(OpenAI.APIUserAbortError);
    const { disconnected } = await scene.upstream.received(count);
    controller.abort();
    await ended;
    await disconnected;

    const run = await endedRun(known);
    const events = await scene.events(String(run.run_id));
    expect(ofType(events, 'disconnected')).toMatchObject([{ stage: 'execute' }]);
    expect(ofType(events, 'provider_call')).toMatchObject([{ data: { outcome: 'aborted' } }]);
    expect(await scene.evidence(String(run.run_id))).toMatchObject([{ status: 'error', principal_id: 'alice', events }]);
  });

  it('does not disturb others on the same route', async () => {
    const known = await runIds();
    const slow = held(answer('in the end'));
    scene.upstream.respond(slow.behaviour, stalled());
    const count = scene.upstream.requests.length;
    const stays = scene.client().chat.completions.create({ model: 'default', messages: say('one') });
    await scene.upstream.received(count + 1);
    const controller = new AbortController();
    const leaves = scene
      .client()
      .chat.completions.create({ model: 'default', messages: say('two') }, { signal: controller.signal });
    const ended = expect(leaves).rejects.toThrow();
    const { disconnected } = await scene.upstream.received(count + 2);
    controller.abort();
    await ended;
    await disconnected;
    slow.release();
    expect((await stays).choices[0]?.message.content).toBe('in the end');
    await endedRun(known);
  });
});

describe('a run of the runs API', () => {
  it('continues when its client disconnects', async () => {
    const known = await runIds();
    const slow = held(answer('kept'));
    scene.upstream.respond(slow.behaviour);
    const count = scene.upstream.requests.length + 1;
    const controller = new AbortController();
    const call = fetch(`${scene.gateway.url}/v1/runs`, {
      method: 'POST',
      headers: { authorization: `Bearer ${scene.gateway.key('alice')}`, 'content-type': 'application/json' },
      body: JSON.stringify({ messages: say('hello') }),
      signal: controller.signal,
    });
    const ended = expect(call).rejects.toThrow();
    await scene.upstream.received(count);
    controller.abort();
    await ended;
    slow.release();
    for (;;) {
      const { body } = await scene.gateway.get('/v1/audit?limit=1');
      const { run_id, status } = body.runs[0];
      if (!known.has(run_id) && status !== 'running') {
        expect(status).toBe('completed');
        return;
      }
    }
  });
});
