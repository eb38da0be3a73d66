import { Type } from 'typebox';
import { alike } from './alike.ts';
import {
  COMMA,
  type EndOf,
  endOfAny,
  endOfInteger,
  endOfKey,
  endOfText,
  endOfWord,
  isBefore,
  LIST,
  LIST_END,
  NO,
  NULL,
  OBJECT,
  OBJECT_END,
} from './scan.ts';

/** The part of a schema that is read here. */
interface Schema {
  readonly type?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly minimum?: number;
  readonly format?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

/** Where the values of an object's members begin and end, by the place of their names among all its names in order. */
export interface Places {
  readonly names: readonly string[];
  readonly begins: Uint32Array;
  readonly ends: Uint32Array;
}

/** Objects of any members. */
const OPEN = JSON.stringify(Type.Record(Type.String(), Type.Unknown()));

/** A schema of the contracts, compiled. What is not known here is left to the plain check. */
function compile(schema: unknown): EndOf {
  const rest = rulesOf(schema);
  if (says(rest)) return endOfAny;
  if (JSON.stringify(rest) === OPEN) return open;
  if (says(rest, 'anyOf')) return nullable(rest.anyOf ?? []);
  if (says(rest, 'enum')) return oneOf(rest.enum ?? []);
  if (says(rest, 'type', 'const')) return oneOf([rest.const]);
  if (rest.type === 'string') return text(rest);
  if (rest.type === 'integer' && says(rest, 'type', 'minimum') && rest.minimum === 1) return count;
  if (rest.type === 'array' && says(rest, 'type', 'items')) return listOf(compile(rest.items));
  if (rest.type === 'object' && says(rest, 'type', 'required', 'properties')) {
    const endOf = object(rest, placesOf(rest));
    return asksForTypesAlone(rest) ? alike(endOf) : endOf;
  }
  return unsure;
}

/** That of an object, which also says where the values of its members are. */
export function compileRecord(schema: unknown): { readonly endOf: EndOf; readonly places: Places } {
  const rules = rulesOf(schema);
  const places = placesOf(rules);
  return { endOf: object(rules, places), places };
}

function rulesOf(schema: unknown): Schema {
  const { description: _, $id: __, ...rules } = schema as Schema & { description?: unknown; $id?: unknown };
  return rules;
}

/** Whether a schema says something of each of these, and of nothing else. */
function says(schema: Schema, ...keywords: readonly (keyof Schema)[]): boolean {
  return Object.keys(schema).length === keywords.length && keywords.every((keyword) => keyword in schema);
}

/** Whether any text may stand where a text may, and any integer where an integer may. */
function asksForTypesAlone({ properties = {} }: Schema): boolean {
  return Object.values(properties).every((schema) => {
    const rest = rulesOf(schema);
    return JSON.stringify(rest) === OPEN || (says(rest, 'type') && rest.type === 'string');
  });
}

const unsure: EndOf = () => NO;

const open: EndOf = (bytes, at) => (bytes[at] === OBJECT ? endOfAny(bytes, at) : NO);

/** Above 0. */
const count: EndOf = (bytes, at) => ((bytes[at] ?? 0) > 0x30 ? endOfInteger(bytes, at) : NO);

function nullable([schema, second, ...more]: readonly Schema[]): EndOf {
  if (second?.type !== 'null' || more.length > 0) return unsure;
  const endOf = compile(schema);
  return (bytes, at) => (bytes[at] === NULL[0] ? endOfWord(bytes, at, NULL) : endOf(bytes, at));
}

function oneOf(values: readonly unknown[]): EndOf {
  if (!values.every((value) => typeof value === 'string' && /^[a-z_]+$/.test(value))) return unsure;
  const words = values.map((value) => Buffer.from(JSON.stringify(value)));
  return (bytes, at) => {
    for (const word of words) {
      const end = endOfWord(bytes, at, word);
      if (end !== NO) return end;
    }
    return NO;
  };
}

function listOf(endOfItem: EndOf): EndOf {
  return (bytes, begin) => {
    if (bytes[begin] !== LIST) return NO;
    if (bytes[begin + 1] === LIST_END) return begin + 2;
    let at = begin;
    do {
      at = endOfItem(bytes, at + 1);
      if (at === NO) return NO;
    } while (bytes[at] === COMMA);
    return bytes[at] === LIST_END ? at + 1 : NO;
  };
}

function placesOf({ properties = {} }: Schema): Places {
  // Canonical text has them in the order of JavaScript's string comparison.
  const names = Object.keys(properties).sort();
  return { names, begins: new Uint32Array(names.length), ends: new Uint32Array(names.length) };
}

interface Member {
  /** With quotes and colon, as it stands in canonical text. */
  readonly key: Uint8Array;
  readonly endOf: EndOf;
}

function object({ properties = {}, required = [] }: Schema, places: Places): EndOf {
  if (places.names.some((name) => !required.includes(name))) return unsure;
  const members = places.names.map((name) => ({
    key: Buffer.from(`${JSON.stringify(name)}:`),
    endOf: compile(properties[name]),
  }));
  return (bytes, at) => endOfMembers(bytes, at, members, places);
}

/** Of an object with all of these members, and any others between them. */
function endOfMembers(bytes: Uint8Array, begin: number, members: readonly Member[], { begins, ends }: Places): number {
  if (bytes[begin] !== OBJECT) return NO;
  let at = begin;
  /** Where the key before begins. */
  let last = NO;
  let wanted = 0;
  do {
    const key = at + 1;
    const member = members[wanted];
    const known = member === undefined ? NO : endOfWord(bytes, key, member.key);
    const value = known === NO ? endOfKey(bytes, key) : known;
    if (value === NO || (last !== NO && !isBefore(bytes, last, key))) return NO;
    last = key;
    at = known === NO || member === undefined ? endOfAny(bytes, value) : member.endOf(bytes, value);
    if (at === NO) return NO;
    if (known === NO) continue;
    begins[wanted] = value;
    ends[wanted] = at;
    wanted += 1;
  } while (bytes[at] === COMMA);
  return bytes[at] === OBJECT_END && wanted === members.length ? at + 1 : NO;
}

function text(schema: Schema): EndOf {
  if (says(schema, 'type')) return endOfText;
  if (says(schema, 'type', 'format') && schema.format === 'uuid') return (bytes, at) => endOfLike(bytes, at, UUID);
  if (says(schema, 'type', 'format') && schema.format === 'date-time') return time;
  return unsure;
}

/** In patterns: one lowercase hex digit, and one decimal digit. Anything else stands for itself. */
const HEX = '#'.charCodeAt(0);
const DIGIT = '9'.charCodeAt(0);
const ZERO = '0'.charCodeAt(0);
const HEX_DIGITS = Uint8Array.from({ length: 256 }, (_, byte) => Number('0123456789abcdef'.includes(String.fromCharCode(byte))));

const UUID = Buffer.from('"########-####-####-####-############"');
const TIME = Buffer.from('"9999-99-99T99:99:99.999Z"');
const DAYS = [0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function endOfLike(bytes: Uint8Array, at: number, pattern: Uint8Array): number {
  for (let i = 0; i < pattern.length; i++) {
    if (!fits(bytes[at + i] ?? 0, pattern[i] ?? 0)) return NO;
  }
  return at + pattern.length;
}

function fits(byte: number, wanted: number): boolean {
  if (wanted === HEX) return HEX_DIGITS[byte] === 1;
  return wanted === DIGIT ? byte >= ZERO && byte <= DIGIT : byte === wanted;
}

/** A time of UTC in milliseconds, as the gateway writes it. Leap days and leap seconds are left to the plain check. */
function time(bytes: Uint8Array, at: number): number {
  const end = endOfLike(bytes, at, TIME);
  if (end === NO) return NO;
  const day = twoDigits(bytes, at + 9);
  const isReal =
    day >= 1 &&
    day <= (DAYS[twoDigits(bytes, at + 6)] ?? 0) &&
    twoDigits(bytes, at + 12) <= 23 &&
    twoDigits(bytes, at + 15) <= 59 &&
    twoDigits(bytes, at + 18) <= 59;
  return isReal ? end : NO;
}

function twoDigits(bytes: Uint8Array, at: number): number {
  return ((bytes[at] ?? 0) - ZERO) * 10 + (bytes[at + 1] ?? 0) - ZERO;
}
