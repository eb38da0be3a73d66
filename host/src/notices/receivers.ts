import { createHash } from 'node:crypto';
import type { NoticeTarget } from '../config/index.ts';
import type { Sender, SenderDeps } from './delivery.ts';
import { HttpSender } from './http-sender.ts';
import { MailSender } from './mail-sender.ts';

/** A receiver of separate messages: a target, or one recipient of e-mail, so that a recipient who refuses a message does not affect the others. */
export interface Receiver {
  readonly key: string;
  /** Identifies the receiver in the log. `recipient`: its number in the list, from 1. */
  readonly named: { readonly target: string; readonly recipient?: number };
  readonly sender: Sender;
}

export function receiversOf(target: NoticeTarget, deps: SenderDeps): Receiver[] {
  const { name } = target;
  if (target.type !== 'email') return [{ key: name, named: { target: name }, sender: new HttpSender(target, deps) }];
  return target.to.map((address, index) => ({
    key: `${name}/${createHash('sha256').update(address).digest('hex').slice(0, 32)}`,
    named: { target: name, recipient: index + 1 },
    sender: new MailSender(target, address, deps),
  }));
}
