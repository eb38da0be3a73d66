/** A path as one word of a shell's command line. */
export const quoted = (path: string): string => (/^[\w./@+-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`);
