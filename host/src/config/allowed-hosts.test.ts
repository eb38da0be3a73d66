import { describe, expect, it } from 'vitest';
import { CliError } from '../errors/cli-error.ts';
import { allowedHosts } from './allowed-hosts.ts';

const allowed = (host: string, ...named: string[]) => allowedHosts({ no_auth: true, host, named });

describe('allowedHosts', () => {
  it('allows any host if keys are required', () => {
    expect(allowedHosts({ no_auth: false, host: '0.0.0.0', named: [] })).toBeNull();
  });

  it.each(['127.0.0.1', '127.0.0.2', 'localhost', 'LOCALHOST', '::1', '::ffff:127.0.0.1'])(
    '%s allows the loopback names and the configured names',
    (host) => {
      expect(allowed(host)).toEqual(expect.arrayContaining(['localhost', '127.0.0.1', '[::1]']));
      expect(allowed(host, 'svc.test')).toEqual(expect.arrayContaining(['localhost', '127.0.0.1', '[::1]', 'svc.test']));
    },
  );

  it.each(['0.0.0.0', '::', '192.168.1.10', '10.0.0.1', 'gateway.example', 'localhost.example', '127.1', '::ffff:10.0.0.1', ''])(
    '%s is refused unless its names are configured',
    (host) => {
      expect(() => allowed(host)).toThrow(CliError);
      expect(allowed(host, 'svc.test')).toEqual(['svc.test']);
    },
  );

  it('holds names in the form that browsers send', () => {
    expect(allowed('::', 'Gateway.Example', '2001:DB8:0::1', '[::1]', 'bücher.example')).toEqual([
      'gateway.example',
      '[2001:db8::1]',
      '[::1]',
      'xn--bcher-kva.example',
    ]);
  });

  it.each(['', '*', '*.example', 'a b', 'http://a', 'a:8000', 'a/b', 'u@a', 'a?b'])('%j is not a name', (name) => {
    expect(() => allowed('0.0.0.0', name)).toThrow(CliError);
  });

  it('is refused if keys are required, because it would have no effect', () => {
    expect(() => allowedHosts({ no_auth: false, host: '0.0.0.0', named: ['a'] })).toThrow(CliError);
  });
});
