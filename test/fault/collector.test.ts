import { describe, expect, it } from 'vitest';
import { Collector, type Manner, takes } from '../fixtures/collector.ts';
import { echoConfig, TestGateway } from '../harness/gateway.ts';

const hangs: Manner = () => {};
const drips: Manner = (response) => {
  response.writeHead(200);
  const timer = setInterval(() => response.write('x'), 100);
  response.once('close', () => clearInterval(timer));
};
const fails =
  (status: number): Manner =>
  (response) => {
    response.writeHead(status).end('COLLECTOR-TEXT');
  };
const talksRubbish: Manner = (_response, socket) => {
  socket.end('COLLECTOR-TEXT\r\n\r\n');
};
const answersRubbish: Manner = (response) => {
  response.writeHead(200, { 'content-type': 'text/html' }).end('COLLECTOR-TEXT'.repeat(1000));
};
const hangsUp: Manner = (_response, socket) => {
  socket.destroy();
};

/** The last flush has 2 s; the rest is for the process to end. */
const SHUTDOWN_MS = 6_000;

class Scene {
  readonly collector: Collector;
  readonly gateway: TestGateway;
  private constructor(collector: Collector, gateway: TestGateway) {
    this.collector = collector;
    this.gateway = gateway;
  }

  /** @param here false where a process is to end */
  static async open(manner: Manner, here = true): Promise<Scene> {
    const collector = await Collector.start();
    collector.manner = manner;
    const gateway = await TestGateway.start({ config: echoConfig({ telemetry: { traces: { endpoint: collector.url } } }), here });
    return new Scene(collector, gateway);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.gateway.dispose();
    await this.collector.close();
  }

  events(event: string): unknown[] {
    const lines = this.gateway.output.split('\n').filter((line) => line.includes(`"event":"${event}"`));
    return lines.map((line) => JSON.parse(line));
  }

  /** The statuses that so many chats at once were answered with. */
  async chats(count: number): Promise<number[]> {
    const answers = await Promise.all(Array.from({ length: count }, () => this.gateway.chat('hello')));
    return [...new Set(answers.map(({ status }) => status))];
  }

  /** Milliseconds until it has ended in order. */
  async shutDown(): Promise<number> {
    const began = performance.now();
    expect(await this.gateway.stop()).toBe(0);
    return performance.now() - began;
  }
}

describe.concurrent('a failing collector delays neither answers nor the end of the process', () => {
  // What can be tried again is reported when trying has ended, which may be after the test.
  it.each<[string, Manner, number[]]>([
    ['hangs', hangs, [0, 1]],
    ['drips its answer', drips, [0, 1]],
    ['fails', fails(500), [1]],
    ['is busy', fails(503), [0, 1]],
    ['wants a key', fails(401), [1]],
    ['speaks no HTTP', talksRubbish, [1]],
    ['hangs up', hangsUp, [0, 1]],
    ['answers rubbish', answersRubbish, [0]],
  ])('that %s', async (_what, manner, warnings) => {
    await using scene = await Scene.open(manner, manner !== hangs);
    expect(await scene.chats(20)).toEqual([200]);
    await scene.collector.exported();
    expect(await scene.chats(20)).toEqual([200]);
    expect(await scene.shutDown()).toBeLessThan(SHUTDOWN_MS);
    expect(warnings).toContain(scene.events('traces_failed').length);
    expect(scene.events('unhandled_rejection')).toEqual([]);
    expect(scene.gateway.output).not.toContain('COLLECTOR-TEXT');
  });

  it('that does not exist', async () => {
    await using scene = await Scene.open(takes);
    await scene.collector.close();
    expect(await scene.chats(50)).toEqual([200]);
    expect(await scene.shutDown()).toBeLessThan(SHUTDOWN_MS);
    expect(scene.events('traces_failed')).toMatchObject([{ reason: expect.stringMatching(/^(ECONNREFUSED|ECANCELED)$/) }]);
    expect(scene.events('unhandled_rejection')).toEqual([]);
  });

  it('logs once that a collector is unavailable, and once that it is back', async () => {
    await using scene = await Scene.open(fails(400));
    const { collector, gateway } = scene;
    for (let round = 0; round < 3; round += 1) {
      await gateway.chat('hello');
      await collector.exported();
    }
    collector.manner = takes;
    const { headers } = await gateway.chat('hello');
    await collector.run(headers.get('x-svc-run-id'));
    await gateway.stop();
    expect(scene.events('traces_failed')).toMatchObject([{ level: 'warn', reason: '400' }]);
    expect(scene.events('traces_resumed')).toHaveLength(1);
  });

  it('sends the remaining spans at shutdown', async () => {
    await using scene = await Scene.open(takes);
    const { collector, gateway } = scene;
    const { headers } = await gateway.chat('hello');
    await gateway.stop();
    const run_id = headers.get('x-svc-run-id');
    expect(collector.spans.filter(({ attributes }) => attributes['svc.run_id'] === run_id)).toHaveLength(1);
  });
});
