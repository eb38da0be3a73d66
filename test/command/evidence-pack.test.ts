import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CheckedPack } from '../../host/src/evidence-pack/check-pack.ts';
import { sumsOf, sumsText } from '../../host/src/evidence-pack/sums.ts';
import { verifyFolder } from '../../host/src/evidence-pack/verify-folder.ts';
import { skipsTimestamps } from '../../host/src/timestamps/test-authority.ts';
import { fencesOf } from '../docs/fences.ts';
import { LONG } from '../fault/form.ts';
import { svcHere } from '../harness/svc-here.ts';
import { Newcomer } from '../tutorials/newcomer.ts';
import { FORGERIES } from './pack-forgeries.ts';
import { PackScene, runProgram } from './pack-scene.ts';

const [DONE, BROKEN] = [0, 1];
const css = readFileSync(join(import.meta.dirname, '../../host/dist/pages/pack.css'), 'utf8');
let scene: PackScene;
let folder: string;
beforeAll(async () => {
  scene = await PackScene.start();
  folder = await scene.extractedAsOperator('whole');
});
afterAll(() => scene?.dispose());

const files = (of: string): string[] =>
  readdirSync(of, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(of, join(parentPath, name)));
const read = (name: string, of = folder): string => readFileSync(join(of, name), 'utf8');
// biome-ignore lint/suspicious/noExplicitAny: tests look into records of any shape
const lines = (name: string, of = folder): any[] =>
  read(name, of)
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
const verify = (of: string, ...args: string[]) => runProgram([join(of, 'verify.mjs'), '--json', ...args]);
/** As {@link verify} without options, but in this process, which saves its start. */
async function verifyHere(of: string): Promise<{ code: number; checks: CheckedPack['checks'] }> {
  const { checks } = await verifyFolder(of, {}, css);
  return { code: checks.every(({ ok }) => ok) ? DONE : BROKEN, checks };
}
const requirementsIn = (of: string) => JSON.parse(read('requirements.json', of));
const stateOf = (of: string, id: string) => requirementsIn(of).requirements.find((row: { id: string }) => row.id === id)?.state;

/** A copy of the pack that may be changed. */
function copy(): string {
  const to = join(scene.folder, 'copy');
  rmSync(to, { recursive: true, force: true });
  cpSync(folder, to, { recursive: true });
  return to;
}

/** Lists the digests anew, as someone would who forges a pack. */
async function listAnew(of: string): Promise<void> {
  writeFileSync(join(of, 'SHA256SUMS'), sumsText(await sumsOf(of)));
}

describe('a pack', () => {
  it('is verified without a network and without other files', async () => {
    const { code, stdout, stderr } = await verify(folder);
    expect([code, stderr]).toEqual([DONE, '']);
    const { valid, checks, facts } = JSON.parse(stdout);
    expect([valid, checks.every(({ ok }: { ok: boolean }) => ok)]).toEqual([true, true]);
    expect(facts).toEqual(requirementsIn(folder).facts);
    expect(read('verify.mjs')).not.toMatch(/^import .* from ["'](?!node:)/m);
  });

  it('has the runs of the period, and at each end the next one outside of it', () => {
    const ended = lines('ledger/records.jsonl').filter(({ record_type }) => record_type === 'run_evidence');
    const outside = ended.filter(({ completed_at }) => completed_at < scene.from || completed_at >= scene.to);
    expect([ended.indexOf(outside[0]), ended.indexOf(outside[1]), outside.length]).toEqual([0, ended.length - 1, 2]);
    expect(requirementsIn(folder).facts).toMatchObject({
      ledger: { closed: true },
      runs: { ended: ended.length - 2, decisions: 3, signed: 1, by_person: 1, of_session: 4 },
      operations: { stops: 1, state_changes: 1, erasures: 1 },
      sessions: 3,
      cosigned: { state: 'checked' },
      timestamped: { state: skipsTimestamps ? 'none' : 'checked' },
    });
    expect(requirementsIn(folder).facts.ledger.signed_by).toHaveLength(2);
    const digests = lines('digests.jsonl');
    expect(digests.map(({ run_id }) => run_id)).toEqual(ended.slice(1, -1).map(({ run_id }) => run_id));
    expect(lines('approvals.jsonl').filter(({ event }) => event === 'decision')).toHaveLength(3);
    expect(lines('inventory/inventory.jsonl').map(({ model_id }) => model_id)).toEqual(
      expect.arrayContaining(['default', 'signed', 'other']),
    );
  });

  it('has no content, not even of the run that was not erased', () => {
    for (const name of files(folder)) expect(read(name), name).not.toContain('secret text');
  });

  it('lists what is not shown first, and every row has a file of the pack', () => {
    const { requirements } = requirementsIn(folder);
    const states = requirements.map(({ state }: { state: string }) => state);
    expect(states).toEqual(['not_shown', 'partly', 'shown'].flatMap((state) => states.filter((one: string) => one === state)));
    const missing = requirements.filter(
      ({ file, state }: { file: string; state: string }) => state !== 'not_shown' && !files(folder).includes(file),
    );
    expect(missing.map(({ id }: { id: string }) => id)).toEqual([]);
    expect(['9.6.1', '12.4.3', '9.2.8', '9.2.3', 'Witnesses'].map((id) => stateOf(folder, id))).toEqual([
      'shown',
      'shown',
      'partly',
      'not_shown',
      'shown',
    ]);
  });
});

describe('a pack is refused', () => {
  it('after one flipped bit in any file', { timeout: 600_000 }, async () => {
    const changed = copy();
    for (const name of files(folder)) {
      const bytes = readFileSync(join(folder, name));
      if (bytes.length === 0) continue;
      const at = name === 'verify.mjs' ? bytes.length - 20 : Math.floor(bytes.length / 2);
      const flipped = Buffer.from(bytes);
      flipped[at] = (flipped[at] ?? 0) ^ 1;
      writeFileSync(join(changed, name), flipped);
      const { code, checks } = await verifyHere(changed);
      expect([name, code]).toEqual([name, BROKEN]);
      if (name !== 'SHA256SUMS') expect(checks[0]?.text).toContain(name);
      if (name === 'verify.mjs') expect((await verify(changed)).code).toBe(BROKEN);
      writeFileSync(join(changed, name), bytes);
    }
    expect((await verifyHere(changed)).code).toBe(DONE);
  });

  it('after any changed byte of any file', { timeout: 600_000 }, async () => {
    const changed = copy();
    const all = files(folder).filter((name) => readFileSync(join(folder, name)).length > 0);
    const change = fc.record({
      name: fc.constantFrom(...all),
      at: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      bit: fc.nat(7),
    });
    await fc.assert(
      fc.asyncProperty(change, async ({ name, at, bit }) => {
        const bytes = readFileSync(join(folder, name));
        const flipped = Buffer.from(bytes);
        const offset = Math.floor(at * bytes.length);
        flipped[offset] = (flipped[offset] ?? 0) ^ (1 << bit);
        writeFileSync(join(changed, name), flipped);
        const { checks } = await verifyFolder(changed, {}, css);
        writeFileSync(join(changed, name), bytes);
        expect(checks.some(({ ok }) => !ok)).toBe(true);
      }),
      { numRuns: LONG ? 2_000 : 25 },
    );
  });

  it('if a file is missing or added', async () => {
    for (const name of files(folder).filter((one) => one !== 'verify.mjs')) {
      const changed = copy();
      rmSync(join(changed, name));
      const { code, checks } = await verifyHere(changed);
      expect([name, code]).toEqual([name, BROKEN]);
      expect(JSON.stringify(checks)).toContain(name);
    }
    const more = copy();
    mkdirSync(join(more, 'ledger', 'deep'));
    writeFileSync(join(more, 'ledger', 'deep', 'new'), '');
    expect(JSON.parse((await verify(more)).stdout).checks[0]).toMatchObject({
      ok: false,
      text: 'ledger/deep/new does not belong in a pack',
    });
  });

  it('with a file that no pack has or a link, although the digests are listed anew', async () => {
    const more = copy();
    writeFileSync(join(more, 'Index.html'), 'all is shown');
    await listAnew(more);
    expect(await verifyHere(more)).toMatchObject({ code: BROKEN, checks: [{ ok: false }] });
    const linked = copy();
    rmSync(join(linked, 'approvals.jsonl'));
    symlinkSync('/dev/zero', join(linked, 'approvals.jsonl'));
    await listAnew(linked);
    expect(await verifyHere(linked)).toMatchObject({ code: BROKEN, checks: [{ ok: false }] });
  });

  it('with a proof of the inventory for a record that is not from before the pack', async () => {
    const of = await scene.extracted('all', '2000-01-01', '2099-01-01');
    const { text } = await scene.gateway.get('/v1/audit/ledger/proof?seq=1');
    writeFileSync(join(of, 'inventory', '1.tlog-proof'), text);
    await listAnew(of);
    const broken = (await verifyHere(of)).checks.filter(({ ok }) => !ok);
    expect(broken[0]).toMatchObject({ name: 'inventory' });
  });

  it.each(FORGERIES)('with %s, although the digests are listed anew', async (_, name, change) => {
    const changed = copy();
    change(changed);
    await listAnew(changed);
    const { code, checks } = await verifyHere(changed);
    expect(code).toBe(BROKEN);
    // A wrong key is found when it is read.
    const broken = checks.filter(({ ok }) => !ok).map((check) => check.name);
    expect(broken.some((one) => one === name || one === 'trust')).toBe(true);
  });

  it('under a key that did not sign it, and accepted under one of several that did', async () => {
    const keys = read('trust/ledger.vkey').split('\n').filter(Boolean);
    expect(keys).toHaveLength(2);
    for (const key of keys) expect((await verify(folder, '--key', key)).code).toBe(DONE);
    const other = 'example.org/gateway+46340e68+AeSy7biH54iSLSMx5iKE95qYDaWsG6afZnfSU10VtfWp';
    expect((await verify(folder, '--key', other)).code).toBe(BROKEN);
    writeFileSync(join(scene.folder, 'none.txt'), 'quorum none\n');
    expect((await verify(folder, '--policy', join(scene.folder, 'none.txt'))).code).toBe(DONE);
    expect((await verify(folder, '--tsa-ca', join(scene.folder, 'none.txt'))).code).toBe(BROKEN);
  });
});

describe('the same period', () => {
  it('gives the same bytes, except the files with a time of their own and what lists them', async () => {
    const again = await scene.extracted('again');
    expect(files(again).sort()).toEqual(files(folder).sort());
    const differ = files(folder).filter((name) => !readFileSync(join(folder, name)).equals(readFileSync(join(again, name))));
    const allowed = ['SHA256SUMS', 'report/report.html', 'report/report.json', 'sessions.jsonl'];
    expect(differ.filter((name) => !allowed.includes(name))).toEqual([]);
    expect((await verifyHere(again)).code).toBe(DONE);
  });

  it('with a policy that asks for nobody shows no witnesses', async () => {
    writeFileSync(join(scene.folder, 'nobody.txt'), 'quorum none\n');
    const of = await scene.extracted('nobody', scene.from, scene.to, ['--policy', join(scene.folder, 'nobody.txt')]);
    expect(stateOf(of, 'Witnesses')).toBe('not_shown');
    expect((await verifyHere(of)).code).toBe(DONE);
  });

  it('without the keys of witnesses and of the authority says what to give', async () => {
    const bare = await scene.extracted('bare', scene.from, scene.to, []);
    expect((await verifyHere(bare)).code).toBe(DONE);
    expect(stateOf(bare, 'Witnesses')).toBe('partly');
    expect(stateOf(bare, 'Time')).toBe(skipsTimestamps ? 'not_shown' : 'partly');
    expect((await verify(bare, ...scene.full)).code).toBe(DONE);
    // What an auditor asks for must be there.
    for (const name of ['ledger/cosigned.checkpoint', 'ledger/timestamped.checkpoint', 'ledger/timestamped.tsr'])
      rmSync(join(bare, name), { force: true });
    const broken = JSON.parse((await verify(bare, ...scene.full)).stdout).checks.filter(({ ok }: { ok: boolean }) => !ok);
    const wanted = ['witnesses', ...(skipsTimestamps ? [] : ['time stamp'])];
    expect(broken.map(({ name }: { name: string }) => name)).toEqual(expect.arrayContaining(wanted));
  });
});

describe('other periods', () => {
  it('an empty one between two runs has these two, which show that it is empty', async () => {
    const [, , end] = lines('ledger/records.jsonl')
      .filter(({ record_type }) => record_type === 'run_evidence')
      .slice(-3);
    const after = new Date(Date.parse(end.completed_at) + 1).toISOString();
    const empty = await scene.extracted('empty', scene.to, end.completed_at);
    expect(lines('ledger/records.jsonl', empty)).toHaveLength(2);
    expect(requirementsIn(empty).facts).toMatchObject({ runs: { ended: 0 }, ledger: { closed: true } });
    expect((await verifyHere(empty)).code).toBe(DONE);
    const last = await scene.extracted('last', end.completed_at, after);
    expect(requirementsIn(last).facts).toMatchObject({ runs: { ended: 1, signed: 1 }, ledger: { closed: true } });
    expect((await verifyHere(last)).code).toBe(DONE);
  });

  it.each([
    ['from before the first record', '2000-01-01', '2099-01-01', { first: 1, closed: false }],
    ['before the first record', '2000-01-01', '2001-01-01', { first: 1, closed: true }],
    ['after the last record', '2098-01-01', '2099-01-01', { closed: false }],
  ])('%s', async (name, from, to, ledger) => {
    const of = await scene.extracted(name.replaceAll(' ', '-'), from, to);
    expect(requirementsIn(of).facts.ledger).toMatchObject(ledger);
    expect((await verifyHere(of)).code).toBe(DONE);
  });

  it('two neighbours share no run and miss none', async () => {
    const middle = lines('ledger/records.jsonl').filter(({ record_type }) => record_type === 'run_evidence')[4].completed_at;
    const [one, two] = [await scene.extracted('one', scene.from, middle), await scene.extracted('two', middle, scene.to)];
    const runs = (of: string) => lines('digests.jsonl', of).map(({ run_id }) => run_id);
    expect([...runs(one), ...runs(two)]).toEqual(runs(folder));
  });
});

describe('the commands of docs/evidence.md', () => {
  const run = async (mark: string) => {
    const newcomer = await Newcomer.arrive();
    try {
      const { url } = scene.gateway;
      const given = {
        'svc.key': scene.gateway.key('alice'),
        'ledger.vkey': read('trust/ledger.vkey'),
        'policy.txt': `${read('trust/ledger.vkey')
          .split('\n')
          .filter(Boolean)
          .map((key) => `log ${key}\n`)
          .join('')}${read('trust/witness-policy.txt')}`,
        'kept.checkpoint': read('ledger/cosigned.checkpoint'),
        ...(skipsTimestamps ? {} : { 'tsa-roots.pem': read('trust/tsa-roots.pem') }),
      };
      for (const [name, content] of Object.entries(given)) writeFileSync(join(newcomer.folder, name), content);
      const fences = fencesOf('docs/evidence.md').filter((fence) => fence.mark === mark);
      expect(fences).not.toEqual([]);
      for (const { text } of fences) {
        const { code, stdout, stderr } = await newcomer.run(text.replaceAll('http://127.0.0.1:8000', url));
        expect(code, stdout + stderr).toBe(0);
      }
    } finally {
      await newcomer.leave();
    }
  };

  it.skipIf(skipsTimestamps)('verify a time stamp', () => run('timestamps'));
  it('verify cosignatures', () => run('witnesses'));
});

describe('the command', () => {
  it.each([
    ['caller', 'SVC-AUTH-002', 403],
    ['limited', 'SVC-AUTH-002', 403],
  ])('is refused for %s with the code of the server, and leaves no file', async (principal, code, status) => {
    const before = readdirSync(scene.folder);
    const period = ['--from', scene.from, '--to', scene.to];
    const ended = await scene.pack(join(scene.folder, 'refused.tar.gz'), period, principal);
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain(`answered ${status} ${code}: `);
    expect(readdirSync(scene.folder)).toEqual(before);
    const answer = await scene.gateway.get('/v1/audit/operations', principal);
    expect(answer).toMatchObject({ status, body: { code, detail: expect.any(String) } });
  });

  it.each([
    [[]],
    [['--from', '2026-01-01']],
    [['--from', '2026-01-02', '--to', '2026-01-02']],
    [['--from', 'yesterday', '--to', '2026-01-02']],
    [['--from', '2026-01-01', '--to', '2026-01-02', '--key', 'x']],
    [['--from', '2026-01-01', '--to', '2026-01-02', '--policy', 'whole.tar.gz']],
    [['--from', '2026-01-01', '--to', '2026-01-02', '--tsa-ca', 'none.pem']],
  ])('is misused with %j', async (args) => {
    const all = ['evidence', 'pack', '--server', scene.gateway.url, '--out', 'out.tar.gz', ...args];
    expect((await svcHere(all, { cwd: scene.folder })).status).toBe(2);
  });

  it('does not replace a file', async () => {
    const out = join(scene.folder, 'whole.tar.gz');
    const before = readFileSync(out);
    expect((await scene.pack(out, ['--from', scene.from, '--to', scene.to])).code).toBe(1);
    expect(readFileSync(out).equals(before)).toBe(true);
  });
});
