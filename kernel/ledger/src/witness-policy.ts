import { parseWitnessKey } from './cosignature.ts';
import { MalformedNote } from './malformed-note.ts';
import { parseVerifierKey, type Verifier } from './note.ts';

/** Which signatures a checkpoint needs, https://c2sp.org/tlog-policy. */

interface PolicyWitness {
  readonly name: string;
  readonly verifier: Verifier;
}

/** Whether a set of witnesses is enough. */
type Rule = (cosigned: ReadonlySet<Verifier>) => boolean;

export interface WitnessPolicy {
  /** The keys of logs. Empty: the policy names none. */
  readonly logs: readonly Verifier[];
  readonly witnesses: readonly PolicyWitness[];
  /** Whether the cosignatures of these {@link witnesses} are enough. */
  readonly isQuorum: Rule;
}

const NAME = /^[^ \t\n]+$/;
const FORBIDDEN = /[^\t\n\u0020-\u007e\u0080-\uffff]/;

/** @throws {MalformedNote} with the line that is wrong */
export function parsePolicy(text: string): WitnessPolicy {
  if (FORBIDDEN.test(text)) throw new MalformedNote('a policy must not contain control characters');
  const reader = new PolicyReader();
  for (const [at, line] of text.split('\n').entries()) {
    const words = line.split(/[ \t]+/).filter((word) => word !== '');
    if (words.length === 0 || words[0]?.startsWith('#')) continue;
    try {
      reader.take(words);
    } catch (error) {
      if (error instanceof MalformedNote) throw new MalformedNote(`line ${at + 1} of the policy: ${error.message}`);
      throw error;
    }
  }
  return reader.policy();
}

/** The policy that all of these witnesses must have cosigned. */
export function policyOfAll(verifiers: readonly Verifier[]): WitnessPolicy {
  const witnesses = verifiers.map((verifier) => ({ name: verifier.name, verifier }));
  return { logs: [], witnesses, isQuorum: (cosigned) => verifiers.every((verifier) => cosigned.has(verifier)) };
}

class PolicyReader {
  readonly #logs: Verifier[] = [];
  readonly #witnesses: PolicyWitness[] = [];
  readonly #rules = new Map<string, Rule>();
  readonly #members = new Set<string>();
  #quorum: Rule | null = null;

  take([kind = '', ...words]: readonly string[]): void {
    if (kind === 'log') this.#log(words);
    else if (kind === 'witness') this.#witness(words);
    else if (kind === 'group') this.#group(words);
    else if (kind === 'quorum') this.#setQuorum(words);
    else throw new MalformedNote('expected log, witness, group or quorum');
  }

  policy(): WitnessPolicy {
    if (this.#quorum === null) throw new MalformedNote('the policy has no quorum');
    return { logs: this.#logs, witnesses: this.#witnesses, isQuorum: this.#quorum };
  }

  #log([key = '', ...rest]: readonly string[]): void {
    if (rest.length > 1) throw new MalformedNote('expected: log VKEY [URL]');
    const verifier = parseVerifierKey(key);
    if (this.#logs.some((log) => log.key.equals(verifier.key))) throw new MalformedNote('this log is listed twice');
    this.#logs.push(verifier);
  }

  #witness([name = '', key = '', ...rest]: readonly string[]): void {
    if (rest.length > 1) throw new MalformedNote('expected: witness NAME VKEY [URL]');
    const verifier = parseWitnessKey(key);
    if (this.#witnesses.some((witness) => witness.verifier.key.equals(verifier.key)))
      throw new MalformedNote('this witness is listed twice');
    this.#define(name, (cosigned) => cosigned.has(verifier));
    this.#witnesses.push({ name, verifier });
  }

  #group([name = '', least = '', ...members]: readonly string[]): void {
    const rules = members.map((member) => this.#ruleOf(member));
    const needed = least === 'all' ? rules.length : least === 'any' ? 1 : Number(least);
    if (!/^(all|any|[1-9][0-9]*)$/.test(least) || needed > rules.length || rules.length === 0)
      throw new MalformedNote('expected: group NAME all|any|K NAME.., where K is at most the number of names after it');
    for (const member of members) {
      if (this.#members.has(member)) throw new MalformedNote(`${member} is already a member of a group`);
      this.#members.add(member);
    }
    this.#define(name, (cosigned) => rules.filter((rule) => rule(cosigned)).length >= needed);
  }

  #setQuorum([name = '', ...rest]: readonly string[]): void {
    if (rest.length > 0) throw new MalformedNote('expected: quorum NAME');
    if (this.#quorum !== null) throw new MalformedNote('the policy has two quorums');
    this.#quorum = name === 'none' ? () => true : this.#ruleOf(name);
  }

  #ruleOf(name: string): Rule {
    const rule = this.#rules.get(name);
    if (rule === undefined) throw new MalformedNote(`${name} is not defined above this line`);
    return rule;
  }

  #define(name: string, rule: Rule): void {
    if (!NAME.test(name) || name === 'none') throw new MalformedNote('this name cannot be used');
    if (this.#rules.has(name)) throw new MalformedNote(`${name} is defined twice`);
    this.#rules.set(name, rule);
  }
}
