import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { assertNetwork } from './assert-network.ts';

const folder = mkdtempSync(join(tmpdir(), 'svc-pem-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('certificates that cannot be used are refused with the option and the remedy', () => {
  it.each([
    [{ ca: 'no-such-file' }, /^ca: cannot read the file \(ENOENT\)$/],
    [{ client_key: 'some.pem' }, /^client_certificate: is missing, but client_key is set/],
    [{ client_certificate: 'some.pem' }, /^client_key: is missing, but client_certificate is set/],
    [{ ca: 'text.pem' }, /^ca: is not a certificate in PEM format$/],
    [{ ca: 'some.pem' }, /^ca: contains a certificate that cannot be read$/],
  ])('%j', (options, message) => {
    writeFileSync(join(folder, 'text.pem'), 'hunter2');
    writeFileSync(join(folder, 'some.pem'), '-----BEGIN CERTIFICATE-----\naHVudGVyMg==\n-----END CERTIFICATE-----\n');
    chmodSync(join(folder, 'some.pem'), 0o600);
    expect(() => assertNetwork(options, folder)).toThrow(message);
  });

  it('but not before their secrets are resolved', () => {
    const proxy = 'secret://env/PROXY#url';
    assertNetwork({ proxy, ca: 'secret://vault/ca#pem', client_certificate: 'x', client_key: 'secret://vault/key#pem' }, folder);
  });
});
