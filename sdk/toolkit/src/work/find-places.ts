import { type HeavyWork, inFewTurns, inOneTurn, type Segment, type Steps, type Turns } from '@svc/contracts';
import { type PackedSegments, packSegments, type SeenSegment, unpackSegments } from './packed-segments.ts';
import { type PackedPlaces, type Place, packPlaces, refuse, unpackPlaces } from './places.ts';

/** Findings in segments. `summary`: plain data that a guard needs in addition to the places. */
export interface Findings<S, P extends Iterable<Place> = readonly Place[]> {
  readonly places: P;
  readonly summary: S;
}

/** Finds places in segments. The result depends only on the settings and the segments. */
export type FindPlaces<S> = (segments: readonly SeenSegment[]) => Steps<Findings<S>>;

/** A search that can run on the event loop or in a thread. */
export interface Finding<S> {
  readonly find: FindPlaces<S>;
  /** URL of the module whose default export is `inThread` of the same search. */
  readonly moduleUrl: string;
  /** Plain data from which the module creates `find`. */
  readonly settings: unknown;
  /** Whether segments are small enough to be searched on the event loop: about 5 ms at most. */
  isSmall(segments: readonly SeenSegment[]): boolean;
  /** Whether this is a valid name of a place. */
  isName(name: string): boolean;
  isSummary(value: unknown): value is S;
}

interface Task {
  readonly settings: unknown;
  readonly segments: PackedSegments;
}

interface Reply {
  /** How much was searched. If a thread searched less, it has failed. */
  readonly segments: number;
  readonly characters: number;
  readonly places: PackedPlaces;
  readonly summary: unknown;
}

/** Small work that takes more turns than this after its first one is unexpectedly expensive. It starts again in a thread. */
const MAX_TURNS = 3;

/**
 * Searches small segments on the event loop (synchronously if one turn is enough), and others in a thread. Rejects if the thread fails or returns
 * anything but findings in these segments. Each place is checked when it is read, so read the places in turns.
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

/** `steps`: the remaining steps on the event loop. Null if a thread does all of the work. */
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
 * The default export of a worker module. `make` is called once per thread for equal settings, and its results are kept, because a configuration has
 * few different settings. Where `find` yields, other requests may take a turn.
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
