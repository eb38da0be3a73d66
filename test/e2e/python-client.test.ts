import { cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pep440, VERSION } from '@svc/kernel/version';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { fencesOf } from '../docs/fences.ts';
import {
  answer,
  type Behaviour,
  broken,
  failure,
  SSE_HEADERS,
  sseFrame,
  startUpstream,
  type Upstream,
} from '../fixtures/upstream.ts';
import { echoConfig, TestGateway } from '../harness/gateway.ts';
import { PythonEnvironment, skipsPython, whyOffline } from '../harness/python.ts';
import { chunk } from '../harness/stream-scene.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const CLIENT = join(ROOT, 'sdk', 'python');
const OPENAPI = join(ROOT, 'openapi.json');
/** Of installing from an index, on a slow line. */
const LONG = 300_000;

/** What the upstream does for each of its models. */
const BEHAVIOURS: Readonly<Record<string, Behaviour>> = {
  upstream: answer(),
  broken: broken(sseFrame(chunk({ content: 'half of ' })), SSE_HEADERS),
  failing: failure(500),
  endless: (_request, response) => void response.writeHead(200, SSE_HEADERS).write(sseFrame(chunk({ content: 'word ' }))),
};

describe.skipIf(skipsPython('the Python client'))('the Python client', { timeout: LONG }, () => {
  let environment: PythonEnvironment;
  let upstream: Upstream;
  let gateway: TestGateway;
  let dist: string;
  /** Why the packages that the tests need could not be installed; empty if they were. */
  let offline = '';
  const env = () => ({ SVC_URL: gateway.url, SVC_KEY_ALICE: gateway.key('alice'), SVC_KEY_BOB: gateway.key('bob') });

  beforeAll(async () => {
    environment = await PythonEnvironment.create();
    const installing = environment.install('-r', join(CLIENT, 'tests', 'requirements.txt'));
    dist = join(environment.folder, 'dist');
    upstream = await startUpstream((request, response) => {
      const { model } = request.body as { model: string };
      return BEHAVIOURS[model]?.(request, response);
    });
    const route = (name: string) => [name, { provider: 'upstream', model: name, pipeline: {} }] as const;
    gateway = await TestGateway.start({
      here: true,
      config: echoConfig({
        providers: { upstream: { type: 'openai', base_url: upstream.url } },
        packs: { stop: { type: 'rules', rules: [{ name: 'stop', words: ['stop here'], verdict: 'block' }] } },
        routes: {
          ...Object.fromEntries(Object.keys(BEHAVIOURS).map(route)),
          stopping: { provider: 'local', model: 'echo-1', pipeline: { ingress: [], egress: ['stop'] } },
        },
        rag: { vectors: { type: 'local' }, embedder: { type: 'local' } },
      }),
    });
    offline = whyOffline(await installing);
  }, LONG);
  afterAll(async () => {
    environment?.dispose();
    await gateway?.dispose();
    await upstream?.close();
  });
  beforeEach(({ skip }) => skip(offline !== '', `no index can be reached: ${offline}`));

  it('is built as wheel and sdist with the version of the release, and can be installed', async () => {
    const source = join(environment.folder, 'source');
    cpSync(CLIENT, source, { recursive: true });
    const built = await environment.run(['-m', 'hatchling', 'build', '-d', dist], { cwd: source });
    expect(built.code, built.output).toBe(0);
    const name = `svc_client-${pep440(VERSION)}`;
    expect(readdirSync(dist).sort()).toEqual([`${name}-py3-none-any.whl`, `${name}.tar.gz`]);
    const installed = await environment.install(join(dist, `${name}-py3-none-any.whl`));
    expect(installed.code, installed.output).toBe(0);
    const told = await environment.run(['-c', 'import svc_client; print(svc_client.__version__)']);
    expect(told.output.trim()).toBe(pep440(VERSION));
  });

  it('passes its own tests against the server', async () => {
    const { code, output } = await environment.run(['-m', 'pytest', '-q', '-p', 'no:cacheprovider'], { cwd: CLIENT, env: env() });
    expect(code, output).toBe(0);
    expect(output).toMatch(/^\d+ passed in /m);
  });

  it('has no findings of mypy and ruff', async () => {
    for (const args of [
      ['mypy', '--cache-dir=/dev/null'],
      ['ruff', 'check', '--no-cache'],
      ['ruff', 'format', '--check', '--no-cache'],
    ]) {
      const { code, output } = await environment.run(['-m', ...args], { cwd: CLIENT });
      expect(code, output).toBe(0);
    }
  });

  it.each(fencesOf('sdk/python/README.md'))('$page:$line runs, and prints what its comments say', async ({ language, text }) => {
    expect(language).toBe('python');
    const folder = join(environment.folder, 'newcomer');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'svc.key'), `${gateway.key('alice')}\n`);
    writeFileSync(join(folder, 'approver.key'), `${gateway.key('bob')}\n`);
    writeFileSync(join(folder, 'main.py'), text.replaceAll('http://127.0.0.1:8000', gateway.url));
    const { code, output } = await environment.run(['main.py'], { cwd: folder });
    const expected = [...text.matchAll(/print\(.*\) {2}# (.*)$/gm)].map(([, line]) => line);
    expect(code, output).toBe(0);
    expect(expected.length).toBeGreaterThan(0);
    expect(output.trimEnd().split('\n')).toEqual(expected);
  });

  it('a client that openapi-python-client generates from openapi.json compiles and calls the server', async () => {
    const folder = join(environment.folder, 'generated');
    mkdirSync(folder);
    const generated = await environment.run(
      ['-m', 'openapi_python_client', 'generate', '--path', OPENAPI, '--meta=none', '--output-path', 'api', '--fail-on-warning'],
      { cwd: folder },
    );
    expect(generated.code, generated.output).toBe(0);
    writeFileSync(join(folder, 'main.py'), GENERATED);
    // What uses it; in what it makes mypy finds faults that every client of it has.
    const checked = await environment.run(
      ['-m', 'mypy', '--strict', '--follow-imports=silent', '--cache-dir=/dev/null', 'main.py'],
      { cwd: folder },
    );
    expect(checked.code, checked.output).toBe(0);
    const asked = await environment.run(['main.py'], { cwd: folder, env: env() });
    expect(asked.code, asked.output).toBe(0);
    expect(asked.output.trim()).toBe('echo: hello completed SVC-RUN-001');
  });
});

const GENERATED = `
import os

from api import AuthenticatedClient
from api.api.chat import create_chat_completion
from api.api.runs import get_run
from api.models import ChatCompletion, ChatMessage, ChatRequest, ErrorBody, Run

client = AuthenticatedClient(base_url=os.environ["SVC_URL"], token=os.environ["SVC_KEY_ALICE"])
request = ChatRequest(model="default", messages=[ChatMessage(role="user", content="hello")])
response = create_chat_completion.sync_detailed(client=client, body=request)
assert isinstance(response.parsed, ChatCompletion)
run = get_run.sync(response.headers["x-svc-run-id"], client=client)
assert isinstance(run, Run)
refused = get_run.sync("00000000-0000-7000-8000-000000000000", client=client)
assert isinstance(refused, ErrorBody)
print(response.parsed.choices[0].message.content, run.status, refused.code)
`;
