import type { NoticeTarget } from '../config/index.ts';
import type { Sender, SenderDeps } from './delivery.ts';
import { HttpSender } from './http-sender.ts';
import { MailSender } from './mail-sender.ts';

export function senderOf(target: NoticeTarget, deps: SenderDeps): Sender {
  return target.type === 'email' ? new MailSender(target, deps) : new HttpSender(target, deps);
}
