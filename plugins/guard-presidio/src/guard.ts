import type { Guard, GuardContext, GuardDeps, GuardResult, Segment } from '@svc/sdk';
import { counted, GuardService, textBatches } from '@svc/toolkit/service';
import { openAiTarget } from '@svc/toolkit/upstream';
import { findingsIn } from './answer.ts';
import { type FoundIn, masked } from './mask.ts';
import type { Options } from './options.ts';

/** No entity of Presidio's own recognisers is longer than this. */
const OVERLAP = 500;
type Action = 'mask' | 'block' | 'require_approval' | 'allow';
const VERDICTS = { mask: 'sanitize', block: 'block', require_approval: 'require_approval', allow: 'allow' } as const;
/** In order of strictness, the strictest first. */
const ORDER = ['block', 'require_approval', 'mask'] as const;

/** @throws {Error} with the key and the remedy, for options that cannot be used */
export function makeGuard(options: Options, deps: GuardDeps): Guard {
  const { languages, threshold, entities, max_characters } = options;
  const service = new GuardService(openAiTarget(options, '/analyze'), options, deps);
  const listed = new Map(Object.entries(entities ?? {}));
  const actionOf = (name: string): Action => listed.get(name)?.action ?? 'mask';
  const limitOf = (name: string): number => listed.get(name)?.threshold ?? threshold;
  const lowest = Math.min(...(entities === undefined ? [threshold] : [...listed.keys()].map(limitOf)));
  const filter = { score_threshold: lowest, ...(entities !== undefined && { entities: [...listed.keys()] }) };
  const actions = entities === undefined ? ['mask' as const] : [...listed.keys()].map(actionOf);

  const isWanted = ({ entity_type, score }: FoundIn): boolean =>
    score >= limitOf(entity_type) && (entities === undefined || listed.has(entity_type));

  const find = async (segments: readonly Segment[], ctx: GuardContext): Promise<FoundIn[]> => {
    const batches = textBatches(segments, max_characters, OVERLAP);
    const found = await service.ask(
      batches.flatMap((batch) => languages.map((language) => ({ batch, language }))),
      ctx,
      ({ batch: { text }, language }) => ({ text, language, ...filter }),
      (answer, { batch }) =>
        findingsIn(answer, batch.text)?.flatMap(({ start, end, ...rest }) =>
          batch.piecesOf(start, end).map((piece) => ({ ...rest, ...piece })),
        ) ?? null,
    );
    return found.flat().filter(isWanted);
  };

  const check = async (segments: readonly Segment[], ctx: GuardContext): Promise<GuardResult> => {
    const found = distinct(await find(segments, ctx));
    const edits = masked(
      segments,
      found.filter(({ entity_type }) => actionOf(entity_type) === 'mask'),
      ctx,
    );
    const strictest = ORDER.find((action) => found.some(({ entity_type }) => actionOf(entity_type) === action));
    const verdict = strictest === undefined && edits.length > 0 ? 'sanitize' : VERDICTS[strictest ?? 'allow'];
    return {
      verdict,
      code: strictest === undefined ? 'no-pii' : 'pii',
      edits,
      findings: counted(found.map(({ entity_type }) => entity_type)),
    };
  };

  return {
    stages: ['ingress', 'egress'],
    calls_service: true,
    reads_numbers: true,
    verdicts: [...new Set(['sanitize' as const, ...actions.map((action) => VERDICTS[action])])].filter(
      (verdict) => verdict !== 'allow',
    ),
    check,
    close: () => service.close(),
  };
}

/** Languages and overlapping parts may have the same finding. */
function distinct(found: readonly FoundIn[]): FoundIn[] {
  const byPlace = new Map<string, FoundIn>();
  for (const each of found) {
    const key = `${each.segment} ${each.start} ${each.end} ${each.entity_type}`;
    if ((byPlace.get(key)?.score ?? -1) < each.score) byPlace.set(key, each);
  }
  return [...byPlace.values()];
}
