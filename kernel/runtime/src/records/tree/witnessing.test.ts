import { generateKeyPairSync } from 'node:crypto';
import type { Observer } from '@svc/kernel/observing';
import {
  checkpointText,
  cosign,
  cosignaturesIn,
  EMPTY_ROOT,
  openNote,
  parseWitnessKey,
  policyOfAll,
  type Signer,
  signingKey,
  signNote,
  witnessKey,
} from '@svc/ledger';
import { expect, it } from 'vitest';
import type { SignedCheckpoint } from './keeper.ts';
import { Witnessing } from './witnessing.ts';

const ORIGIN = 'example.org/gateway';
const signer = (name: string): Signer => ({ name, key: signingKey(generateKeyPairSync('ed25519').privateKey) });
const LOG = signer(ORIGIN);
const WITNESS = signer('witness.example');
const VERIFIER = parseWitnessKey(witnessKey(WITNESS));
const TEXT = checkpointText({ origin: ORIGIN, size: 3, root: EMPTY_ROOT });
const CHECKPOINT = { size: 3, root: EMPTY_ROOT, note: await signNote(TEXT, [LOG]) } as unknown as SignedCheckpoint;

type Answers = readonly { readonly status: number; readonly text: string }[];

/** A log whose witness gives these answers, one after another. */
function logOf(answers: Answers) {
  const meta = new Map<string, string>();
  const [asked, failures]: [string[], string[]] = [[], []];
  const left = [...answers];
  let now = 0;
  const settled = { round: Promise.withResolvers<void>() };
  const report = (failure: string | null): void => {
    if (failure !== null) failures.push(failure);
    now += 3_600_000;
    settled.round.resolve();
  };
  const witnessing = new Witnessing(
    {
      store: {
        readMeta: async (key) => meta.get(key) ?? null,
        writeMeta: async (key, _, value) => Boolean(meta.set(key, value)),
      },
      clock: { now: () => now, monotonic: () => now },
      logger: { debug() {}, info() {}, warn() {}, error() {} } as never,
      observer: {
        cosigned: () => report(null),
        witnessFailed: (_: string, reason: string) => report(reason),
      } as unknown as Observer,
      tree: { origin: ORIGIN, consistency: async () => ({ path: [] }) as never },
    },
    {
      witnesses: [
        {
          verifier: VERIFIER,
          addCheckpoint: async (body) => {
            asked.push(body.split('\n', 1)[0] ?? '');
            return left.shift() ?? { status: 500, text: '' };
          },
        },
      ],
      policy: policyOfAll([VERIFIER]),
    },
  );
  const round = async (): Promise<void> => {
    settled.round = Promise.withResolvers();
    witnessing.offer(CHECKPOINT);
    await settled.round.promise;
    await new Promise(setImmediate);
  };
  return { witnessing, round, asked, failures };
}

it('takes no cosignature over a text that only begins with the checkpoint', async () => {
  const other = await cosign(`${TEXT}\n`, WITNESS, 1);
  const { witnessing, round, failures } = logOf([
    { status: 200, text: `\n${other}` },
    { status: 200, text: await cosign(TEXT, WITNESS, 2) },
  ]);
  await round();
  expect(failures).toEqual(['INVALID_COSIGNATURE']);
  expect(await witnessing.quorum()).toBeNull();
  expect(openNote(await witnessing.cosigned(CHECKPOINT), []).text).toBe(TEXT);
  await round();
  expect(cosignaturesIn(await witnessing.cosigned(CHECKPOINT), [VERIFIER])).toMatchObject([{ time_s: 2 }]);
});

it('asks a witness again that claimed a larger log', async () => {
  const { round, asked, failures } = logOf([
    { status: 409, text: '4\n' },
    { status: 409, text: '0\n' },
    { status: 200, text: await cosign(TEXT, WITNESS, 1) },
  ]);
  await round();
  expect(failures).toEqual(['WITNESS_AHEAD']);
  await round();
  expect(asked).toEqual(['old 0', 'old 0', 'old 0']);
  expect(failures).toHaveLength(1);
});
