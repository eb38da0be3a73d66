import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, it } from 'vitest';
import { echoConfig, MAIN, TestGateway } from '../harness/gateway.ts';

it('svc ledger verify checks a database while a gateway serves from it', async () => {
  const url = inject('postgres');
  const gateway = await TestGateway.start({ config: echoConfig(), args: ['--runs-db', url] });
  try {
    for (const content of ['one', 'two']) await gateway.chat(content);
    const kept = join(gateway.folder, 'kept.checkpoint');
    writeFileSync(kept, (await gateway.get('/v1/audit/ledger/checkpoint')).text);
    const [, key = ''] = /"verifier_keys":\["([^"]+)"/.exec(gateway.output) ?? [];
    const args = [MAIN, 'ledger', 'verify', url, '--json', '--checkpoint', kept, '--key', key];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    expect(status, stderr).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ verdict: 'anchored', proven: ['chain', 'ended_runs', 'as_signed'] });
    expect(stdout).not.toContain(url);
  } finally {
    await gateway.dispose();
  }
});
