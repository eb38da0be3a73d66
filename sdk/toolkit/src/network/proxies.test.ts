import { describe, expect, it } from 'vitest';
import { proxyFor } from './proxies.ts';

const HTTPS_PROXY = 'http://proxy.example:3128';
const through = (target: string, env: Record<string, string>, option?: string): string | undefined =>
  proxyFor(new URL(target), option, env)?.href;

describe('the environment', () => {
  it('has a proxy for each scheme; lower case takes precedence, and a scheme may have none', () => {
    const env = { HTTPS_PROXY, https_proxy: 'tls.example:1', HTTP_PROXY: 'http://plain.example' };
    expect(through('https://model.example', env)).toBe('http://tls.example:1/');
    expect(through('http://model.example', env)).toBe('http://plain.example/');
    expect(through('http://model.example', { HTTPS_PROXY })).toBeUndefined();
    expect(through('https://model.example', { HTTPS_PROXY: '' })).toBeUndefined();
  });

  it.each(['https://localhost', 'https://a.localhost', 'https://127.1.2.3:8443', 'https://[::1]', 'https://[::ffff:127.0.0.1]'])(
    'is not for this machine: %s',
    (target) => {
      expect(through(target, { HTTPS_PROXY })).toBeUndefined();
    },
  );

  it.each([
    ['*', 'https://model.example'],
    ['model.example', 'https://model.example'],
    ['model.example', 'https://eu.model.example'],
    ['.model.example', 'https://eu.model.example'],
    ['*.model.example', 'https://eu.model.example'],
    ['MODEL.example', 'https://Model.Example.'],
    ['a, b model.example', 'https://model.example'],
    ['model.example:443', 'https://model.example'],
    ['10.0.0.0/8', 'https://10.1.2.3'],
    ['10.1.2.3', 'https://10.1.2.3:8443'],
    ['[fd00::1]:443', 'https://[fd00::1]'],
    ['fd00::1', 'https://[fd00:0::1]'],
    ['fd00::/8', 'https://[fd12::1]'],
  ])('NO_PROXY=%s is for %s', (NO_PROXY, target) => {
    expect(through(target, { HTTPS_PROXY, NO_PROXY })).toBeUndefined();
  });

  it.each([
    ['model.example', 'https://mymodel.example'],
    ['model.example:444', 'https://model.example'],
    ['10.0.0.0/8', 'https://11.1.2.3'],
    ['10.0.0.0/8', 'https://10.example'],
    ['example/8', 'https://10.1.2.3'],
    ['.', 'https://model.example'],
    ['', 'https://model.example'],
  ])('NO_PROXY=%s is not for %s', (NO_PROXY, target) => {
    expect(through(target, { HTTPS_PROXY, NO_PROXY })).toBe(`${HTTPS_PROXY}/`);
  });
});

describe('the option', () => {
  it('takes precedence over the environment and its exceptions', () => {
    const env = { HTTPS_PROXY, NO_PROXY: '*' };
    expect(through('https://localhost', env, 'http://own.example:1')).toBe('http://own.example:1/');
    expect(through('https://model.example', env, 'direct')).toBeUndefined();
  });

  it.each(['socks5://user:hunter2@proxy.example', 'http://user:hunter2@proxy.example/path', 'hunter2:x:y'])(
    'must be an HTTP proxy, and is not repeated',
    (option) => {
      const refused = () => through('https://model.example', {}, option);
      expect(refused).toThrow(/^proxy: must be/);
      expect(refused).not.toThrow('hunter2');
    },
  );

  it('must have a percent-encoded user and password, and is otherwise refused without being quoted', () => {
    const refused = () => proxyFor(new URL('https://api.example'), 'http://user:50%off@proxy.example', {});
    expect(refused).toThrow('%25');
    expect(refused).not.toThrow('50%off');
  });

  it('names the variable of the environment that is wrong', () => {
    expect(() => through('https://model.example', { HTTPS_PROXY: 'ftp://proxy.example' })).toThrow(/^HTTPS_PROXY: /);
  });
});
