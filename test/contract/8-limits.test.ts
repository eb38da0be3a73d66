import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SvcClient } from '@svc/client';
import { fakePluginDeps } from '@svc/sdk/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { loadConfig } from '../../host/src/config/index.ts';
import { echoConfig, TestGateway } from '../harness/gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await TestGateway.start({ here: true, config: echoConfig({ server: { body_limit_bytes: 2048 } }) });
});
afterAll(() => gateway.dispose());

describe('8 Limits', () => {
  it('the default listen port is 8000', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-port-'));
    const file = join(folder, 'svc.yaml');
    writeFileSync(file, JSON.stringify(echoConfig()));
    const deps = () => fakePluginDeps();
    const { config } = await loadConfig(file, {
      hostPackageJson: new URL('../../host/package.json', import.meta.url).pathname,
      registry: { plugins: [] },
      depsFor: { guard: deps, provider: deps, exporter: deps, vectors: deps, embedder: deps, secrets: deps, protocol: deps },
      logger: deps().logger,
      env: {},
      resolveSecrets: true,
    });
    rmSync(folder, { recursive: true });
    expect(config?.server.port).toBe(8000);
  });

  it('since_seq defaults to 0', async () => {
    expect((await gateway.get('/v1/audit/ledger')).body).toEqual((await gateway.get('/v1/audit/ledger?since_seq=0')).body);
  });

  it('a body over body_limit_bytes gives 413', async () => {
    for (const path of ['/v1/chat/completions', '/v1/responses', '/v1/messages', '/v1/embeddings', '/v1/runs']) {
      const { status, body } = await gateway.post(path, { model: 'x'.repeat(4096) });
      expect([status, body.code]).toEqual([413, 'SVC-REQ-002']);
      for (const message of [body.detail, ...(body.error === undefined ? [] : [body.error.message])])
        expect(message).toContain('server.body_limit_bytes');
    }
  });

  it('a port in use is reported in one line, and such a start is not recorded', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => taken.once('listening', resolve));
    const address = taken.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const runs_db = join(tmpdir(), `svc-port-taken-${randomUUID()}`);
    const second = TestGateway.start({ config: echoConfig(), args: ['--port', String(port), '--runs-db', runs_db] });
    await expect(second).rejects.toThrow('EADDRINUSE');
    expect(existsSync(runs_db)).toBe(false);
    taken.close();
  });

  it('the client has a default timeout of 60 seconds, overridable', async () => {
    vi.useFakeTimers();
    const silent = (_: unknown, init?: RequestInit): Promise<Response> =>
      new Promise((_resolve, reject) => init?.signal?.addEventListener('abort', () => reject(init.signal?.reason)));
    const client = new SvcClient({ base_url: gateway.url, fetch: silent as typeof fetch });
    for (const [options, limit_ms] of [
      [{}, 60_000],
      [{ timeout_ms: 500 }, 500],
    ] as const) {
      let over: unknown = null;
      const asked = client.models(options).catch((error: unknown) => {
        over = error;
      });
      await vi.advanceTimersByTimeAsync(limit_ms - 1);
      expect(over).toBeNull();
      await vi.advanceTimersByTimeAsync(1);
      await asked;
      expect(over).toMatchObject({ name: 'TimeoutError' });
    }
    vi.useRealTimers();
  });
});
