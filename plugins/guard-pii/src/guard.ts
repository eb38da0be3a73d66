import { maskingStream, Placeholders, replacementOf } from '@svc/sdk/masking';
import type { Edit, Guard, GuardContext, GuardDeps, GuardResult, GuardScan, GuardStream, Segment } from '@svc/sdk/plugin';
import { fitting } from './name-segments.ts';
import type { Options } from './options.ts';
import { Places } from './places.ts';
import { isOwn, type MaskSettings, RunMask } from './run-mask.ts';
import { scanTexts } from './scan-pool.ts';
import { makeScanner, type Scanner } from './scanner.ts';
import { type ScanSettings, scanSettings, streamMode } from './settings.ts';

/** @throws {Error} for options that do not go together */
export function makeGuard(options: Options, deps: Pick<GuardDeps, 'workers'>): Guard {
  const mode = streamMode(options);
  const work = new PiiWork(options, deps);
  return {
    stages: ['ingress', 'egress'],
    reads_numbers: true,
    verdicts: options.restore ? [...new Set([options.verdict, 'sanitize' as const])] : [options.verdict],
    start: async () => work.warmUp(),
    check: (segments, ctx) => work.check(segments, ctx),
    scan: (text) => work.scan(text),
    ...(mode !== 'buffer' && { stream_capability: mode, openStream: (ctx: GuardContext) => work.openStream(ctx, mode) }),
  };
}

/** What the guard does with these options. Keeps nothing of a run. */
class PiiWork {
  readonly #scan: ScanSettings;
  readonly #scanner: Scanner;
  readonly #mask: MaskSettings;
  readonly #deps: Pick<GuardDeps, 'workers'>;

  constructor(options: Options, deps: Pick<GuardDeps, 'workers'>) {
    this.#scan = scanSettings(options);
    this.#scanner = makeScanner(this.#scan);
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
    return maskingStream({
      mode,
      searches: () => this.#scanner.searches(),
      mask: (found, value) => mask.replace(found, value, false),
      waits: (found, value) => mask.waits(found, value),
      stop: () => (this.#mask.verdict === 'block' && mask.foundSoFar > 0 ? mask.result().code : null),
      complete: (segments) => this.#judge(segments, new RunMask(this.#mask, placeholders, 'egress'), ctx),
      finish: () => ({ ...mask.result(), edits: [] }),
      signal: ctx.signal,
    });
  }

  async scan(text: string): Promise<GuardScan> {
    const signal = new AbortController().signal;
    const [found = []] = await scanTexts([text], this.#scanner, this.#scan, { ...this.#deps, signal });
    const mask = new RunMask(this.#mask, new Placeholders({}), 'ingress');
    const findings = [];
    let sanitized = '';
    let from = 0;
    for (const finding of found) {
      const value = text.slice(finding.start, finding.end);
      const before = mask.foundSoFar;
      const replacement = mask.replace(finding, value, true) ?? value;
      if (mask.foundSoFar > before) findings.push(finding);
      sanitized += text.slice(from, finding.start) + replacement;
      from = finding.end;
    }
    return { findings, sanitized: sanitized + text.slice(from) };
  }

  async #judge(segments: readonly Segment[], mask: RunMask, ctx: GuardContext): Promise<GuardResult> {
    const places = new Places(segments);
    const found = await scanTexts(places.texts, this.#scanner, this.#scan, { ...this.#deps, signal: ctx.signal });
    const edits: Edit[] = [];
    for (const { found: finding, pieces } of places.of(found)) {
      const texts = pieces.map(({ order }) => segments[order]).filter((segment) => segment !== undefined);
      const value = texts.map(({ text }, n) => text.slice(pieces[n]?.start, pieces[n]?.end)).join('');
      const replacement = mask.replace(finding, value, ctx.stage === 'ingress' && texts.every(isOwn));
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
