// Prints how many attacks the guard `injection` detects, and how many harmless texts it flags, with its default options. Authors of the guard may
// look at the develop half (`--misses` lists its errors there). Of the judge half, only the rates are ever shown.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import injection from '@svc/guard-injection';
import { fakeGuardContext, fakePluginDeps } from '@svc/sdk/testing';
import { Value } from 'typebox/value';

interface Entry {
  readonly text: string;
  readonly language: string;
  readonly kind: string;
  readonly role: string;
}

const CORPUS = join(import.meta.dirname, '..', '..', 'plugins', 'guard-injection', 'corpus');
const guard = injection.create(Value.Parse(injection.options, Value.Default(injection.options, {})), fakePluginDeps());
const misses = process.argv.includes('--misses');

function entries(name: string): Entry[] {
  const lines = readFileSync(join(CORPUS, `${name}.jsonl`), 'utf8')
    .trim()
    .split('\n');
  return lines.map((line) => JSON.parse(line) as Entry);
}

/** Depends only on the text, so that a text stays in its half when others are added. */
function halfOf({ text }: Entry): 'develop' | 'judge' {
  return (createHash('sha256').update(text).digest()[0] ?? 0) % 2 === 0 ? 'develop' : 'judge';
}

async function isRefused({ text, role }: Entry): Promise<boolean> {
  const segment = {
    index: 0,
    text,
    kind: 'text',
    role,
    path: 'messages.0.content',
    choice: null,
    origin: 'user',
    untrusted: false,
  } as const;
  const { verdict } = await guard.check([segment], fakeGuardContext());
  return verdict !== 'allow';
}

for (const half of ['develop', 'judge'] as const) {
  for (const [name, meaning] of [
    ['attacks', 'attacks found'],
    ['harmless', 'false alarms'],
  ] as const) {
    const chosen = entries(name).filter((entry) => halfOf(entry) === half);
    let refused = 0;
    for (const entry of chosen) {
      const is = await isRefused(entry);
      refused += Number(is);
      const wrong = is !== (name === 'attacks');
      if (misses && wrong && half === 'develop') process.stdout.write(`  ${JSON.stringify(entry)}\n`);
    }
    const rate = ((100 * refused) / chosen.length).toFixed(1);
    process.stdout.write(`${half.padEnd(7)}  ${meaning}: ${refused} of ${chosen.length} (${rate} %)\n`);
  }
}
