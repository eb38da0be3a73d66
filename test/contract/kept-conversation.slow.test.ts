import type { ChatMessage, Guard } from '@svc/contracts';
import { afterEach, expect, it } from 'vitest';
import { ALLOW, completionOf, nodeOf, OpenGateway, PAUSE, type RouteParts } from '../harness/open-gateway.ts';

const LARGE = 'many words '.repeat(380_000);
const RETENTION_MS = 60_000;
/** A run for each link and one more, of each its part of the request and its answer. */
const MOST_PARTS = 2 * (32 + 1);

const user = (content: string): ChatMessage => ({ role: 'user', content });
const assistant = (content: string): ChatMessage => ({ role: 'assistant', content });

let open: OpenGateway;
/** What the model was sent last. */
let sent: readonly ChatMessage[] = [];
/** What the guard `masks` takes out of every message. */
let taken = /SECRET/g;

const taking =
  (words: () => RegExp): Guard['check'] =>
  (segments) => {
    const edits = segments.flatMap(({ index, text }) =>
      [...text.matchAll(words())].map((found) => ({
        segment: index,
        start: found.index,
        end: found.index + found[0].length,
        replacement: '***',
      })),
    );
    return edits.length === 0 ? ALLOW : { verdict: 'sanitize', code: 'taken', edits, findings: [] };
  };
const MASKS = nodeOf('masks', { check: taking(() => taken) });
const PAUSES = nodeOf('pauses', { check: (segments) => (segments.some(({ text }) => text.includes('WAIT')) ? PAUSE : ALLOW) });
const masked = ({ content, ...rest }: ChatMessage): ChatMessage => ({
  ...rest,
  content: String(content).replaceAll(taken, '***'),
});
const heard = () => `heard ${String(sent.at(-1)?.content).slice(0, 20)}`;

async function openWith(parts: RouteParts = {}): Promise<void> {
  taken = /SECRET/g;
  const complete: NonNullable<RouteParts['complete']> = async ({ messages }) => {
    sent = structuredClone(messages);
    return { completion: completionOf(heard()), unsupported: [] };
  };
  open = await OpenGateway.start({ complete, ...parts }, { record_content: true, retention_ms: RETENTION_MS });
}
afterEach(() => open.dispose());

let shown: number[] = [];
async function found(run_id: string) {
  shown = [];
  return open.runs.stored.conversation(run_id, 'alice', 'default', ({ length }) => void shown.push(length));
}

/** A run that says something new after another. */
async function goOn(previous: string | null, text: string) {
  const earlier = previous === null ? null : await found(previous);
  const messages = [user('system of its own'), ...((earlier?.turns as ChatMessage[] | undefined) ?? []), user(text)];
  return open.start(text, {
    request: { model: 'default', messages },
    conversation: { from: 1 },
    continued: earlier && { run_id: String(previous), at: 1, links: earlier.links },
  });
}

const toldOf = (run_id: string) => open.runs.stored.sent(run_id, 'alice');

it('each turn stores only its new parts, and is returned whole', async () => {
  await openWith();
  let { run_id } = (await goOn(null, LARGE)).row;
  expect(await open.contentBytes(run_id)).toBeGreaterThan(LARGE.length);
  for (let turn = 0; turn < 25; turn += 1) {
    run_id = (await goOn(run_id, 'x'.repeat(150))).row.run_id;
    expect(await open.contentBytes(run_id)).toBeLessThan(10_000);
    expect((await toldOf(run_id)).messages).toEqual(sent);
  }
});

it('a long conversation with changing guards is stored in few parts, each a few times, and returned as the model received it', async () => {
  await openWith({ ingress: [MASKS] });
  let said: ChatMessage[] = [];
  let previous: string | null = null;
  let kept = 0;
  for (let turn = 0; turn < 150; turn += 1) {
    // From here on the guard takes out what stands in all earlier messages, too.
    if (turn === 60) taken = /SECRET|words/g;
    const text = `SECRET ${turn} ${'words '.repeat((turn * 7) % 50)}`;
    const { row }: Awaited<ReturnType<typeof goOn>> = await goOn(previous, text);
    const expected = [user('system of its own'), ...said, user(text)].map(masked);
    expect(sent).toEqual(expected);
    expect((await toldOf(row.run_id)).messages).toEqual(expected);
    // The answer has what the guard takes out the next time.
    said = [...expected.slice(1), assistant(heard())];
    previous = row.run_id;
    kept += await open.contentBytes(previous);
    expect((await found(previous))?.turns).toEqual(said);
    expect(shown.length).toBeLessThanOrEqual(MOST_PARTS);
  }
  // Whole requests are a hundred times as much.
  expect(kept).toBeLessThan(10 * JSON.stringify(said).length);
});

it.each([
  ['nothing', 'NEVER', true],
  ['the new message', 'ASKED', true],
  ['the last answer', 'heard', true],
  ['the first message', 'ONCE', false],
])('a run that waited is stored with the edits of guards that now change %s', async (_, word, isShort) => {
  let later = /NEVER/g;
  await openWith({ ingress: [MASKS, PAUSES, nodeOf('later', { check: taking(() => later) })] });
  const first = (await goOn(null, `SECRET ONCE ${LARGE}`)).row.run_id;
  later = new RegExp(word, 'g');
  const { run_id, status } = (await goOn(first, 'WAIT, ASKED SECRET')).row;
  expect(status).toBe('paused');
  const resumed = await open.runs.resume(run_id, 'bob', { decision: 'approved', digest: null });
  expect(resumed.row.status).toBe('completed');
  expect((await toldOf(run_id)).messages).toEqual(sent);
  expect(JSON.stringify(sent)).not.toMatch(new RegExp(`SECRET|${word}`));
  expect((await open.contentBytes(run_id)) < 10_000).toBe(isShort);
  expect((await found(run_id))?.turns).toEqual([...sent.slice(1), assistant(heard())]);
});

it('is gone once the first of its parts expires', async () => {
  await openWith();
  const first = (await goOn(null, 'one')).row.run_id;
  open.clock.advance(RETENTION_MS / 2);
  const second = (await goOn(first, 'two')).row.run_id;
  expect(await found(second)).not.toBeNull();
  open.clock.advance(RETENTION_MS / 2 + 1);
  for (const run_id of [first, second]) expect(await found(run_id)).toBeNull();
  expect(await toldOf(second)).toMatchObject({ messages: null, gone_run_id: first, parameters: {} });
});

it('is not read further once a part of it is refused', async () => {
  await openWith();
  let { run_id } = (await goOn(null, 'one')).row;
  for (const text of ['two', 'three']) run_id = (await goOn(run_id, text)).row.run_id;
  await found(run_id);
  // Of two turns what is new, the first request, and three answers.
  const parts = shown.length;
  expect(parts).toBe(6);
  const full = new Error('full');
  for (let refused = 1; refused <= parts; refused += 1) {
    let seen = 0;
    const admit = (): void => {
      seen += 1;
      if (seen === refused) throw full;
    };
    await expect(open.runs.stored.conversation(run_id, 'alice', 'default', admit)).rejects.toBe(full);
    expect(seen).toBe(refused);
  }
});
