import type { Detector, Tail } from './detector.ts';
import { maybe, oneOf, run, sequence, text, words } from './shape.ts';

const KIND = words('RSA ', 'EC ', 'DSA ', 'OPENSSH ', 'ENCRYPTED ', 'PGP ', 'SSH2 ENCRYPTED ', 'ED25519 ');
const END = `-{4,5} ?END [A-Z0-9 ]{0,24}PRIVATE KEY(?: BLOCK)? ?-{4,5}`;
/** White space and four words of a sentence, which never occur in a key. They mark the end of a truncated key. */
const SMALL = String.raw`a-z\u00DF-\u167F\u1681-\u1FFF\u2C00-\u2FFF\u3040-\uFEFE`;
const PROSE = String.raw`\s{1,4}(?:[("'\`]?[A-Z\u00C0-\u00DE]?[${SMALL}]{1,15}(?:['’][${SMALL}]{1,15})?[,.;:!?)"'’\`]{0,2}\s{1,4}){4}`;
const END_OR_PROSE = new RegExp(`(${END})|${PROSE}`, 'g');
const LONGEST_END = 120;

/**
 * Ends a key at the line that ends the block. Without such a line, ends it at a sentence or the end of the text. Text is known to be inside as soon
 * as it arrives, so a stream holds back no more than the longest end line.
 */
const untilEnd: Tail = (source, from, ended) => {
  END_OR_PROSE.lastIndex = from;
  const match = END_OR_PROSE.exec(source);
  const index = match?.index ?? source.length;
  const all = match?.[0] ?? '';
  const end = match?.[1] ?? '';
  // The last dash of the end line may still arrive.
  if (all !== '' && (ended || index + all.length < source.length)) return { inside: index + end.length, over: true };
  return { inside: ended ? source.length : Math.max(from, Math.min(index, source.length - LONGEST_END)), over: ended };
};

const BREAK = run(String.raw`\s\\nrt"'+,>`, 0, 16);
const HEADER = sequence(words('Proc-Type', 'Version', 'Comment', 'Hash', 'Charset', 'Subject'), text(':'));

const HAS_END = new RegExp(END);

/** Whether a secret is a key with its first line and without its last one: the next text may continue it. */
export function isCutOff(secret: string): boolean {
  return secret.startsWith('----') && !HAS_END.test(secret);
}

/** A PEM or PGP block, with or without its end: its first line and the text that can only be a key. */
export const privateKey: Detector = {
  entity: 'PRIVATE_KEY',
  secret: sequence(
    run('-', 4, 5),
    maybe(text(' ')),
    text('BEGIN '),
    maybe(KIND),
    text('PRIVATE KEY'),
    maybe(text(' BLOCK')),
    maybe(text(' ')),
    run('-', 4, 5),
    BREAK,
    oneOf(run('A-Za-z0-9+/=', 12), HEADER),
  ),
  notAfter: '',
  contains: ['PRIVATE KEY'],
  continues: untilEnd,
};
