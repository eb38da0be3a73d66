import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pythonPackages } from '../harness/python-packages.ts';
import { freePort } from './processes.ts';
import type { Scene, Target } from './target.ts';

export const AEGIS = 'aegis-latent-core 5.0.2';
/** Each key may make at most 10,000 requests a minute. */
const KEYS = Array.from({ length: 32 }, () => randomBytes(32).toString('hex'));
const MANY = '1000000000';

/** Installs aegis once, and returns the path of its program. */
export async function installAegis(): Promise<string> {
  const [name, version] = AEGIS.split(' ');
  return join(await pythonPackages(`${name}-${version}`, [[`${name}==${version}`]]), 'aegis');
}

/**
 * Starts one process with a signed log, an outbox for streams, request filters, and masking of personal data and cards in both stages. Its mode
 * `strict` requires Redis.
 */
export async function startAegis({ processes, folder, upstream, peers: { aegis: program = '' } }: Scene): Promise<Target> {
  const port = await freePort();
  const log = join(folder, 'aegis.jsonl');
  const settings = {
    security_enforcement_mode: 'development',
    allow_legacy_unmapped_api_key_principals: 'true',
    backend_url: `http://127.0.0.1:${upstream}`,
    backend_api_key: 'key',
    api_keys: KEYS.join(),
    auth_identity_hmac_key: randomBytes(32).toString('hex'),
    signing_key: randomBytes(32).toString('hex'),
    wal_path: log,
    terminal_outbox_enabled: 'true',
    phi_deidentify: 'true',
    pci_scrub: 'true',
    rate_limit_requests_per_minute: '10000',
    rate_limit_burst: '100',
    rate_limit_token_capacity: MANY,
    rate_limit_tokens_per_minute: MANY,
    host: '127.0.0.1',
    port: String(port),
    log_level: 'ERROR',
  };
  const env = Object.fromEntries(Object.entries(settings).map(([name, value]) => [`AEGIS_${name.toUpperCase()}`, value]));
  const start = async () => (await processes.serve('measured', 'aegis', port, [], { program, env })).pid;
  return {
    name: 'aegis',
    protocols: ['chat'],
    instances: [{ port, pid: await start() }],
    headers: (_, caller) => ({ authorization: `Bearer ${KEYS[caller % KEYS.length]}` }),
    model: (model) => model,
    records: { restart: start, read: async () => inLog(log) },
  };
}

/** The log has the digest of each request. Ignores a line that the crash cut off. */
function inLog(file: string): (call: number, body: string) => boolean {
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
  const digests = new Set(lines.map((line) => /"request_hash":"(\w+)"/.exec(line)?.[1]));
  return (_, body) => digests.has(createHash('sha256').update(body).digest('hex'));
}
