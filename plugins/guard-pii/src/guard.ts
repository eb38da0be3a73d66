import type { Guard, GuardContext, GuardDeps, GuardResult, GuardScan, GuardStream, HeavyWork, Segment } from '@svc/sdk';
import { isOwn, type MaskSettings, maskingStream, Placeholders, RunMask, visible } from '@svc/toolkit/masking';
import { definitionsFirst, loneText } from '@svc/toolkit/segments';
import { type Finding, findPlaces, finished, soon, Turns } from '@svc/toolkit/work';
import { CallerWords } from './caller-words.ts';
import { isByWords } from './entities.ts';
import { findingOf } from './finding.ts';
import { normalForm } from './normal-form.ts';
import type { Options } from './options.ts';
import { makeScanner, type Scanner } from './scanner.ts';
import { makeScanners, type ScannerFor } from './scanners.ts';
import { restoreOf, type ScanSettings, scanSettings, streamMode } from './settings.ts';

/** @throws {Error} if options contradict each other */
export function makeGuard(options: Options, deps: Pick<GuardDeps, 'clock'>): Guard {
  const mode = streamMode(options);
  const work = new PiiWork(options, deps);
  return {
    stages: ['ingress', 'egress'],
    reads_numbers: true,
    verdicts: restoreOf(options) ? [...new Set([options.verdict, 'sanitize' as const])] : [options.verdict],
    start: async () => work.warmUp(),
    check: (segments, ctx) => work.check(segments, ctx),
    scan: (text, ctx) => work.scan(text, ctx),
    ...(mode !== 'buffer' && { stream: { capability: mode, open: (ctx: GuardContext) => work.openStream(ctx, mode) } }),
  };
}

/** Settings that find only the guard's own placeholders, for answers to agents. */
const PLACEHOLDERS: ScanSettings = { entities: [], threshold: 0, languages: [], recognizers: [], names_in_instructions: true };

/** The work of the guard with these options. Keeps no state of a run. */
class PiiWork {
  readonly #scannerFor: ScannerFor;
  readonly #finding: Finding<null>;
  /** Finds in answers. */
  readonly #findingBack: Finding<null>;
  readonly #scanner: Scanner;
  readonly #mask: Omit<MaskSettings, 'isLeft'>;
  readonly #allowed: ReadonlySet<string>;
  /** Whether the caller is an agent. If so, the model's text is not masked. */
  readonly #isAgent: boolean;
  /** Whether an answer may be searched for names that are the caller's words. */
  readonly #keepsWords: boolean;
  readonly #deps: Pick<GuardDeps, 'clock'>;

  constructor(options: Options, deps: Pick<GuardDeps, 'clock'>) {
    const settings = scanSettings(options);
    this.#isAgent = options.preset === 'agents';
    const inAnswers = this.#isAgent ? PLACEHOLDERS : settings;
    this.#scanner = makeScanner(inAnswers);
    this.#scannerFor = makeScanners(settings);
    this.#finding = findingOf(settings, this.#scannerFor);
    this.#findingBack = findingOf(inAnswers, () => this.#scanner);
    this.#allowed = new Set(options.allow_list.map((value) => value.trim().toLowerCase()));
    this.#mask = {
      verdict: options.verdict,
      restore: restoreOf(options),
      codes: { found: 'pii', clean: 'no-pii' },
      // Agents need each spelling back.
      keyOf: this.#isAgent ? (_, value) => value : normalForm,
    };
    this.#keepsWords = this.#mask.restore !== false && inAnswers.entities.some(isByWords);
    this.#deps = deps;
  }

  /** Unpacks the name model before the first request. */
  warmUp(): void {
    finished(this.#scannerFor({ role: 'user', path: '' }).find('My name is Ann Lee.'));
  }

  check(segments: readonly Segment[], ctx: GuardContext): Promise<GuardResult> {
    return this.#judge(segments, new RunMask(this.#settingsOf(ctx), new Placeholders(ctx.state), ctx.stage), ctx);
  }

  openStream(ctx: GuardContext, mode: 'window' | 'post'): GuardStream {
    const placeholders = new Placeholders(ctx.state);
    const settings = this.#settingsOf(ctx);
    const mask = new RunMask(settings, placeholders, 'egress');
    const held = new RunMask(settings, placeholders, 'egress');
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
    const { places } = await findPlaces(this.#finding, [loneText(text)], work, new Turns(undefined, this.#deps.clock));
    const mask = new RunMask(this.#settingsOf({ stage: 'ingress', state: {} }), new Placeholders({}), 'ingress');
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
    const { restore } = this.#mask;
    const segments = isRequest && restore === 'all' ? definitionsFirst(given) : given;
    const { places } = await findPlaces(isRequest ? this.#finding : this.#findingBack, segments, ctx, turns);
    const edits = await soon(mask.edits(places, segments), turns);
    if (isRequest && this.#keepsWords) {
      const own = restore === 'all' ? segments : segments.filter(isOwn);
      await soon(new CallerWords(ctx.state).add(own, edits), turns);
    }
    return { ...mask.result(), edits };
  }

  #settingsOf({ stage, state }: Pick<GuardContext, 'stage' | 'state'>): MaskSettings {
    const words = new CallerWords(stage === 'egress' && this.#keepsWords ? state : {});
    return {
      ...this.#mask,
      isLeft: ({ entity_type }, value) => this.#allowed.has(visible(value).toLowerCase()) || words.include(entity_type, value),
    };
  }
}
