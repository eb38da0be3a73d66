import { generateKeyPairSync } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { GENESIS } from '@svc/contracts';
import {
  base64Of,
  checkpointText,
  consistencyPath,
  type Hash,
  inclusionPath,
  placeRecord,
  prepareRecord,
  proofText,
  type Range,
  type Signer,
  signNote,
  TreeHash,
  verifierKey,
} from '@svc/ledger';

const ORIGIN = 'example.org/large';
const PAGE = 1000;

interface Placed {
  readonly bytes: string;
  readonly hash: string;
}

/** The time of a record: one each second. */
export const timeOf = (seq: number): string => new Date(Date.UTC(2026, 0, 1) + seq * 1000).toISOString();

/** Serves a ledger of any size over HTTP, as a gateway does for `svc evidence pack`. A real one would need minutes to write it. */
export class LargeGateway {
  readonly #signer: Signer = { name: ORIGIN, privateKey: generateKeyPairSync('ed25519').privateKey };
  readonly #ledger: readonly Placed[];
  readonly #operations: readonly Placed[];
  readonly #server: Server;
  url = '';

  constructor(runs: number) {
    this.#ledger = chain(runs, evidence);
    this.#operations = chain(1, started);
    this.#server = createServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
      const { body, next } = this.#answer(pathname, searchParams);
      if (body === null) return void response.writeHead(404).end('{}');
      if (next !== null) response.setHeader('link', `<${pathname}?since_seq=${next}&limit=${PAGE}>; rel="next"`);
      response.end(body);
    });
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #answer(path: string, query: URLSearchParams): { readonly body: string | null; readonly next: number | null } {
    const whole = (body: string | null) => ({ body, next: null });
    const isOperations = path.startsWith('/v1/audit/operations');
    const [log, origin] = isOperations ? [this.#operations, `${ORIGIN}/operations`] : [this.#ledger, ORIGIN];
    if (query.has('cosigned') || query.has('timestamped')) return whole(null);
    if (path.endsWith('/checkpoint')) return whole(this.#note(log, origin));
    if (path.endsWith('/keys')) return whole(JSON.stringify({ origin: ORIGIN, verifier_keys: [verifierKey(this.#signer)] }));
    if (path.endsWith('/proof')) return whole(this.#proof(log, origin, query));
    if (path.endsWith('/inventory')) return whole('{"records":[]}');
    if (path === '/v1/audit') return whole('{"runs":[]}');
    if (path.endsWith('/report'))
      return whole(JSON.stringify({ generated_at: timeOf(0), inventory: [], run_stats: {}, chain_length: log.length }));
    const since = Number(query.get('since_seq'));
    const end = since + Number(query.get('limit'));
    const records = log.slice(since, end).map(({ bytes }) => bytes);
    return { body: `{"records":[${records.join(',')}]}`, next: end < log.length ? end : null };
  }

  #note(log: readonly Placed[], origin: string): string {
    const root = rootOf(log, { begin: 0, end: log.length });
    return signNote(checkpointText({ origin, size: log.length, root }), [this.#signer]);
  }

  #proof(log: readonly Placed[], origin: string, query: URLSearchParams): string {
    const seq = query.get('seq');
    const hashes = (path: readonly Range[]): Hash[] => path.map((range) => rootOf(log, range));
    if (seq !== null) {
      const index = Number(seq) - 1;
      const path = hashes(inclusionPath(index, log.length));
      return proofText({ record: log[index]?.bytes ?? '', index, path, checkpoint: this.#note(log, origin) });
    }
    const [from, to] = [Number(query.get('from')), Number(query.get('to'))];
    const head = (size: number) => ({ size, root: base64Of(rootOf(log, { begin: 0, end: size })) });
    return JSON.stringify({ from: head(from), to: head(to), path: hashes(consistencyPath(from, to)).map(base64Of) });
  }
}

function rootOf(log: readonly Placed[], { begin, end }: Range): Hash {
  const tree = new TreeHash();
  for (const { hash } of log.slice(begin, end)) tree.append(hash);
  return tree.root();
}

function chain(count: number, body: (seq: number) => Parameters<typeof prepareRecord>[0]): Placed[] {
  const log: Placed[] = [];
  for (let seq = 1; seq <= count; seq++) log.push(placeRecord(prepareRecord(body(seq)), seq, log.at(-1)?.hash ?? GENESIS));
  return log;
}

function evidence(seq: number) {
  const digest = `sha256:${'0'.repeat(64)}`;
  const state = { event_type: 'state', stage: 'ingress', node: '', data: { config_digest: digest, from: null, to: 'running' } };
  return {
    ...{ record_type: 'run_evidence', run_id: `00000000-0000-4000-8000-${String(seq).padStart(12, '0')}`, model_id: 'default' },
    ...{ model_version: null, principal_id: 'alice', created_at: timeOf(seq), completed_at: timeOf(seq), status: 'completed' },
    ...{ events: Array.from({ length: 8 }, () => state), approver: null },
  };
}

function started() {
  const digest = `sha256:${'0'.repeat(64)}`;
  return {
    ...{
      record_type: 'operation',
      at: timeOf(0),
      action: 'gateway.started',
      reason: null,
      change: {},
      before: null,
      after: digest,
    },
    ...{ actor: { principal_id: null, issuer: null, subject: null }, target: { kind: 'gateway', name: 'gateway' } },
  };
}
