import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Without openssl, tests that need certificates are skipped. */
export const hasOpenssl = spawnSync('openssl', ['version']).status === 0;
if (!hasOpenssl)
  console.warn('tests with certificates: skipped because openssl is not installed; for example: apt-get install openssl');

export interface Pair {
  readonly cert: string;
  readonly key: string;
}

/** A certificate issuer made with openssl. */
export class TestIssuer {
  readonly #folder = mkdtempSync(join(tmpdir(), 'svc-certificates-'));
  /** Its own certificate, as PEM. */
  readonly ca: string;

  readonly #names: string;

  /** @param hosts for which it issues certificates, besides localhost and 127.0.0.1 */
  constructor(name = 'svc test CA', hosts: readonly string[] = []) {
    this.#names = ['DNS:localhost', 'IP:127.0.0.1', ...hosts.map((host) => `DNS:${host}`)].join();
    this.#request(name, 'ca.key', '-x509', '-days', '2', '-out', 'ca.crt');
    this.ca = readFileSync(join(this.#folder, 'ca.crt'), 'utf8');
  }

  /** Issues a certificate for its hosts, and returns it with its key, as PEM. */
  issue(name: string, ...more: string[]): Pair {
    writeFileSync(join(this.#folder, 'names'), `subjectAltName=${this.#names}\n`);
    this.#request(name, 'one.key', '-out', 'one.csr');
    const by = ['-CA', 'ca.crt', '-CAkey', 'ca.key', '-CAcreateserial', '-extfile', 'names'];
    this.#run('x509', '-req', '-in', 'one.csr', ...by, ...(more.length === 0 ? ['-days', '2'] : more), '-out', 'one.crt');
    const [cert = '', key = ''] = ['one.crt', 'one.key'].map((file) => readFileSync(join(this.#folder, file), 'utf8'));
    return { cert, key };
  }

  dispose(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Creates a key, and a certificate request or self-signed certificate for it. */
  #request(name: string, key: string, ...more: string[]): void {
    const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', key];
    this.#run('req', '-new', ...newKey, '-subj', `/CN=${name}`, ...more);
  }

  #run(...args: string[]): void {
    const { status, stderr } = spawnSync('openssl', args, { cwd: this.#folder, encoding: 'utf8' });
    if (status !== 0) throw new Error(`openssl ${args[0]}: ${stderr}`);
  }
}
