import { LEVELS, type LedgerEvent } from '@svc/toolkit/export';

const BOM = '\uFEFF';

/** What all messages of an exporter have in common. */
export interface MessageHead {
  readonly facility: number;
  /** 1 to 255 visible ASCII characters. */
  readonly hostname: string;
  readonly process_id: number;
  readonly sd_id: string;
  readonly bom: boolean;
}

/** A message as in RFC 5424, preceded by its length in octets (RFC 6587, section 3.4.1). */
export function framed(head: MessageHead, event: LedgerEvent, text: string): Buffer {
  const message = Buffer.from(messageOf(head, event, text));
  return Buffer.concat([Buffer.from(`${message.length} `), message]);
}

function messageOf({ facility, hostname, process_id, sd_id, bom }: MessageHead, event: LedgerEvent, text: string): string {
  const priority = facility * 8 + LEVELS[event.level].syslog;
  const { ledger_id, seq, hash } = event;
  const header = `<${priority}>1 ${timestamp(event.at)} ${hostname} svc ${process_id} ${event.type}`;
  const data = `[${sd_id} ledger="${escaped(ledger_id)}" seq="${seq}" hash="${escaped(hash)}"]`;
  return `${header} ${data} ${bom ? BOM : ''}${text}`;
}

/** RFC 5424, section 6.2.3: at most six digits of a second, and `-` for an unknown time. */
export function timestamp(at: string | null): string {
  const [, time, fraction = '', zone] =
    /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:(\.\d{1,6})\d*)?(Z|[+-]\d\d:\d\d)$/.exec(at ?? '') ?? [];
  return time === undefined ? '-' : `${time}${fraction}${zone}`;
}

/** RFC 5424, section 6.3.3. */
export function escaped(value: string): string {
  return value.replace(/["\\\]]/g, '\\$&');
}

/** A name as HOSTNAME, RFC 5424, section 6.2.4. */
export function hostnameOf(name: string): string {
  return name.replace(/[^!-~]/g, '').slice(0, 255) || '-';
}
