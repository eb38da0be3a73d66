import { inspect } from './inspect.ts';

/** The process that `inspectInChild` starts: reports the damage of a folder as JSON. */
process.stdout.write(JSON.stringify(inspect(process.argv[2] ?? '')));
