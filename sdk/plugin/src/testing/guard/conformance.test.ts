import type { Guard, GuardDeps, GuardDiagnostic, GuardReservations, GuardStream, StreamStep } from '@svc/contracts';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type GuardConformanceOptions, guardConformance } from './index.ts';
import { type MaskingGuardOptions, maskingGuard } from './masking-guard.ts';

const samples = ['please open the vault 😀 today'];
const clean = ['nothing to see here 😀'];
const masking: MaskingGuardOptions = {
  word: 'vault 😀',
  replacement: '<PLACE>',
  verdict: 'sanitize',
  capability: 'window',
};

describe.each<[string, Partial<MaskingGuardOptions>]>([
  ['a window guard that masks', {}],
  ['a window guard that blocks', { verdict: 'block' }],
  ['a post guard that blocks', { verdict: 'block', capability: 'post' }],
])('guard conformance of %s', (_, options) => {
  for (const { name, run } of guardConformance({ guard: () => maskingGuard({ ...masking, ...options }), samples, clean })) {
    test(name, run);
  }
});

/** Names of the cases that fail for a broken copy of the good guard. */
async function failing(
  change: (guard: Guard, deps: GuardDeps) => Partial<Guard>,
  options: Partial<GuardConformanceOptions & MaskingGuardOptions> = {},
): Promise<string[]> {
  const guard = (deps: GuardDeps): Guard => {
    const good = maskingGuard({ ...masking, ...options });
    return { ...good, ...change(good, deps) };
  };
  const names: string[] = [];
  const messages: string[] = [];
  for (const { name, run } of guardConformance({ samples, clean, ...options, guard })) {
    await run().catch((error: Error) => {
      names.push(name);
      messages.push(error.message);
    });
  }
  for (const message of messages) expect(message).toMatch(/expected .+, got .+/s);
  for (const sample of options.samples ?? samples) expect(messages.join()).not.toContain(sample);
  return names;
}

/** The good guard with other results. */
const results =
  (change: (result: Awaited<ReturnType<Guard['check']>>) => object) =>
  (good: Guard): Partial<Guard> => ({
    check: async (segments, ctx) => {
      const result = await good.check(segments, ctx);
      return { ...result, ...change(result) };
    },
  });

/** The good guard with valid reservations, except for these changes. */
const reserving = (change: Partial<GuardReservations>): Partial<Guard> => ({
  reservations: { revalidate: () => ({ verdict: 'allow', code: 'x', edits: [], findings: [] }), settle: () => null, ...change },
});

/** The good guard with one stream method replaced. */
const streams =
  (change: (stream: GuardStream) => Partial<GuardStream>) =>
  (good: Guard): Partial<Guard> => ({
    stream: {
      capability: 'window',
      ...good.stream,
      open: (ctx) => {
        const stream = good.stream?.open(ctx);
        if (stream === undefined) throw new Error('the good guard streams');
        return { ...stream, ...change(stream) };
      },
    },
  });

describe('guard conformance refuses', () => {
  test('stages and verdicts that do not exist or are declared twice', async () => {
    const name = 'declares existing stages and verdicts, each once';
    expect(await failing(() => ({ stages: [] }))).toContain(name);
    expect(await failing(() => ({ verdicts: ['sanitize', 'sanitize'] }))).toContain(name);
  });

  test('a scan that shows different content than check', async () => {
    const name = 'scan returns the same as check for the same text';
    expect(await failing(() => ({ scan: (text) => ({ findings: [], sanitized: text }) }))).toContain(name);
  });

  test('a guard that ignores a failure of its thread, or trusts its result', async () => {
    const asking = (then: (work: Promise<unknown>) => Promise<unknown>) => (good: Guard) => ({
      check: async (...[segments, ctx]: Parameters<Guard['check']>) => {
        await then(ctx.runInWorker('data:text/javascript,export default () => "found"', null));
        return good.check(segments, ctx);
      },
    });
    const name = 'fails if its worker task fails or returns an invalid result';
    expect(await failing(asking((work) => work.catch(() => undefined)))).toEqual([name]);
    expect(await failing(asking((work) => work))).toEqual([name]);
    const checking = async (work: Promise<unknown>): Promise<void> => {
      if ((await work) !== 'found') throw new Error('rubbish');
    };
    expect(await failing(asking(checking))).toEqual([]);
  });

  test.each([
    ['a capability without a stream', { capability: 'window' }],
    ['a capability that does not exist', { capability: 'whole', open: () => ({}) }],
    ['half of what reservations need', undefined, { settle: () => null }],
  ])('%s', async (_, stream, reservations?: object) => {
    const odd = { ...maskingGuard(masking), stream, reservations } as Guard;
    const cases = guardConformance({ guard: () => odd, samples });
    const name = 'declares all or nothing for streams and reservations';
    await expect(cases.find((one) => one.name === name)?.run()).rejects.toThrow();
  });

  test('a guard that finds nothing, or finds too much', async () => {
    expect(await failing(() => ({}), { samples: ['nothing of the kind'] })).toContain(
      'finds every sample in every stage that it supports',
    );
    expect(await failing(() => ({}), { clean: samples })).toContain('allows clean texts without edits or findings');
  });

  test('an undeclared verdict', async () => {
    expect(await failing(() => ({ verdicts: ['block'] }))).toContain('finds every sample in every stage that it supports');
  });

  test.each([
    ['outside', (start: number, end: number) => [start, end + 1000]],
    ['backwards', (start: number, end: number) => [end, start]],
    ['inside a surrogate pair', (start: number, end: number) => [start, end - 1]],
    ['at fractions', (start: number, end: number) => [start + 0.5, end]],
  ])('an edit %s', async (_, move) => {
    const moved = results(({ edits }) => ({
      edits: edits.map((edit) => {
        const [start, end] = move(edit.start, edit.end);
        return { ...edit, start, end };
      }),
    }));
    expect(await failing(moved)).toContain('finds every sample in every stage that it supports');
  });

  test('overlapping edits, edits of segments that do not exist, half surrogate pairs', async () => {
    const name = 'finds every sample in every stage that it supports';
    expect(await failing(results(({ edits }) => ({ edits: [...edits, ...edits] })))).toContain(name);
    expect(await failing(results(({ edits }) => ({ edits: edits.map((edit) => ({ ...edit, segment: 9 })) })))).toContain(name);
    expect(
      await failing(results(({ edits }) => ({ edits: edits.map((edit) => ({ ...edit, replacement: '\ud83d' })) }))),
    ).toContain(name);
  });

  test('a hint that no caller would receive', async () => {
    const name = 'finds every sample in every stage that it supports';
    const hint = { text: 'Ask again.' };
    expect(await failing(results(() => ({ hint })))).toContain(name);
    expect(
      await failing(
        results(({ verdict }) => (verdict === 'block' ? { hint } : {})),
        { verdict: 'block' },
      ),
    ).not.toContain(name);
    const endpoint = () => ({ verdict: 'allow', code: 'region', hint }) as const;
    expect(await failing(() => ({ endpoint }))).toEqual(['returns an answer for every endpoint of the run']);
  });

  test('text in a code, in a finding, in a log line', async () => {
    const [sample = ''] = samples;
    expect(await failing(results(() => ({ code: sample })))).toContain('finds every sample in every stage that it supports');
    const word = 'a-sample-that-would-pass-for-a-name';
    const named = results(({ findings }) => ({ findings: findings.map(({ count }) => ({ entity_type: word, count })) }));
    const secret = 'does not put checked text into codes, findings, hints or logs';
    expect(await failing(named, { word, samples: [word] })).toContain(secret);
    const logging = (good: Guard, { logger }: GuardDeps): Partial<Guard> => ({
      check: (segments, ctx) => {
        logger.info({ seen: segments.map(({ text }) => text) });
        return good.check(segments, ctx);
      },
    });
    expect(await failing(logging)).toContain(secret);
  });

  test('a guard that changes its input', async () => {
    const greedy = (good: Guard): Partial<Guard> => ({
      check: (segments, ctx) => {
        for (const segment of segments) Object.assign(segment, { text: '' });
        return good.check(segments, ctx);
      },
    });
    expect(await failing(greedy)).toContain('finds every sample in every stage that it supports');
  });

  test('a guard that fails without segments or with empty text', async () => {
    const name = 'handles segments of every kind, no segments, and unusual texts';
    const refusing = (refuses: (texts: string[]) => boolean) => (good: Guard) => ({
      check: (...[segments, ctx]: Parameters<Guard['check']>) => {
        if (refuses(segments.map(({ text }) => text))) throw new Error('refused');
        return good.check(segments, ctx);
      },
    });
    expect(await failing(refusing((texts) => texts.length === 0))).toEqual([name]);
    expect(await failing(refusing((texts) => texts.includes('') && texts.length > 1))).toContain(name);
  });

  test('results that depend on earlier calls or on other runs', async () => {
    let calls = 0;
    expect(await failing(results(() => ({ code: `call-${calls++}` })))).toContain('returns the same result for the same run');
    const sharing = (good: Guard): Partial<Guard> => {
      let last: Parameters<Guard['check']>[0] = [];
      return {
        check: async (segments, ctx) => {
          last = segments;
          await Promise.resolve();
          return good.check(last, ctx);
        },
      };
    };
    expect(await failing(sharing)).toEqual(['is not affected by concurrent runs']);
  });

  test('state that is not JSON', async () => {
    const keeping = (good: Guard): Partial<Guard> => ({
      check: (segments, ctx) => {
        Object.assign(ctx.state, { seen: new Map() });
        return good.check(segments, ctx);
      },
    });
    expect(await failing(keeping)).toEqual(['keeps only JSON in the state of a run, and continues from a stored state']);
  });

  test('hooks that throw, or return an invalid result', async () => {
    const settles = 'settles a run however it ended, even if it was never checked';
    const settle = (): never => {
      throw new Error('cannot settle');
    };
    expect(await failing(() => reserving({ settle }))).toEqual([settles]);
    const spend = [{ key: 'k', amount: 0.5, expires_at: 0 }];
    expect(await failing(() => reserving({ settle: () => ({ reservation: 'r', spend }) }))).toEqual([settles]);
    const revalidates = 'allows or blocks a run after a pause, and edits nothing';
    const answer = { code: 'x', edits: [], findings: [] };
    for (const verdict of ['require_approval', 'sanitize', 'block'] as const)
      expect(await failing(() => reserving({ revalidate: () => ({ ...answer, verdict }) }))).toEqual([revalidates]);
    const faults = 'reports the same faults for every route, each with its place';
    const lint = (found: unknown) => failing(() => ({ lint: () => found as GuardDiagnostic[] }));
    expect(await lint([])).toEqual([]);
    expect(await lint([{ code: 'SVC-POL-003', message: 'it needs both stages: add it to egress' }])).toEqual([]);
    expect(await lint(undefined)).toEqual([faults]);
    expect(await lint([{ code: 'SVC-POL-001', message: 'no code of a guard' }])).toEqual([faults]);
    expect(await lint([{ code: 'SVC-POL-010', endpoint: 99, message: 'no endpoint of the route' }])).toEqual([faults]);
    expect(await lint([{ code: 'SVC-POL-003', message: 'two\nlines' }])).toEqual([faults]);
    let asked = 0;
    const counting = (): GuardDiagnostic[] => [{ code: 'SVC-POL-003', message: `asked ${asked++} times` }];
    expect(await failing(() => ({ lint: counting }))).toEqual([faults]);
    expect(await failing(() => ({ endpoint: () => ({ verdict: 'block', code: 'region' }) }))).toEqual([
      'returns an answer for every endpoint of the run',
    ]);
  });

  test('a stream that releases more, less or sooner than allowed', async () => {
    const law = 'streams the same text as check returns, however the stream is split';
    expect(await failing(streams(() => ({ end: () => ({ release: '' }) })))).toContain(law);
    expect(await failing(streams(() => ({ push: ({ text }): StreamStep => ({ release: text }) })))).toContain(law);
    expect(await failing(streams(() => ({ finish: () => ({ verdict: 'allow', code: 'x', edits: [], findings: [] }) })))).toEqual([
      law,
    ]);
    const leaking = streams((stream) => ({
      push: async (chunk) => ({ ...(await stream.push(chunk)), release: chunk.text }),
    }));
    expect(await failing(leaking, { verdict: 'block' })).toContain(law);
    const late = await failing(
      streams(() => ({ push: () => ({ release: '' }) })),
      { verdict: 'block', capability: 'post' },
    );
    expect(late).toEqual([law]);
  });

  test('a stream that never stops refused text', async () => {
    const unstopped = streams((stream) => ({
      push: ({ text }) => ({ release: text }),
      end: () => ({ release: '' }),
      finish: () => stream.finish(),
    }));
    expect(await failing(unstopped, { verdict: 'block' })).toEqual([
      'streams the same text as check returns, however the stream is split',
      'releases nothing of a sample that stops the stream, and records no text',
    ]);
  });

  test('complete parts that are judged differently than by check', async () => {
    const blind = streams(() => ({ complete: () => ({ verdict: 'allow', code: 'clean', edits: [], findings: [] }) }));
    expect(await failing(blind)).toEqual(['judges complete parts next to the stream as check does']);
  });

  test('a guard that is too slow, whole or streamed', async () => {
    expect(await failing(() => ({}), { time_limit_ms: -1 })).toEqual([
      'streams 25,000 characters in small pieces within a quarter of its timeout',
      'checks 100,000 characters within its timeout',
    ]);
  });

  describe('a guard that only waits', () => {
    let waited_ms = 0;
    const wait = (): void => {
      waited_ms += 60_000;
    };
    beforeEach(() => {
      const now = performance.now.bind(performance);
      vi.spyOn(performance, 'now').mockImplementation(() => now() + waited_ms);
    });
    afterEach(() => vi.restoreAllMocks());

    test('for whole texts', async () => {
      const waiting = (good: Guard): Partial<Guard> => ({
        check: (...given) => {
          wait();
          return good.check(...given);
        },
      });
      expect(await failing(waiting)).toEqual(['checks 100,000 characters within its timeout']);
    });

    test('for pieces of a stream', async () => {
      const waiting = streams((stream) => ({
        push: (chunk) => {
          wait();
          return stream.push(chunk);
        },
      }));
      expect(await failing(waiting)).toEqual(['streams 25,000 characters in small pieces within a quarter of its timeout']);
    });
  });
});
