import { brokenWork, fakeGuardContext, fakeSegments } from '@svc/sdk/testing';
import { expect, test } from 'vitest';
import { checked, guardOf, requestSegments } from './test-guard.ts';

const filled = (piece: string, length: number): string => piece.repeat(Math.ceil(length / piece.length)).slice(0, length);
const prose = filled('We met them at 10 and talked about the boats. ', 20_000);
const request = (...texts: string[]) => requestSegments(texts.map((text) => ['user', text] as const));

/** Whether texts are scanned on the event loop. */
async function isScannedHere(...texts: string[]): Promise<boolean> {
  const scanned = (async () => guardOf().check(request(...texts), fakeGuardContext(brokenWork.rejects)))();
  return scanned.then(
    () => true,
    () => false,
  );
}

test('a long text goes to a thread', async () => {
  expect(await isScannedHere(filled(prose, 12_000))).toBe(true);
  expect(await isScannedHere(filled(prose, 17_000))).toBe(false);
});

test('a text of digits goes to a thread sooner, even in several pieces', async () => {
  const dense = '(212) 555 012 ';
  expect(await isScannedHere(filled(dense, 2000))).toBe(true);
  expect(await isScannedHere(filled(dense, 4000))).toBe(false);
  expect(await isScannedHere(filled(dense, 2000), filled(dense, 2000))).toBe(false);
});

test('a thread finds the same in texts, in parts of one message, and under keys', async () => {
  const texts = [`${prose} call (212) 555-0123`, 'a@example.org', `${prose} 4111 1111 1111`, ' 1111 is his card'];
  const guard = guardOf();
  const inParts = request(...texts).map((segment, n) => (n < 2 ? segment : { ...segment, path: `messages.2.content.${n}.text` }));
  const { texts: masked, findings } = await checked(guard, 'ingress', inParts, {});
  expect(masked.map((text) => text.slice(-20))).toEqual([
    'call <PHONE_NUMBER_1>'.slice(-20),
    '<EMAIL_ADDRESS_1>',
    `${prose} <CREDIT_CARD_1>`.slice(-20),
    ' is his card',
  ]);
  expect(findings).toHaveLength(3);
});

test.each(Object.entries(brokenWork))('a thread that %s fails the guard', async (_, work) => {
  const guard = guardOf();
  const text = `${prose} call (212) 555-0123`;
  await expect((async () => guard.check(request(text), fakeGuardContext(work)))()).rejects.toThrow();
  await expect((async () => guard.scan?.(text, work))()).rejects.toThrow();
  const stream = guard.stream?.open(fakeGuardContext({ ...work, stage: 'egress' }));
  await expect((async () => stream?.complete(fakeSegments('egress', [text])))()).rejects.toThrow();
});
