import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SECRET, Sink } from '../../plugins/exporter-webhook/src/sink-fixture.ts';
import { echoConfig, MAIN, TestGateway } from '../harness/gateway.ts';
import { type SvcEnded, svcHere } from '../harness/svc-here.ts';

const VECTORS = join(import.meta.dirname, '..', 'fixtures', 'vectors');
const vector = (name: string): string => join(VECTORS, name);
const KEY = readFileSync(vector('ledger.vkey'), 'utf8').trim();
const BOTH = ['--checkpoint', vector('ledger-7.checkpoint'), '--checkpoint', vector('ledger-11.checkpoint'), '--key', KEY];

const [ANCHORED, REFUSED, MISUSED, SELF_ATTESTED, BROKEN] = [0, 1, 2, 3, 4];

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-command-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Runs `svc ledger`: in the test process, except for a folder, which is read in a child process. */
async function svc(args: readonly string[], env: Record<string, string> = {}): Promise<SvcEnded> {
  const [, source = 'none'] = args;
  if (!statSync(resolve(folder, source), { throwIfNoEntry: false })?.isDirectory())
    return svcHere(['ledger', ...args], { cwd: folder, env });
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, 'ledger', ...args], { cwd: folder, encoding: 'utf8' });
  return { status: Number(status), stdout, stderr };
}

async function verify(source: string, ...options: readonly string[]) {
  const { status, stdout, stderr } = await svc(['verify', source, '--json', ...options]);
  return { status, stderr, ...(stdout === '' ? {} : JSON.parse(stdout)) };
}

describe('the output of exporters', () => {
  it('is anchored by a received checkpoint, with the key that the server returns', { timeout: 120_000 }, async () => {
    const sink = await new Sink().listen();
    const exporters = [
      { type: 'jsonl', path: './evidence.jsonl', operations: true },
      { type: 'webhook', url: sink.url, secret: SECRET, allow_private: true, operations: true },
    ];
    const gateway = await TestGateway.start({ config: echoConfig({ exporters }) });
    try {
      for (const content of ['hello', 'forbidden', 'a wire transfer', 'ACC-1']) await gateway.chat(content);
      const env = { SVC_KEY: gateway.key('alice') };
      const key = (await svc(['keys', '--server', gateway.url], env)).stdout.trim();
      expect(gateway.output).toContain(`"verifier_keys":["${key}"]`);
      const records = (await gateway.ledger()).length;
      const exported = join(gateway.folder, 'evidence.jsonl');
      const isOfLedger = (note: string) => !/^\S+\/operations\n/.test(note);
      const sizeOf = (note = '') => Number(note.split('\n')[1]);
      const kept = () =>
        [sink.notes.findLast(isOfLedger), readFileSync(`${exported}.checkpoint`, { encoding: 'utf8', flag: 'a+' })].map(sizeOf);
      await expect.poll(kept, { timeout: 60_000 }).toEqual([records, records]);
      writeFileSync(join(folder, 'received.jsonl'), sink.kept.map((record) => `${record}\n`).join(''));
      writeFileSync(join(folder, 'received.checkpoint'), sink.notes.findLast(isOfLedger) ?? '');
      const anchored = { status: ANCHORED, verdict: 'anchored', records, anchored: records };
      expect(await verify(exported, '--checkpoint', `${exported}.checkpoint`, '--key', key)).toMatchObject(anchored);
      expect(await verify('received.jsonl', '--checkpoint', 'received.checkpoint', '--key', key)).toMatchObject(anchored);
      const { status, stdout } = await svc(
        ['verify', gateway.url, '--json', '--checkpoint', 'received.checkpoint', '--key', key],
        env,
      );
      expect({ status, ...JSON.parse(stdout) }).toMatchObject(anchored);
      // The operations log took the same ways.
      const [log, note] = [`${exported}.operations`, `${exported}.operations.checkpoint`];
      await expect.poll(() => sizeOf(readFileSync(note, { encoding: 'utf8', flag: 'a+' })), { timeout: 60_000 }).toBe(1);
      expect(readFileSync(log, 'utf8')).toBe(`${JSON.stringify((await gateway.get('/v1/audit/operations')).body.records[0])}\n`);
      expect(sink.operations).toEqual([readFileSync(log, 'utf8').trim()]);
      expect(await verify(log, '--checkpoint', note, '--key', key)).toMatchObject({ ...anchored, records: 1, anchored: 1 });
      // It has no runs to speak of.
      const said = (await svc(['verify', log, '--checkpoint', note, '--key', key])).stdout;
      expect(said).toMatch(/^valid and signed: 1 record, head /);
      expect(said).not.toMatch(/evidence|of runs/);
      expect((await verify(exported, '--checkpoint', note)).status).toBe(REFUSED);
      // Each of them came once, although the same is offered every ten seconds.
      await gateway.chat('hello');
      await expect.poll(() => sizeOf(sink.notes.findLast(isOfLedger)), { timeout: 60_000 }).toBe(records + 1);
      expect(new Set(sink.notes).size).toBe(sink.notes.length);
    } finally {
      await gateway.dispose();
      await sink.close();
    }
  });
});

describe('svc ledger keys', () => {
  it.each([
    ['a server that is not there', ['--server', 'http://127.0.0.1:1'], REFUSED],
    ['what is no URL', ['--server', 'runs-db'], MISUSED],
    ['an argument', ['http://127.0.0.1:1'], MISUSED],
  ])('of %s', async (_, args, code) => {
    const { status, stdout } = await svc(['keys', ...args]);
    expect([status, stdout]).toEqual([code, '']);
  });
});

describe('svc ledger verify of a file', () => {
  const ledger = vector('ledger.jsonl');

  it('with a checkpoint and its key: anchored, with the last anchored record', async () => {
    expect(await verify(ledger, ...BOTH)).toMatchObject({
      status: ANCHORED,
      verdict: 'anchored',
      records: 11,
      evidence: 8,
      anchored: 11,
      fault: null,
      proven: ['chain', 'as_signed'],
      not_proven: ['truth'],
    });
    expect(await verify(ledger, '--checkpoint', vector('ledger-7.checkpoint'), '--key', KEY)).toMatchObject({
      status: ANCHORED,
      anchored: 7,
      not_proven: ['end', 'truth'],
    });
  });

  it('without a checkpoint or a key: self-attested only', async () => {
    expect(await verify(ledger)).toMatchObject({
      status: SELF_ATTESTED,
      verdict: 'self_attested',
      anchored: 0,
      proven: ['chain'],
    });
    expect(await verify(ledger, '--checkpoint', vector('ledger-11.checkpoint'))).toMatchObject({
      status: SELF_ATTESTED,
      not_proven: ['signature', 'truth'],
    });
  });

  it.each(['rewritten', 'cut-off', 'edited', 'second-evidence'])(
    'that was tampered with (%s): broken, and where',
    async (name) => {
      const found = JSON.parse(readFileSync(vector('broken.json'), 'utf8')).find(
        ({ file }: { file: string }) => file === `broken/${name}.jsonl`,
      );
      const file = vector(found.file);
      expect(await verify(file, ...BOTH)).toMatchObject({ status: BROKEN, verdict: 'broken', fault: found.with_checkpoints });
      expect(await verify(file)).toMatchObject({ status: found.alone === null ? SELF_ATTESTED : BROKEN, fault: found.alone });
      expect((await svc(['verify', file, ...BOTH])).stdout).toContain(`seq ${found.with_checkpoints.seq}`);
    },
  );

  it('an empty checkpoint anchors nothing', async () => {
    // Signed with the vectors' key: a ledger that had no record yet.
    const note = readFileSync(vector('empty.checkpoint'), 'utf8');
    writeFileSync(join(folder, 'empty.checkpoint'), note);
    expect(await verify(ledger, '--checkpoint', 'empty.checkpoint', '--key', KEY)).toMatchObject({
      status: SELF_ATTESTED,
      anchored: 0,
    });
  });

  it('of several megabytes may have lines that span chunks, empty lines, and no newline at the end', async () => {
    const long = readFileSync(ledger, 'utf8').replaceAll('\n', '\n\n').trimEnd();
    writeFileSync(join(folder, 'spaced.jsonl'), `${'\n'.repeat(2 ** 20 - 700)}${long}`);
    expect(await verify('spaced.jsonl', ...BOTH)).toMatchObject({ status: ANCHORED, records: 11 });
  });

  it('refuses an invalid checkpoint, and one that none of the keys signed', async () => {
    const other = KEY.replace(/^[^+]+/, 'someone');
    expect(await svc(['verify', ledger, '--checkpoint', ledger, '--key', KEY])).toMatchObject({ status: REFUSED, stdout: '' });
    expect(await svc(['verify', ledger, '--checkpoint', 'nowhere', '--key', KEY])).toMatchObject({ status: REFUSED, stdout: '' });
    const changed = readFileSync(vector('ledger-11.checkpoint'), 'utf8').replace('\n11\n', '\n10\n');
    writeFileSync(join(folder, 'changed.checkpoint'), changed);
    expect(await svc(['verify', ledger, '--checkpoint', 'changed.checkpoint', '--key', KEY])).toMatchObject({
      status: REFUSED,
      stdout: '',
    });
    expect((await svc(['verify', ledger, '--checkpoint', vector('ledger-11.checkpoint'), '--key', other])).status).toBe(MISUSED);
    expect((await svc(['verify', ledger, '--key', KEY])).status).toBe(MISUSED);
  });

  it('refuses data that is not a ledger', async () => {
    expect((await svc(['verify', 'nowhere'])).status).toBe(REFUSED);
    mkdirSync(join(folder, 'empty'));
    expect((await svc(['verify', 'empty'])).status).toBe(REFUSED);
    expect((await svc(['verify'])).status).toBe(MISUSED);
    expect((await svc(['nonsense'])).status).toBe(MISUSED);
  });
});

describe('svc ledger verify-proof', () => {
  const proof = vector('proofs/7-of-11.tlog-proof');

  it('needs nothing but the file and the key', async () => {
    const { status, stdout } = await svc(['verify-proof', proof, '--key', KEY, '--json']);
    expect(status).toBe(ANCHORED);
    expect(JSON.parse(stdout)).toMatchObject({
      verdict: 'anchored',
      seq: 7,
      checkpoint: { size: 11 },
      signed_by: [expect.any(String)],
    });
    expect(await svc(['verify-proof', proof])).toMatchObject({ status: SELF_ATTESTED });
  });

  it.each(['other-index', 'other-record', 'short-path', 'other-tree', 'signature'])('%s: broken', async (name) => {
    expect((await svc(['verify-proof', vector(`proofs/broken/${name}.tlog-proof`), '--key', KEY])).status).toBe(BROKEN);
  });

  it('of another signer: broken', async () => {
    // The key of the signed-note format's own example.
    const other = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW';
    expect((await svc(['verify-proof', proof, '--key', other])).status).toBe(BROKEN);
    expect(
      (await svc(['verify', vector('ledger.jsonl'), '--checkpoint', vector('ledger-7.checkpoint'), '--key', other])).status,
    ).toBe(REFUSED);
  });
});

describe('of a gateway', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await TestGateway.start({ config: echoConfig() });
  });
  afterAll(() => gateway.dispose());

  it('checks a running gateway, its folder after a stop, and a proof, with the key that its log announces', async () => {
    for (const content of ['one', 'two, \u{1f600} and a "quoted" \\ thing', 'three']) await gateway.chat(content);
    const { verifier_keys } = JSON.parse(gateway.output.split('\n').find((line) => line.includes('"ledger_keys"')) ?? '{}');
    writeFileSync(join(folder, 'kept.checkpoint'), (await gateway.get('/v1/audit/ledger/checkpoint')).text);
    writeFileSync(join(folder, 'two.tlog-proof'), (await gateway.get('/v1/audit/ledger/proof?seq=2')).text);
    await gateway.chat('four');
    writeFileSync(join(folder, 'operations.checkpoint'), (await gateway.get('/v1/audit/operations/checkpoint')).text);
    const files = ['--checkpoint', 'kept.checkpoint', '--checkpoint', 'operations.checkpoint'];
    const options = [...files, ...verifier_keys.flatMap((key: string) => ['--key', key])];

    const env = { SVC_KEY: gateway.key('alice') };
    expect(await svc(['verify', gateway.url, ...options], env)).toMatchObject({
      status: ANCHORED,
      stdout: expect.stringMatching(
        /UP TO RECORD 4 of 5.* 1 later record is not covered .*5 records.*\noperations log: 1 record, signed up to record 1,/,
      ),
    });
    expect(await svc(['verify', gateway.url], env)).toMatchObject({
      status: SELF_ATTESTED,
      stdout: expect.stringContaining('\noperations log: 1 record, self-attested only,'),
    });
    expect((await svc(['verify', gateway.url])).status).toBe(REFUSED);
    expect((await svc(['verify-proof', 'two.tlog-proof', '--key', verifier_keys[0]])).status).toBe(ANCHORED);

    const runsDb = join(gateway.folder, 'runs-db');
    const held = await svc(['verify', runsDb]);
    expect(held.status).toBe(REFUSED);
    expect(held.stderr).toContain(String(gateway.pid));
    expect(await gateway.stop()).toBe(0);
    expect(await verify(runsDb, ...options)).toMatchObject({
      status: ANCHORED,
      records: 5,
      anchored: 4,
      operations: { records: 1, anchored: 1 },
      proven: ['chain', 'ended_runs', 'as_signed'],
      not_proven: ['end', 'operations_written', 'truth'],
    });
  });

  it('whose ledger was set back to an old copy is broken beside a newer checkpoint', async () => {
    const runsDb = join(gateway.folder, 'runs-db');
    cpSync(runsDb, join(folder, 'old'), { recursive: true });
    await gateway.launch();
    const { verifier_keys } = JSON.parse(gateway.output.split('\n').findLast((line) => line.includes('"ledger_keys"')) ?? '{}');
    await gateway.chat('five');
    writeFileSync(join(folder, 'kept.checkpoint'), (await gateway.get('/v1/audit/ledger/checkpoint')).text);
    const options = ['--checkpoint', 'kept.checkpoint', '--key', verifier_keys[0]];
    expect(await verify('old', ...options)).toMatchObject({ status: BROKEN, fault: { why: 'cut_off', seq: 6 } });
    const [origin] = verifier_keys[0].split('+');
    expect((await svc(['verify', 'old', ...options])).stdout).toContain(origin);
    expect(await verify('old')).toMatchObject({ status: SELF_ATTESTED });
    writeFileSync(join(folder, 'operations.checkpoint'), (await gateway.get('/v1/audit/operations/checkpoint')).text);
    const ofOperations = ['--checkpoint', 'operations.checkpoint', '--key', verifier_keys[0]];
    expect(await verify('old', ...ofOperations)).toMatchObject({
      status: BROKEN,
      fault: { log: 'operations', why: 'cut_off', seq: 2 },
    });
    expect((await svc(['verify', 'old', ...ofOperations])).stdout).toMatch(
      /seq 2 of the operations log.*\noperations log: 1 record, broken,/,
    );
    const ofSession = readFileSync(join(folder, 'kept.checkpoint'), 'utf8').replace('\n', `/sessions/${'0'.repeat(64)}\n`);
    writeFileSync(join(folder, 'session.checkpoint'), ofSession);
    expect((await svc(['verify', 'old', '--checkpoint', 'session.checkpoint', '--key', verifier_keys[0]])).status).toBe(REFUSED);
    expect((await svc(['verify', 'old', '--checkpoint', 'session.checkpoint'])).status).toBe(REFUSED);
  });
});

it('a server whose records end before its checkpoint is broken', async () => {
  const records = readFileSync(vector('ledger.jsonl'), 'utf8').trim().split('\n');
  const [whole, shorter] = [records, records.slice(0, 9)];
  let sent = whole;
  const server = createServer(({ url = '' }, response) => {
    if (url.includes('/operations')) response.writeHead(404).end();
    else if (url.endsWith('/checkpoint')) response.end(readFileSync(vector('ledger-11.checkpoint')));
    else response.end(`{"records":[${sent.join(',')}]}`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const exitCode = async () => (await svc(['verify', `http://127.0.0.1:${port}`])).status;
  try {
    expect(await exitCode()).toBe(SELF_ATTESTED);
    sent = shorter;
    expect(await exitCode()).toBe(BROKEN);
  } finally {
    server.close();
  }
});

it('a server that sends anything but a ledger is refused', async () => {
  const server = createServer((_, response) => response.end('{"records":"none"}'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = server.address() as AddressInfo;
    const { status } = await svc(['verify', `http://127.0.0.1:${port}`]);
    expect(status).toBe(REFUSED);
  } finally {
    server.close();
  }
});
