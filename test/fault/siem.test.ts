import { fakePluginDeps } from '@svc/sdk/testing';
import { Value } from 'typebox/value';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { OtlpDouble } from '../../plugins/exporter-otlp/src/otlp-fixture.ts';
import { HecDouble, TOKEN } from '../../plugins/exporter-splunk/src/hec-fixture.ts';
import plugin from '../../plugins/exporter-syslog/src/index.ts';
import { Options } from '../../plugins/exporter-syslog/src/options.ts';
import { TestGateway } from '../harness/gateway.ts';
import { skipsRsyslog, type TestRsyslog } from '../harness/rsyslog.ts';
import { until } from '../harness/until.ts';
import { ExportedLog, startRsyslog, storedRecords } from './siem-scene.ts';
import { exportingConfig, servedRecords } from './sink-scene.ts';

const HOUR_MS = 3_600_000;

describe.skipIf(skipsRsyslog)('rsyslog over TLS', { timeout: 300_000 }, () => {
  let rsyslog: TestRsyslog;
  const exporterOf = (more: object = {}) => {
    const given = { host: 'localhost', port: rsyslog.port, ...rsyslog.client, timeout_ms: 10_000, ...more };
    return plugin.create(Value.Decode(Options, Value.Default(Options, given)), fakePluginDeps());
  };

  beforeAll(async () => {
    rsyslog = await startRsyslog();
  });
  afterEach(() => vi.useRealTimers());
  afterAll(() => rsyslog?.dispose());

  it.each([
    ['another authority', { ca: undefined }, /^(?:SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_VERIFY_LEAF_SIGNATURE)$/],
    ['another name', { server_name: 'syslog.example' }, /^ERR_TLS_CERT_ALTNAME_INVALID$/],
    ['no certificate of the client', { client_certificate: undefined, client_key: undefined }, /^[A-Z_0-9]+$/],
  ])('gets nothing with %s', async (_, more, code) => {
    const exporter = exporterOf(more);
    await exporter.open({ ledgerId: 'ledger', cursor: 0, signal: new AbortController().signal });
    const record = { seq: 1, hash: 'sha256:0', bytes: '{"hash":"sha256:0","seq":1}' };
    const failed = exporter.deliver([record], new AbortController().signal);
    await expect(failed).rejects.toMatchObject({ name: 'NotAccepted', code: expect.stringMatching(code) });
    expect(rsyslog.lines()).toEqual([]);
  });

  it.each([{ host: '127.0.0.1' }, { server_name: '127.0.0.1' }])('is verified by an address: %j', async (more) => {
    const exporter = exporterOf(more);
    await exporter.open({ ledgerId: 'elsewhere', cursor: 0, signal: new AbortController().signal });
    await exporter.deliver([], new AbortController().signal);
  });

  it('gets every record in order after an outage of an hour, and after kills while it receives', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] });
    const log = new ExportedLog(exporterOf());
    let seen = performance.now();
    /** Skips the waits between deliveries. During a delivery, the clock runs at most five times as fast as real time. */
    const pass = async (ms: number) => {
      const real = performance.now() - seen;
      seen += real;
      await vi.advanceTimersByTimeAsync(log.isDelivering ? Math.min(ms, 5 * real) : ms);
    };
    const complete = () =>
      until(async () => {
        await pass(1_000);
        return rsyslog.lines().length >= log.records.length && storedRecords(rsyslog).length === log.records.length;
      });
    log.append(300);
    await complete();
    await rsyslog.stop('SIGTERM');
    const begin = Date.now();
    while (Date.now() - begin < HOUR_MS) {
      const before = log.failures.length;
      log.append(10);
      await until(async () => {
        // A refusal takes real time, and a delivery is aborted after a minute.
        if (!log.isDelivering) await vi.advanceTimersByTimeAsync(15_000);
        return log.failures.length > before;
      });
    }
    // The first delivery may find the connection that the server closed as it stopped.
    expect(log.failures.slice(1)).toEqual(log.failures.slice(1).map(() => 'ECONNREFUSED'));
    expect(['ECONNREFUSED', 'CLOSED_EARLY']).toContain(log.failures[0]);
    await rsyslog.launch();
    await complete();
    for (let round = 0; round < 3; round += 1) {
      const lines = rsyslog.lines().length;
      log.append(600);
      await until(async () => {
        await pass(100);
        return rsyslog.lines().length > lines;
      });
      await rsyslog.stop('SIGKILL');
      await rsyslog.launch();
    }
    await complete();
    expect(storedRecords(rsyslog)).toEqual(log.bytes);
    await log.close();
  });
});

describe.skipIf(skipsRsyslog)('receivers of security events', { timeout: 300_000 }, () => {
  it('get every record in order through an outage of all of them and a kill of the gateway', async () => {
    const [rsyslog, hec, collector] = await Promise.all([startRsyslog(), new HecDouble().listen(), new OtlpDouble().listen()]);
    hec.acks = 1;
    const { ca, client_certificate, client_key } = rsyslog.client;
    const gateway = await TestGateway.start({
      config: exportingConfig([
        {
          ...{ type: 'syslog', host: 'localhost', port: rsyslog.port, operations: true },
          ...{ ca: './ca.pem', client_certificate: './client.pem', client_key: 'secret://file/client.key#pem' },
        },
        { type: 'splunk', url: hec.origin, token: 'secret://env/HEC_TOKEN#value', require_ack: true },
        { type: 'otlp', url: collector.url },
      ]),
      env: { HEC_TOKEN: TOKEN },
      files: { 'ca.pem': ca, 'client.pem': client_certificate, 'client.key': client_key },
    });
    try {
      const chats = async (count: number) => {
        const all = await Promise.all(Array.from({ length: count }, () => gateway.chat('hello')));
        expect(new Set(all.map(({ status }) => status))).toEqual(new Set([200]));
      };
      const isLedger = (ledger: string) => !ledger.endsWith('/operations');
      const received = () => ({
        syslog: storedRecords(rsyslog, isLedger),
        splunk: hec.once().map(({ text }) => text),
        otlp: collector.once().map(({ body }) => String(body)),
      });
      const complete = async () => {
        const served = await servedRecords(gateway);
        await until(() => Object.values(received()).every(({ length }) => length === served.length));
        expect(received()).toEqual({ syslog: served, splunk: served, otlp: served });
      };
      await chats(20);
      await complete();
      await Promise.all([rsyslog.stop('SIGKILL'), hec.close(), collector.close()]);
      await chats(20);
      await gateway.stop('SIGKILL');
      await gateway.launch();
      await chats(20);
      for (const name of ['syslog', 'splunk', 'otlp'])
        await gateway.until((output) => output.includes(`"exporter":"${name}","reason":"ECONNREFUSED"`) || undefined);
      await Promise.all([rsyslog.launch(), hec.listen(), collector.listen()]);
      await complete();
      expect(storedRecords(rsyslog, (ledger) => !isLedger(ledger)).length).toBeGreaterThan(0);
      expect([hec.malformed, collector.malformed]).toEqual([[], []]);
      expect(gateway.output).not.toContain(TOKEN);
      expect(await gateway.stop()).toBe(0);
    } finally {
      await gateway.dispose();
      await Promise.all([rsyslog.dispose(), hec.close(), collector.close()]);
    }
  });
});
