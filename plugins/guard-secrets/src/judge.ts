import type { GuardContext, GuardResult, Segment } from '@svc/sdk';
import { type MaskSettings, Placeholders, placeEdits, type Restore, RunMask } from '@svc/toolkit/masking';
import { definitionsFirst } from '@svc/toolkit/segments';
import { type Finding, type Findings, findPlaces, type Place, type Steps, soon, type Turns } from '@svc/toolkit/work';
import { AnswerMask, FOUND } from './answer-mask.ts';
import type { Options } from './options.ts';

type Chosen = Pick<Options, 'verdict' | 'restore'>;
type Masked = Iterable<Place>;

/** Checks whole texts. Synchronous if the work fits into one turn of the event loop. Every secret is replaced, whatever the verdict is. */
export function judge(
  finding: Finding<null>,
  options: Chosen,
  given: readonly Segment[],
  ctx: GuardContext,
  turns: Turns,
): GuardResult | Promise<GuardResult> {
  const numbers = ctx.stage === 'ingress' && options.restore !== false;
  const segments = numbers && options.restore === 'all' ? definitionsFirst(given) : given;
  const found = findPlaces(finding, segments, ctx, turns);
  const resultOf = ({ places }: Findings<null, Masked>): GuardResult | Promise<GuardResult> =>
    soon(numbers ? numbered(places, options, segments, ctx) : masked(places, options, segments, ctx), turns);
  return found instanceof Promise ? found.then(resultOf) : resultOf(found);
}

/** Masks the secrets of a request with placeholders that its answer may contain. */
function* numbered(places: Masked, options: Chosen, segments: readonly Segment[], ctx: GuardContext): Steps<GuardResult> {
  const mask = new RunMask(maskSettings(options), new Placeholders(ctx.state), 'ingress');
  // In the order of the texts, so that a text that is added later does not change earlier numbers.
  const inOrder = [...places].toSorted(({ pieces: [a] }, { pieces: [b] }) => order(a, b));
  const edits = yield* mask.edits(inOrder, segments);
  return { ...mask.result(), edits };
}

function order(a: Place['pieces'][number] | undefined, b: Place['pieces'][number] | undefined): number {
  return (a?.order ?? 0) - (b?.order ?? 0) || (a?.start ?? 0) - (b?.start ?? 0);
}

function* masked(places: Masked, options: Chosen, segments: readonly Segment[], ctx: GuardContext): Steps<GuardResult> {
  const mask = AnswerMask.of(options, ctx);
  const edits = yield* placeEdits(places, segments, (found, value) => mask.replace(found.entity_type, value));
  return { ...mask.result(), edits };
}

function maskSettings({ verdict, restore }: { verdict: Options['verdict']; restore: Restore }): MaskSettings {
  return { verdict, restore, codes: { found: FOUND, clean: 'no-match' }, keyOf: (_, value) => value, isLeft: () => false };
}
