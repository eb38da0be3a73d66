import { expect, test } from 'vitest';
import { isDummy } from './dummy.ts';

test.each([
  'password',
  'somepassword',
  'your-api-key',
  'MY_SECRET_TOKEN',
  'test-token-123',
  'jwt_abc123',
  'changeme',
  'dummy_key_0000',
  'Example.Secret',
])('%s only shows where a secret would be', (value) => expect(isDummy(value)).toBe(true));

test.each(['secret123', 'Password1!', 'test-4f9d8a7b', 'hunter2', 'tannenbaum', 'test-938461', '', '123456', 'passwort'])(
  '%j may be a secret',
  (value) => {
    expect(isDummy(value)).toBe(false);
  },
);
