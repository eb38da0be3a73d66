import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { freePort } from '../bench/processes.ts';
import { until } from './until.ts';

const SITE = join(import.meta.dirname, '..', '..', 'deploy', 'nginx.conf');

/** Without nginx, its tests are skipped; if `CI` is set, they fail. */
export const skipsNginx = spawnSync('nginx', ['-v']).status !== 0 && process.env.CI !== 'true';
if (skipsNginx)
  console.warn('tests of deploy/nginx.conf: skipped because nginx is not installed; for example: apt-get install nginx-light');

/** The installed nginx with the shipped site, adapted to the test's names, certificate and port. */
export class TestNginx {
  readonly #home: string;
  readonly #child: ChildProcess;
  readonly #port: number;

  private constructor(home: string, child: ChildProcess, port: number) {
    this.#home = home;
    this.#child = child;
    this.#port = port;
  }

  /** @param gateways addresses that replace `gateway-1.internal:8000` and `gateway-2.internal:8000` */
  static async start(gateways: readonly [string, string]): Promise<TestNginx> {
    const home = await mkdtemp(join(tmpdir(), 'svc-nginx-'));
    const port = await freePort();
    const pair = ['-keyout', join(home, 'gateway.key'), '-out', join(home, 'gateway.pem')];
    const made = spawnSync('openssl', ['req', '-x509', '-newkey', 'ed25519', '-nodes', '-subj', '/CN=gateway.example', ...pair]);
    if (made.status !== 0) throw new Error(`no certificate: ${made.stderr}`);
    const site = (await readFile(SITE, 'utf8'))
      .replaceAll('/etc/ssl/', `${home}/`)
      .replace('listen 443', `listen 127.0.0.1:${port}`)
      .replace('gateway-1.internal:8000', new URL(gateways[0]).host)
      .replace('gateway-2.internal:8000', new URL(gateways[1]).host);
    const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${home}/${name};`);
    const http = `http {\naccess_log off;\n${folders.join('\n')}\n${site}\n}`;
    const conf = join(home, 'nginx.conf');
    // A single worker, because each worker has its own connections.
    await writeFile(conf, `daemon off;\nworker_processes 1;\npid ${home}/pid;\nerror_log stderr;\nevents {}\n${http}\n`);
    const child = spawn('nginx', ['-c', conf, '-p', home], { stdio: ['ignore', 'ignore', 'pipe'] });
    const nginx = new TestNginx(home, child, port);
    let errors = '';
    child.stderr?.on('data', (data: Buffer) => {
      errors += data.toString();
    });
    await until(async () => {
      if (child.exitCode !== null) throw new Error(`nginx ended: ${errors}`);
      return nginx.#isListening();
    });
    return nginx;
  }

  async chat(model: string): Promise<number> {
    const body = { model, messages: [{ role: 'user', content: 'hello' }] };
    return this.#ask('/v1/chat/completions', JSON.stringify(body));
  }

  /** The beginning of a streamed answer, as soon as its first bytes have arrived. */
  async firstOfStream(model: string): Promise<string> {
    const body = { model, messages: [{ role: 'user', content: 'hello' }], stream: true };
    const response = await this.#open('/v1/chat/completions', JSON.stringify(body));
    const [first] = await once(response, 'data');
    response.destroy();
    return String(first);
  }

  async dispose(): Promise<void> {
    const ended = once(this.#child, 'exit');
    if (this.#child.exitCode === null && this.#child.kill()) await ended;
    await rm(this.#home, { recursive: true, force: true });
  }

  async #isListening(): Promise<boolean> {
    return this.#ask('/metrics').then(
      () => true,
      () => false,
    );
  }

  async #ask(path: string, body?: string): Promise<number> {
    const response = await this.#open(path, body);
    await text(response);
    return response.statusCode ?? 0;
  }

  async #open(path: string, body?: string): Promise<IncomingMessage> {
    const method = body === undefined ? 'GET' : 'POST';
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body ?? '') };
    const sent = request({ host: '127.0.0.1', port: this.#port, path, method, headers, agent: false, rejectUnauthorized: false });
    sent.end(body);
    const [response] = await once(sent, 'response');
    return response;
  }
}
