import type { ErrorCode } from 'yaml';

/**
 * What is wrong and what to write instead, for each error of the parser. The parser's own messages are written for programmers, and some quote the
 * file, which may contain a secret.
 */
export const YAML_MESSAGES: Readonly<Record<ErrorCode, string>> = {
  ALIAS_PROPS: 'an alias (*name) cannot have an anchor or a tag: remove it',
  BAD_ALIAS: 'invalid alias: write * and the name of an anchor, or quote the text',
  BAD_COLLECTION_TYPE: 'the tag does not fit the value: remove the tag',
  BAD_DIRECTIVE: 'unknown directive: remove the line that starts with %',
  BAD_DQ_ESCAPE: 'invalid escape sequence: write \\\\ for a backslash, or use single quotes',
  BAD_INDENT: 'wrong indentation: start all keys of a map, and all items of a list, in the same column, and close each [ and {',
  BAD_PROP_ORDER: 'an anchor or a tag is in the wrong place: write it directly before its value',
  BAD_SCALAR_START: 'text cannot start with @ or `: quote it',
  BLOCK_AS_IMPLICIT_KEY: 'a second key is on the same line: start a new line, or quote the text that contains ": "',
  BLOCK_IN_FLOW: 'an indented block is inside [ ] or { }: separate the items with commas',
  DUPLICATE_KEY: 'duplicate key: this map already has it; remove one of the two',
  IMPOSSIBLE: 'unexpected text: check quotes and indentation',
  KEY_OVER_1024_CHARS: 'the key is longer than 1024 characters: shorten it',
  MISSING_CHAR: 'a closing quote, a bracket or the colon after a key is missing',
  MULTILINE_IMPLICIT_KEY: 'this line has no colon: write "key: value"',
  MULTIPLE_ANCHORS: 'a value has more than one anchor: keep one',
  MULTIPLE_DOCS: 'a second document starts here: keep one document, without --- or ... in between',
  MULTIPLE_TAGS: 'a value has more than one tag: keep one',
  NON_STRING_KEY: 'a key must be text: write it without [ ] or { }',
  RESOURCE_EXHAUSTION: 'nested too deeply: write the value with fewer brackets',
  TAB_AS_INDENT: 'the indentation contains a tab: use spaces',
  TAG_RESOLVE_FAILED: 'unknown tag: remove it, or quote text that starts with !',
  UNEXPECTED_TOKEN: 'unexpected text: check quotes and indentation',
};
