import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { MalformedNote, parsePolicy, parseWitnessKey, policyOfAll, type Verifier, type WitnessPolicy } from '@svc/ledger';
import type { Path } from './diagnostic.ts';
import type { Report } from './report.ts';

/** A witness of the configuration. */
export interface WitnessSettings {
  readonly url: string;
  readonly verifier: Verifier;
}

interface Section {
  readonly witnesses: readonly { readonly url: string; readonly vkey: string }[];
  readonly witness_policy?: string;
}

interface Context {
  readonly report: Report;
  readonly directory: string;
}

/** Reads the keys and the policy. Null after an error, which is reported. */
export async function readWitnesses(section: Section, { report, directory }: Context) {
  const refuse = (path: Path, reason: string): null => {
    report.error('SVC-POL-001', ['ledger', ...path], reason);
    return null;
  };
  const witnesses: WitnessSettings[] = [];
  for (const [index, { url, vkey }] of section.witnesses.entries()) {
    if (!isPrefix(url)) return refuse(['witnesses', index, 'url'], 'must be a URL without credentials, query and fragment');
    const verifier = parsed(() => parseWitnessKey(vkey));
    if (typeof verifier === 'string') return refuse(['witnesses', index, 'vkey'], verifier);
    if (witnesses.some((other) => other.verifier.name === verifier.name || other.verifier.key.equals(verifier.key)))
      return refuse(['witnesses', index, 'vkey'], 'another witness has this name or key');
    witnesses.push({ url, verifier });
  }
  const verifiers = witnesses.map(({ verifier }) => verifier);
  if (section.witness_policy === undefined) return { witnesses, witness_policy: policyOfAll(verifiers) };
  const file = resolve(directory, section.witness_policy);
  const text = await readFile(file, 'utf8').catch(() => null);
  if (text === null) return refuse(['witness_policy'], `${file} cannot be read`);
  const witness_policy = parsed(() => parsePolicy(text));
  if (typeof witness_policy === 'string') return refuse(['witness_policy'], `${file}: ${witness_policy}`);
  if (!canBeMet(witness_policy, verifiers))
    return refuse(
      ['witness_policy'],
      `${file} needs more cosignatures than ledger.witnesses can give: add the missing witnesses`,
    );
  return { witnesses, witness_policy };
}

/** Whether a path can be appended to a URL, and a request be sent to it. */
function isPrefix(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && url.username + url.password + url.search + url.hash === '';
}

/** Whether the policy is met if all witnesses cosign. */
function canBeMet({ witnesses, isQuorum }: WitnessPolicy, asked: readonly Verifier[]): boolean {
  const keys = witnesses.map(({ verifier }) => verifier);
  return isQuorum(new Set(keys.filter(({ key }) => asked.some((verifier) => verifier.key.equals(key)))));
}

function parsed<T extends object>(parse: () => T): T | string {
  try {
    return parse();
  } catch (error) {
    if (error instanceof MalformedNote) return error.message;
    throw error;
  }
}
