import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { isObject, type JsonObject } from '@svc/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { durationMs } from '../../host/src/config/duration.ts';
import { fencesOf, ROOT } from '../docs/fences.ts';
import { MAIN } from '../harness/gateway.ts';
import { go, skipsGo } from '../harness/go.ts';
import { kubernetesSchemas } from '../harness/kubernetes-schemas.ts';

const MODULE = join(import.meta.dirname, 'deploy');
/** Kept between runs, so that Go links no program again. Checks of this repository skip it. */
const BIN = join(ROOT, 'node_modules', '.cache', 'svc-deploy');
const CHART = join(ROOT, 'deploy', 'helm', 'svc');
const COMPOSE = join(ROOT, 'deploy', 'compose', 'compose.yaml');
/** Building Helm for the first time takes minutes. */
const LONG = 900_000;
/** How much longer than the drain a gateway may take to end: docs/operating.md, "Stop". */
const AFTER_DRAIN_S = 20;
const skipped = skipsGo('deploy', 26);

/** The commands of docs/containers.md that make the secrets. */
const [secretsBlock] = fencesOf('docs/containers.md').filter(({ mark }) => mark === 'secrets');

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-deploy-'));
  mkdirSync(join(folder, 'deploy', 'compose'), { recursive: true });
  execFileSync('bash', ['-euo', 'pipefail', '-c', secretsBlock?.text ?? 'false'], { cwd: folder });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Asserts that `svc lint` accepts a configuration, with the secrets of the documentation. */
function lints(configuration: string): void {
  const path = join(folder, 'deploy', 'compose', 'svc.yaml');
  writeFileSync(path, configuration);
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, 'lint', '--config', path], { encoding: 'utf8' });
  expect(status, `${stdout}${stderr}`).toBe(0);
}

describe('the Compose file', () => {
  const { services, secrets, networks } = parse(readFileSync(COMPOSE, 'utf8'), { merge: true });

  it('gives no service a privilege, and only the gateway the database', () => {
    for (const [name, service] of Object.entries<JsonObject>(services)) {
      expect([name, service]).toEqual([
        name,
        expect.objectContaining({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] }),
      ]);
      expect(service).not.toHaveProperty('privileged');
      expect([name, service.image]).toEqual([name, name === 'gateway' ? 'svc' : expect.stringMatching(/:(v?\d+(\.\d+)*)$/)]);
      for (const port of (service.ports as string[] | undefined) ?? []) expect(port).toMatch(/^127\.0\.0\.1:/);
    }
    const onDatabase = Object.keys(services).filter((name) => services[name].networks.includes('database'));
    expect(onDatabase).toEqual(['gateway', 'postgres']);
    expect(networks.database.internal).toBe(true);
  });

  it('mounts files that exist, and the secrets that the documentation makes', () => {
    const mounts = Object.values<JsonObject>(services).flatMap(({ volumes = [] }) => volumes as string[]);
    const files = mounts.map((mount) => mount.split(':')[0] ?? '').filter((from) => from.startsWith('.'));
    expect(files.length).toBeGreaterThan(3);
    for (const file of files) expect([file, existsSync(resolve(dirname(COMPOSE), file))]).toEqual([file, true]);
    for (const { file } of Object.values<{ file: string }>(secrets))
      expect([file, existsSync(join(folder, 'deploy', 'compose', file))]).toEqual([file, true]);
    expect(readFileSync(join(ROOT, '.gitignore'), 'utf8')).toContain('/deploy/compose/secrets/');
  });

  it('waits longer than a drain takes', () => {
    const seconds = durationMs(services.gateway.stop_grace_period) / 1000;
    expect(seconds).toBeGreaterThan(5 + 60 + AFTER_DRAIN_S);
  });

  it('has a valid configuration of the gateway', () => {
    const text = readFileSync(join(dirname(COMPOSE), 'svc.yaml'), 'utf8');
    lints(text.replaceAll('file//run/secrets/', 'file/secrets/').replace('/var/lib/svc', folder));
  });
});

const POD = {
  securityContext: { runAsNonRoot: true, runAsUser: 1000, fsGroup: 1000, seccompProfile: { type: 'RuntimeDefault' } },
  automountServiceAccountToken: false,
  containers: [
    {
      securityContext: {
        allowPrivilegeEscalation: false,
        privileged: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      },
      livenessProbe: { httpGet: { path: '/livez' } },
      readinessProbe: { httpGet: { path: '/readyz' } },
      resources: { requests: { cpu: '500m', memory: '512Mi' }, limits: { memory: '2Gi' } },
    },
  ],
};

/** A part of the object of a kind. */
function partOf(objects: readonly JsonObject[], kind: string, part: string): JsonObject {
  const found = objects.find((one) => one.kind === kind)?.[part];
  if (!isObject(found)) throw new Error(`no ${kind} with ${part}`);
  return found as JsonObject;
}

describe.skipIf(skipped)(`tools of others${skipped ? ': need Go' : ''}`, { timeout: LONG }, () => {
  let schemas: string;
  beforeAll(async () => {
    schemas = await kubernetesSchemas();
    mkdirSync(BIN, { recursive: true });
    await go(MODULE, ['build', '-o', `${BIN}/`, '.', 'tool']);
  }, LONG);

  const run = (name: string, args: readonly string[], input = '') =>
    spawnSync(join(BIN, name), args, { encoding: 'utf8', input, maxBuffer: 16 * 1024 * 1024 });
  const set = (values: Readonly<Record<string, string>>) =>
    Object.entries(values).flatMap(([key, value]) => ['--set', `${key}=${value}`]);

  const onDatabase = {
    'postgres.url': 'postgres://svc@db.internal:6432/svc?sslmode=verify-full',
    'postgres.passwordSecret.name': 'database',
  };
  const existing = { 'secrets.existing': 'svc-secrets' };
  const monitored = [
    '--set',
    'serviceMonitor.enabled=true',
    '--set-file',
    `prometheusRule.rules=${join(ROOT, 'deploy', 'prometheus', 'alerts.yaml')}`,
  ];
  const encrypted = set({
    'config.server.tls.certificate': 'secrets/tls.crt',
    'config.server.tls.key': 'secret://file/secrets/tls.key#pem',
  });
  const variants: readonly [name: string, args: readonly string[]][] = [
    ['two replicas over PostgreSQL', set({ ...onDatabase, ...existing })],
    ['a folder and one replica', set({ replicas: '1', ...existing })],
    [
      'its own Secret, monitoring and other rules',
      [
        ...set({
          ...onDatabase,
          'secrets.files.svc\\.json': 'x',
          'secrets.files.ledger\\.pem': 'x',
          'networkPolicy.from[0].podSelector.matchLabels.app': 'web',
        }),
        ...set({
          'env[0].name': 'OPENAI_API_KEY',
          'env[0].valueFrom.secretKeyRef.name': 'o',
          'env[0].valueFrom.secretKeyRef.key': 'k',
          'drain.timeout': '90s',
        }),
        ...set({
          'nodeSelector.disk': 'fast',
          'tolerations[0].operator': 'Exists',
          'image.pullSecrets[0].name': 'pull',
          'persistence.storageClass': 'fast',
        }),
        ...monitored,
      ],
    ],
  ];

  /** The objects that the chart makes. */
  function rendered(args: readonly string[]): JsonObject[] {
    const { status, stdout, stderr } = run('helm', ['template', 'gateway', CHART, '--namespace', 'svc', ...args]);
    expect(status, stderr).toBe(0);
    return parseAllDocuments(stdout).flatMap((document) => document.toJS() ?? []);
  }

  it('compose-go loads the Compose file', () => {
    const { status, stdout, stderr } = run('cmd', [COMPOSE]);
    expect(status, stderr).toBe(0);
    expect(Object.keys(parse(stdout).services).sort()).toEqual(['gateway', 'grafana', 'postgres', 'prometheus']);
    const wrong = join(folder, 'compose.yaml');
    writeFileSync(wrong, readFileSync(COMPOSE, 'utf8').replace('cap_drop:', 'cap_drops:'));
    expect(run('cmd', [wrong]).status).not.toBe(0);
  });

  it.each(variants)('helm lint and kubeconform accept the chart with %s', (_, args) => {
    expect(run('helm', ['lint', '--strict', CHART, ...args])).toMatchObject({ status: 0 });
    const objects = rendered(args);
    const isOfOperator = ({ apiVersion }: JsonObject) => String(apiVersion).startsWith('monitoring.coreos.com/');
    const plain = objects.filter((one) => !isOfOperator(one));
    const check = (texts: readonly object[]) =>
      run(
        'kubeconform',
        ['-strict', '-summary', '-output', 'json', '-schema-location', schemas],
        texts.map((one) => JSON.stringify(one)).join('\n---\n'),
      );
    const { stdout } = check(plain);
    expect(JSON.parse(stdout)).toMatchObject({ summary: { valid: plain.length, invalid: 0, errors: 0, skipped: 0 } });
    const misspelt = JSON.parse(JSON.stringify(plain).replaceAll('readOnlyRootFilesystem', 'readOnlyRootFileSystem'));
    expect(JSON.parse(check(misspelt).stdout)).toMatchObject({ summary: { invalid: 1 } });
    const ours = objects.filter(isOfOperator).map((one) => JSON.stringify(one));
    expect(run('deploy', [], ours.join('\n'))).toMatchObject({ status: 0, stdout: `${ours.length}\n` });
  });

  it('a field that an object of the Prometheus operator lacks is refused', () => {
    const [monitor] = rendered(variants[2]?.[1] ?? []).filter(({ kind }) => kind === 'ServiceMonitor');
    expect(run('deploy', [], JSON.stringify(monitor).replace('"endpoints"', '"endpoint"')).status).toBe(1);
  });

  it('a monitor of a gateway with TLS asks over https, with its settings for the certificate', () => {
    const args = [
      ...set({ ...onDatabase, ...existing, 'serviceMonitor.tlsConfig.serverName': 'gateway' }),
      ...encrypted,
      ...monitored,
    ];
    const [monitor] = rendered(args).filter(({ kind }) => kind === 'ServiceMonitor');
    expect(monitor).toMatchObject({ spec: { endpoints: [{ scheme: 'https', tlsConfig: { serverName: 'gateway' } }] } });
    expect(run('deploy', [], JSON.stringify(monitor))).toMatchObject({ status: 0 });
  });

  it.each(variants)('the pods of %s have no privilege and end after the drain', (_, args) => {
    const objects = rendered(args);
    const [deployment, config] = [
      partOf(objects, 'Deployment', 'spec'),
      String(partOf(objects, 'ConfigMap', 'data')['svc.yaml']),
    ];
    expect(deployment).toMatchObject({ template: { spec: POD } });
    const { server } = JSON.parse(config);
    const drain = durationMs(server.drain_delay) + durationMs(server.drain_timeout);
    const pod = partOf([{ kind: 'Pod', ...(deployment.template as JsonObject) }], 'Pod', 'spec');
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(drain / 1000 + AFTER_DRAIN_S);
    // Nothing else can be written.
    const data = deployment.replicas === 1 ? { persistentVolumeClaim: { claimName: 'gateway' } } : { emptyDir: {} };
    expect(pod.volumes).toEqual([
      { name: 'config', projected: expect.objectContaining({ defaultMode: 0o440 }) },
      { name: 'data', ...data },
      { name: 'tmp', emptyDir: {} },
    ]);
    expect(objects.filter(({ kind }) => kind === 'PersistentVolumeClaim')).toHaveLength(deployment.replicas === 1 ? 1 : 0);
    lints(config.replaceAll('/var/lib/svc', folder));
  });

  it.each(variants)('everything of %s that selects pods finds them', (_, args) => {
    const objects = rendered(args);
    const { selector, template, replicas } = partOf(objects, 'Deployment', 'spec');
    const labels = partOf(objects, 'Service', 'spec').selector;
    expect(selector).toEqual({ matchLabels: labels });
    expect(template).toMatchObject({ metadata: { labels } });
    expect(partOf(objects, 'NetworkPolicy', 'spec').podSelector).toEqual({ matchLabels: labels });
    const budgets = objects.filter(({ kind }) => kind === 'PodDisruptionBudget');
    expect(budgets).toHaveLength(replicas === 1 ? 0 : 1);
    for (const { spec } of budgets) expect(spec).toMatchObject({ selector: { matchLabels: labels } });
  });

  it('the network policy lets the gateway reach DNS, port 443 and the port of its database', () => {
    const { egress } = partOf(rendered(variants[0]?.[1] ?? []), 'NetworkPolicy', 'spec');
    expect(JSON.stringify(egress).match(/"port":\d+/g)).toEqual([53, 53, 443, 6432].map((port) => `"port":${port}`));
  });

  it('a drain timeout longer than the longest stream is the default', () => {
    const { drain } = parse(readFileSync(join(CHART, 'values.yaml'), 'utf8'));
    // The default of stream_timeout_ms.
    expect(durationMs(drain.timeout)).toBeGreaterThan(1_800_000);
  });

  it.each([
    ['two replicas over a folder', set(existing), 'more than one replica needs PostgreSQL'],
    ['no Secret', set(onDatabase), 'secrets.existing'],
    ['both Secrets', set({ ...onDatabase, ...existing, 'secrets.files.a': 'b' }), 'not both'],
    ['a database without a password', set({ 'postgres.url': onDatabase['postgres.url'], ...existing }), 'passwordSecret'],
    ['a password in the URL', set({ ...onDatabase, ...existing, 'postgres.url': 'postgres://svc:secret@db/svc' }), 'pattern'],
    ['an unknown value', set({ ...onDatabase, ...existing, replica: '3' }), 'replica'],
    ['a drain in two places', set({ ...onDatabase, ...existing, 'config.server.drain_timeout': '5m' }), 'drain.timeout'],
    [
      'a monitor that cannot check the certificate',
      [...set({ ...onDatabase, ...existing }), ...encrypted, ...monitored],
      'tlsConfig',
    ],
    ['a duration of hours', set({ ...onDatabase, ...existing, 'drain.timeout': '1h' }), 'pattern'],
  ])('refuses %s', (_, args, reason) => {
    const { status, stderr } = run('helm', ['template', 'gateway', CHART, ...args]);
    expect([status, stderr]).toEqual([1, expect.stringContaining(reason)]);
  });
});
