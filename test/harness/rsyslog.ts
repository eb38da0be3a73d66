import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../bench/processes.ts';
import { TestIssuer } from './certificates.ts';
import { until } from './until.ts';

/** Debian installs rsyslog without this module. */
const hasTls = globSync('/usr/lib{,64}/{,*/}rsyslog/lmnsd_ossl.so').length > 0;
const isInstalled = hasTls && spawnSync('rsyslogd', ['-v']).error === undefined;

/** Without rsyslog and its module for TLS, its tests are skipped; if `CI` is set, they fail. */
export const skipsRsyslog = !isInstalled && process.env.CI !== 'true';
if (skipsRsyslog)
  console.warn('tests with rsyslog: skipped because it is not installed; for example: apt-get install rsyslog rsyslog-openssl');

/** The installed rsyslog, as a TLS server that requires a client certificate. It can be stopped and started again. */
export class TestRsyslog {
  readonly port: number;
  /** Certificates in PEM format for a client. */
  readonly client: { readonly ca: string; readonly client_certificate: string; readonly client_key: string };
  readonly #home: string;
  #child: ChildProcess | null = null;
  #errors = '';

  private constructor(home: string, port: number, client: TestRsyslog['client']) {
    this.#home = home;
    this.port = port;
    this.client = client;
  }

  /** @param rules the ruleset `svc`, with FILE in place of the file */
  static async start(rules: string): Promise<TestRsyslog> {
    const home = mkdtempSync(join(tmpdir(), 'svc-rsyslog-'));
    const port = await freePort();
    const issuer = new TestIssuer();
    const [server, client] = [issuer.issue('rsyslog'), issuer.issue('svc')];
    const files = { 'ca.pem': issuer.ca, 'server.pem': server.cert, 'server.key': server.key };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(home, name), text);
    const rsyslog = new TestRsyslog(home, port, { ca: issuer.ca, client_certificate: client.cert, client_key: client.key });
    issuer.dispose();
    writeFileSync(join(home, 'rsyslog.conf'), rsyslog.#conf(rules));
    await rsyslog.launch();
    return rsyslog;
  }

  async launch(): Promise<void> {
    const args = ['-n', '-f', join(this.#home, 'rsyslog.conf'), '-i', join(this.#home, 'pid')];
    const child = spawn('rsyslogd', args, { stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (data: Buffer) => {
        this.#errors += data.toString();
      });
    this.#child = child;
    await until(async () => {
      if (child.exitCode !== null) throw new Error(`rsyslog ended: ${this.#errors}`);
      const { promise, resolve } = Promise.withResolvers<boolean>();
      const socket = connect(this.port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
      return promise.finally(() => socket.destroy());
    });
  }

  async stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const child = this.#child;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  }

  /** The lines that it stored, in order. */
  lines(): string[] {
    const file = join(this.#home, 'received');
    try {
      return readFileSync(file, 'utf8').split('\n').slice(0, -1);
    } catch {
      return [];
    }
  }

  async dispose(): Promise<void> {
    await this.stop('SIGKILL');
    rmSync(this.#home, { recursive: true, force: true });
  }

  #conf(rules: string): string {
    const at = (name: string) => join(this.#home, name);
    return `
global(workDirectory="${this.#home}" maxMessageSize="2m" defaultNetstreamDriver="ossl" defaultNetstreamDriverCAFile="${at('ca.pem')}"
  defaultNetstreamDriverCertFile="${at('server.pem')}" defaultNetstreamDriverKeyFile="${at('server.key')}")
module(load="imtcp" streamDriver.name="ossl" streamDriver.mode="1" streamDriver.authMode="x509/certvalid")
${rules.replace('FILE', at('received'))}
input(type="imtcp" address="127.0.0.1" port="${this.port}" ruleset="svc")
`;
  }
}
