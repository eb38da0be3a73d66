import { epochMs, type LedgerEvent } from './ledger-event.ts';
import { LEVELS } from './levels.ts';
import { VERSION } from './version.ts';

/** Longest values in characters, from the ArcSight CEF specification. */
const MAX_CUSTOM = 4000;
const MAX_TEXT = 1023;

type Value = string | number | null | undefined;
type Extension = Readonly<Record<string, Value>>;

/** An event in the Common Event Format, version 0: one line without a line break. */
export function cefOf(event: LedgerEvent): string {
  const { level, type, message } = event;
  const name = message.replace(/\.$/, '');
  const header = ['svc', 'gateway', VERSION, type, name, String(LEVELS[level].cef)].map((field) => inHeader(field.slice(0, 512)));
  const extension = Object.entries(extensionOf(event)).flatMap(([key, value]) =>
    value === null || value === undefined ? [] : [`${key}=${inExtension(cut(key, String(value)))}`],
  );
  // A cut can leave half of a surrogate pair, which receivers of JSON may refuse.
  return ['CEF:0', ...header, extension.join(' ')].join('|').toWellFormed();
}

function extensionOf(event: LedgerEvent): Extension {
  const { seq, hash, ledger_id, at } = event;
  return {
    rt: epochMs(at),
    ...labelled('cn1', 'seq', seq),
    ...labelled('cs1', 'hash', hash),
    ...labelled('cs2', 'ledger_id', ledger_id),
    ...aboutSubject(event),
  };
}

function aboutSubject({ subject, at, type }: LedgerEvent): Extension {
  switch (subject.kind) {
    case 'run': {
      const { ruling, findings, model, tokens, status } = subject;
      return {
        cat: 'run',
        externalId: subject.run_id,
        suser: subject.principal_id,
        requestClientApplication: subject.client,
        start: epochMs(subject.created_at),
        end: epochMs(at),
        act: ruling?.verdict ?? 'allow',
        outcome: status === 'completed' ? 'success' : 'failure',
        reason: ruling?.code || subject.failure,
        duser: subject.approver,
        ...labelled('cs3', 'route', subject.route),
        ...labelled('cs4', 'model', model === null ? null : `${model.provider}/${model.name}`),
        ...labelled('cs5', 'guard', ruling?.guard),
        ...labelled('cs6', 'findings', [...findings].map(([name, count]) => `${name}:${count}`).join(',') || null),
        ...labelled('cn2', 'input_tokens', tokens?.input),
        ...labelled('cn3', 'output_tokens', tokens?.output),
      };
    }
    case 'inventory':
      return {
        cat: 'inventory',
        ...labelled('cs3', 'route', subject.route),
        ...labelled('cs4', 'model', `${subject.developer}/${subject.model}`),
      };
    case 'operation':
      return {
        cat: 'operation',
        suser: subject.principal_id,
        act: subject.action,
        outcome: 'success',
        reason: subject.reason,
        ...labelled('cs3', 'target', `${subject.target.kind}/${subject.target.name}`),
      };
    case 'other':
      return { cat: type };
  }
}

function labelled(key: string, label: string, value: Value): Extension {
  return value === null || value === undefined ? {} : { [key]: value, [`${key}Label`]: label };
}

function cut(key: string, value: string): string {
  return value.slice(0, key.startsWith('cs') ? MAX_CUSTOM : MAX_TEXT);
}

/** In the header, a backslash and a pipe are escaped. Line breaks are not allowed. */
function inHeader(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').replace(/[\\|]/g, '\\$&');
}

/** In the extension, a backslash, an equals sign and a line break are escaped. */
function inExtension(text: string): string {
  return text
    .replace(/[\\=]/g, '\\$&')
    .replace(/\r\n|\n/g, '\\n')
    .replace(/\r/g, '\\r')
    .replace(/[\p{Cc}\u2028\u2029]/gu, ' ');
}
