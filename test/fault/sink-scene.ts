import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject } from '@svc/contracts';
import { expect } from 'vitest';
import { type Asked, type Manner, SECRET, Sink, takes } from '../../plugins/exporter-webhook/src/sink-fixture.ts';
import { echoConfig, type GatewayConfig, TestGateway } from '../harness/gateway.ts';

/** Default timeout of a sink's answer, in milliseconds. */
const TIMEOUT_MS = 300;
const PAGE = 1000;

export const hangs: Manner = () => false;
export const drips: Manner = (response) => {
  response.writeHead(200);
  const timer = setInterval(() => response.write('x'), 50);
  response.once('close', () => clearInterval(timer));
  return false;
};
/** Stores what it got, but resets the connection before the answer ends. */
export const resets: Manner = (response) => {
  response.writeHead(200, { 'content-length': 100 }).write('SINK-TEXT', () => response.destroy());
  return true;
};
export const answers =
  (status: number, headers: Record<string, string> = {}): Manner =>
  (response) => {
    response.writeHead(status, headers).end('SINK-TEXT');
    return false;
  };
export const redirects = answers(301, { location: 'http://127.0.0.1:1/elsewhere' });
/** Accepts every second request. */
export const wavers = (): Manner => {
  let count = 0;
  return (response, asked) => (count++ % 2 === 0 ? takes : answers(503))(response, asked);
};

export const WEBHOOK = { type: 'webhook', secret: SECRET, allow_private: true, timeout_ms: TIMEOUT_MS };
export const FILE = { type: 'jsonl', name: 'file', path: './evidence.jsonl' };

export function exportingConfig(exporters: JsonObject[]): GatewayConfig {
  return echoConfig({ exporters });
}

/** The ledger as served, record by record. */
export async function servedRecords(gateway: TestGateway): Promise<string[]> {
  const served: string[] = [];
  for (let more = true; more; ) {
    const { status, text } = await gateway.get(`/v1/audit/ledger?since_seq=${served.length}&limit=${PAGE}`);
    // After a start, a large file is still being checked.
    if (status === 503) continue;
    // Canonical JSON is unchanged by parsing and writing it again.
    const { records }: { records: JsonObject[] } = JSON.parse(text);
    served.push(...records.map((record) => JSON.stringify(record)));
    more = records.length === PAGE;
  }
  return served;
}

/** Checks that no request started before the previous one ended, and that none skipped a record. */
export function assertInOrder(asked: readonly Asked[]): void {
  let most = 0;
  for (const { seq, records } of asked) {
    if (seq === null) continue;
    expect(seq).toBeLessThanOrEqual(most + 1);
    most = Math.max(most, seq + records.length - 1);
  }
}

export function linesOf(gateway: TestGateway): Promise<string[]> {
  return readFile(join(gateway.folder, 'evidence.jsonl'), 'utf8').then((text) => text.split('\n').slice(0, -1));
}

/** A gateway with failing sinks, one working sink, and a file. */
export class SinkScene {
  readonly well = new Sink();
  readonly #troubled: ReadonlyMap<string, Sink>;
  gateway!: TestGateway;

  private constructor(names: Iterable<string>) {
    this.#troubled = new Map(Array.from(names, (name) => [name, new Sink()]));
  }

  /** @param manners behaviours of the failing sinks, by name */
  static async open(
    manners: Readonly<Record<string, Manner>>,
    { timeout_ms = TIMEOUT_MS, here = false } = {},
  ): Promise<SinkScene> {
    const scene = new SinkScene(Object.keys(manners));
    for (const [name, sink] of scene.#troubled) sink.manner = manners[name] ?? takes;
    await Promise.all([scene.well, ...scene.#troubled.values()].map((sink) => sink.listen()));
    const exporters = [
      ...Array.from(scene.#troubled, ([name, { url }]) => ({ ...WEBHOOK, timeout_ms, name, url })),
      { ...WEBHOOK, name: 'well', url: scene.well.url, batch: 16 },
      FILE,
    ];
    scene.gateway = await TestGateway.start({ config: exportingConfig(exporters), here });
    return scene;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.gateway.dispose();
    await Promise.all([this.well, ...this.#troubled.values()].map((sink) => sink.close()));
  }

  troubled(name: string): Sink {
    const sink = this.#troubled.get(name);
    if (sink === undefined) throw new Error(`no sink ${name}`);
    return sink;
  }

  /** Sends this many chats at once. Each answer has its evidence. */
  async chats(count: number): Promise<void> {
    const all = await Promise.all(Array.from({ length: count }, () => this.gateway.chat('hello')));
    for (const { status, headers } of all) expect([status, headers.get('x-svc-evidence')]).toEqual([200, expect.any(String)]);
  }

  /** The value of a sink's metric; undefined if missing. */
  async metric(name: string, sink: string): Promise<number | undefined> {
    const { text } = await this.gateway.get('/metrics', null);
    const [, value] = new RegExp(`^${name}\\{exporter="${sink}"[^}]*\\} (\\S+)$`, 'm').exec(text) ?? [];
    return value === undefined ? undefined : Number(value);
  }

  async reason(sink: string): Promise<string | undefined> {
    const { text } = await this.gateway.get('/metrics', null);
    return new RegExp(`^svc_exporter_last_error\\{exporter="${sink}",reason="([^"]*)"\\} 1$`, 'm').exec(text)?.[1];
  }

  /** Resolves when the working sink and the file hold the whole ledger, byte for byte. */
  async othersComplete(): Promise<void> {
    const served = await servedRecords(this.gateway);
    await expect.poll(() => this.well.kept.length, { timeout: 30_000 }).toBe(served.length);
    expect(this.well.kept).toEqual(served);
    await expect.poll(async () => (await linesOf(this.gateway)).length, { timeout: 30_000 }).toBe(served.length);
    expect(await linesOf(this.gateway)).toEqual(served);
  }

  /** Resolves when the failing sinks hold it too. */
  async complete(): Promise<void> {
    const served = await servedRecords(this.gateway);
    for (const [name, sink] of this.#troubled) {
      await expect.poll(() => sink.kept.length, { timeout: 90_000, interval: 100, message: name }).toBe(served.length);
      expect(sink.kept, name).toEqual(served);
    }
    for (const { asked } of [this.well, ...this.#troubled.values()]) assertInOrder(asked);
    expect(this.well.atOnce).toBe(1);
    expect(this.gateway.output).not.toContain('SINK-TEXT');
    expect(this.gateway.output).not.toContain('unhandled_rejection');
  }
}
