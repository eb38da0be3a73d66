import { AEGIS, installAegis } from './aegis.ts';
import { BIFROST, findBifrost } from './bifrost.ts';
import { installLitellm, LITELLM } from './litellm.ts';
import type { PeerName, TargetName } from './options.ts';
import { PORTKEY } from './portkey.ts';

/** What a figure includes. */
export interface Compared {
  readonly target: string;
  readonly evidence: string;
  readonly guards: string;
}

const NONE = 'none';

/** As configured in the bench. */
export const COMPARED: Readonly<Partial<Record<TargetName, Compared>>> = {
  bare: { target: 'bare (node:http, undici)', evidence: NONE, guards: NONE },
  gateway: { target: 'gateway', evidence: 'hash chain, on disk before the answer', guards: NONE },
  unrecorded: { target: 'unrecorded', evidence: 'the same, without the start of a run', guards: NONE },
  guarded: { target: 'guarded', evidence: 'hash chain, on disk before the answer', guards: 'rules, question and answer' },
  masked: { target: 'masked', evidence: 'hash chain, on disk before the answer', guards: 'rules, secrets, pii on the answer' },
  portkey: { target: PORTKEY, evidence: NONE, guards: NONE },
  litellm: { target: LITELLM, evidence: 'none (without its database)', guards: NONE },
  governed: {
    target: 'governed',
    evidence: 'hash chain, on disk before model and answer',
    guards: 'rules, secrets, pii, question and answer',
  },
  'portkey-guarded': { target: PORTKEY, evidence: NONE, guards: 'patterns, question and whole answer; no streams' },
  'litellm-guarded': {
    target: LITELLM,
    evidence: 'log over HTTP, in batches after the answer',
    guards: 'patterns and words, question and answer',
  },
  aegis: {
    target: AEGIS,
    evidence: 'signed hash chain, on disk before the answer',
    guards: 'injection; personal data, question and answer',
  },
  bifrost: { target: BIFROST, evidence: 'none (without its database)', guards: NONE },
};

const FIND: Readonly<Record<PeerName, () => string | Promise<string>>> = {
  litellm: installLitellm,
  'litellm-guarded': installLitellm,
  aegis: installAegis,
  bifrost: findBifrost,
};

/** Installed programs of the peers, and why others are missing. */
export interface Peers {
  readonly programs: Readonly<Partial<Record<PeerName, string>>>;
  readonly missing: Readonly<Partial<Record<PeerName, string>>>;
}

export async function findPeers(names: readonly TargetName[]): Promise<Peers> {
  const programs: Partial<Record<PeerName, string>> = {};
  const missing: Partial<Record<PeerName, string>> = {};
  for (const name of ['litellm', 'litellm-guarded', 'aegis', 'bifrost'] as const) {
    if (!names.includes(name)) continue;
    try {
      programs[name] = await FIND[name]();
    } catch (error) {
      missing[name] = error instanceof Error ? error.message : String(error);
    }
  }
  return { programs, missing };
}
