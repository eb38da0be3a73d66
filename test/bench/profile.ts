import { askProbe } from './cost.ts';
import type { Load } from './load-process.ts';
import type { TargetName } from './options.ts';
import { NODE, NODE_HTTP, PARTS, REST } from './profile-parts.ts';
import { isOurs, Sources } from './sources.ts';
import type { Target } from './target.ts';

/** How one request's time in the main thread is distributed. */
export interface ProfileRow {
  readonly target: TargetName;
  /** Busy microseconds per request, including the profiler's own cost. */
  readonly busy_us: number;
  /** By part, largest first. */
  readonly parts: readonly { readonly part: string; readonly us: number }[];
}

interface Frame {
  readonly functionName: string;
  readonly url: string;
  readonly lineNumber: number;
  readonly columnNumber: number;
}

/** The part used of a profile in Chrome's protocol. `timeDeltas` is in microseconds. */
interface Profile {
  readonly nodes: readonly { readonly id: number; readonly callFrame: Frame; readonly children?: readonly number[] }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

const CONNECTIONS = 32;
const WARM_UP_PER_SECOND = 5_000;
const IDLE = '(idle)';
/** Its work is not the gateway's. */
const PROBE = '/cost-probe.ts';
/** Table labels for V8's own entries. */
const OF_V8: Readonly<Record<string, string>> = {
  '(garbage collector)': 'garbage collection',
  '(program)': 'native code between the parts',
};

/** Profiles gateways with the probe at this port. `seconds`: length of a profile. `rounds`: how often all targets are profiled in turn. */
export async function measureProfile(
  targets: readonly Target[],
  probe: number,
  load: Load,
  { seconds, rounds }: { seconds: number; rounds: number },
): Promise<ProfileRow[]> {
  const spent = targets.map(() => ({ parts: new Map<string, number>(), answers: 0 }));
  const warm = { connections: CONNECTIONS, lead_in_ms: 0, until: { answers: Math.ceil(seconds * WARM_UP_PER_SECOND) } };
  for (const target of targets) await load.run(target, 'whole', warm);
  for (let round = 0; round < rounds; round += 1) {
    for (const [i, target] of targets.entries()) {
      await askProbe(probe, 'profile-start');
      const until = { ms: seconds * 1000 };
      const { answers } = await load.run(target, 'whole', { connections: CONNECTIONS, lead_in_ms: 0, until });
      const sum = spent[i];
      if (sum === undefined) continue;
      for (const [part, us] of partsOf(await askProbe<Profile>(probe, 'profile-stop')))
        sum.parts.set(part, (sum.parts.get(part) ?? 0) + us);
      sum.answers += answers;
    }
  }
  return targets.map(({ name }, i) => rowOf(name, spent[i]?.parts ?? new Map(), spent[i]?.answers ?? 0));
}

function rowOf(target: TargetName, parts: ReadonlyMap<string, number>, answers: number): ProfileRow {
  const worked = [...parts].filter(([part]) => part !== IDLE).map(([part, us]) => ({ part, us: us / answers }));
  return {
    target,
    busy_us: worked.reduce((sum, { us }) => sum + us, 0),
    parts: worked.sort((a, b) => b.us - a.us),
  };
}

/** Microseconds by part. */
export function partsOf({ nodes, samples, timeDeltas }: Profile): Map<string, number> {
  const sources = new Sources();
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)));
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const known = new Map<number, string>();
  const partOf = (id: number): string => {
    const part = known.get(id) ?? findPart(id);
    known.set(id, part);
    return part;
  };
  const findPart = (id: number): string => {
    const frame = frames.get(id);
    const parent = parents.get(id);
    if (frame === undefined) return REST;
    if (parent !== undefined && frames.get(parent)?.functionName === '(root)' && frame.url === '')
      return OF_V8[frame.functionName] ?? (frame.functionName === IDLE ? IDLE : REST);
    if (frame.url.includes(PROBE)) return IDLE;
    const place = placeOf(frame, sources);
    const own = PARTS.find(([, files]) => files.test(place))?.[0];
    if (own !== undefined) return own;
    const above = parent === undefined ? REST : partOf(parent);
    return above === REST && NODE_HTTP.test(place) ? NODE : above;
  };
  const parts = new Map<string, number>();
  for (const [i, id] of samples.entries()) {
    const part = partOf(id);
    parts.set(part, (parts.get(part) ?? 0) + (timeDeltas[i] ?? 0));
  }
  return parts;
}

/** `file#function`, with repository files as relative paths. */
function placeOf({ functionName, url, lineNumber, columnNumber }: Frame, sources: Sources): string {
  return `${isOurs(url) ? sources.at(url, lineNumber, columnNumber) : url}#${functionName}`;
}
