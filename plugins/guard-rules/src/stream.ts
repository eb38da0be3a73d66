import type { GuardStream, HeavyWork, StreamStep } from '@svc/sdk';
import { type Finding, findPlaces, inSlices, soon, type Turns } from '@svc/toolkit/work';
import type { CompiledRule } from './compile.ts';
import type { Hit } from './edits.ts';
import type { Counts } from './find-in.ts';
import { findingOf } from './finding.ts';
import { judge, summary } from './judge.ts';
import type { Rule } from './options.ts';
import { Reading } from './reading.ts';

/** One streamed answer, in which each channel is one text. `window` edits and stops. `post` releases everything and only counts. */
export function openStream(
  finding: Finding<Counts>,
  written: readonly Rule[],
  rules: readonly CompiledRule[],
  mode: 'window' | 'post',
  work: HeavyWork,
  turns: () => Turns,
): GuardStream {
  const counts = rules.map(() => 0);
  const endless = new EndlessRules(written, rules, counts);
  const channels = new Map<string, Channel>();

  const stoppers = [...rules.keys()].filter((order) => rules[order]?.verdict !== 'sanitize');

  function channelOf(name: string): Channel {
    const known = channels.get(name);
    if (known !== undefined) return known;
    const reading = new Reading(rules, counts, ({ matcher }) => matcher.streams);
    const opened = { reading, held: new Held(), whole: [] };
    channels.set(name, opened);
    return opened;
  }

  function stopper(): string | undefined {
    const found = mode === 'window' ? stoppers.find((order) => (counts[order] ?? 0) > 0) : undefined;
    return found === undefined ? undefined : rules[found]?.name;
  }

  function advance({ reading, held }: Channel, slice: string, ended: boolean): string | Promise<string> {
    if (stopper() !== undefined) return '';
    const released = (edits: readonly Hit[]): string => held.release(slice, edits, reading.settled);
    const edits = soon(reading.advance(slice, ended), turns());
    return edits instanceof Promise ? edits.then(released) : released(edits);
  }

  function step(came: string, release: string): StreamStep {
    if (mode === 'post') return { release: came };
    const code = stopper();
    return code === undefined ? { release } : { release: '', stop: { code } };
  }

  function stepLater(came: string, release: string | Promise<string>): StreamStep | Promise<StreamStep> {
    return release instanceof Promise ? release.then((late) => step(came, late)) : step(came, release);
  }

  async function judgeWhole(channel: Channel, released: StreamStep | Promise<StreamStep>): Promise<StreamStep> {
    const last = await released;
    await endless.count(channel.whole.join(''), work, turns());
    return last;
  }

  function end(name: string): StreamStep | Promise<StreamStep> {
    const channel = channelOf(name);
    channels.delete(name);
    const last = stepLater('', advance(channel, '', true));
    return mode === 'post' && endless.isAny ? judgeWhole(channel, last) : last;
  }

  return {
    push({ choice, path, text }) {
      const channel = channelOf(channelName(choice, path));
      if (mode === 'post' && endless.isAny) channel.whole.push(text);
      return stepLater(
        text,
        inSlices(text, turns, (slice) => advance(channel, slice, false)),
      );
    },
    end: ({ choice, path }) => end(channelName(choice, path)),
    complete: (segments) => judge(finding, rules, segments, work, turns()),
    async finish() {
      for (const name of [...channels.keys()]) await end(name);
      return summary(rules, { streamed: counts, held: [] }, []);
    },
  };
}

/** Rules that need the end of the text. In `post` mode, they check it when the stream ends. */
class EndlessRules {
  readonly #orders: readonly number[];
  readonly #finding: Finding<Counts>;
  readonly #counts: number[];

  constructor(written: readonly Rule[], rules: readonly CompiledRule[], counts: number[]) {
    this.#orders = [...rules.keys()].filter((order) => rules[order]?.matcher.streams === false);
    const own = <T>(all: readonly T[]): T[] => all.filter((_, order) => this.#orders.includes(order));
    this.#finding = findingOf(own(written), own(rules), 'edits');
    this.#counts = counts;
  }

  get isAny(): boolean {
    return this.#orders.length > 0;
  }

  async count(text: string, work: HeavyWork, turns: Turns): Promise<void> {
    const segment = {
      index: 0,
      text,
      kind: 'text',
      role: 'assistant',
      path: 'choices.0.message.content',
      choice: 0,
      origin: 'assistant',
      untrusted: false,
    } as const;
    const { summary: found } = await findPlaces(this.#finding, [segment], work, turns);
    for (const [n, order] of this.#orders.entries()) this.#counts[order] = (this.#counts[order] ?? 0) + (found.streamed[n] ?? 0);
  }
}

interface Channel {
  readonly reading: Reading;
  readonly held: Held;
  /** The whole text so far, if a rule needs it. */
  readonly whole: string[];
}

function channelName(choice: number, path: string): string {
  return `${choice} ${path}`;
}

/** The part of a channel's text that has not been released. */
class Held {
  #text = '';
  /** The offset of `#text` in the whole text. */
  #base = 0;

  /** Takes the next part. Returns the text to release, up to `settled`, with the edits applied. */
  release(text: string, edits: readonly Hit[], settled: number): string {
    this.#text += text;
    let released = '';
    for (const { start, end, replacement } of edits) {
      released += this.#taken(start) + replacement;
      this.#taken(end);
    }
    return released + this.#taken(settled);
  }

  #taken(to: number): string {
    const length = Math.max(0, to - this.#base);
    const text = this.#text.slice(0, length);
    this.#text = this.#text.slice(length);
    this.#base += length;
    return text;
  }
}
