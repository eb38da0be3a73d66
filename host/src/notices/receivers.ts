import type { NoticeTarget } from '../config/index.ts';
import type { Sender, SenderDeps } from './delivery.ts';
import { HttpSender } from './http-sender.ts';
import { MailSender } from './mail-sender.ts';
import { receiverKeys } from './receiver-keys.ts';

/** A receiver of separate messages: a target, or one recipient of e-mail, so that a recipient who refuses a message does not affect the others. */
export interface Receiver {
  readonly key: string;
  /** Identifies the receiver in the log. `recipient`: its number in the list, from 1. */
  readonly named: { readonly target: string; readonly recipient?: number };
  readonly sender: Sender;
}

export function receiversOf(target: NoticeTarget, deps: SenderDeps): Receiver[] {
  const { name } = target;
  return receiverKeys(target).map((key, index) => {
    if (target.type !== 'email') return { key, named: { target: name }, sender: new HttpSender(target, deps) };
    const sender = new MailSender(target, target.to[index] as string, deps);
    return { key, named: { target: name, recipient: index + 1 }, sender };
  });
}
