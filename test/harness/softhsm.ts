import { execFile, spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const [MODULE] = globSync('/usr/lib{,64}/{,*/}softhsm/libsofthsm2.so');
const isInstalled = MODULE !== undefined && spawnSync('softhsm2-util', ['--version']).error === undefined;
const hasTool = spawnSync('pkcs11-tool', ['--help']).error === undefined;

/** Without SoftHSM and OpenSC, their tests are skipped; if `CI` is set, they fail. */
export const skipsSoftHsm = !(isInstalled && hasTool) && process.env.CI !== 'true';
if (skipsSoftHsm)
  console.warn(
    'tests with a PKCS#11 token: skipped; they need softhsm2 and opensc, for example: apt-get install softhsm2 opensc',
  );

const PIN = '9431';
/** CKF_RNG, LOGIN_REQUIRED, USER_PIN_INITIALIZED, RESTORE_KEY_NOT_NEEDED, TOKEN_INITIALIZED. */
const USUAL_FLAGS = Buffer.from('000000000000042d', 'hex');

/** A token in software, with keys that cannot be read. `env` is how its library finds it. */
export class SoftHsm {
  readonly #folder = mkdtempSync(join(tmpdir(), 'svc-softhsm-'));
  readonly #tokens = mkdtempSync(join(this.#folder, 'tokens-'));
  readonly #names = new Set<string>();
  /** Where they are in the file of the token. */
  #flagsAt = -1;
  readonly token = 'svc token';
  readonly env = { SOFTHSM2_CONF: join(this.#folder, 'softhsm2.conf') };
  readonly pin = PIN;

  static async start(): Promise<SoftHsm> {
    const hsm = new SoftHsm();
    writeFileSync(
      hsm.env.SOFTHSM2_CONF,
      `directories.tokendir = ${hsm.#tokens}\nobjectstore.backend = file\nlog.level = ERROR\n`,
    );
    const label = ['--label', hsm.token, '--pin', PIN, '--so-pin', '00000000'];
    await run('softhsm2-util', ['--init-token', '--free', ...label], { env: { ...process.env, ...hsm.env } });
    return hsm;
  }

  get module(): string {
    if (MODULE === undefined) throw new Error('SoftHSM is not installed: apt-get install softhsm2');
    return MODULE;
  }

  /** Creates an Ed25519 key in the token, in place of the one with this label, or beside it if an `id` is given. */
  async create(label: string, id = Buffer.from(label).toString('hex')): Promise<void> {
    if (this.#names.has(label) && id === Buffer.from(label).toString('hex'))
      for (const type of ['privkey', 'pubkey']) await this.#tool('--delete-object', '--type', type, '--label', label);
    this.#names.add(label);
    await this.#tool('--keypairgen', '--key-type', 'EC:edwards25519', '--label', label, '--id', id);
  }

  /** Takes the token away. */
  stop(): void {
    renameSync(this.#tokens, `${this.#tokens}.away`);
  }

  /** Brings it back. */
  resume(): void {
    renameSync(`${this.#tokens}.away`, this.#tokens);
  }

  /** Makes the token report these flags besides its own. */
  report(flags: bigint): void {
    const [file = ''] = globSync(join(this.#tokens, '*', 'token.object'));
    const bytes = readFileSync(file);
    // SoftHSM keeps the flags of a token with a PIN as a number of 8 bytes, the highest first.
    if (this.#flagsAt === -1) this.#flagsAt = bytes.indexOf(USUAL_FLAGS);
    if (this.#flagsAt === -1) throw new Error('the flags of the token were not found');
    bytes.writeBigUInt64BE(USUAL_FLAGS.readBigUInt64BE() | flags, this.#flagsAt);
    writeFileSync(file, bytes);
  }

  dispose(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #tool(...args: readonly string[]): Promise<void> {
    const common = ['--module', this.module, '--token-label', this.token, '--login', '--pin', PIN];
    await run('pkcs11-tool', [...common, ...args], { env: { ...process.env, ...this.env } });
  }
}
