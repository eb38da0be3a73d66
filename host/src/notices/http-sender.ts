import { WebhookClient } from '@svc/toolkit/webhook';
import type { HttpTarget } from '../config/index.ts';
import { slackBody, teamsBody, webhookBody } from './bodies.ts';
import { NotAccepted, type Sender, type SenderDeps } from './delivery.ts';
import type { Notice } from './notice.ts';

const BODIES = { webhook: webhookBody, slack: slackBody, teams: teamsBody };
const MAX_RESPONSE_BYTES = 1_048_576;

/** Posts messages to a webhook, Slack or Teams. */
export class HttpSender implements Sender {
  readonly #target: HttpTarget;
  readonly #public_url: string;
  readonly #client: WebhookClient;

  constructor(target: HttpTarget, deps: SenderDeps) {
    this.#target = target;
    this.#public_url = deps.public_url;
    this.#client = new WebhookClient({ ...target, max_response_bytes: MAX_RESPONSE_BYTES }, deps);
  }

  async send(notice: Notice, signal: AbortSignal): Promise<void> {
    const body = JSON.stringify(BODIES[this.#target.type](notice, this.#public_url));
    const { status, retry_after_s = 0 } = await this.#client.post(notice.id, body, signal);
    if (status < 200 || status > 299) throw new NotAccepted(`HTTP_${status}`, retry_after_s * 1000);
  }

  close(): Promise<void> {
    return this.#client.close();
  }
}
