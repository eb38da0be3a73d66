// Prints the tables of measurements that the READMEs show: each `score:…` of package.json, one after another. Names after the command select some.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const { scripts }: { scripts: Record<string, string> } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const wanted = process.argv.slice(2);
const all = Object.keys(scripts).filter((name) => name.startsWith('score:'));
const names = all.filter((name) => wanted.length === 0 || wanted.includes(name.slice('score:'.length)));
if (names.length === 0 || wanted.some((name) => !all.includes(`score:${name}`))) {
  console.error(`There is no such score. Use: ${all.map((name) => name.slice('score:'.length)).join(', ')}`);
  process.exit(2);
}
for (const name of names) {
  console.log(`\n# ${name}, ${new Date().toISOString().slice(0, 10)}\n`);
  const { status } = spawnSync(
    process.env.npm_execpath === undefined ? 'npm' : process.execPath,
    [...(process.env.npm_execpath === undefined ? [] : [process.env.npm_execpath]), 'run', '--silent', name],
    { cwd: root, stdio: 'inherit' },
  );
  // The others are still measured.
  if (status !== 0) process.exitCode = 1;
}
