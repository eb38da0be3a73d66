import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it, onTestFinished } from 'vitest';
import { echoConfig, MAIN } from '../harness/gateway.ts';
import { asGroup, killGroup } from '../harness/process-group.ts';

it('svc serve writes lines for people if the configuration says so, from all workers, and the argument takes precedence', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-log-'));
  const config = echoConfig({
    server: { workers: 2, drain_delay: '0s' },
    telemetry: { logs: { level: 'error', format: 'pretty' } },
  });
  writeFileSync(join(folder, 'svc.yaml'), JSON.stringify(config));
  const args = [MAIN, 'serve', '--no-auth', '--port', '0', '--runs-db', 'runs-db', '--log-level', 'info'];
  const server = asGroup(spawn(process.execPath, args, { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'], detached: true }));
  onTestFinished(async () => {
    await killGroup(server);
    rmSync(folder, { recursive: true, force: true });
  });
  const ended = once(server, 'close');
  const lines: string[] = [];
  for await (const line of createInterface({ input: server.stdout })) {
    lines.push(line);
    const [, url] = /^\d\d:\d\d:\d\d {2}INFO {3}listening {2}url=(\S+) .* pid \d+$/.exec(line) ?? [];
    if (url !== undefined) {
      const body = JSON.stringify({ model: 'default', messages: [{ role: 'user', content: 'hello' }] });
      const headers = { 'content-type': 'application/json' };
      expect((await fetch(`${url}/v1/chat/completions`, { method: 'POST', body, headers })).status).toBe(200);
    }
    // Written when the request was logged, which may be after its answer.
    if (line.includes(' POST ')) server.kill('SIGTERM');
  }
  expect(await ended).toEqual([0, null]);
  const requests = lines.filter((line) => line.includes(' POST '));
  expect(requests).toEqual([
    expect.stringMatching(/POST +\/v1\/chat\/completions +default +completed +200 +\d+ ms +\d+ → \d+ tokens +run \S+ +pid \d+$/),
  ]);
  expect(lines.filter((line) => line.startsWith('{'))).toEqual([]);
});
