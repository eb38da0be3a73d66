import { parseArgs } from 'node:util';

const SIDE_BY_SIDE = ['bare', 'gateway', 'unrecorded', 'guarded', 'masked', 'gateway-2', 'guarded-2', 'portkey'] as const;
/** Measured only on request, because they take long to install and need tools of their own. */
const PEERS = ['litellm', 'bifrost'] as const;
/** Targets with evidence or guards. */
const GOVERNED = ['bare', 'governed', 'portkey-guarded', 'litellm-guarded', 'aegis'] as const;
/** Peers that need Python. */
const PYTHON_PEERS = ['litellm-guarded', 'aegis'] as const;
/** With PostgreSQL: one gateway, two gateways, and one with two workers. */
const OVER_POSTGRES = ['postgres', 'postgres-2', 'workers-2'] as const;
const STORES = ['lmdb', 'postgres'] as const;
export type PeerName = (typeof PEERS)[number] | (typeof PYTHON_PEERS)[number];
export type TargetName = (typeof SIDE_BY_SIDE)[number] | PeerName | (typeof GOVERNED)[number] | (typeof OVER_POSTGRES)[number];

/** The targets compared for each `--store`. */
const TARGETS: Readonly<Record<(typeof STORES)[number], readonly TargetName[]>> = {
  lmdb: [...SIDE_BY_SIDE, ...PEERS],
  postgres: ['gateway', ...OVER_POSTGRES],
};

export interface Options {
  /** Length of one measurement. */
  readonly seconds: number;
  readonly rounds: number;
  readonly connections: readonly number[];
  readonly targets: readonly TargetName[];
  /** The targets of the part `governed`. */
  readonly governed: readonly TargetName[];
  readonly parts: {
    readonly requests: boolean;
    readonly streams: boolean;
    readonly memory: boolean;
    readonly sealing: boolean;
    readonly guards: boolean;
    readonly cost: boolean;
    readonly profile: boolean;
    readonly governed: boolean;
  };
  readonly open_streams: number;
  readonly memory_requests: number;
  readonly pin: boolean;
  /** Where to create the temporary folder. Evidence waits for its disk. Undefined: the system's. */
  readonly folder: string | undefined;
  readonly json: string;
  /** An earlier run whose processor times are compared; null: none. */
  readonly against: string | null;
  /** Maximum ratio to the earlier processor time. */
  readonly within: number;
}

export const HELP = `npm run bench -- [options]

  --seconds N          length of one measurement (3)
  --rounds N           repetitions of each measurement; the median is shown (5)
  --connections A,B    open connections, each with one request at a time (1,32,128)
  --store S            lmdb: compares with other gateways (bare, gateway, unrecorded, guarded, masked, portkey), and with two
                       workers (gateway-2, guarded-2); postgres: compares LMDB
                       with one and two gateways on a separate PostgreSQL server, whole answers only (lmdb)
  --peers              also compares with LiteLLM's proxy (installed once from PyPI) and Bifrost (if bifrost-http is installed)
  --only A,B           only these targets (all)
  --skip-portkey       does not install Portkey
  --requests           requests with whole answers
  --streams            streams, and the memory of many open streams
  --memory             memory over many requests
  --sealing            commits made directly in the stores: the throughput of the ledger head's lock
  --guards             time that pii and secrets add to texts of 1, 10 and 100 kB
  --cost               functions that one request calls and memory that it allocates, independent of the machine
  --profile            where the time of one request goes, on the main thread
  --governed           compares gateways with evidence or guards (governed, portkey-guarded, litellm-guarded, aegis; the last two from
                       PyPI), and counts the calls without a record after kill -9; default without any of these eight: requests and streams
  --open-streams N     streams held open at once (1000)
  --memory-requests N  requests of the memory part (200000)
  --no-pin             let the scheduler place the processes; default: a core for each, if taskset is installed
  --folder DIR         create the temporary folder here; it must be on a disk
  --json FILE          write the figures to this file (bench.json)
  --against FILE       compare processor times, as multiples of bare's, with those in FILE; exit code 1 if one is exceeded
  --within N           maximum ratio to the earlier figure (1.1)
`;

export function readOptions(args: string[]): Options | null {
  const { values } = parseArgs({
    args,
    options: {
      seconds: { type: 'string', default: '3' },
      rounds: { type: 'string', default: '5' },
      connections: { type: 'string', default: '1,32,128' },
      store: { type: 'string', default: 'lmdb' },
      only: { type: 'string' },
      peers: { type: 'boolean', default: false },
      'skip-portkey': { type: 'boolean', default: false },
      requests: { type: 'boolean', default: false },
      streams: { type: 'boolean', default: false },
      memory: { type: 'boolean', default: false },
      sealing: { type: 'boolean', default: false },
      guards: { type: 'boolean', default: false },
      cost: { type: 'boolean', default: false },
      profile: { type: 'boolean', default: false },
      governed: { type: 'boolean', default: false },
      'open-streams': { type: 'string', default: '1000' },
      'memory-requests': { type: 'string', default: '200000' },
      'no-pin': { type: 'boolean', default: false },
      folder: { type: 'string' },
      json: { type: 'string', default: 'bench.json' },
      against: { type: 'string' },
      within: { type: 'string', default: '1.1' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return null;
  const store = STORES.find((name) => name === values.store);
  if (store === undefined) throw new Error(`--store: ${values.store} is not one of ${STORES.join(', ')}`);
  const known = TARGETS[store].filter((name) => values.peers || !isPeer(name));
  const choice = values.governed ? [...known, ...GOVERNED] : known;
  const asked = values.only?.split(',').map((text) => targetOf(text, choice)) ?? choice;
  const isAsked = (name: TargetName) => asked.includes(name) && !(name.startsWith('portkey') && values['skip-portkey']);
  const { requests, streams, memory, sealing, guards, cost, profile, governed } = values;
  const anyPart = requests || streams || memory || sealing || guards || cost || profile || governed;
  return {
    seconds: positive('--seconds', values.seconds),
    rounds: whole('--rounds', values.rounds),
    connections: values.connections.split(',').map((text) => whole('--connections', text)),
    targets: known.filter(isAsked),
    governed: governed ? GOVERNED.filter(isAsked) : [],
    parts: {
      requests: values.requests || !anyPart,
      streams: values.streams || (!anyPart && store === 'lmdb'),
      memory: values.memory,
      sealing: values.sealing,
      guards: values.guards,
      cost: values.cost,
      profile: values.profile,
      governed: values.governed,
    },
    open_streams: whole('--open-streams', values['open-streams']),
    memory_requests: whole('--memory-requests', values['memory-requests']),
    pin: !values['no-pin'],
    folder: values.folder,
    json: values.json,
    against: values.against ?? null,
    within: positive('--within', values.within),
  };
}

export function isPeer(name: TargetName): boolean {
  return [...PEERS, ...PYTHON_PEERS].some((peer) => peer === name);
}

function positive(option: string, text: string): number {
  const value = Number(text);
  if (!(Number.isFinite(value) && value > 0)) throw new Error(`${option}: ${text} is not a number above 0`);
  return value;
}

function whole(option: string, text: string): number {
  const value = positive(option, text);
  if (!Number.isInteger(value)) throw new Error(`${option}: ${text} is not a whole number`);
  return value;
}

function targetOf(text: string, known: readonly TargetName[]): TargetName {
  const found = known.find((name) => name === text);
  if (found === undefined) throw new Error(`--only: ${text} is not one of ${known.join(', ')}`);
  return found;
}
