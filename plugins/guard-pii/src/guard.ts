import type { Edit, Guard, GuardContext, GuardDeps, GuardResult, GuardScan, GuardStream, HeavyWork, Segment } from '@svc/sdk';
import { maskingStream, Placeholders, replacementOf } from '@svc/toolkit/masking';
import { isInTurns } from '@svc/toolkit/segments';
import { type Finding, findPlaces, finished, Turns } from '@svc/toolkit/work';
import { findingOf } from './finding.ts';
import { fitting } from './name-segments.ts';
import type { Options } from './options.ts';
import { isOwn, type MaskSettings, RunMask } from './run-mask.ts';
import { makeScanner, type Scanner } from './scanner.ts';
import { makeScanners, type ScannerFor } from './scanners.ts';
import { restores, type ScanSettings, scanSettings, streamMode } from './settings.ts';

/** @throws {Error} if options contradict each other */
export function makeGuard(options: Options, deps: Pick<GuardDeps, 'clock'>): Guard {
  const mode = streamMode(options);
  const work = new PiiWork(options, deps);
  return {
    stages: ['ingress', 'egress'],
    reads_numbers: true,
    verdicts: restores(options) ? [...new Set([options.verdict, 'sanitize' as const])] : [options.verdict],
    start: async () => work.warmUp(),
    check: (segments, ctx) => work.check(segments, ctx),
    scan: (text, ctx) => work.scan(text, ctx),
    ...(mode !== 'buffer' && { stream: { capability: mode, open: (ctx: GuardContext) => work.openStream(ctx, mode) } }),
  };
}

/** Settings that find only the guard's own placeholders, for answers to agents. */
const PLACEHOLDERS: ScanSettings = { entities: [], threshold: 0, recognizers: [], names_in_instructions: true };

/** The work of the guard with these options. Keeps no state of a run. */
class PiiWork {
  readonly #scannerFor: ScannerFor;
  readonly #finding: Finding<null>;
  /** Finds in answers. */
  readonly #findingBack: Finding<null>;
  readonly #scanner: Scanner;
  readonly #mask: MaskSettings;
  /** Whether the caller is an agent. If so, every value in its requests is its own, and the model's text is not masked. */
  readonly #isAgent: boolean;
  readonly #deps: Pick<GuardDeps, 'clock'>;

  constructor(options: Options, deps: Pick<GuardDeps, 'clock'>) {
    const settings = scanSettings(options);
    this.#isAgent = options.preset === 'agents';
    const inAnswers = this.#isAgent ? PLACEHOLDERS : settings;
    this.#scanner = makeScanner(inAnswers);
    this.#scannerFor = makeScanners(settings);
    this.#finding = findingOf(settings, this.#scannerFor);
    this.#findingBack = findingOf(inAnswers, () => this.#scanner);
    const allowed = new Set(options.allow_list.map((value) => value.trim().toLowerCase()));
    this.#mask = { verdict: options.verdict, restore: restores(options), exact: this.#isAgent, allowed };
    this.#deps = deps;
  }

  /** Unpacks the name model before the first request. */
  warmUp(): void {
    finished(this.#scannerFor({ role: 'user', path: '' }).find('My name is Ann Lee.'));
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
      principal_id: ctx.principal_id,
    });
  }

  async scan(text: string, work: HeavyWork): Promise<GuardScan> {
    const segment = {
      index: 0,
      text,
      kind: 'text',
      role: 'user',
      path: 'text',
      choice: null,
      origin: 'user',
      untrusted: false,
    } as const;
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

  async #judge(given: readonly Segment[], mask: RunMask, ctx: GuardContext): Promise<GuardResult> {
    const turns = new Turns(ctx, this.#deps.clock);
    const isRequest = ctx.stage === 'ingress';
    const segments = isRequest && this.#isAgent ? definitionsFirst(given) : given;
    const { places } = await findPlaces(isRequest ? this.#finding : this.#findingBack, segments, ctx, turns);
    const edits: Edit[] = [];
    for (const { entity_type, pieces } of places) {
      if (turns.isOver) await turns.next();
      const texts = pieces.map(({ order }) => segments[order]).filter((segment) => segment !== undefined);
      const value = texts.map(({ text }, n) => text.slice(pieces[n]?.start, pieces[n]?.end)).join('');
      const replacement = mask.replace({ entity_type }, value, isRequest && (this.#isAgent || texts.every(isOwn)));
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

/**
 * Puts definitions and system prompts before the messages, as models read them. So the numbers of their values stay the same when messages are added,
 * and the vendor's prompt cache stays valid.
 */
function definitionsFirst(segments: readonly Segment[]): readonly Segment[] {
  return [...segments.filter((segment) => !isInTurns(segment)), ...segments.filter(isInTurns)];
}
