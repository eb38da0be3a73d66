import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { echoConfig, TestGateway } from '../harness/gateway.ts';
import { npmPackages } from '../harness/npm-packages.ts';

const run = promisify(execFile);
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

let gateway: TestGateway;
let modules: string;
beforeAll(async () => {
  modules = await npmPackages('agents', ['@anthropic-ai/claude-code@2.1.197', '@openai/codex@0.171.0']);
  gateway = await TestGateway.start({ config: echoConfig() });
});
afterAll(() => gateway.dispose());

interface Agent {
  readonly client: RegExp;
  readonly start: (home: string) => { readonly args: readonly string[]; readonly env: Readonly<Record<string, string>> };
}

const AGENTS: Readonly<Record<string, Agent>> = {
  'Claude Code': {
    client: /^claude-cli$/,
    start: () => ({
      args: [join(modules, '@anthropic-ai', 'claude-code', 'cli-wrapper.cjs'), '-p', 'Say hello.'],
      env: {
        ANTHROPIC_BASE_URL: gateway.url,
        ANTHROPIC_AUTH_TOKEN: gateway.key('alice'),
        ANTHROPIC_MODEL: 'default',
        ANTHROPIC_DEFAULT_HAIKU_MODEL: 'default',
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      },
    }),
  },
  Codex: {
    client: /^codex/,
    start: (home) => {
      const provider = { name: 'svc', base_url: `${gateway.url}/v1`, env_key: 'SVC_KEY', wire_api: 'responses' };
      const lines = Object.entries(provider).map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
      const head = ['model = "default"', 'model_provider = "svc"', '[model_providers.svc]'];
      mkdirSync(join(home, '.codex'));
      writeFileSync(join(home, '.codex', 'config.toml'), [...head, ...lines, ''].join('\n'));
      return {
        args: [join(modules, '@openai', 'codex', 'bin', 'codex.js'), 'exec', '--skip-git-repo-check', 'Say hello.'],
        env: { SVC_KEY: gateway.key('alice') },
      };
    },
  },
};

test.each(Object.entries(AGENTS))('runs of %s belong to its session', async (name, { client, start }) => {
  const home = join(gateway.folder, name.replace(' ', '-'));
  mkdirSync(home);
  const { args, env } = start(home);
  const started = run(process.execPath, [...args], { cwd: home, env: { PATH: process.env.PATH ?? '', HOME: home, ...env } });
  started.child.stdin?.end();
  const { stdout } = await started;
  expect(stdout).toContain('echo:');
  const { runs } = (await gateway.get('/v1/audit?limit=100', 'alice')).body;
  const own = runs.filter((each: { client: string }) => client.test(each.client));
  expect(own.length).toBeGreaterThan(0);
  const sessions = new Set(own.map(({ session }: { session: string }) => session));
  expect([...sessions]).toEqual([expect.stringMatching(UUID)]);
});
