import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import type { JsonObject } from '@svc/contracts';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasOpenssl, type Pair, TestIssuer } from '../harness/certificates.ts';
import { echoConfig, TestGateway } from '../harness/gateway.ts';
import { until } from '../harness/until.ts';
import { pausedRun } from './pausing-gateway.ts';

const PASSWORD = 'pass-of-the-relay';
const closing: (() => unknown)[] = [];

interface Mail {
  readonly secure: boolean;
  readonly to: readonly string[];
  readonly text: string;
}

let issuer: TestIssuer;
let pair: Pair;
beforeAll(() => {
  if (!hasOpenssl) return;
  Object.assign(process.env, { NOTICE_PASSWORD: PASSWORD, NOTICE_OTHER: 'other' });
  issuer = new TestIssuer();
  pair = issuer.issue('localhost');
});
afterAll(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
  issuer?.dispose();
  for (const name of ['NOTICE_PASSWORD', 'NOTICE_OTHER']) delete process.env[name];
});

/** A mail server on 127.0.0.1. */
async function mailServer(options: SMTPServerOptions = {}): Promise<{ mails: Mail[]; port: number }> {
  const mails: Mail[] = [];
  const server = new SMTPServer({
    ...pair,
    authOptional: true,
    onAuth: ({ username, password }, _, done) =>
      username === 'svc' && password === PASSWORD ? done(null, { user: username }) : done(new Error('wrong')),
    onData: async (stream, { secure, envelope }, done) => {
      mails.push({ secure, to: envelope.rcptTo.map(({ address }) => address), text: await text(stream) });
      done();
    },
    ...options,
  });
  server.on('error', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  closing.push(() => new Promise<void>((resolve) => server.close(() => resolve())));
  return { mails, port: (server.server.address() as AddressInfo).port };
}

async function start(target: JsonObject): Promise<TestGateway> {
  const email = {
    name: 'mail',
    type: 'email',
    on: ['paused'],
    host: 'localhost',
    ca: issuer.ca,
    from: 'svc@example.org',
    to: ['ops@example.org'],
    ...target,
  };
  const notices = { public_url: 'https://svc.example.org', group_for: '1s', targets: [email] };
  const gateway = await TestGateway.start({ here: true, config: echoConfig({ notices }) });
  closing.push(() => gateway.dispose());
  return gateway;
}

const accepted = (mails: readonly Mail[]): Promise<void> => until(() => mails.length > 0);

describe.runIf(hasOpenssl).concurrent('e-mail', () => {
  it.each([
    ['starttls', {}],
    ['implicit', { secure: true }],
  ] as const)('is sent encrypted: %s', async (tls, options) => {
    const { mails, port } = await mailServer({ ...options, authOptional: false });
    const gateway = await start({ tls, port, user: 'svc', password: 'secret://env/NOTICE_PASSWORD#value' });
    const run_id = await pausedRun(gateway, 'wire transfer of ACC-4711');
    await accepted(mails);
    expect(mails).toMatchObject([{ secure: true, to: ['ops@example.org'] }]);
    const [mail] = mails;
    expect(mail?.text).toContain('Subject: svc: 1 request was paused for approval');
    expect(mail?.text.replaceAll('=\r\n', '').replaceAll('=3D', '=')).toContain(
      `https://svc.example.org/approvals#run=${run_id}`,
    );
    expect(mail?.text).not.toMatch(/transfer|4711|alice/);
    await gateway.logged('notice_sent');
    expect(gateway.output).not.toContain(PASSWORD);
  });

  it.each<[string, SMTPServerOptions, JsonObject, string]>([
    ['the server offers no TLS', { disabledCommands: ['STARTTLS'] }, {}, 'SMTP_5'],
    ['another issuer signed the certificate', {}, { ca: '' }, 'ESOCKET'],
    ['the password is wrong', {}, { user: 'svc', password: 'secret://env/NOTICE_OTHER#value' }, 'SMTP_535'],
    [
      'the server cannot sign in',
      { disabledCommands: ['AUTH'] },
      { user: 'svc', password: 'secret://env/NOTICE_OTHER#value' },
      'SMTP_5',
    ],
  ])('is not sent if %s', async (_, options, { ca, ...target }, reason) => {
    const { mails, port } = await mailServer(options);
    const stranger = ca === undefined ? null : new TestIssuer('stranger');
    if (stranger !== null) closing.push(() => stranger.dispose());
    const gateway = await start({ port, ...target, ...(stranger === null ? {} : { ca: stranger.ca }) });
    await pausedRun(gateway, 'wire transfer');
    await gateway.logged('notice_failed');
    expect(gateway.output).toContain(`"reason":"${reason}`);
    expect(mails).toEqual([]);
  });

  it('reaches each recipient once, even if others refuse it at first or permanently', async () => {
    const asked: string[] = [];
    const { mails, port } = await mailServer({
      onRcptTo: ({ address }, _, done) => {
        asked.push(address);
        const refuse = (responseCode: number) => done(Object.assign(new Error('refused'), { responseCode }));
        if (address.startsWith('gone')) return refuse(550);
        return address.startsWith('busy') && asked.filter((each) => each === address).length === 1 ? refuse(450) : done();
      },
    });
    const gateway = await start({ port, to: ['ops@example.org', 'busy@example.org', 'gone@example.org'] });
    await pausedRun(gateway, 'wire transfer');
    await until(() => mails.length === 2 && asked.filter((each) => each.startsWith('gone')).length > 1);
    expect(mails.map(({ to }) => to)).toEqual([['ops@example.org'], ['busy@example.org']]);
    expect(gateway.output).toMatch(/"event":"notice_failed","target":"mail","recipient":2,"reason":"SMTP_450"/);
    expect(gateway.output).toMatch(/"event":"notice_failed","target":"mail","recipient":3,"reason":"SMTP_550"/);
    // The one that refuses delays no later message to the others.
    await pausedRun(gateway, 'wire transfer');
    await until(() => mails.length === 4);
    expect(
      mails
        .slice(2)
        .flatMap(({ to }) => to)
        .toSorted(),
    ).toEqual(['busy@example.org', 'ops@example.org']);
  });

  it('goes through the proxy that the target names', async () => {
    const { mails, port } = await mailServer();
    const tunnels: string[] = [];
    const proxy: Server = createServer();
    proxy.on('connect', (request, socket) => {
      tunnels.push(String(request.url));
      const upstream = connect(port, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        upstream.pipe(socket).pipe(upstream);
      });
      upstream.on('error', () => socket.destroy());
      socket.on('error', () => upstream.destroy());
    });
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    closing.push(() => proxy.close());
    const gateway = await start({ port, proxy: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` });
    await pausedRun(gateway, 'wire transfer');
    await accepted(mails);
    expect(tunnels).toEqual([`localhost:${port}`]);
    expect(mails).toMatchObject([{ secure: true }]);
  });
});
