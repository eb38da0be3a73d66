// Measures `svc replay` with rules over a folder of recorded runs. `npm run bench:replay -- --runs 10000`.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { echoConfig, MAIN, TestGateway } from '../harness/gateway.ts';

const { values } = parseArgs({ options: { runs: { type: 'string', default: '10000' } } });
const runs = Number(values.runs);
const AT_ONCE = 32;
/** About as long as a question with some context. */
const WORDS = 'please compare the two contracts and list every clause that differs between them '.repeat(12);
const STRICTER = { type: 'rules', rules: [{ name: 'every-tenth', match: 'number \\d*7\\b', verdict: 'block' }] };

const config = echoConfig({ server: { record_content: true } });
const gateway = await TestGateway.start({ config, principals: [{ principal_id: 'alice' }] });
try {
  const begun = performance.now();
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < runs) {
      next += 1;
      await gateway.chat(`${WORDS} ACC-${next} number ${next}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  console.log(`recorded ${runs} runs in ${((performance.now() - begun) / 1000).toFixed(1)} s`);
  await gateway.stop();
  await gateway.configure({
    ...echoConfig({
      packs: { stricter: STRICTER },
      routes: {
        default: {
          provider: 'local',
          model: 'echo-1',
          pipeline: { ingress: ['mask', 'policy', 'stricter'], egress: ['mask', 'stricter'] },
        },
      },
    }),
    auth: { keys: [{ principal_id: 'alice', key_hash: `sha256:${'0'.repeat(64)}` }] },
  });
  const file = join(gateway.folder, 'svc.yaml');
  const args = [MAIN, 'replay', file, '--config', file, '--runs-db', join(gateway.folder, 'runs-db')];
  const { stderr, stdout, status } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  console.log(stdout.split('\n').slice(0, 12).join('\n'));
  console.log(stderr.trim());
  process.exitCode = status ?? 1;
} finally {
  await gateway.dispose();
}
