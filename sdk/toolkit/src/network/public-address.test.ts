import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { isPublicAddress, isPublicHost, lookupPublic, PrivateAddress } from './public-address.ts';

describe('isPublicAddress', () => {
  it.each(['1.1.1.1', '93.184.216.34', '172.32.0.1', '192.167.255.255', '2606:4700::1111', '::ffff:1.1.1.1'])(
    '%s is',
    (address) => {
      expect(isPublicAddress(address)).toBe(true);
    },
  );

  it.each([
    '127.0.0.1',
    '127.1.2.3',
    '0.0.0.0',
    '10.0.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '192.0.0.1',
    '192.0.2.1',
    '198.18.0.1',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    'fe80::1',
    'fe80::1%eth0',
    'fc00::1',
    'fd12:3456::1',
    'ff02::1',
    '2001:db8::1',
    // IPv4 addresses in other notations.
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    '2001::1',
    '::127.0.0.1',
    '::7f00:1',
    '::10.0.0.1',
    '::169.254.169.254',
    '::1.1.1.1',
    '::2',
    '::ffff:0:127.0.0.1',
    '::ffff:10.0.0.1',
    '0:0:0:0:0:ffff:a9fe:a9fe',
    '64:ff9b::10.0.0.1',
    '64:ff9b::169.254.169.254',
    '64:ff9b:1::a00:1',
    '2002:a00:1::',
    '2002:c0a8:101::1',
    '2002:a9fe:a9fe::',
    // Unassigned addresses, and texts that are no network address.
    '4000::1',
    '100::1',
    'fec0::1',
    '3fff::1',
    '5f00::1',
    'localhost',
    '',
    '1.1.1',
    'example.org',
  ])('%s is not', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});

describe('isPublicHost', () => {
  it.each([
    ['https://example.org', true],
    ['https://1.1.1.1', true],
    ['https://[2606:4700::1111]', true],
    ['https://127.0.0.1', false],
    ['https://[::1]', false],
    ['https://0x7f.1', false],
    ['https://2130706433', false],
    ['https://[::ffff:10.0.0.1]', false],
    ['https://[::127.0.0.1]', false],
    ['https://[::7f00:1]', false],
    ['https://[64:ff9b::7f00:1]', false],
    ['https://[2002:7f00:1::]', false],
  ])('%s: %s', (url, open) => {
    expect(isPublicHost(new URL(url).hostname)).toBe(open);
  });
});

describe('lookupPublic', () => {
  it.each([{ all: true }, { all: false }, {}])('has no address for a name of this machine: %o', async (options) => {
    await expect(promisify(lookupPublic)('localhost', options)).rejects.toThrow(PrivateAddress);
  });

  it('passes on the error of a lookup', async () => {
    await expect(promisify(lookupPublic)('no-such-name.invalid', { all: true })).rejects.toThrow(/ENOTFOUND|EAI_AGAIN/);
  });
});
