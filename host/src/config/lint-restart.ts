import { isObject, type JsonObject } from '@svc/contracts';
import { canonicalJson } from '@svc/ledger';
import { stringsOf } from './json-shape.ts';
import type { Report } from './report.ts';
import { SECTIONS } from './schema.ts';

/** By section: all of it, or keys of it. */
const RELOADABLE = new Map(
  Object.entries(SECTIONS).flatMap(([name, section]) => ('reloadable' in section ? [[name, section.reloadable] as const] : [])),
);

/** SVC-POL-012: sections that differ from the active ones and require a restart. Returns their names. */
export function lintRestart(filled: JsonObject, in_force: JsonObject, report: Report): readonly string[] {
  const names = new Set([...Object.keys(in_force), ...Object.keys(filled)]);
  const changed = [...names].filter((name) => isChanged(fixedPart(name, in_force[name]), fixedPart(name, filled[name])));
  for (const name of changed) {
    const message =
      'this section has changed, but a change takes effect only after a restart: restart the server, or undo the change';
    report.error('SVC-POL-012', [name], message, { at: 'key' });
  }
  return changed;
}

/** Whether a section that is read only at a start has this secret reference. */
export function isReadAtStart(sections: JsonObject, reference: string): boolean {
  return Object.entries(sections).some(([name, section]) =>
    [...stringsOf(fixedPart(name, section))].some(({ text }) => text === reference),
  );
}

/** What a reload cannot change. */
function fixedPart(name: string, section: unknown): unknown {
  const keys = RELOADABLE.get(name);
  if (keys === undefined) return section;
  // All of it can be changed.
  if (!Array.isArray(keys)) return null;
  return isObject(section) ? Object.fromEntries(Object.entries(section).filter(([key]) => !keys.includes(key))) : section;
}

function isChanged(before: unknown, after: unknown): boolean {
  return canonicalJson({ section: before ?? null }) !== canonicalJson({ section: after ?? null });
}
