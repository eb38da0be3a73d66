import { expect, it } from 'vitest';
import { lintLastAdmin } from './lint-last-admin.ts';
import { Report } from './report.ts';

const key = (...roles: string[]) => ({ keys: [{ roles }], issuers: [] });
const issuer = (...roles: string[]) => ({ keys: [], issuers: [{ roles: { map: { ops: roles } } }] });

it.each([
  ['the last key goes', key('admin'), key('call'), true],
  ['the last issuer goes', issuer('admin'), key('call'), true],
  ['nobody is left', key('call', 'admin'), { keys: [], issuers: [] }, true],
  ['another key stays', key('admin'), { keys: [{ roles: ['call'] }, { roles: ['admin'] }], issuers: [] }, false],
  ['an issuer takes over', key('admin'), issuer('audit', 'admin'), false],
  ['there was none', key('call'), key('approve'), false],
])('%s', (_, in_force, auth, isReported) => {
  const report = new Report('svc.yaml', () => ({ line: 1, column: 1 }));
  lintLastAdmin(auth, in_force, report);
  expect(report.diagnostics.map(({ code, severity, path }) => [code, severity, path])).toEqual(
    isReported ? [['SVC-POL-009', 'warning', 'auth.keys']] : [],
  );
});
