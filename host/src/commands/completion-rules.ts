import { COMMANDS } from './help.ts';

/** What may follow. `group`: after the group's name (`keys`). `command`: anywhere after the command. `value`: after an option of a command. */
export interface CompletionRule {
  readonly kind: 'group' | 'command' | 'value';
  /** The words typed so far, or empty. For a value, the command and the option. */
  readonly path: string;
  readonly words: readonly string[];
}

/** Derives the rules from the usage texts of the help. */
export function completionRules(): CompletionRule[] {
  const firsts = new Set<string>();
  const groups = new Map<string, Set<string>>();
  const commands = new Map<string, Set<string>>();
  const values = new Map<string, Set<string>>();
  for (const { name, options } of COMMANDS) {
    const path = name.replace(/ --.*$/, '');
    const [first = '', second] = path.split(' ');
    firsts.add(first);
    if (second !== undefined) add(groups, first, [second]);
    add(commands, path, [...(options.match(/^[a-z]+(?:\|[a-z]+)+(?= |$)/)?.[0].split('|') ?? [])]);
    add(
      commands,
      path,
      [...name.matchAll(/ (--[a-z-]+)/g), ...options.matchAll(/(--[a-z-]+)/g)].map(([, flag = '']) => flag),
    );
    for (const [, flag, choices = ''] of options.matchAll(/(--[a-z-]+) ([a-z_]+(?:\|[a-z_]+)+)/g))
      add(values, `${path} ${flag}`, choices.split('|'));
  }
  return [
    { kind: 'command', path: '', words: [...firsts, '--help'] },
    ...rules('group', groups),
    ...rules('value', values),
    ...rules('command', commands).map((rule) => ({ ...rule, words: [...rule.words, '--help'] })),
  ];
}

function add(sets: Map<string, Set<string>>, key: string, words: readonly string[]): void {
  sets.set(key, new Set([...(sets.get(key) ?? []), ...words]));
}

function rules(kind: CompletionRule['kind'], sets: ReadonlyMap<string, ReadonlySet<string>>): CompletionRule[] {
  return [...sets].map(([path, words]) => ({ kind, path, words: [...words] }));
}
