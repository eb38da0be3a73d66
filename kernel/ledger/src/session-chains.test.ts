import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SessionChains, sessionKey } from './session-chains.ts';

/** Records of some sessions as a gateway writes them, mixed: of two principals with the same ids. */
function written(order: readonly number[]) {
  const heads = new Map<string, { number: number; hash: string }>();
  return order.map((pick, n) => {
    const [principal_id, id] = [`app-${pick % 2}`, `s-${pick % 3}`];
    const { number, hash } = heads.get(`${principal_id} ${id}`) ?? { number: 0, hash: 'genesis' };
    const record = { principal_id, session: { id, number: number + 1, prev_hash: hash } };
    heads.set(`${principal_id} ${id}`, { number: number + 1, hash: `hash-${n}` });
    return { record, hash: `hash-${n}` };
  });
}

it('accepts each session in order, and detects a record that is left out, doubled or moved', () => {
  const order = fc.array(fc.nat(5), { minLength: 1, maxLength: 30 });
  fc.assert(
    fc.property(order, fc.nat(), fc.constantFrom('left out', 'doubled', 'last first'), (picks, at, how) => {
      const all = written(picks);
      const chains = new SessionChains();
      expect(all.every(({ record, hash }) => chains.add(record, hash))).toBe(true);
      expect(chains.size).toBe(new Set(picks.map((pick) => `${pick % 2} ${pick % 3}`)).size);
      const last = all.at(-1);
      const place = last?.record.session;
      const key = sessionKey(last?.record.principal_id ?? '', place?.id ?? '');
      expect(chains.isHead(key, place?.number ?? 0, last?.hash ?? '')).toBe(true);
      const index = at % all.length;
      const changed = {
        'left out': all.toSpliced(index, 1),
        doubled: all.toSpliced(index, 0, ...all.slice(index, index + 1)),
        'last first': [...all.slice(-1), ...all.slice(0, -1)],
      }[how];
      const others = new SessionChains();
      const isAccepted = changed.every(({ record, hash }) => others.add(record, hash));
      // Without its last record, or with its first record moved within other sessions, a session looks whole: a signed end shows the rest.
      const isOwn = ({ record }: (typeof all)[number]) => sessionKey(record.principal_id, record.session.id);
      const inOrder = (records: typeof all) => Map.groupBy(records, isOwn);
      const isPrefix = [...inOrder(changed)].every(([session, records]) =>
        records.every((each, n) => inOrder(all).get(session)?.[n] === each),
      );
      expect(isAccepted).toBe(isPrefix);
    }),
  );
});
