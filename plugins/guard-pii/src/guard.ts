import type { Edit, Guard, GuardContext, GuardDeps, GuardResult, GuardScan, GuardStream, HeavyWork, Segment } from '@svc/sdk';
import { maskingStream, Placeholders, replacementOf } from '@svc/toolkit/masking';
import { type Finding, findPlaces, Turns } from '@svc/toolkit/work';
import { findingOf } from './finding.ts';
import { fitting } from './name-segments.ts';
import type { Options } from './options.ts';
import { isOwn, type MaskSettings, RunMask } from './run-mask.ts';
import { makeScanner, type Scanner } from './scanner.ts';
import { scanSettings, streamMode } from './settings.ts';

/** @throws {Error} for options that do not go together */
export function makeGuard(options: Options, deps: Pick<GuardDeps, 'clock'>): Guard {
  const mode = streamMode(options);
  const work = new PiiWork(options, deps);
  return {
    stages: ['ingress', 'egress'],
    reads_numbers: true,
    verdicts: options.restore ? [...new Set([options.verdict, 'sanitize' as const])] : [options.verdict],
    start: async () => work.warmUp(),
    check: (segments, ctx) => work.check(segments, ctx),
    scan: (text, ctx) => work.scan(text, ctx),
    ...(mode !== 'buffer' && { stream: { capability: mode, open: (ctx: GuardContext) => work.openStream(ctx, mode) } }),
  };
}

/** What the guard does with these options. Keeps nothing of a run. */
class PiiWork {
  readonly #finding: Finding<null>;
  readonly #scanner: Scanner;
  readonly #mask: MaskSettings;
  readonly #deps: Pick<GuardDeps, 'clock'>;

  constructor(options: Options, deps: Pick<GuardDeps, 'clock'>) {
    const settings = scanSettings(options);
    this.#scanner = makeScanner(settings);
    this.#finding = findingOf(settings, this.#scanner);
    const allowed = new Set(options.allow_list.map((value) => value.trim().toLowerCase()));
    this.#mask = { verdict: options.verdict, restore: options.restore, allowed };
    this.#deps = deps;
  }

  /** The model of names is unpacked with the first text. */
  warmUp(): void {
    this.#scanner.find('My name is Ann Lee.');
  }

  check(segments: readonly Segment[], ctx: GuardContext): Promise<GuardResult> {
    return this.#judge(segments, new RunMask(this.#mask, new Placeholders(ctx.state), ctx.stage), ctx);
  }

  openStream(ctx: GuardContext, mode: 'window' | 'post'): GuardStream {
    const placeholders = new Placeholders(ctx.state);
    const mask = new RunMask(this.#mask, placeholders, 'egress');
    const held = new RunMask(this.#mask, placeholders, 'egress');
    return maskingStream({
      mode,
      searches: () => this.#scanner.searches(),
      mask: (found, value) => mask.replace(found, value, false),
      waits: (found, value) => mask.waits(found, value),
      stop: () => (this.#mask.verdict === 'block' && mask.foundSoFar > 0 ? mask.result().code : null),
      complete: (segments) => this.#judge(segments, held, ctx),
      finish: () => ({ ...mask.result(held.foundSoFar > 0), edits: [] }),
      signal: ctx.signal,
    });
  }

  async scan(text: string, work: HeavyWork): Promise<GuardScan> {
    const segment = { index: 0, text, kind: 'text', role: 'user', path: 'text', choice: null } as const;
    const { places } = await findPlaces(this.#finding, [segment], work, new Turns(undefined, this.#deps.clock));
    const mask = new RunMask(this.#mask, new Placeholders({}), 'ingress');
    const findings: GuardScan['findings'][number][] = [];
    const written: string[] = [];
    let from = 0;
    for (const { entity_type, score, pieces } of places) {
      for (const { start, end } of pieces) {
        const value = text.slice(start, end);
        const before = mask.foundSoFar;
        written.push(text.slice(from, start), mask.replace({ entity_type }, value, true) ?? value);
        if (mask.foundSoFar > before) findings.push({ entity_type, start, end, score });
        from = end;
      }
    }
    return { findings, sanitized: written.join('') + text.slice(from) };
  }

  async #judge(segments: readonly Segment[], mask: RunMask, ctx: GuardContext): Promise<GuardResult> {
    const turns = new Turns(ctx, this.#deps.clock);
    const { places } = await findPlaces(this.#finding, segments, ctx, turns);
    const edits: Edit[] = [];
    for (const { entity_type, pieces } of places) {
      if (turns.isOver) await turns.next();
      const texts = pieces.map(({ order }) => segments[order]).filter((segment) => segment !== undefined);
      const value = texts.map(({ text }, n) => text.slice(pieces[n]?.start, pieces[n]?.end)).join('');
      const replacement = mask.replace({ entity_type }, value, ctx.stage === 'ingress' && texts.every(isOwn));
      if (replacement === null) continue;
      for (const [n, piece] of pieces.entries()) {
        const segment = texts[n];
        if (segment === undefined) continue;
        const written = replacementOf(piece, n === 0, fitting(segment, replacement), segment);
        edits.push({ segment: segment.index, start: piece.start, end: piece.end, replacement: written });
      }
    }
    return { ...mask.result(), edits };
  }
}
