import type { GuardStream, StreamStep } from '@svc/sdk/plugin';
import type { CompiledRule } from './compile.ts';
import type { TextEdit } from './edits.ts';
import { judge, summary } from './judge.ts';
import { Reading } from './reading.ts';
import type { Turns } from './turns.ts';

/** One streamed answer: each channel is one text. `window` edits and stops; `post` lets all pass and only counts. */
export function openStream(rules: readonly CompiledRule[], mode: 'window' | 'post', turns: () => Turns): GuardStream {
  const counts = rules.map(() => 0);
  const channels = new Map<string, Channel>();

  async function advance(name: string, text: string, ended: boolean): Promise<StreamStep> {
    const channel = channels.get(name) ?? { reading: new Reading(rules, counts), held: new Held() };
    if (ended) channels.delete(name);
    else channels.set(name, channel);
    const edits = await channel.reading.advance(text, ended, turns());
    if (mode === 'post') return { release: text };
    const stopper = rules.find(({ verdict }, order) => verdict !== 'sanitize' && (counts[order] ?? 0) > 0);
    if (stopper !== undefined) return { release: '', stop: { code: stopper.name } };
    return { release: channel.held.release(text, edits, channel.reading.settled) };
  }

  return {
    push: ({ choice, path, text }) => advance(channelName(choice, path), text, false),
    end: ({ choice, path }) => advance(channelName(choice, path), '', true),
    complete: (segments) => judge(rules, segments, turns()),
    async finish() {
      for (const name of channels.keys()) await advance(name, '', true);
      return summary(rules, counts, []);
    },
  };
}

interface Channel {
  readonly reading: Reading;
  readonly held: Held;
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
  release(text: string, edits: readonly TextEdit[], settled: number): string {
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
