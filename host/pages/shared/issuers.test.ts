import { expect, it } from 'vitest';
import { hostOf, takeProblem } from './issuers.ts';

it('reads from the address why signing in failed, and cleans the address', () => {
  const address = 'https://gateway.example.com/approvals';
  expect(takeProblem(address)).toBeNull();
  expect(takeProblem(`${address}#key=svc-1`)).toBeNull();
  const told = takeProblem(`${address}#sign-in=SVC-AUTH-004`);
  expect(told).toMatchObject({ cleaned: address, problem: expect.stringContaining('cannot be reached') });
  expect(takeProblem(`${address}#sign-in=SVC-STORE-001`)?.problem).toContain('SVC-STORE-001');
});

it('shows no text that someone else put into the address', () => {
  for (const text of ['constructor', '__proto__', 'Call 555-1234', 'SVC-AUTH-001 or call'])
    expect(takeProblem(`https://gateway.example.com/approvals#sign-in=${encodeURIComponent(text)}`)?.problem).toBe(
      'The gateway could not sign you in.',
    );
});

it('names an issuer by its host', () => {
  expect(hostOf('https://login.example.com/realms/a')).toBe('login.example.com');
});
