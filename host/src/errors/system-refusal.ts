/** What to do, by the error code of the operating system. */
const REMEDIES: Readonly<Record<string, string>> = {
  EACCES: 'permission denied: change the owner or the mode, or run as another user',
  EADDRINUSE: 'another process uses this port: stop it, or choose another port with --port or server.port',
  EADDRNOTAVAIL:
    'this machine does not have this address: set one of its addresses with --host or server.host, such as 127.0.0.1 or 0.0.0.0',
  EAI_AGAIN: 'the name cannot be resolved at the moment: set an address with --host or server.host, such as 127.0.0.1 or 0.0.0.0',
  EBUSY: 'it is in use by another process: stop that process first',
  EDQUOT: 'the quota of this user is used up: free some space, or choose another folder',
  EINVAL: 'this is not supported there: choose another location',
  EIO: 'I/O error: check the disk',
  EISDIR: 'it is a folder: give a file',
  ELOOP: 'its symbolic links form a loop: give the real path',
  EMFILE: 'too many files are open: raise the limit (ulimit -n)',
  ENAMETOOLONG: 'the path is too long',
  ENOENT: 'it does not exist, or its folder is missing: check the path',
  ENOSPC: 'the disk is full: free some space, or choose another folder',
  ENOTDIR: 'part of the path is a file, not a folder: check the path',
  ENOTEMPTY: 'the folder is not empty',
  ENOTFOUND: 'unknown host: set an address with --host or server.host, such as 127.0.0.1 or 0.0.0.0',
  EPERM: 'the operating system does not permit it: choose another location, or run as another user',
  EROFS: 'the file system is read-only: choose another folder, or mount it as writable',
};

const VERBS: Readonly<Record<string, string>> = {
  getaddrinfo: 'resolve',
  listen: 'listen on',
  mkdir: 'create',
  scandir: 'read',
  unlink: 'delete',
};

/** Explains a failed system call in a sentence for people. Null for any other error. */
export function systemRefusal(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error) || !('syscall' in error)) return null;
  const remedy = REMEDIES[String(error.code)];
  if (remedy === undefined) return null;
  return `cannot ${VERBS[String(error.syscall)] ?? String(error.syscall)}${placeOf(error)} (${String(error.code)}): ${remedy}`;
}

function placeOf(error: object): string {
  for (const name of ['path', 'hostname', 'address'] as const) {
    const place: unknown = Reflect.get(error, name);
    if (typeof place !== 'string') continue;
    const port: unknown = Reflect.get(error, 'port');
    return ` ${place}${typeof port === 'number' ? `:${port}` : ''}`;
  }
  return '';
}
