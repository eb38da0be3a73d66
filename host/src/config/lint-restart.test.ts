import { expect, it } from 'vitest';
import { isReadAtStart, lintRestart } from './lint-restart.ts';
import { Report } from './report.ts';

const IN_FORCE = {
  server: { port: 1, host: 'a' },
  routes: { a: {} },
  packs: {},
  auth: { keys: [] },
  providers: {},
  ledger: { origin: 'a', signing_keys: ['secret://vault/a#k'] },
};

function restarts(file: object) {
  const report = new Report('svc.yaml', () => ({ line: 1, column: 1 }));
  const names = lintRestart({ ...file }, IN_FORCE, report);
  expect(report.diagnostics.map(({ code, path }) => [code, path])).toEqual(names.map((name) => ['SVC-POL-012', name]));
  return names;
}

it('names the sections that were added, removed or changed, except those that a running server can replace', () => {
  const { server: _, ...rest } = IN_FORCE;
  expect(
    restarts({
      ...IN_FORCE,
      server: { host: 'a', port: 1 },
      routes: {},
      packs: { p: {} },
      auth: { keys: [{}], oidc: [{}], session: {} },
      providers: { x: {} },
    }),
  ).toEqual([]);
  expect(restarts({ ...IN_FORCE, server: { host: 'a', port: 2 } })).toEqual(['server']);
  expect(restarts({ ...rest, rag: {} })).toEqual(['server', 'rag']);
});

it('allows other signing keys, but no other change of the ledger', () => {
  const { ledger, ...rest } = IN_FORCE;
  expect(restarts({ ...rest, ledger: { ...ledger, signing_keys: [] } })).toEqual([]);
  expect(restarts({ ...rest, ledger: { ...ledger, signing_keys: [], origin: 'b' } })).toEqual(['ledger']);
  expect(restarts(rest)).toEqual(['ledger']);
});

it('knows the references in sections that are read only at a start', () => {
  const sections = { providers: { a: { api_key: 'secret://vault/a#k' } }, exporters: [{ key: 'secret://vault/b#k' }] };
  expect(['a', 'b', 'c'].filter((name) => isReadAtStart(sections, `secret://vault/${name}#k`))).toEqual(['b']);
  expect(isReadAtStart(IN_FORCE, 'secret://vault/a#k')).toBe(false);
});
