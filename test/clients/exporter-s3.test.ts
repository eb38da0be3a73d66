import type { ExportRecord } from '@svc/contracts';
import { fakePluginDeps } from '@svc/sdk/testing';
import { Value } from 'typebox/value';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import plugin from '../../plugins/exporter-s3/src/index.ts';
import { Options } from '../../plugins/exporter-s3/src/options.ts';
import { Moto } from '../harness/moto.ts';
import { skipsPython } from '../harness/python.ts';

/** Of installing it from an index. */
const LONG = 900_000;
const NEVER = new AbortController().signal;
const DAY_MS = 86_400_000;

interface Version {
  readonly key: string;
  readonly content: string;
  readonly mode: string;
  readonly until: string;
  /** The code with which the service refused to delete it. */
  readonly deletion: string | null;
}

/** moto checks signatures and permissions after the first four requests, which create a user and a bucket. */
describe.skipIf(skipsPython('an S3 service'))('the exporter s3 and an S3 service', { timeout: LONG }, () => {
  let moto: Moto;
  let credentials: { access_key_id: string; secret_access_key: string };
  const versions = (): Promise<Version[]> =>
    moto.script('bucket.py', 'list', credentials.access_key_id, credentials.secret_access_key);

  beforeAll(async () => {
    moto = await Moto.start(4);
    credentials = await moto.script('bucket.py', 'prepare');
  }, LONG);
  afterAll(() => moto?.stop());

  const records = (first: number, last: number): ExportRecord[] =>
    Array.from({ length: last - first + 1 }, (_, index) => {
      const hash = `sha256:${String(first + index).padStart(64, '0')}`;
      return { seq: first + index, hash, bytes: JSON.stringify({ hash, seq: first + index, text: 'é😀 + / =' }) };
    });
  const opened = async (more: object = {}) => {
    const given = {
      bucket: 'svc-evidence',
      region: 'eu-central-1',
      endpoint: moto.url,
      prefix: 'a.b/c_d/',
      ...credentials,
      ...more,
    };
    const lock = { object_lock: { mode: 'COMPLIANCE', days: 3 } };
    const exporter = plugin.create(
      Value.Decode(Options, Value.Default(Options, { ...lock, ...given })),
      fakePluginDeps({ clock }),
    );
    await exporter.open({ ledgerId: 'svc-ledger-1', cursor: 0, signal: NEVER });
    return exporter;
  };
  const clock = { now: () => Date.now(), monotonic: () => performance.now() };

  it('keep records in locked objects, each one once', async () => {
    const begin = Date.now();
    const exporter = await opened();
    expect(await exporter.deliver(records(1, 3), NEVER)).toEqual({ through: 3 });
    expect(await exporter.deliver(records(4, 5), NEVER)).toEqual({ through: 5 });
    await exporter.checkpoint?.('example.org/ledger\n5\nAAAA\n\n\u2014 example.org/ledger AAAA\n', NEVER);
    await exporter.close();
    // The position was not saved, and there are more records by now.
    const again = await opened();
    expect(await again.deliver(records(4, 7), NEVER)).toEqual({ through: 5 });
    expect(await again.deliver(records(6, 7), NEVER)).toEqual({ through: 7 });
    await again.checkpoint?.('example.org/ledger\n5\nAAAA\n\n\u2014 example.org/ledger AAAA\n', NEVER);
    await again.close();

    const stored = await versions();
    expect(stored.length).toBe(4);
    for (const { mode, until, deletion } of stored) {
      expect([mode, deletion]).toEqual(['COMPLIANCE', 'AccessDenied']);
      expect(Date.parse(until)).toBeGreaterThanOrEqual(begin + 3 * DAY_MS - 1000);
    }
    const inOrder = stored
      .filter(({ key }) => key.startsWith('a.b/c_d/svc-ledger-1/records/'))
      .sort((a, b) => (a.key < b.key ? -1 : 1));
    expect(inOrder.map(({ content }) => content).join('')).toBe(
      records(1, 7)
        .map(({ bytes }) => `${bytes}\n`)
        .join(''),
    );
  });

  it.each([
    ['a wrong secret', { secret_access_key: 'another' }, 'HTTP_403_SignatureDoesNotMatch'],
    ['an unknown key', { access_key_id: 'AKIAIOSFODNN7EXAMPLE' }, 'HTTP_403_InvalidAccessKeyId'],
  ])('are refused with %s', async (_, more, code) => {
    const failed = (await opened(more)).deliver(records(1, 1), NEVER);
    await expect(failed).rejects.toMatchObject({ code });
  });
});
