import { generateKeyPairSync } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  base64Of,
  checkpointText,
  consistencyPath,
  type Hash,
  inclusionPath,
  proofText,
  type Range,
  type Signer,
  signingKey,
  signNote,
  TreeHash,
  verifierKey,
} from '@svc/ledger';
import { type Body, type Chained, chain, evidence } from '../harness/evidence.ts';

const ORIGIN = 'example.org/large';
const PAGE = 1000;

/** One record for each run. */
export function largeLedger(runs: number): Chained[] {
  return chain(evidenceOf(runs));
}

function* evidenceOf(runs: number): Generator<Body> {
  for (let n = 0; n < runs; n += 1) yield evidence(n);
}

/** Serves a ledger of any size over HTTP, as a gateway does for `svc evidence pack`. A real one would need minutes to write it. */
export class LargeGateway {
  readonly #signer: Signer = { name: ORIGIN, key: signingKey(generateKeyPairSync('ed25519').privateKey) };
  readonly #ledger: readonly Chained[];
  readonly #operations: readonly Chained[];
  readonly #server: Server;
  url = '';

  /** @param ledger its records, of {@link largeLedger} */
  constructor(ledger: readonly Chained[]) {
    this.#ledger = ledger;
    this.#operations = chain([started()]);
    this.#server = createServer(async (request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
      const { body, next } = await this.#answer(pathname, searchParams);
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

  async #answer(path: string, query: URLSearchParams): Promise<{ readonly body: string | null; readonly next: number | null }> {
    const whole = (body: string | null) => ({ body, next: null });
    const isOperations = path.startsWith('/v1/audit/operations');
    const [log, origin] = isOperations ? [this.#operations, `${ORIGIN}/operations`] : [this.#ledger, ORIGIN];
    if (query.has('cosigned') || query.has('timestamped')) return whole(null);
    if (path.endsWith('/checkpoint')) return whole(await this.#note(log, origin));
    if (path.endsWith('/keys')) return whole(JSON.stringify({ origin: ORIGIN, verifier_keys: [verifierKey(this.#signer)] }));
    if (path.endsWith('/proof')) return whole(await this.#proof(log, origin, query));
    if (path.endsWith('/inventory')) return whole('{"records":[]}');
    if (path === '/v1/audit') return whole('{"runs":[]}');
    if (path.endsWith('/report'))
      return whole(
        JSON.stringify({ generated_at: evidence(0).created_at, inventory: [], run_stats: {}, chain_length: log.length }),
      );
    const since = Number(query.get('since_seq'));
    const end = since + Number(query.get('limit'));
    const records = log.slice(since, end).map(({ bytes }) => bytes);
    return { body: `{"records":[${records.join(',')}]}`, next: end < log.length ? end : null };
  }

  #note(log: readonly Chained[], origin: string): Promise<string> {
    const root = rootOf(log, { begin: 0, end: log.length });
    return signNote(checkpointText({ origin, size: log.length, root }), [this.#signer]);
  }

  async #proof(log: readonly Chained[], origin: string, query: URLSearchParams): Promise<string> {
    const seq = query.get('seq');
    const hashes = (path: readonly Range[]): Hash[] => path.map((range) => rootOf(log, range));
    if (seq !== null) {
      const index = Number(seq) - 1;
      const path = hashes(inclusionPath(index, log.length));
      return proofText({ record: log[index]?.bytes ?? '', index, path, checkpoint: await this.#note(log, origin) });
    }
    const [from, to] = [Number(query.get('from')), Number(query.get('to'))];
    const head = (size: number) => ({ size, root: base64Of(rootOf(log, { begin: 0, end: size })) });
    return JSON.stringify({ from: head(from), to: head(to), path: hashes(consistencyPath(from, to)).map(base64Of) });
  }
}

function rootOf(log: readonly Chained[], { begin, end }: Range): Hash {
  const tree = new TreeHash();
  for (const { hash } of log.slice(begin, end)) tree.append(hash);
  return tree.root();
}

function started(): Body {
  const digest = `sha256:${'0'.repeat(64)}`;
  return {
    record_type: 'operation',
    at: String(evidence(0).created_at),
    action: 'gateway.started',
    actor: { principal_id: null, issuer: null, subject: null },
    target: { kind: 'gateway', name: 'gateway' },
    before: null,
    after: digest,
    reason: null,
    change: {},
  };
}
