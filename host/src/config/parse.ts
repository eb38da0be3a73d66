import { isObject, type JsonObject } from '@svc/contracts';
import { type Document, isAlias, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument, visit } from 'yaml';
import type { Path } from './diagnostic.ts';
import { notJson } from './json-shape.ts';
import type { Locate, Position } from './report.ts';
import { YAML_MESSAGES } from './yaml-messages.ts';

const MAX_ALIASES = 100;
const MAX_PROBLEMS = 20;
const START: Position = { line: 1, column: 1 };

interface Parsed {
  /** Null if there are problems. */
  readonly value: JsonObject | null;
  readonly locate: Locate;
  readonly problems: readonly (Position & { message: string })[];
}

function locator(document: Document, lines: LineCounter): Locate {
  const resolved = (node: unknown) => (isAlias(node) ? node.resolve(document) : node);
  const positionOf = (node: unknown): Position | null => {
    const offset = isNode(node) ? node.range?.[0] : undefined;
    if (offset === undefined) return null;
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  return (path: Path, at) => {
    let node: unknown = document.contents;
    let key: unknown = node;
    for (const part of path) {
      const around = resolved(node);
      if (isMap(around)) {
        const pair = around.items.find((item) => isScalar(item.key) && item.key.value === String(part));
        if (pair === undefined) return positionOf(key) ?? START;
        [key, node] = [pair.key, pair.value];
      } else if (isSeq(around) && around.items[Number(part)] !== undefined) {
        node = around.items[Number(part)];
        key = node;
      } else {
        return positionOf(key) ?? START;
      }
    }
    return (at === 'value' ? positionOf(node) : null) ?? positionOf(key) ?? START;
  };
}

/** Reads one YAML document (JSON is YAML), which must be a map of JSON values with unique keys. */
export function parseYaml(text: string): Parsed {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, stringKeys: true, logLevel: 'error' });
  const locate = locator(document, lines);
  const refuse = (problems: Parsed['problems']): Parsed => ({ value: null, locate, problems: problems.slice(0, MAX_PROBLEMS) });
  const at = (offset: number, message: string) => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col, message };
  };

  const broken = [...document.errors, ...document.warnings];
  if (broken.length > 0) return refuse(broken.map(({ pos, code }) => at(pos[0], YAML_MESSAGES[code])));
  const unusable: Parsed['problems'][number][] = [];
  visit(document, {
    Alias(_key, node) {
      if (node.resolve(document) === undefined)
        unusable.push(
          at(
            node.range?.[0] ?? 0,
            'this alias has no anchor: define the anchor before it with &, or quote text that starts with *',
          ),
        );
    },
    Pair(_key, { key, value }) {
      if (isScalar(key) && key.value === '<<' && isAlias(value))
        unusable.push(at(key.range?.[0] ?? 0, 'merge keys (<<) are not supported: write the fields out'));
    },
  });
  if (unusable.length > 0) return refuse(unusable);

  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: MAX_ALIASES });
  } catch {
    return refuse([{ ...START, message: `too many aliases: they expand more than ${MAX_ALIASES} times` }]);
  }
  const odd = notJson(value);
  if (odd !== null) return refuse([{ ...locate(odd, 'value'), message: 'not a JSON value, or nested too deeply' }]);
  if (value === null)
    return refuse([{ ...START, message: 'the file is empty: create a starter configuration with svc init --config NEW_FILE' }]);
  if (!isObject(value)) return refuse([{ ...START, message: 'the file is not a map: write "key: value" lines' }]);
  return { value, locate, problems: [] };
}
