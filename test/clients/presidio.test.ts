import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '@svc/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort, Processes } from '../bench/processes.ts';
import { echoConfig, TestGateway } from '../harness/gateway.ts';
import { skipsPython } from '../harness/python.ts';
import { pythonPackages } from '../harness/python-packages.ts';

/** Of installing it from an index. */
const LONG = 900_000;

describe.skipIf(skipsPython('Presidio'))('the guard presidio, with the analyzer from PyPI', { timeout: LONG }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-presidio-'));
  const processes = new Processes(folder, false);
  let gateway: TestGateway;

  beforeAll(async () => {
    const bin = await pythonPackages('presidio-analyzer-2.2.366', [['presidio-analyzer==2.2.366']]);
    const port = await freePort();
    await processes.serve('load', 'presidio', port, [join(import.meta.dirname, 'presidio-server.py'), String(port)], {
      program: join(bin, 'python'),
    });
    const presidio = { type: 'presidio', base_url: `http://127.0.0.1:${port}`, threshold: 0.4 };
    const route = (name: string) => ({ provider: 'local', model: 'echo-1', pipeline: { ingress: [name], egress: [name] } });
    gateway = await TestGateway.start({
      here: true,
      config: echoConfig({
        packs: {
          presidio,
          strict: { ...presidio, entities: { CREDIT_CARD: { action: 'block' }, EMAIL_ADDRESS: {} } },
          german: { ...presidio, languages: ['de'] },
        },
        routes: { default: route('presidio'), strict: route('strict'), german: route('german') },
      }),
    });
  }, LONG);
  afterAll(async () => {
    processes.end();
    await gateway?.dispose();
    rmSync(folder, { recursive: true, force: true });
  });

  const check = async (text: string, more: JsonObject = {}) =>
    (await gateway.post('/v1/guard', { route: 'default', text, ...more })).body;

  it('masks the right place, whatever precedes it', async () => {
    for (const before of ['', '😀 ', 'ä̈ 👩‍👩‍👧‍👦🏳️‍🌈 𝒳 ', '日本語 ']) {
      const { verdict, text, findings } = await check(`${before}mail alice@example.com or 4111 1111 1111 1111 😀`);
      expect([verdict, text]).toEqual(['sanitize', `${before}mail <EMAIL_ADDRESS_1> or <CREDIT_CARD_1> 😀`]);
      expect(findings).toContainEqual({ entity_type: 'EMAIL_ADDRESS', count: 1 });
    }
  });

  it('a value keeps its placeholder in a run, and the model sees only that', async () => {
    const { body } = await gateway.chat('alice@example.com, bob@example.com, alice@example.com');
    expect(body.choices[0].message.content).toBe('echo: <EMAIL_ADDRESS_1>, <EMAIL_ADDRESS_2>, <EMAIL_ADDRESS_1>');
  });

  it('finds a value at the end of a long text', async () => {
    const { text } = await check(`${'lorem 😀 ipsum '.repeat(4_000)}alice@example.com`);
    expect(text.endsWith('ipsum <EMAIL_ADDRESS_1>')).toBe(true);
  });

  it('blocks an entity, and searches for no other', async () => {
    expect(await check('4111 1111 1111 1111', { route: 'strict' })).toMatchObject({ verdict: 'block', code: 'pii' });
    expect(await check('from 192.168.5.7', { route: 'strict' })).toMatchObject({ verdict: 'allow', findings: [] });
  });

  it('the record says what the analyzer looked at', async () => {
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } };
    const body = { messages: [{ role: 'user', content: [{ type: 'text', text: 'to alice@example.com' }, image] }] };
    const { run_id } = (await gateway.post('/v1/guard', { route: 'default', body, evidence: true })).body;
    const record = (await gateway.ledger()).findLast((each) => each.run_id === run_id);
    const scanned = { segments: 1, characters: 20, skipped: [{ path: 'messages.0.content.1.image_url.url', why: 'image' }] };
    expect(record?.events).toContainEqual(
      expect.objectContaining({ event_type: 'verdict', data: expect.objectContaining({ scanned }) }),
    );
    expect(JSON.stringify(record)).not.toContain('alice@');
  });

  it('blocks if the analyzer does not support the language', async () => {
    expect(await check('hallo', { route: 'german' })).toMatchObject({ verdict: 'block', code: 'SVC-NODE-001' });
  });
});
