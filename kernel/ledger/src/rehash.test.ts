import { GENESIS } from '@svc/contracts';
import { expect, it } from 'vitest';
import { canonicalJson, sha256 } from './canonical.ts';
import { rehash } from './rehash.ts';

const body = { events: [{ data: { a: 1 } }], prev_hash: GENESIS, record_type: 'run_evidence', seq: 1 };
const hash = sha256(canonicalJson(body));
const bytes = canonicalJson({ ...body, hash });

it('accepts a record with its own hash', () => {
  expect(rehash(bytes, 1, GENESIS)).toEqual({ seq: 1, prev_hash: GENESIS, hash });
});

it('refuses a record if any one character is changed or missing', () => {
  const taken = Array.from(bytes, (_, at) => [
    `${bytes.slice(0, at)}~${bytes.slice(at + 1)}`,
    bytes.slice(0, at) + bytes.slice(at + 1),
  ])
    .flat()
    .filter((altered) => rehash(altered, 1, GENESIS) !== null);
  expect(taken).toEqual([]);
});
