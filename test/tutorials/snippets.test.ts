import { spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { diagnose } from '../../host/src/commands/lint.ts';
import { type Fence, fencesOf, PAGES, PLUGIN_PAGES, readPage } from '../docs/fences.ts';
import { embeddings, startUpstream } from '../fixtures/upstream.ts';
import { Newcomer } from './newcomer.ts';

/** The tutorial is followed where packages are packed: test/e2e/outside.test.ts. */
const TUTORIAL = 'docs/writing-a-plugin.md';
const fences = PAGES.filter((page) => page !== TUTORIAL).flatMap(fencesOf);
/** Run by tests in test/clients, connect-page.test.ts and, with a mark, ledger-passkeys.test.ts, evidence-pack.test.ts and deploy.test.ts. */
const ELSEWHERE = ['python', 'toml'];
const shell = fences.filter(({ language }) => language === 'sh');
const isServer = ({ text }: Fence): boolean => /^npx svc serve/m.test(text);
/** The exit code: a ledger that is held to no checkpoint and key is only self-attested. */
const endOf = ({ text }: Fence): number => (/^.*npx svc ledger verify(?!.*--key)/m.test(text) ? 3 : 0);
const isNpm = ({ text }: Fence): boolean => /^npm (start|test)\n$/.test(text);
const hasCurl = spawnSync('curl', ['--version']).status === 0;

let newcomer: Newcomer;
/** What the gateway of npm start logged, once it has ended. */
let stopped: Promise<string> | undefined;
beforeAll(async () => {
  newcomer = await Newcomer.arrive();
  await newcomer.npmStart();
});
afterAll(() => newcomer.leave());

it('handles every block', () => {
  const unknown = fences.filter(
    ({ language, mark }) =>
      !['sh', 'js', 'yaml', 'text', ...ELSEWHERE].includes(language) ||
      !['', 'stopped', 'embeddings', 'litellm', 'passkey', 'secrets', 'timestamps', 'witnesses'].includes(mark),
  );
  expect(unknown).toEqual([]);
  expect(shell.filter(isNpm).map(({ text }) => text)).toEqual(['npm start\n', 'npm test\n']);
});

describe('while the gateway of npm start serves', () => {
  const blocks = shell.filter((fence) => fence.mark === '' && !isNpm(fence) && !isServer(fence));

  // While it drains, what follows needs only its folder.
  afterAll(() => {
    stopped = newcomer.stop();
  });

  it.each(blocks)('$page:$line runs as pasted', async (fence) => {
    if (fence.text.includes('curl')) expect(hasCurl, 'this block needs curl: install it').toBe(true);
    const { code, stdout, stderr } = await newcomer.run(fence.text);
    expect(code, stderr).toBe(endOf(fence));
    expect(stdout).not.toMatch(/"code": ?"SVC-/);
  });

  it.each(fences.filter(({ language, mark }) => language === 'js' && mark === ''))(
    '$page:$line runs, and prints what its comment says',
    async ({ text }) => {
      const { code, stdout, stderr } = await newcomer.runScript(text);
      expect(code, stderr).toBe(0);
      const said = [...text.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].map(([, line]) => line);
      expect(said.length).toBeGreaterThan(0);
      expect(stdout.trimEnd().split('\n')).toEqual(said);
    },
  );

  it.each([
    ['Pay from account 1234-5678-9012.', 'stop', 'echo: Pay from account <ACCOUNT>.'],
    ['Please make a wire transfer.', 'content_filter', 'approval'],
    ['My password is hunter2.', 'content_filter', 'blocked'],
  ])('the README states the result of %j', async (content, finish_reason, says) => {
    expect(readPage('README.md')).toContain(content);
    const answer = await fetch(`${newcomer.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${await newcomer.key()}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'default', messages: [{ role: 'user', content }] }),
    });
    expect(await answer.json()).toMatchObject({
      choices: [{ finish_reason, message: { content: expect.stringContaining(says) } }],
    });
  });
});

it.each(shell.filter(({ mark }) => mark === 'embeddings'))(
  '$page:$line runs as pasted, with an embedding model',
  async ({ text }) => {
    const upstream = await startUpstream(embeddings());
    const other = await Newcomer.arrive();
    try {
      const key = `svc-${'0'.repeat(64)}`;
      const config = {
        auth: { keys: [{ principal_id: 'app', key_hash: `sha256:${hash('sha256', key, 'hex')}` }] },
        providers: { openai: { type: 'openai', base_url: upstream.url } },
        routes: { vectors: { provider: 'openai', model: 'text-embedding-3-small' } },
        server: { drain_delay: '0s' },
      };
      await writeFile(join(other.folder, 'svc.key'), key);
      await writeFile(join(other.folder, 'svc.yaml'), stringify(config));
      await other.serve('npx svc serve --config svc.yaml');
      const { code, stdout, stderr } = await other.run(text);
      expect(code, stderr).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject({ object: 'list', data: [{ object: 'embedding' }] });
      expect(await other.stop()).toMatch(/"event":"stopped"/);
    } finally {
      await other.leave();
      await upstream.close();
    }
  },
);

describe('configurations pass svc lint', () => {
  const whole = fences.filter(({ language, mark }) => language === 'yaml' && mark === '');
  const parts = PLUGIN_PAGES.flatMap(fencesOf).filter(
    ({ language, text }) => language === 'yaml' && isPartOfConfiguration(parse(text)),
  );

  it.each(whole)('$page:$line', ({ text }) => lint(text));

  it.each(parts)('$page:$line, inserted into a complete one', ({ text }) => lint(stringify(merged(BASE, parse(text)))));

  async function lint(text: string): Promise<void> {
    const file = join(newcomer.folder, 'snippet.yaml');
    await writeFile(file, text);
    expect((await diagnose(file)).diagnostics).toEqual([]);
  }
});

describe('servers started by a block', () => {
  it.each(shell.filter(isServer))('$page:$line serves, and stops on a signal', async ({ text }) => {
    const other = await Newcomer.arrive();
    try {
      await other.serve(text);
      expect(await other.stop()).toMatch(/"event":"stopped"/);
    } finally {
      await other.leave();
    }
  });
});

describe('after the gateway was stopped', () => {
  beforeAll(async () => {
    expect(await (stopped ?? newcomer.stop())).toMatch(/"event":"stopped"/);
  });

  it.each(shell.filter(({ mark }) => mark === 'stopped'))('$page:$line runs as pasted', async (fence) => {
    const { code, stdout, stderr } = await newcomer.run(fence.text);
    expect(code, `${stdout}${stderr}`).toBe(endOf(fence));
  });
});

/** What the parts of plugin pages are put into. */
const BASE = {
  auth: { keys: [{ principal_id: 'app', key_hash: `sha256:${'0'.repeat(64)}` }] },
  providers: { local: { type: 'echo' } },
  routes: { default: { provider: 'local', model: 'echo-1' } },
};

/** Other blocks show a plugin's options alone. */
function isPartOfConfiguration(value: unknown): boolean {
  const sections = ['packs', 'exporters', 'rag', ...Object.keys(BASE)];
  return isMap(value) && Object.keys(value).some((key) => sections.includes(key));
}

function merged(base: unknown, part: unknown): unknown {
  if (!isMap(base) || !isMap(part)) return part;
  const keys = [...new Set([...Object.keys(base), ...Object.keys(part)])];
  return Object.fromEntries(keys.map((key) => [key, key in part ? merged(base[key], part[key]) : base[key]]));
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
