import type { Guard, GuardResult, Segment } from '@svc/sdk';
import type { SegmentKind } from '@svc/sdk/guard';
import { fakeGuardContext, fakePluginDeps, fakeSegments } from '@svc/sdk/testing';
import { Value } from 'typebox/value';
import { describe, expect, test } from 'vitest';
import secrets from './index.ts';
import type { Options } from './options.ts';
import { CLEAN, DEFAULTS, disorder, KEY_LINES, SAMPLES, withChecksum } from './samples.ts';

const guardOf = (options: Partial<Options> = {}): Guard => secrets.create({ ...DEFAULTS, ...options }, fakePluginDeps());

async function check(text: string, options: Partial<Options> = {}): Promise<GuardResult> {
  return guardOf(options).check(fakeSegments('ingress', [text]), fakeGuardContext());
}

async function masked(text: string, options: Partial<Options> = {}): Promise<string> {
  const { edits } = await check(text, options);
  return edits.reduceRight((done, { start, end, replacement }) => done.slice(0, start) + replacement + done.slice(end), text);
}

describe('the options of secrets', () => {
  test.each<[string, unknown, boolean]>([
    ['nothing', {}, true],
    ['a choice', { detectors: ['AWS_ACCESS_KEY', 'SECRET'], exclude: ['SECRET'] }, true],
    ['an unknown detector', { detectors: ['AWS'] }, false],
    ['an unknown key', { entities: [] }, false],
    ['a threshold out of reach', { entropy_threshold: 7 }, false],
    ['an unknown verdict', { verdict: 'allow' }, false],
  ])('with %s', (_, options, valid) => {
    expect(Value.Check(secrets.options, Value.Default(secrets.options, options))).toBe(valid);
  });

  test('that leave nothing are refused', () => {
    expect(() => guardOf({ detectors: ['SECRET'], entropy: false })).toThrow(/detectors/);
    expect(() => guardOf({ detectors: [] })).toThrow(/detectors/);
  });
});

describe('the guard secrets', () => {
  test.each(SAMPLES)('masks %s: %#', async (entity, secret, text) => {
    expect(await masked(text)).toBe(text.replace(secret, () => `<${entity}>`));
    expect(await check(text)).toMatchObject({ verdict: 'sanitize', findings: [{ entity_type: entity, count: 1 }] });
  });

  test.each(SAMPLES)('sees %s through characters that show nothing: %#', async (entity, secret, text) => {
    const middle = Math.floor(secret.length / 2);
    const hidden = `${secret.slice(0, 1)}\u200b${secret.slice(1, middle)}\u00ad\u2060${secret.slice(middle)}`;
    const written = text.replace(secret, () => `\u200b${hidden}\ufeff`);
    expect(await masked(written)).toBe(text.replace(secret, () => `\u200b<${entity}>\ufeff`));
  });

  test.each(CLEAN)('leaves %s', async (text) => {
    expect(await check(text)).toEqual({ verdict: 'allow', code: 'no-match', edits: [], findings: [] });
  });

  test.each<SegmentKind>(['text', 'name', 'argument', 'key', 'url'])('looks at segments of kind %s', async (kind) => {
    const [, , text] = SAMPLES[0] ?? ['', '', ''];
    expect(await guardOf().check(fakeSegments('ingress', [text], kind), fakeGuardContext())).toMatchObject({
      verdict: 'sanitize',
    });
  });

  test.each(['sanitize', 'block', 'require_approval'] as const)('answers %s, with the secrets masked', async (verdict) => {
    const guard = guardOf({ verdict });
    expect(guard.verdicts).toEqual([verdict]);
    expect(guard.stream?.capability).toBe(verdict === 'require_approval' ? undefined : 'window');
    expect(await masked('password: tr0ub4dor&3!', { verdict })).toBe('password: <SECRET>&3!');
    expect(await check('password: tr0ub4dor', { verdict })).toMatchObject({ verdict });
  });

  test('finds several in one text, each under its own name', async () => {
    const [jwt, id, pat] = ['JWT', 'AWS_ACCESS_KEY', 'GITHUB_TOKEN'].map(
      (entity) => SAMPLES.find(([name]) => name === entity)?.[1],
    );
    const text = `token=${jwt} ${id},${pat}; secret: ${id} `;
    expect(await masked(text)).toBe('token=<JWT> <AWS_ACCESS_KEY>,<GITHUB_TOKEN>; secret: <AWS_ACCESS_KEY> ');
  });

  test('masks a key whose end is missing up to a sentence, and no further', async () => {
    const text = `-----BEGIN RSA PRIVATE KEY-----\n${KEY_LINES.slice(0, 700)}\n\nWhy does openssl say so?`;
    expect(await masked(text)).toBe('<PRIVATE_KEY>\n\nWhy does openssl say so?');
  });

  test('knows by its checksum a token that looks like a placeholder', async () => {
    const token = withChecksum('ghp', '0'.repeat(30));
    expect(await masked(token)).toBe('<GITHUB_TOKEN>');
    const without = `${token.slice(0, -6)}000000`;
    expect(await masked(without)).toBe(without);
  });

  test('takes the name of the detectors to use, or to leave out', async () => {
    const texts = SAMPLES.filter(([entity]) => entity === 'STRIPE_KEY' || entity === 'JWT').map(([, , text]) => text);
    const found = async (options: Partial<Options>): Promise<string[]> => {
      const { findings } = await check(texts.join(' '), options);
      return findings.map(({ entity_type }) => entity_type);
    };
    expect(await found({ detectors: ['JWT'] })).toEqual(['JWT']);
    expect(await found({ exclude: ['JWT', 'SECRET'] })).toEqual(['STRIPE_KEY']);
  });

  test('finds values by their entropy above the threshold, unless `entropy` is off', async () => {
    const text = 'password: rkrkkr123';
    expect(await masked(text, { entropy_threshold: 2 })).toBe('password: <SECRET>');
    expect(await masked(text, { entropy_threshold: 4 })).toBe(text);
    expect(await masked('password: x7!kQ$2pWz', { entropy: false })).toBe('password: x7!kQ$2pWz');
  });

  test('finds a token in base64, however short its header is', async () => {
    const encoded = (text: string): string => Buffer.from(text).toString('base64url');
    const token = `${encoded('{"kty":"EC"}')}.${encoded('{"sub":"ann"}')}.${encoded('signature')}`;
    expect(await masked(`echo ${Buffer.from(token).toString('base64')} | base64 -d`)).toBe('echo <JWT> | base64 -d');
  });

  test('never masks what is on its list, only whole values', async () => {
    const allow_list = ['AKIA2E0A8F3B244C9986', 'Tr0ub4dor-3', disorder(300)];
    for (const value of allow_list) {
      const text = `key AKIA2E0A8F3B244C9986, secret: ${value}; `;
      expect(await masked(text)).toContain('<AWS_ACCESS_KEY>');
      expect(await masked(text, { allow_list })).toBe(text);
      expect(await masked(`secret: ${value}x7`, { allow_list })).toBe('secret: <SECRET>');
    }
  });
});

test("a key of a tool call's arguments says what its value is", async () => {
  const at = 'choices.0.message.tool_calls.0.function.arguments';
  const pairs = [
    ['password', 'xK9#mQ2vL7pR'],
    ['api_key', 'Zx81kQpL0vNm72RtYw'],
    ['client_secret', 'a8F3kd92LsQpWm4Z'],
    ['city', 'Regensburg'],
  ];
  const given = pairs.flatMap(([key = '', value = ''], i): Segment[] =>
    (['key', 'argument'] as const).map((kind, n) => ({
      index: 2 * i + n,
      kind,
      text: kind === 'key' ? key : value,
      path: `${at}.${i}`,
      role: 'assistant',
      choice: 0,
      origin: 'assistant',
      untrusted: false,
    })),
  );
  const { edits } = await guardOf().check(given, fakeGuardContext({ stage: 'egress' }));
  expect(edits.map(({ segment, start, end }) => [segment, start, end])).toEqual([
    [1, 0, 12],
    [3, 0, 18],
    [5, 0, 16],
  ]);
});

describe('text parts of one message', () => {
  const parts = (texts: readonly string[]): Segment[] =>
    fakeSegments('ingress', texts).map((segment, n) => ({ ...segment, path: `messages.0.content.${n}.text` }));
  async function maskedParts(texts: readonly string[]): Promise<string[]> {
    const { edits } = await guardOf().check(parts(texts), fakeGuardContext());
    return texts.map((text, n) =>
      edits
        .filter(({ segment }) => segment === n)
        .toSorted((a, b) => b.start - a.start)
        .reduce((done, { start, end, replacement }) => done.slice(0, start) + replacement + done.slice(end), text),
    );
  }

  test.each(SAMPLES)('are read as one, wherever %s is split: %#', async (entity, secret, text) => {
    const at = text.indexOf(secret);
    for (const cut of [1, 3, Math.floor(secret.length / 2), secret.length - 1]) {
      const [one = '', two = ''] = await maskedParts([text.slice(0, at + cut), text.slice(at + cut)]);
      // Each part that would otherwise be empty also gets the placeholder.
      const said = (one + two).replace(`<${entity}><${entity}>`, `<${entity}>`);
      expect(said).toBe(text.replace(secret, () => `<${entity}>`));
    }
  });

  test('say in one what the other holds, and count once what is split', async () => {
    expect(await maskedParts(['the password:', 'Kp4-Regenwurm', ' is new'])).toEqual(['the password:', '<SECRET>', ' is new']);
    const pat = withChecksum('ghp');
    const { findings } = await guardOf().check(parts([pat.slice(0, 9), pat.slice(9)]), fakeGuardContext());
    expect(findings).toEqual([{ entity_type: 'GITHUB_TOKEN', count: 1 }]);
  });

  test('give no less than each of them alone', async () => {
    const pat = withChecksum('ghp');
    expect(await maskedParts([`use ${pat}`, `x and ${pat}.`])).toEqual(['use <GITHUB_TOKEN>', ' and <GITHUB_TOKEN>.']);
  });

  test('are read so over messages that one role says one after the other', async () => {
    const pat = withChecksum('ghp');
    const { findings } = await guardOf().check(fakeSegments('ingress', [pat.slice(0, 9), pat.slice(9)]), fakeGuardContext());
    expect(findings).toEqual([{ entity_type: 'GITHUB_TOKEN', count: 1 }]);
  });

  const PEM = `-----BEGIN PRIVATE KEY-----\n${KEY_LINES}\n-----END PRIVATE KEY-----`;
  test.each([
    ['a private key that is split', [`key:\n${PEM.slice(0, 150)}`, `${PEM.slice(150)}\nKeep it safe.`]],
    ['a whole private key', [`key:\n${PEM}`, '\nKeep it safe.']],
  ])('contain nothing of %s, also over messages', async (_, texts) => {
    const { edits } = await guardOf().check(fakeSegments('ingress', texts), fakeGuardContext());
    const rest = texts.map((text, n) =>
      edits.filter(({ segment }) => segment === n).reduce((done, { start, end }) => done.slice(0, start) + done.slice(end), text),
    );
    expect(rest).toEqual(['key:\n', '\nKeep it safe.']);
  });
});

test('a text is scanned outside of any run', async () => {
  const pat = withChecksum('ghp');
  expect(await guardOf().scan?.(`use ${pat}, password: Kp4-Regenwurm`, fakeGuardContext())).toEqual({
    findings: [
      { entity_type: 'GITHUB_TOKEN', start: 4, end: 44, score: 1 },
      { entity_type: 'SECRET', start: 56, end: 69, score: 0.5 },
    ],
    sanitized: 'use <GITHUB_TOKEN>, password: <SECRET>',
  });
});
