import type { JsonObject } from '@svc/contracts';
import { canonicalJson } from '@svc/ledger';
import type { Report } from './report.ts';

/** Sections that another configuration may change while the gateway runs. */
const REPLACEABLE: readonly string[] = ['auth', 'limits', 'providers', 'packs', 'prices', 'routes'];

/** SVC-POL-012: sections that differ from those in force, and take a restart. Returns their names. */
export function lintRestart(filled: JsonObject, in_force: JsonObject, report: Report): readonly string[] {
  const names = new Set([...Object.keys(in_force), ...Object.keys(filled)]);
  const changed = [...names].filter((name) => !REPLACEABLE.includes(name) && isChanged(in_force[name], filled[name]));
  for (const name of changed) {
    const message =
      'this section differs from the one in force, and is read at a start only: restart the server, or take the change back';
    report.error('SVC-POL-012', [name], message, { at: 'key' });
  }
  return changed;
}

function isChanged(before: unknown, after: unknown): boolean {
  return canonicalJson({ section: before ?? null }) !== canonicalJson({ section: after ?? null });
}
