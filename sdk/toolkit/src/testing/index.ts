import { assertions as assert, type ConformanceCase, explained, pieces, random } from '@svc/sdk/testing';
import type { Finder } from '../masking/finder.ts';
import type { Found } from '../masking/found.ts';
import { MaskedChannel } from '../masking/masked-channel.ts';
import { withoutOverlaps } from '../masking/overlaps.ts';
import { MAX_PLAIN, searchWith } from '../masking/search.ts';

export { HttpDouble } from './http-double.ts';
export { notedExporter } from './noted-exporter.ts';

const CHUNKINGS = 20;

export interface FinderConformanceOptions {
  readonly finder: Finder;
  /** Texts of up to a few hundred characters, with findings, near-misses and adjacent findings. */
  readonly texts: readonly string[];
}

/**
 * The checks of a `Finder`. Its findings must depend only on the context and reach that it declares, so that a text gets the same result in pieces
 * and as a whole.
 */
export function finderConformance({ finder, texts }: FinderConformanceOptions): ConformanceCase[] {
  return explained([
    {
      name: 'finds places within the text that are not longer than its reach',
      run: async () => {
        for (const text of texts) {
          for (const { start, end } of await finder.find(text, 0)) {
            assert.ok(
              0 <= start && start < end && end <= text.length,
              `a place within 0 to ${text.length}`,
              `${start} to ${end}`,
            );
            assert.ok(end - start <= finder.reach, `at most ${finder.reach} code units, the reach`, end - start);
          }
        }
      },
    },
    {
      name: 'is certain only of what more text cannot change',
      run: async () => {
        for (const text of texts) {
          const whole = inOrder(await finder.find(text, 0));
          for (let end = 0; end < text.length; end++) {
            const part = text.slice(0, end);
            const certain = Math.max(finder.openFrom(part, 0), end - finder.reach);
            assert.same(
              inOrder(await finder.find(part, 0)).filter(({ start }) => start < certain),
              whole.filter(({ start }) => start < certain),
              `changed before ${certain} by what follows ${end}`,
            );
          }
        }
      },
    },
    {
      name: 'does not depend on text before its context',
      run: async () => {
        for (const text of texts) {
          const whole = inOrder(await finder.find(text, 0));
          for (let from = 1; from < text.length; from++) {
            const base = Math.max(0, from - finder.context);
            const found = inOrder(await finder.find(text.slice(base), from - base));
            assert.same(
              found.map((finding) => ({ ...finding, start: finding.start + base, end: finding.end + base })),
              whole.filter(({ start }) => start >= from),
              `different findings from ${from}`,
            );
          }
        }
      },
    },
    {
      name: 'does not skip text in which a finding starts',
      run: async () => {
        const { plain } = finder;
        if (plain === undefined) return;
        for (const text of texts) {
          const whole = inOrder(await finder.find(text, 0));
          for (let end = 1; end <= text.length; end++) {
            for (let from = Math.max(0, end - MAX_PLAIN); from < end; from++) {
              const base = Math.max(0, from - plain.before);
              const open: number | null = plain.openFrom(text.slice(base, end), from - base);
              if (open === null) continue;
              assert.ok(base + open >= from && base + open <= end, `a place within ${from} to ${end}`, base + open);
              const missed: Found[] = whole.filter(({ start }) => start >= from && start < base + open);
              assert.same(missed, [], `skipped ${from} to ${base + open} of the text up to ${end}`);
            }
          }
        }
      },
    },
    {
      name: 'masks a text in pieces like the whole text',
      run: async () => {
        for (const text of texts) {
          const whole = await maskedWhole(finder, text);
          for (let seed = 0; seed < CHUNKINGS; seed++) {
            const next = random(seed);
            const parts = pieces(text, 1 + Math.floor(next() * 12), next);
            assert.same(await maskedInPieces(finder, parts), whole);
          }
        }
      },
    },
  ]);
}

async function maskedWhole(finder: Finder, text: string): Promise<string> {
  let masked = '';
  let from = 0;
  for (const finding of withoutOverlaps(await finder.find(text, 0), text.length)) {
    masked += text.slice(from, finding.start) + mark(finding);
    from = finding.end;
  }
  return masked + text.slice(from);
}

async function maskedInPieces(finder: Finder, parts: readonly string[]): Promise<string> {
  const channel = new MaskedChannel([searchWith(finder)], mark);
  let masked = '';
  for (const part of parts) masked += await channel.push(part);
  return masked + (await channel.end());
}

function mark({ entity_type, start, end, score }: Found): string {
  return `⟨${entity_type} ${start}-${end} ${score}⟩`;
}

function inOrder(found: readonly Found[]): Found[] {
  return found.toSorted((a, b) => a.start - b.start || a.end - b.end || (a.entity_type < b.entity_type ? -1 : 1));
}
