import { connectThrough, type PemFiles, pemFilesOf, proxyFor } from '@svc/toolkit/network';
import { createTransport, type SMTPTransportOptions } from 'nodemailer';
import type { EmailTarget } from '../config/index.ts';
import { mailText, titleOf } from './bodies.ts';
import { NotAccepted, type Sender, type SenderDeps } from './delivery.ts';
import type { Notice } from './notice.ts';

const TIMEOUT_MS = 10_000;
const PORTS = { starttls: 587, implicit: 465, none: 587 };

/** Sends messages as e-mail to one recipient, over a new connection each. */
export class MailSender implements Sender {
  readonly #target: EmailTarget;
  readonly #to: string;
  readonly #public_url: string;
  readonly #pem: PemFiles;

  constructor(target: EmailTarget, to: string, { public_url, directory, logger }: SenderDeps) {
    this.#target = target;
    this.#to = to;
    this.#public_url = public_url;
    this.#pem = pemFilesOf(target, directory, ({ code, message }) =>
      logger.warn({ event: 'connection_failed', reason: code, remedy: message }),
    );
  }

  async send(notice: Notice, signal: AbortSignal): Promise<void> {
    const { from } = this.#target;
    const transport = await this.#transport();
    const message = {
      from,
      to: this.#to,
      // The same in every attempt, so that mail programs show a duplicate only once.
      messageId: `<${notice.id}@${from.split('@')[1]}>`,
      subject: titleOf(notice),
      text: mailText(notice, this.#public_url),
      signal,
    };
    try {
      await transport.sendMail(message);
    } catch (error) {
      const status: unknown = Reflect.get(Object(error), 'responseCode');
      throw typeof status === 'number' ? new NotAccepted(`SMTP_${status}`) : error;
    } finally {
      transport.close();
    }
  }

  async close(): Promise<void> {}

  async #transport() {
    const { host, tls, port = PORTS[tls], user, password, proxy = 'direct' } = this.#target;
    const pem = await this.#pem.current();
    const tunnel = proxyFor(new URL('https://mail.invalid'), proxy, {});
    const getSocket: SMTPTransportOptions['getSocket'] = (_, callback) => {
      if (tunnel === null) return callback(null, false);
      connectThrough(tunnel, host, port, pem.ca).then(
        (connection) => callback(null, { connection }),
        (error: Error) => callback(error),
      );
    };
    return createTransport({
      host,
      port,
      secure: tls === 'implicit',
      requireTLS: tls === 'starttls',
      ignoreTLS: tls === 'none',
      tls: { minVersion: 'TLSv1.2', ...pem },
      ...(user === undefined ? {} : { auth: { user, pass: password }, forceAuth: true }),
      getSocket,
      connectionTimeout: TIMEOUT_MS,
      greetingTimeout: TIMEOUT_MS,
      socketTimeout: TIMEOUT_MS,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
  }
}
