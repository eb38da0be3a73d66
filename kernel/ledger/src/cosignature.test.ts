import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { addCheckpointText, parseAddCheckpoint } from './add-checkpoint.ts';
import { checkpointText } from './checkpoint.ts';
import { cosign, cosignaturesIn, parseWitnessKey, withSignatures, witnessKey } from './cosignature.ts';
import { MalformedNote } from './malformed-note.ts';
import { EMPTY_ROOT } from './merkle.ts';
import { openNote, parseVerifierKey, signingKey, signNote, verifierKey } from './note.ts';
import { parsePolicy } from './witness-policy.ts';

const signer = (name: string) => ({ name, key: signingKey(generateKeyPairSync('ed25519').privateKey) });
const log = signer('example.org/gateway');
const [one, two, three] = [signer('one.example'), signer('two.example'), signer('three.example')];
const text = checkpointText({ origin: log.name, size: 7, root: EMPTY_ROOT });
const note = await signNote(text, [log]);
const keyOf = (of: typeof one) => parseWitnessKey(witnessKey(of));

describe('a cosignature', () => {
  it('is valid for its witness and its time, and leaves the signature of the log as it was', async () => {
    const whole = withSignatures(note, [await cosign(text, one, 1_679_315_147), await cosign(text, two, 1_679_315_148)]);
    expect(openNote(whole, [parseVerifierKey(verifierKey(log))]).signedBy).toHaveLength(1);
    const found = cosignaturesIn(whole, [keyOf(one), keyOf(three)]);
    expect(found.map(({ witness, time_s }) => [witness.name, time_s])).toEqual([['one.example', 1_679_315_147]]);
    expect(
      withSignatures(
        whole,
        found.map(({ line }) => line),
      ),
    ).toBe(whole);
  });

  it('is refused if a byte of it, of its time or of the text is changed', async () => {
    const line = await cosign(text, one, 1_679_315_147);
    const [, name, encoded = ''] = line.split(' ');
    const bytes = Buffer.from(encoded, 'base64');
    // The first four bytes are the id of the key. Another id is another key, which is ignored.
    for (let at = 4; at < bytes.length; at++) {
      const changed = `\u2014 ${name} ${Buffer.from(bytes.with(at, (bytes[at] ?? 0) ^ 1)).toString('base64')}\n`;
      expect(() => cosignaturesIn(note + changed, [keyOf(one)])).toThrow(MalformedNote);
    }
    expect(() => cosignaturesIn(note.replace('\n7\n', '\n8\n') + line, [keyOf(one)])).toThrow(MalformedNote);
  });

  it('is no signature of a log, nor the other way round', () => {
    expect(() => parseVerifierKey(witnessKey(one))).toThrow(MalformedNote);
    expect(() => parseWitnessKey(verifierKey(log))).toThrow(MalformedNote);
  });

  it('has the key id of the specification: the example of tlog-cosignature is read', () => {
    const example = 'jWbPPwAAAABkGFDLEZMHwSRaJNiIDoe9DYn/zXcrtPHeolMI5OWXEhZCB9dlrDJsX3b2oyin1nPZqhf5nNo0xUe+mbIUBkBIfZ+qnA==';
    const bytes = Buffer.from(example, 'base64');
    expect(bytes.length).toBe(4 + 8 + 64);
    expect(bytes.readBigUInt64BE(4)).toBe(1_679_315_147n);
  });
});

describe('a request to add a checkpoint', () => {
  it('is read as it was written', () => {
    const asked = { old: 5, path: [EMPTY_ROOT, EMPTY_ROOT], checkpoint: note };
    expect(parseAddCheckpoint(addCheckpointText(asked))).toEqual(asked);
    expect(parseAddCheckpoint(addCheckpointText({ old: 0, path: [], checkpoint: note }))).toEqual({
      old: 0,
      path: [],
      checkpoint: note,
    });
  });

  it.each([
    '',
    'old 1\n',
    'old 01\n\nx',
    'old -1\n\nx',
    'new 1\n\nx',
    'old 1\nnot base64\n\nx',
    `old 1\n${`${'A'.repeat(43)}=\n`.repeat(64)}\nx`,
  ])('is refused if it is malformed: %j', (body) => expect(() => parseAddCheckpoint(body)).toThrow(MalformedNote));
});

describe('a policy', () => {
  const lines = [
    `log ${verifierKey(log)} https://example.org/`,
    '# two groups',
    ` witness a ${witnessKey(one)}`,
    `witness b\t${witnessKey(two)} https://two.example`,
    `witness c ${witnessKey(three)}`,
  ];
  const policyOf = (...rest: string[]) => parsePolicy([...lines, ...rest, ''].join('\n'));
  const met = (policy: ReturnType<typeof parsePolicy>, ...names: string[]) =>
    policy.isQuorum(new Set(policy.witnesses.filter(({ name }) => names.includes(name)).map(({ verifier }) => verifier)));

  it('is met by the witnesses of its quorum', () => {
    const policy = policyOf('group g 2 a b c', 'quorum g');
    expect(policy.logs.map(({ name }) => name)).toEqual([log.name]);
    expect([met(policy), met(policy, 'a'), met(policy, 'a', 'c'), met(policy, 'a', 'b', 'c')]).toEqual([
      false,
      false,
      true,
      true,
    ]);
    const nested = policyOf('group any-ab any a b', 'group both all any-ab c', 'quorum both');
    expect([met(nested, 'a', 'b'), met(nested, 'b', 'c')]).toEqual([false, true]);
    expect(met(policyOf('quorum none'))).toBe(true);
    expect([met(policyOf('quorum b'), 'a'), met(policyOf('quorum b'), 'b')]).toEqual([false, true]);
  });

  it.each([
    [[]],
    [['quorum g']],
    [['quorum a', 'quorum b']],
    [['group g 0 a', 'quorum g']],
    [['group g 3 a b', 'quorum g']],
    [['group g any', 'quorum g']],
    [['group g any a', 'group h any a', 'quorum h']],
    [['group a any b', 'quorum a']],
    [['group none any b', 'quorum none']],
    [['group g any none', 'quorum g']],
    [[`witness d ${witnessKey(one)}`, 'quorum a']],
    [[`log ${verifierKey(log)}`, 'quorum a']],
    [['witness d x', 'quorum a']],
    [['wintess d', 'quorum a']],
    [['quorum a b']],
    [['quorum a\r']],
  ])('is refused if it is wrong: %j', (rest) => expect(() => policyOf(...rest)).toThrow(MalformedNote));
});
