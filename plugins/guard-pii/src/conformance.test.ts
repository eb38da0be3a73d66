import { fakePluginDeps, guardConformance } from '@svc/sdk/testing';
import { Value } from 'typebox/value';
import { describe, expect, test } from 'vitest';
import { KNOWN_ENTITIES } from './entities.ts';
import pii from './index.ts';
import { Options } from './options.ts';

const optionsOf = (written: object): Options => Value.Parse(Options, Value.Default(Options, structuredClone(written)));

/** Many times the usual duration, because test machines may be busy. */
const TIME_LIMIT_MS = 30_000;

const samples = [
  'write to ann.lee@example.org, or call 212-555-0123 😀',
  'my card is 4111 1111 1111 1111 and the IBAN GB82 WEST 1234 5698 7654 32',
  'SSN 460-89-9847 and <EMAIL_ADDRESS_1> of a@example.com at 192.168.0.1',
];
const clean = ['nothing to see here 😀, 12 of them', 'In 1999 a <b>word</b> or 3.'];

/** The sets above use all samples, so one sample is enough for the other options. `SVC_FAULT=long` uses all. */
const few = process.env.SVC_FAULT === 'long' ? samples : samples.slice(-1);

const sets: Record<string, { written: object; streams: 'window' | 'post' | undefined; samples?: string[] }> = {
  'the defaults': { written: {}, streams: 'window' },
  'all entities': {
    written: { entities: KNOWN_ENTITIES.filter((entity) => entity !== 'DATE_TIME' && entity !== 'NATIONAL_INSURANCE_NUMBER') },
    streams: 'window',
  },
  restoring: { written: { restore: true, threshold: 0.3 }, streams: 'window', samples: few },
  'a block': { written: { verdict: 'block' }, streams: 'window', samples: few },
  'a late block': { written: { verdict: 'block', stream: 'post' }, streams: 'post', samples: few },
  'a pause': { written: { verdict: 'require_approval', restore: true }, streams: undefined, samples: few },
};

describe.each(Object.entries(sets))('guard conformance of %s', (_, { written, streams, samples: own = samples }) => {
  test('streams as is meant here', () => {
    expect(pii.create(optionsOf(written), fakePluginDeps()).stream?.capability).toBe(streams);
  });

  const guard = (deps: Parameters<typeof pii.create>[1]) => pii.create(optionsOf(written), deps);
  for (const { name, run } of guardConformance({ guard, samples: own, clean, time_limit_ms: TIME_LIMIT_MS }))
    test(name, run, 10 * TIME_LIMIT_MS);
});
