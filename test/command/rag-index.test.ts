import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { echoConfig, TestGateway } from '../harness/gateway.ts';
import { svcHere } from '../harness/svc-here.ts';

let gateway: TestGateway;
beforeAll(async () => {
  const rag = { vectors: { type: 'local' }, embedder: { type: 'local' }, index_pipeline: ['policy'] };
  gateway = await TestGateway.start({ here: true, config: echoConfig({ rag }) });
});
afterAll(() => gateway.dispose());

async function svc(args: readonly string[], key = gateway.key('alice')) {
  const { status: code, ...said } = await svcHere(['rag', ...args], { env: { SVC_KEY: key } });
  return { code, ...said };
}

async function file(name: string, lines: readonly unknown[]): Promise<string> {
  const path = join(gateway.folder, name);
  await writeFile(path, lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'));
  return path;
}

const documents = (count: number) => Array.from({ length: count }, (_, n) => ({ text: `document number ${n}`, metadata: { n } }));
const found = async (namespace: string) =>
  (await gateway.post('/v1/rag/query', { namespace, query: 'document', k: 100 })).body.docs.length;

it('indexes a file in several requests, and adds nothing when repeated', async () => {
  const path = await file(
    'many.jsonl',
    documents(90)
      .flatMap((document) => [document, ''])
      .concat(documents(30)),
  );
  const args = ['index', path, '--namespace', 'many', '--server', gateway.url];
  for (let turn = 0; turn < 2; turn += 1) {
    expect(await svc(args)).toEqual({ code: 0, stdout: 'indexed 120 documents in many\n', stderr: '' });
    expect(await found('many')).toBe(90);
  }
  expect(JSON.parse((await svc([...args, '--json'])).stdout)).toEqual({ indexed: 120, namespace: 'many' });
});

it('erases a namespace, and can repeat this', async () => {
  const path = await file('erased.jsonl', documents(3));
  await svc(['index', path, '--namespace', 'erased', '--server', gateway.url]);
  const args = ['erase', 'erased', '--server', gateway.url];
  const { code, stdout } = await svc([...args, '--json']);
  expect([code, JSON.parse(stdout)]).toEqual([0, { namespace: 'erased', deleted: 3, backups_unreadable: true }]);
  expect(await found('erased')).toBe(0);
  expect(await svc(args)).toEqual({ code: 0, stdout: 'erased 0 documents in erased\n', stderr: '' });
});

it('names the refused document and the progress', async () => {
  const path = await file('refused.jsonl', [...documents(104), { text: 'a forbidden word' }]);
  const { code, stderr } = await svc(['index', path, '--namespace', 'refused', '--server', gateway.url]);
  expect(code).toBe(1);
  expect(stderr).toContain('SVC-RAG-002: document 105 was rejected by the guard policy');
  expect(stderr).toContain('100 documents are indexed');
  expect(await found('refused')).toBe(100);
});

it.each([
  [
    'a line that is not JSON',
    async () => [await file('bad.jsonl', ['{"text": "x"}', '{']), '--namespace', 'n'],
    'document 2 is not JSON',
    1,
  ],
  ['a file that is not there', async () => ['/nowhere/at-all', '--namespace', 'n'], 'ENOENT', 1],
  ['no namespace', async () => [await file('one.jsonl', documents(1))], '--namespace', 2],
  [
    'no namespace that there can be',
    async () => [await file('one.jsonl', documents(1)), '--namespace', '../x'],
    '--namespace',
    2,
  ],
])('%s is refused', async (_what, args, says, expected) => {
  const { code, stderr } = await svc(['index', ...(await args()), '--server', gateway.url]);
  expect(stderr).toContain(says);
  expect(code).toBe(expected);
});

it('distinguishes an unknown key from an unreachable server', async () => {
  const path = await file('one.jsonl', documents(1));
  expect((await svc(['index', path, '--namespace', 'n', '--server', gateway.url], 'svc-none')).stderr).toContain('SVC_KEY');
  expect((await svc(['index', path, '--namespace', 'n', '--server', 'http://127.0.0.1:1'])).stderr).toContain(
    'cannot reach http://127.0.0.1:1',
  );
});
