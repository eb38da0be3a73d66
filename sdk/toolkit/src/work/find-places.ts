import { type HeavyWork, inFewTurns, inOneTurn, type Segment, type Steps, type Turns } from '@svc/contracts';
import { type PackedSegments, packSegments, type SeenSegment, unpackSegments } from './packed-segments.ts';
import { type PackedPlaces, type Place, packPlaces, refuse, unpackPlaces } from './places.ts';

/** What was found in segments. `summary`: plain data, what a guard wants to know beside the places. */
export interface Findings<S, P extends Iterable<Place> = readonly Place[]> {
  readonly places: P;
  readonly summary: S;
}

/** Finds in segments what a guard looks for. It rests on its settings and the segments alone. */
export type FindPlaces<S> = (segments: readonly SeenSegment[]) => Steps<Findings<S>>;

/** How a guard finds, on the event loop or in a thread. */
export interface Finding<S> {
  readonly find: FindPlaces<S>;
  /** Of the module whose default export is `inThread` of the same. */
  readonly moduleUrl: string;
  /** Plain data from which the module makes `find` again. */
  readonly settings: unknown;
  /** Whether segments are so small that they are searched on the loop: about 5 ms at most. */
  isSmall(segments: readonly SeenSegment[]): boolean;
  /** Whether places may be called so. */
  isName(name: string): boolean;
  isSummary(value: unknown): value is S;
}

interface Task {
  readonly settings: unknown;
  readonly segments: PackedSegments;
}

interface Reply {
  /** What was looked at: a thread that looked at less has not answered. */
  readonly segments: number;
  readonly characters: number;
  readonly places: PackedPlaces;
  readonly summary: unknown;
}

/** Small work that takes more turns than these after its first is dear by what the texts hold: a thread begins it again. */
const MAX_TURNS = 3;

/**
 * Finds on the loop what is small, at once where it takes no more than a turn, and in a thread what is not. Rejects where the thread failed or
 * answered anything else than findings in these segments. The places are checked one by one as they are read: do that in turns.
 */
export function findPlaces<S>(
  finding: Finding<S>,
  segments: readonly Segment[],
  work: HeavyWork,
  turns: Turns,
): Findings<S, Iterable<Place>> | Promise<Findings<S, Iterable<Place>>> {
  const steps = finding.isSmall(segments) ? finding.find(segments) : null;
  return (steps && inOneTurn(steps, turns)?.value) ?? findLater(steps, finding, segments, work, turns);
}

/** `steps`: what is left to do on the loop; null where a thread is to do all of it. */
async function findLater<S>(
  steps: Steps<Findings<S>> | null,
  { moduleUrl, settings, isName, isSummary }: Finding<S>,
  segments: readonly Segment[],
  { runInWorker }: HeavyWork,
  turns: Turns,
): Promise<Findings<S, Iterable<Place>>> {
  if (steps !== null) await turns.next();
  const done = steps === null ? null : await inFewTurns(steps, turns, MAX_TURNS);
  if (done !== null) return done.value;
  const task: Task = { settings, segments: await packSegments(segments, turns) };
  const reply = await runInWorker(moduleUrl, task);
  if (typeof reply !== 'object' || reply === null) return refuse();
  const { segments: count, characters, places, summary }: Partial<Record<keyof Reply, unknown>> = reply;
  if (count !== segments.length || characters !== charactersOf(segments) || !isSummary(summary)) return refuse();
  const lengths = segments.map(({ text }) => text.length);
  return { summary, places: unpackPlaces(places, lengths, isName) };
}

/**
 * The default export of a worker module: `make` is called once a thread for the same settings, and a configuration has few. Where `find` yields,
 * other requests may have their turn.
 */
export function inThread<T, S>(make: (settings: T) => FindPlaces<S>): (task: unknown) => Steps<unknown> {
  const made = new Map<string, FindPlaces<S>>();
  return function* (task) {
    const { settings, segments: packed } = task as Task;
    const name = JSON.stringify(settings);
    const find = made.get(name) ?? make(settings as T);
    made.set(name, find);
    const segments = unpackSegments(packed);
    const { places, summary } = yield* find(segments);
    const reply: Reply = { segments: segments.length, characters: charactersOf(segments), places: packPlaces(places), summary };
    return reply;
  };
}

function charactersOf(segments: readonly SeenSegment[]): number {
  return segments.reduce((sum, { text }) => sum + text.length, 0);
}
