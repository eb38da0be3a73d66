/** What to do, by the code of the operating system. */
const REMEDIES: Readonly<Record<string, string>> = {
  EACCES: 'this user lacks the permission: change the owner or the mode, or run it as another user',
  EADDRINUSE: 'another process listens there: end it, or give another port with --port or server.port',
  EADDRNOTAVAIL:
    'this machine does not have the address: give one of its own with --host or server.host, such as 127.0.0.1 or 0.0.0.0',
  EAI_AGAIN: 'the name cannot be resolved now: give an address with --host or server.host, such as 127.0.0.1 or 0.0.0.0',
  EBUSY: 'another process uses it',
  EDQUOT: 'the quota of this user is used up: free some space, or choose another folder',
  EINVAL: 'the system does not support it there: choose another place',
  EIO: 'the device failed: check the disk',
  EISDIR: 'it is a folder: name a file',
  ELOOP: 'its symbolic links form a loop: name the real path',
  EMFILE: 'too many files are open: raise the limit (ulimit -n)',
  ENAMETOOLONG: 'the path is too long',
  ENOENT: 'it does not exist, or nothing can be created there: check the path',
  ENOSPC: 'the disk is full: free some space, or choose another folder',
  ENOTDIR: 'a part of the path is a file: check the path',
  ENOTEMPTY: 'the folder is not empty',
  ENOTFOUND: 'there is no such host: give an address with --host or server.host, such as 127.0.0.1 or 0.0.0.0',
  EPERM: 'the system does not permit it: choose another place, or run it as another user',
  EROFS: 'the file system is read-only: choose another folder, or mount it for writing',
};

const VERBS: Readonly<Record<string, string>> = {
  getaddrinfo: 'resolve',
  listen: 'listen on',
  mkdir: 'create',
  scandir: 'read',
  unlink: 'delete',
};

/** A call of the operating system that was refused, in a sentence for people; null for any other error. */
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
