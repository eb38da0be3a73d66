import type { GuardContext, GuardStream, StreamStep } from '@svc/sdk';
import { type Finder, maskingStream, searchThrough, searchWith } from '@svc/toolkit/masking';
import { type Finding, slices, Turns } from '@svc/toolkit/work';
import type { Chosen } from './chosen.ts';
import { judge } from './judge.ts';
import type { Options } from './options.ts';
import { SeeingScanner } from './seeing-scanner.ts';
import { FOUND, placeholder, Tally } from './tally.ts';

/** A channel. To the masking stream the text between two endless secrets is a channel of its own: `gap` counts them. */
interface Channel {
  readonly choice: number;
  readonly path: string;
  readonly scanner: SeeingScanner;
  gap: number;
}

/** One streamed answer: the SDK's masking stream, given only the text between the secrets that may be of any length. */
export function openStream(
  chosen: Chosen,
  finder: Finder,
  finding: Finding<null>,
  verdict: Options['verdict'],
  ctx: GuardContext,
): GuardStream {
  const tally = new Tally(verdict);
  const channels = new Map<string, Channel>();
  const between = maskingStream({
    mode: 'window',
    searches: () => [searchThrough(searchWith(finder))],
    signal: ctx.signal,
    principal_id: ctx.principal_id,
    mask({ entity_type }) {
      tally.add(entity_type);
      return placeholder(entity_type);
    },
    stop: () => (verdict === 'sanitize' || tally.isEmpty ? null : FOUND),
    complete: (segments) => judge(finding, verdict, segments, ctx, new Turns(ctx)),
    finish: () => tally.result([]),
  });

  async function advance(channel: Channel, text: string, ended: boolean): Promise<StreamStep> {
    const gap = (): { choice: number; path: string } => ({ choice: channel.choice, path: `${channel.path} ${channel.gap}` });
    let release = '';
    for (const part of channel.scanner.advance(text, ended)) {
      switch (part.kind) {
        case 'text':
          release += (await between.push({ ...gap(), text: part.text })).release;
          break;
        case 'begin':
          release += (await between.end(gap())).release + placeholder(part.entity);
          tally.add(part.entity);
          channel.gap += 1;
          break;
        case 'end':
          break;
      }
    }
    if (ended) release += (await between.end(gap())).release;
    return verdict === 'sanitize' || tally.isEmpty ? { release } : { release: '', stop: { code: FOUND } };
  }

  async function pushSlices(channel: Channel, text: string): Promise<StreamStep> {
    const turns = new Turns(ctx);
    let release = '';
    for (const slice of slices(text)) {
      const step = await advance(channel, slice, false);
      if (step.stop !== undefined) return step;
      release += step.release;
      if (turns.isOver) await turns.next();
    }
    return { release };
  }

  function channelOf(choice: number, path: string): Channel {
    const name = `${choice} ${path}`;
    const known = channels.get(name);
    if (known !== undefined) return known;
    const opened: Channel = { choice, path, scanner: new SeeingScanner(chosen), gap: 0 };
    channels.set(name, opened);
    return opened;
  }

  return {
    push: ({ choice, path, text }) => pushSlices(channelOf(choice, path), text),
    end({ choice, path }) {
      const channel = channelOf(choice, path);
      channels.delete(`${choice} ${path}`);
      return advance(channel, '', true);
    },
    complete: between.complete,
    async finish() {
      // An answer that was cut short: what was held back is judged, and never leaves.
      for (const channel of channels.values()) await advance(channel, '', true);
      return between.finish();
    },
  };
}
