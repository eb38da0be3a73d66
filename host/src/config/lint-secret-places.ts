import { KERNEL_KEYS } from '@svc/contracts';
import { networkOptions } from '@svc/toolkit/network';
import type { Path } from './diagnostic.ts';
import { stringsOf } from './json-shape.ts';
import type { Report } from './report.ts';
import { isSecretText } from './secret-reference.ts';

function isResolved([section, name, key, field]: Path): boolean {
  if (section === 'providers') return key !== undefined && !KERNEL_KEYS.provider.includes(String(key));
  if (section === 'packs') return key !== undefined && !KERNEL_KEYS.guard.includes(String(key));
  if (section === 'secrets') return key !== undefined && !KERNEL_KEYS.secrets.includes(String(key));
  if (section === 'server') return name === 'tls';
  if (section === 'telemetry') return key === 'headers' || isOfNetwork(key);
  if (section === 'notices') return SECRETS_OF_NOTICES.includes(String(field)) || isOfNetwork(field);
  if (section === 'store') return name === 'content_key' || name === 'older_content_keys';
  if (section === 'ledger') return name === 'signing_keys';
  if (section === 'rag')
    return key !== undefined && (name === 'vectors' || name === 'embedder') && !KERNEL_KEYS[name].includes(String(key));
  return (
    section === 'exporters' ||
    section === 'protocols' ||
    (section === 'auth' && (field === 'key' || field === 'client_secret' || isOfNetwork(field)))
  );
}

const SECRETS_OF_NOTICES = ['url', 'secret', 'previous_secret', 'password'];

const isOfNetwork = (key: Path[number] | undefined): boolean => key !== undefined && key in networkOptions;

/** Reports references in places where none is resolved: they would be used as plain text. */
export function lintSecretPlaces(value: unknown, report: Report): void {
  for (const { path, text } of stringsOf(value)) {
    if (isSecretText(text) && !isResolved(path)) {
      report.error(
        'SVC-POL-008',
        path,
        'a secret reference is not allowed here: use one only in plugin options, auth keys, client secrets, signing and content keys, trace headers, targets of notices, certificates and their private keys',
      );
    }
  }
}
