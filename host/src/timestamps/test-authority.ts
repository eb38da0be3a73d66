import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';

/** Whether to skip tests that need openssl. Never true in CI. */
export const skipsTimestamps = spawnSync('openssl', ['version']).status !== 0 && process.env.CI !== 'true';
if (skipsTimestamps) console.warn('tests of time stamps: skipped because openssl is not installed');

const SIGNER = 'extendedKeyUsage=critical,timeStamping\nkeyUsage=critical,digitalSignature\n';
const ROOT = 'basicConstraints=critical,CA:true\nkeyUsage=critical,keyCertSign\nsubjectKeyIdentifier=hash\n';
const BETWEEN = 'basicConstraints=critical,CA:true\nkeyUsage=critical,keyCertSign\n';

const P_256 = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256'];

/** What is odd about an authority. */
export interface Oddities {
  /** Extensions of the signer's certificate. */
  readonly signer?: string;
  /** Extensions of the certificate between the root and the signer. */
  readonly between?: string;
  readonly root?: string;
  /** Arguments of `openssl req` for new keys. */
  readonly key?: readonly string[];
  /** The hash that is signed in certificates, such as `sha1`. */
  readonly hash?: string;
  /** This many certificates that could issue each other, in place of the one that the root issued. */
  readonly decoys?: number;
}

/** A time-stamp authority made with `openssl ts`: a root, a certificate below it, and a signer. */
export class TestTimestampAuthority {
  /** The certificate of the root, in PEM. */
  readonly ca: string;
  /** What requests get at the moment. */
  mode: 'works' | 'fails' | 'hangs' = 'works';
  /** Number of requests so far. */
  requests = 0;
  readonly #folder = mkdtempSync(join(tmpdir(), 'svc-tsa-'));
  readonly #hash: string;
  #server: Server | null = null;

  constructor({ signer = SIGNER, between = BETWEEN, root = ROOT, key = P_256, hash = 'sha256', decoys = 0 }: Oddities = {}) {
    this.#hash = hash;
    this.#certificate('root', null, key, root);
    this.#certificate('between', 'root', key, between);
    this.#certificate('signer', 'between', key, signer);
    if (decoys > 0) this.#replaceBetween(decoys);
    this.ca = this.#read('root.crt').toString();
    writeFileSync(join(this.#folder, 'serial'), '01\n');
    writeFileSync(join(this.#folder, 'tsa.cnf'), CONFIG);
  }

  /** Path of a file with the certificate of the root. */
  get caFile(): string {
    return join(this.#folder, 'root.crt');
  }

  /** The response to a request, both in DER. */
  reply(query: Uint8Array): Buffer {
    writeFileSync(join(this.#folder, 'query'), query);
    this.#run('ts', '-reply', '-config', 'tsa.cnf', '-queryfile', 'query', '-out', 'reply');
    return this.#read('reply');
  }

  /** A response with any content (a TSTInfo in DER), which `openssl ts` would not sign. `more`: arguments of `openssl cms`. */
  sign(content: Uint8Array, ...more: readonly string[]): Buffer {
    writeFileSync(join(this.#folder, 'content'), content);
    const form = ['-binary', '-nodetach', '-cades', '-outform', 'DER', '-econtent_type', '1.2.840.113549.1.9.16.1.4'];
    const by = ['-signer', 'signer.crt', '-inkey', 'signer.key', '-certfile', 'between.crt', '-md', 'sha256', ...more];
    this.#run('cms', '-sign', ...form, ...by, '-in', 'content', '-out', 'token');
    const token = this.#read('token');
    const body = Buffer.concat([Buffer.from('3003020100', 'hex'), token]);
    return Buffer.concat([Buffer.of(0x30, 0x82, body.length >> 8, body.length & 0xff), body]);
  }

  /** Serves requests. @returns the URL */
  async listen(): Promise<string> {
    const server = createServer(async (request, response) => {
      this.requests += 1;
      const query = await buffer(request);
      if (this.mode === 'hangs') return;
      if (this.mode === 'fails') return void response.writeHead(503).end();
      response.writeHead(200, { 'content-type': 'application/timestamp-reply' }).end(this.reply(query));
    });
    this.#server = server;
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  dispose(): void {
    this.#server?.close();
    this.#server?.closeAllConnections();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #certificate(name: string, issuer: string | null, key: readonly string[], extensions: string): void {
    const made = [...key, '-nodes', '-keyout', `${name}.key`, '-subj', `/O=svc test/CN=${name}`];
    writeFileSync(join(this.#folder, 'extensions'), extensions);
    this.#run('req', '-new', ...made, '-out', `${name}.csr`);
    const by =
      issuer === null ? ['-signkey', 'root.key'] : ['-CA', `${issuer}.crt`, '-CAkey', `${issuer}.key`, '-CAcreateserial'];
    this.#run(
      'x509',
      '-req',
      '-in',
      `${name}.csr`,
      ...by,
      '-extfile',
      'extensions',
      '-days',
      '2',
      `-${this.#hash}`,
      '-out',
      `${name}.crt`,
    );
  }

  /** All have the name and the key of the certificate between the root and the signer, and sign themselves. */
  #replaceBetween(count: number): void {
    writeFileSync(join(this.#folder, 'extensions'), BETWEEN);
    const made = ['-req', '-in', 'between.csr', '-signkey', 'between.key', '-extfile', 'extensions', '-days', '2'];
    const decoys = Array.from({ length: count }, (_, at) => {
      this.#run('x509', ...made, '-set_serial', String(at + 1), '-out', 'decoy.crt');
      return this.#read('decoy.crt');
    });
    writeFileSync(join(this.#folder, 'between.crt'), Buffer.concat(decoys));
  }

  #read(file: string): Buffer {
    return readFileSync(join(this.#folder, file));
  }

  #run(...args: string[]): void {
    const { status, stderr } = spawnSync('openssl', args, { cwd: this.#folder, encoding: 'utf8' });
    if (status !== 0) throw new Error(`openssl ${args[0]}: ${stderr}`);
  }
}

/** Whether `openssl ts -verify` accepts a response for these bytes. */
export function opensslAccepts(data: string | Uint8Array, reply: Uint8Array, ca: string): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'svc-ts-verify-'));
  try {
    for (const [name, bytes] of Object.entries({ data, reply, ca })) writeFileSync(join(folder, name), bytes);
    const args = ['ts', '-verify', '-data', 'data', '-in', 'reply', '-CAfile', 'ca'];
    return spawnSync('openssl', args, { cwd: folder }).status === 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const CONFIG = `
[tsa]
default_tsa = test
[test]
serial = serial
signer_cert = signer.crt
signer_key = signer.key
certs = between.crt
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256
accuracy = millisecs:500
clock_precision_digits = 3
ess_cert_id_alg = sha256
`;
