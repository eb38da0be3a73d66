export type Part =
  /** One character as written: `a`, `\d`, `[^a-z]`. */
  | { readonly kind: 'character'; readonly source: string }
  | { readonly kind: 'sequence'; readonly parts: readonly Part[] }
  | { readonly kind: 'choice'; readonly options: readonly Part[] }
  | { readonly kind: 'repeat'; readonly body: Part; readonly least: number; readonly most: number }
  | { readonly kind: 'look'; readonly behind: boolean; readonly negative: boolean; readonly body: Part }
  | { readonly kind: 'edge'; readonly sign: '^' | '$' | '\\b' | '\\B' };

/** @throws {Error} for syntax that this parser does not know, because it could not be checked */
export function parse({ source, flags }: RegExp): Part {
  const reader = new Reader(source, /[uv]/.test(flags), flags.includes('v'));
  const part = reader.choice();
  if (!reader.isAtEnd) throw new Error(`cannot read ${source} from ${reader.rest}`);
  return part;
}

class Reader {
  readonly #source: string;
  readonly #unicode: boolean;
  readonly #sets: boolean;
  /** The capture groups parsed so far, for back-references. */
  readonly #groups: Part[] = [];
  readonly #named = new Map<string, Part>();
  #at = 0;

  constructor(source: string, unicode: boolean, sets: boolean) {
    this.#source = source;
    this.#unicode = unicode;
    this.#sets = sets;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#source.length;
  }

  get rest(): string {
    return this.#source.slice(this.#at);
  }

  choice(): Part {
    const options = [this.#sequence()];
    while (this.#take(/^\|/) !== null) options.push(this.#sequence());
    const [only] = options;
    return options.length === 1 && only !== undefined ? only : { kind: 'choice', options };
  }

  #sequence(): Part {
    const parts: Part[] = [];
    while (!this.isAtEnd && !/^[|)]/.test(this.rest)) parts.push(this.#repeated(this.#one()));
    return { kind: 'sequence', parts };
  }

  #repeated(body: Part): Part {
    const found = this.#take(/^(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})\??/);
    if (found === null) return body;
    const [, sign, exactly = '0', comma, upTo = ''] = found;
    const least = sign === undefined ? Number(exactly) : sign === '+' ? 1 : 0;
    const open = upTo === '' ? Infinity : Number(upTo);
    const most = sign === undefined ? (comma === undefined ? least : open) : sign === '?' ? 1 : Infinity;
    return { kind: 'repeat', body, least, most };
  }

  #one(): Part {
    const edge = this.#take(/^(?:[\^$]|\\[bB])/)?.[0];
    if (edge !== undefined) return { kind: 'edge', sign: edge as '^' };
    if (this.#take(/^\(/) !== null) return this.#group();
    const [, number, name] = this.#take(/^\\(?:([1-9]\d*)|k<(\w+)>)/) ?? [];
    if (number !== undefined || name !== undefined) return this.#groupCalled(number, name);
    return { kind: 'character', source: this.#character() };
  }

  #group(): Part {
    const [, behind, sign] = this.#take(/^\?(<?)([=!])/) ?? [];
    if (sign !== undefined) {
      const body = this.#closed();
      return { kind: 'look', behind: behind === '<', negative: sign === '!', body };
    }
    if (this.#take(/^\?:/) !== null) return this.#closed();
    const name = this.#take(/^\?<(\w+)>/)?.[1];
    if (/^\?/.test(this.rest)) throw new Error(`cannot read the group ${this.rest}`);
    const place = this.#groups.push({ kind: 'sequence', parts: [] }) - 1;
    const body = this.#closed();
    this.#groups[place] = body;
    if (name !== undefined) this.#named.set(name, body);
    return body;
  }

  #closed(): Part {
    const body = this.choice();
    if (this.#take(/^\)/) === null) throw new Error(`no closing bracket in ${this.#source}`);
    return body;
  }

  #groupCalled(number: string | undefined, name: string | undefined): Part {
    const group = name === undefined ? this.#groups[Number(number) - 1] : this.#named.get(name);
    if (group === undefined) throw new Error(`a back-reference to no group before it in ${this.#source}`);
    return group;
  }

  #character(): string {
    if (this.rest.startsWith('[')) return this.#class();
    const escaped = this.#take(/^\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|c[a-zA-Z]|[\s\S])/);
    if (escaped !== null) return escaped[0];
    const [character = ''] = this.#take(this.#unicode ? /^[\s\S]/u : /^[\s\S]/) ?? [];
    return character;
  }

  /** Reads up to the closing bracket. With the flag `v`, classes can be nested. */
  #class(): string {
    const from = this.#at;
    let depth = 0;
    do {
      if (this.#take(/^\\[\s\S]/) !== null) continue;
      const sign = this.#source.charAt(this.#at++);
      if (sign === '[' && (depth === 0 || this.#sets)) depth += 1;
      if (sign === ']') depth -= 1;
      if (sign === '') throw new Error(`a class without an end in ${this.#source}`);
    } while (depth > 0);
    return this.#source.slice(from, this.#at);
  }

  #take(pattern: RegExp): RegExpExecArray | null {
    const found = pattern.exec(this.rest);
    this.#at += found?.[0].length ?? 0;
    return found;
  }
}
