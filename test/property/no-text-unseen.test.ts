import type { AnswerFrame, AnyProvider, Guard, ProtocolId, Segment, StreamChunk } from '@svc/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runStage } from '../../kernel/kernel/src/runs/stage.ts';
import { callWhole } from '../../kernel/runtime/src/answers/whole-call.ts';
import { callLive } from '../../kernel/runtime/src/streaming/live-call.ts';
import { lineOf, wordGuard } from '../../kernel/runtime/src/streaming/test-parts.ts';
import { ENV, nodeOf, routeOf, runOf } from '../../kernel/runtime/src/test-parts.ts';
import { joinedAsClientsDo, piecesOfChats } from './chat-pieces.ts';
import { BODIES, type Bodies } from './unseen-bodies.ts';

/** With a space: it has no closed form, so that no place may keep it from guards. */
const WORD = 'top secret';

/** Remembers all that it is shown. */
function witness(): { guard: Guard; readonly seen: string } {
  const texts = new Map<string, string>();
  const parts: string[] = [];
  const ALLOW = { verdict: 'allow', code: 'fine', edits: [], findings: [] } as const;
  const take = (segments: readonly Segment[]) => {
    parts.push(...segments.map(({ text }) => text));
    return ALLOW;
  };
  const guard: Guard = {
    stages: ['ingress', 'egress'],
    verdicts: ['allow'],
    check: take,
    stream: {
      capability: 'window',
      open: () => ({
        push: ({ choice, path, text }: StreamChunk) => {
          const key = `${choice} ${path}`;
          texts.set(key, (texts.get(key) ?? '') + text);
          return { release: text };
        },
        end: () => ({ release: '' }),
        complete: take,
        finish: () => ALLOW,
      }),
    },
  };
  return {
    guard,
    get seen() {
      return [...texts.values(), ...parts].join('\n');
    },
  };
}

type Mode = 'mask' | 'block' | 'observe' | 'see';
function guardsOf(mode: Mode) {
  const watched = witness();
  const own = mode === 'mask' || mode === 'block' ? wordGuard(WORD, mode === 'mask' ? 'sanitize' : 'block') : watched.guard;
  return { node: nodeOf('node', own, { mode: mode === 'observe' ? 'observe' : 'enforce' }), watched };
}

interface Exchange {
  readonly caller: Bodies;
  readonly upstream: Bodies;
}

function scene({ caller, upstream }: Exchange, mode: Mode, stage: 'ingress' | 'egress', given: Partial<Bodies>) {
  const asked: unknown[] = [];
  const provider: AnyProvider = {
    protocols: [upstream.protocol.id as ProtocolId],
    complete: async (body: unknown) => {
      asked.push(structuredClone(body));
      return { completion: structuredClone(given.answer ?? upstream.answer), unsupported: [] };
    },
    stream: async () => ({ chunks: each(structuredClone(given.frames ?? upstream.frames)), unsupported: [] }),
  } as never;
  const { node, watched } = guardsOf(mode);
  const route = routeOf({ provider: provider as never, [stage]: [node] });
  const request = structuredClone(given.request ?? caller.request);
  const run = { ...runOf(route), protocol: caller.protocol, request } as never as ReturnType<typeof runOf>;
  const [endpoint] = route.endpoints;
  if (endpoint === undefined) throw new Error('no endpoint');
  return { run, endpoint, watched, asked };
}

async function* each(frames: readonly AnswerFrame[]): AsyncGenerator<AnswerFrame> {
  yield* frames;
}

/** A place in a body: an object or array, and its key. */
interface Site {
  readonly holder: Record<string, unknown>;
  readonly key: string;
}

function sitesIn(value: unknown, into: Site[] = []): Site[] {
  if (typeof value !== 'object' || value === null) return into;
  for (const key of Object.keys(value)) {
    into.push({ holder: value as Record<string, unknown>, key });
    sitesIn(Reflect.get(value, key), into);
  }
  return into;
}

/** How a word gets where nobody expects it. */
const HIDINGS = {
  value: ({ holder, key }: Site, word: string) => {
    holder[key] = word;
  },
  within: ({ holder, key }: Site, word: string) => {
    if (typeof holder[key] === 'string') holder[key] = `${holder[key]} ${word}`;
  },
  object: ({ holder, key }: Site, word: string) => {
    holder[key] = { deep: [word] };
  },
  key: ({ holder }: Site, word: string) => {
    if (!Array.isArray(holder)) holder[word] = 'x';
  },
  type: ({ holder }: Site) => {
    if ('type' in holder) holder.type = 'constructor';
  },
  'new field': ({ holder }: Site, word: string) => {
    if (!Array.isArray(holder)) holder.novel = word;
  },
  'own field': ({ holder }: Site, word: string) => {
    if (!Array.isArray(holder)) holder.svc_left_out = [word];
  },
  proto: ({ holder }: Site, word: string) => {
    if (Array.isArray(holder)) return;
    Object.defineProperty(holder, '__proto__', { value: { a: word }, enumerable: true, configurable: true, writable: true });
  },
  id: ({ holder }: Site, word: string) => {
    if (!Array.isArray(holder)) Object.assign(holder, { id: word, object: word, model: word, item_id: word, created_at: word });
  },
  member: ({ holder }: Site, word: string) => {
    if (!Array.isArray(holder))
      Object.assign(holder, { message: { id: word, model: word, svc_left_out: [word] }, response: { id: word, object: word } });
  },
  'known text': ({ holder }: Site, word: string) => {
    if (!Array.isArray(holder)) Object.assign(holder, { text: word, note: word, content: word, data: word, signature: word });
  },
} as const;
type Hiding = keyof typeof HIDINGS;

interface Change {
  readonly at: number;
  readonly hiding: Hiding;
}
const change = fc.record({
  at: fc.nat(),
  hiding: fc.constantFrom(...(Object.keys(HIDINGS) as Hiding[])),
});

function changed<T extends object>(body: T, changes: readonly Change[]): T {
  const copy = structuredClone(body);
  for (const { at, hiding } of changes) {
    const sites = sitesIn(copy);
    const site = sites[at % sites.length];
    if (site !== undefined) HIDINGS[hiding](site, WORD);
  }
  return copy;
}

/** What a client that joins whatever comes makes of a stream: each string by its place, pieces behind each other. */
function joined(frames: readonly AnswerFrame[]): string {
  const texts = new Map<string, string>();
  const put = (value: unknown, name: string): void => {
    if (typeof value === 'string') texts.set(name, (texts.get(name) ?? '') + value);
    else if (typeof value === 'object' && value !== null)
      for (const [key, member] of Object.entries(value))
        if (!/^(type|signature|data|encrypted_content)$/.test(key)) put(member, `${name}.${key}`);
  };
  for (const { type, index, output_index, content_index, summary_index, content_block, delta, choices } of frames) {
    // Its fields are new each time.
    if (type === 'message_delta') continue;
    const at = JSON.stringify([index, output_index, content_index ?? summary_index]);
    put(content_block, at);
    put(choices, 'choices');
    put(typeof delta === 'string' ? { text: delta } : delta, at);
  }
  return [...texts.values()].join('\n');
}

/** Where a text has the word; null: nowhere. */
function around(text: string): string | null {
  const at = text.indexOf(WORD);
  return at < 0 ? null : JSON.stringify(text.slice(Math.max(0, at - 200), at + 100));
}

const textOf = (value: unknown): string => JSON.stringify(value) ?? '';
const PAIRS = BODIES.flatMap((caller) => BODIES.map((upstream) => ({ caller, upstream })));
const nameOf = ({ caller, upstream }: Exchange) => `${caller.protocol.id} over ${upstream.protocol.id}`;
const changes = fc.array(change, { minLength: 1, maxLength: 2 });
const mode = fc.constantFrom<Mode>('mask', 'block', 'observe', 'see');

describe.each(PAIRS.map((pair) => [nameOf(pair), pair] as const))('%s', (_name, pair) => {
  it('no text of a request passes unseen', async () => {
    await fc.assert(
      fc.asyncProperty(changes, mode, async (hidden, how) => {
        const request = changed(pair.caller.request, hidden);
        const { run, endpoint, watched, asked } = scene(pair, how, 'ingress', { request });
        run.request.model = 'r';
        const refused = await guarded(() => runStage(run, 'ingress', null, () => false, ENV));
        if (refused === null) await callWhole(run, endpoint, ENV);
        if (how === 'mask' || how === 'block') expect(textOf([asked, run.events])).not.toContain(WORD);
        else if (textOf(asked).includes(WORD)) expect(watched.seen, textOf(asked)).toContain(WORD);
      }),
    );
  });

  it('no text of a whole answer passes unseen', async () => {
    await fc.assert(
      fc.asyncProperty(changes, mode, async (hidden, how) => {
        const answer = changed(pair.upstream.answer, hidden);
        const { run, endpoint, watched } = scene(pair, how, 'egress', { answer });
        const end = await callWhole(run, endpoint, ENV);
        const refused = end.kind === 'answered' ? await runStage(run, 'egress', null, () => false, ENV) : end;
        const left = refused === null ? run.completion : null;
        if (how === 'mask' || how === 'block') expect(textOf([left, run.events])).not.toContain(WORD);
        else {
          // What repeats the text is listed as unread.
          const shown = left === null ? '' : textOf(pair.caller.protocol.checkable(left).answer);
          if (shown.includes(WORD)) expect(watched.seen, shown).toContain(WORD);
        }
      }),
    );
  });

  it('no text of a streamed answer passes unseen', async () => {
    await fc.assert(
      fc.asyncProperty(changes, mode, fc.integer({ min: 1, max: WORD.length }), async (hidden, how, size) => {
        const frames = cut(changed([...pair.upstream.frames], hidden), size);
        await checkStream(pair, how, frames);
      }),
    );
  });
});

describe('pieces of a chat, wherever they are', () => {
  const [caller] = BODIES;
  const chats = { caller, upstream: caller };
  const masked = (text: string) => text.replaceAll(WORD, '<MASKED>');

  it('are sent as the guard edits the whole', async () => {
    await fc.assert(
      fc.asyncProperty(piecesOfChats, async (frames) => {
        const { left, run } = await streamed(chats, 'mask', frames);
        const whole = [...joinedAsClientsDo(frames)].map(([place, text]) => [masked(place), masked(text)] as const);
        expect(joinedAsClientsDo(left)).toEqual(new Map(whole));
        expect(textOf([left, run.completion, run.events])).not.toContain(WORD);
      }),
      { numRuns: 300 },
    );
  });

  it.each<Mode>(['see', 'observe'])('are seen as one text (%s)', async (how) => {
    await fc.assert(
      fc.asyncProperty(piecesOfChats, async (frames) => {
        const { left, watched, end } = await streamed(chats, how, frames);
        expect(end.kind).toBe('answered');
        const texts = joinedAsClientsDo(left);
        expect(texts).toEqual(joinedAsClientsDo(frames));
        const seen = watched.seen.split('\n');
        expect(seen).toEqual(expect.arrayContaining([...texts.values()]));
      }),
      { numRuns: 200 },
    );
  });

  it('stop where they become the word', async () => {
    await fc.assert(
      fc.asyncProperty(piecesOfChats, async (frames) => {
        const { left, run, end } = await streamed(chats, 'block', frames);
        const has = [...joinedAsClientsDo(frames)].flat().some((text) => text.includes(WORD));
        expect(end.kind).toBe(has ? 'stopped' : 'answered');
        expect([...joinedAsClientsDo(left).values()].join('\n')).not.toContain(WORD);
        expect(textOf([left, run.completion, run.events])).not.toContain(WORD);
      }),
      { numRuns: 300 },
    );
  });
});

describe.each(BODIES.slice(1).map((caller) => [caller.protocol.id, caller] as const))(
  'pieces of a chat for %s',
  (_id, caller) => {
    it('do not form a word one after another', async () => {
      await fc.assert(
        fc.asyncProperty(piecesOfChats, fc.constantFrom<Mode>('mask', 'block'), async (frames, how) => {
          const { left, run } = await streamed({ caller, upstream: BODIES[0] }, how, frames);
          expect(around(`${joined(left)}${textOf([left, run.events, run.completion])}`)).toBeNull();
        }),
        { numRuns: 200 },
      );
    });
  },
);

async function streamed(pair: Exchange, how: Mode, frames: readonly AnswerFrame[]) {
  const { run, endpoint, watched } = scene(pair, how, 'egress', { frames });
  const sent: AnswerFrame[] = [];
  // As it is written: what comes later changes none of it.
  const write = (frame: object): undefined => void sent.push(structuredClone(frame) as AnswerFrame);
  const line = lineOf({ keep: true, sink: { ready: () => undefined, write } });
  const end = await callLive(run, endpoint, line, ENV);
  const numbered = pair.caller.protocol.frames.numbered;
  const left = ([...sent, ...(line.tail ?? [])] as AnswerFrame[]).map(numbered);
  return { run, watched, left, end };
}

async function checkStream(pair: Exchange, how: Mode, frames: readonly AnswerFrame[]) {
  const { run, watched, left } = await streamed(pair, how, frames);
  const { checkable } = pair.caller.protocol.frames;
  // What repeats the text does not leave, or is listed as unread.
  const shown = how === 'observe' ? left.map((frame) => checkable?.(frame).answer ?? frame) : left;
  const all = `${joined(shown)}\n${textOf(shown)}`;
  if (how === 'mask' || how === 'block') expect(around(`${all}${textOf([run.events, run.completion])}`)).toBeNull();
  else if (all.includes(WORD)) expect(watched.seen, all).toContain(WORD);
}

/** Strings that came in one piece may come in several. */
function cut(frames: readonly AnswerFrame[], size: number): AnswerFrame[] {
  return frames.flatMap((frame) => {
    const place = placeOfText(frame);
    if (place === null) return [frame];
    const text = String(place.holder[place.key]);
    const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, at) => text.slice(at * size, (at + 1) * size));
    return pieces.map((piece) => {
      place.holder[place.key] = piece;
      return structuredClone(frame);
    });
  });
}

function placeOfText(frame: AnswerFrame): Site | null {
  if (frame.type === 'message_delta') return null;
  const { delta, choices } = frame as { delta?: unknown; choices?: { delta?: Record<string, unknown> }[] };
  const named = Array.isArray(choices) ? choices[0]?.delta : delta;
  if (typeof delta === 'string' && delta !== '') return { holder: frame, key: 'delta' };
  if (typeof named !== 'object' || named === null) return null;
  const key = Object.keys(named).find(
    (name) => name !== 'type' && typeof Reflect.get(named, name) === 'string' && Reflect.get(named, name) !== '',
  );
  return key === undefined ? null : { holder: named as Record<string, unknown>, key };
}

/** Why a request is refused; null: it is not. The doors refuse before what has not the form of a request. */
async function guarded(stage: () => unknown): Promise<unknown> {
  try {
    return (await stage()) ?? null;
  } catch (thrown) {
    return thrown;
  }
}
