import { inspect } from './inspect.ts';

/** The process that `inspectInChild` starts: says what of a folder is damaged, as JSON. */
process.stdout.write(JSON.stringify(inspect(process.argv[2] ?? '')));
