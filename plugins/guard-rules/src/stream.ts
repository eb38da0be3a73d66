import type { GuardStream, HeavyWork, StreamStep } from '@svc/sdk';
import { type Finding, findPlaces, inTurns, slices, type Turns } from '@svc/toolkit/work';
import type { CompiledRule } from './compile.ts';
import type { Hit } from './edits.ts';
import type { Counts } from './find-in.ts';
import { findingOf } from './finding.ts';
import { judge, summary } from './judge.ts';
import type { Rule } from './options.ts';
import { Reading } from './reading.ts';

/** One streamed answer: each channel is one text. `window` edits and stops; `post` lets all pass and only counts. */
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

  async function advance(name: string, text: string, ended: boolean): Promise<StreamStep> {
    const channel = channels.get(name) ?? {
      reading: new Reading(rules, counts, ({ matcher }) => matcher.streams),
      held: new Held(),
      whole: [],
    };
    if (ended) channels.delete(name);
    else channels.set(name, channel);
    const own = turns();
    let release = '';
    // Of a text that has ended nothing comes, but what was held back.
    for (const slice of ended ? [''] : slices(text)) {
      const edits = await inTurns(channel.reading.advance(slice, ended), own);
      if (mode === 'post') continue;
      const stopper = rules.find(({ verdict }, order) => verdict !== 'sanitize' && (counts[order] ?? 0) > 0);
      if (stopper !== undefined) return { release: '', stop: { code: stopper.name } };
      release += channel.held.release(slice, edits, channel.reading.settled);
    }
    if (mode === 'window') return { release };
    if (endless.isAny) channel.whole.push(text);
    if (ended && endless.isAny) await endless.count(channel.whole.join(''), work, own);
    return { release: text };
  }

  return {
    push: ({ choice, path, text }) => advance(channelName(choice, path), text, false),
    end: ({ choice, path }) => advance(channelName(choice, path), '', true),
    complete: (segments) => judge(finding, rules, segments, work, turns()),
    async finish() {
      for (const name of [...channels.keys()]) await advance(name, '', true);
      return summary(rules, { flowing: counts, held: [] }, []);
    },
  };
}

/** The rules that can only judge a text when its end has come. In a stream that is looked at afterwards they do so then. */
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
    const segment = { index: 0, text, kind: 'text', role: 'assistant', path: 'choices.0.message.content', choice: 0 } as const;
    const { summary: found } = await findPlaces(this.#finding, [segment], work, turns);
    for (const [n, order] of this.#orders.entries()) this.#counts[order] = (this.#counts[order] ?? 0) + (found.flowing[n] ?? 0);
  }
}

interface Channel {
  readonly reading: Reading;
  readonly held: Held;
  /** What came of the text, where a rule needs all of it. */
  readonly whole: string[];
}

function channelName(choice: number, path: string): string {
  return `${choice} ${path}`;
}

/** The text of a channel that has not left. */
class Held {
  #text = '';
  /** Where `#text` begins in the whole. */
  #base = 0;

  /** Takes what came; gives what may leave: the text before `settled`, with the edits that start there. */
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
