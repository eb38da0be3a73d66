import type { GuardContext, GuardStream, StreamStep } from '@svc/sdk';
import { type Finder, MaskedChannel, searchThrough, searchWith } from '@svc/toolkit/masking';
import { type Finding, inSlices, Turns } from '@svc/toolkit/work';
import { AnswerMask, FOUND } from './answer-mask.ts';
import type { Chosen } from './chosen.ts';
import type { Part } from './endless-scanner.ts';
import { judge } from './judge.ts';
import type { Options } from './options.ts';
import { VisibleScanner } from './visible-scanner.ts';

/** A streamed text. Secrets of any length are removed, and the text between two of them is masked separately. */
interface Channel {
  readonly scanner: VisibleScanner;
  between: MaskedChannel;
}

export function openStream(
  chosen: Chosen,
  finder: Finder,
  finding: Finding<null>,
  options: Pick<Options, 'verdict' | 'restore'>,
  ctx: GuardContext,
): GuardStream {
  const { verdict } = options;
  const answers = AnswerMask.of(options, ctx);
  const channels = new Map<string, Channel>();
  const turns = (): Turns => new Turns(ctx);

  function textBetween(): MaskedChannel {
    const mask = ({ entity_type }: { readonly entity_type: string }, value: string): string | null =>
      answers.replace(entity_type, value);
    return new MaskedChannel([searchThrough(searchWith(finder))], mask, undefined, turns());
  }

  /** The text to release for these parts, from index `first` on. */
  function released(channel: Channel, parts: readonly Part[], ended: boolean, first = 0): string | Promise<string> {
    let release = '';
    for (let at = first; at < parts.length; at++) {
      const part = parts[at];
      const next = part === undefined ? '' : releasedWith(channel, part);
      if (next instanceof Promise) {
        return next.then(async (late) => release + late + (await released(channel, parts, ended, at + 1)));
      }
      release += next;
    }
    if (!ended) return release;
    const rest = channel.between.end();
    return rest instanceof Promise ? rest.then((late) => release + late) : release + rest;
  }

  function releasedWith(channel: Channel, part: Part): string | Promise<string> {
    if (part.kind === 'text') return channel.between.push(part.text);
    if (part.kind === 'end') return '';
    const { entity } = part;
    const before = channel.between.end();
    channel.between = textBetween();
    const begin = (left: string): string => {
      return left + (answers.replace(entity, '') ?? '');
    };
    return before instanceof Promise ? before.then(begin) : begin(before);
  }

  function step(release: string): StreamStep {
    return verdict === 'sanitize' || answers.isEmpty ? { release } : { release: '', stop: { code: FOUND } };
  }

  function channelOf(name: string): Channel {
    const known = channels.get(name);
    if (known !== undefined) return known;
    const opened: Channel = { scanner: new VisibleScanner(chosen), between: textBetween() };
    channels.set(name, opened);
    return opened;
  }

  const advance = (channel: Channel, text: string, ended: boolean): string | Promise<string> =>
    released(channel, channel.scanner.advance(text, ended), ended);
  const stepLater = (release: string | Promise<string>): StreamStep | Promise<StreamStep> =>
    release instanceof Promise ? release.then(step) : step(release);

  return {
    push({ choice, path, text }) {
      const channel = channelOf(`${choice} ${path}`);
      return stepLater(inSlices(text, turns, (slice) => advance(channel, slice, false)));
    },
    end({ choice, path }) {
      const name = `${choice} ${path}`;
      const channel = channelOf(name);
      channels.delete(name);
      return stepLater(advance(channel, '', true));
    },
    complete: (segments) => judge(finding, options, segments, ctx, turns()),
    async finish() {
      // The answer was truncated. Text that was held back is checked, but never released.
      for (const channel of channels.values()) await advance(channel, '', true);
      return { ...answers.result(), edits: [] };
    },
  };
}
