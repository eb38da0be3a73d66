/** An instruction of a Dockerfile: its name, its flags (`--from=build`) and the rest. */
export interface Instruction {
  readonly name: string;
  readonly flags: Readonly<Record<string, string>>;
  readonly text: string;
}

/** A stage of a Dockerfile: what follows a `FROM`. */
export interface Stage {
  readonly from: string;
  /** After `AS`; null if it has no name. */
  readonly name: string | null;
  readonly instructions: readonly Instruction[];
}

/** The stages of a Dockerfile, in order. Comments are left out, and continued lines joined. */
export function stagesOf(text: string): Stage[] {
  const lines = text
    .split('\n')
    .filter((line) => !/^\s*#/.test(line))
    .join('\n')
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => line.trim() !== '');
  const stages: { from: string; name: string | null; instructions: Instruction[] }[] = [];
  for (const line of lines) {
    const [, name = '', flags = '', text = ''] = /^(\S+)\s+((?:--\S+\s+)*)(.*)$/.exec(line.trim()) ?? [];
    if (name === 'FROM') {
      const [from = '', , as = null] = text.split(/\s+/);
      stages.push({ from, name: as, instructions: [] });
      continue;
    }
    const stage = stages.at(-1);
    if (stage === undefined) throw new Error(`an instruction before FROM: ${line}`);
    const given = [...flags.matchAll(/--([\w-]+)=(\S+)/g)].map(([, flag = '', value = '']) => [flag, value] as const);
    stage.instructions.push({ name, flags: Object.fromEntries(given), text });
  }
  return stages;
}

/** Whether `.dockerignore` keeps a path, relative to the context, out of a build. */
export function ignoredBy(text: string): (path: string) => boolean {
  const patterns = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [, everywhere, rest = ''] = /^(\*\*\/)?(.*)$/.exec(line) ?? [];
      const name = rest.replaceAll('.', '\\.').replaceAll('*', '[^/]*');
      return new RegExp(`^${everywhere === undefined ? '' : '(?:.*/)?'}${name}(?:/|$)`);
    });
  return (path) => patterns.some((pattern) => pattern.test(path));
}
