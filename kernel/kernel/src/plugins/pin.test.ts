import { createHash } from 'node:crypto';
import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { pinOf } from './pin.ts';
import { makeProject, removeProjects } from './test-project.ts';

afterEach(removeProjects);

describe('pinOf', () => {
  it('hashes the files in byte order of their paths, without node_modules', () => {
    const project = makeProject();
    rmSync(project.packageJson);
    const content = {
      'B.js': 'upper case first',
      'a/x.js': 'folder',
      'a-b.js': 'hyphen before slash',
      'é.js': 'last',
      'a/node_modules/y.js': 'inner',
    };
    for (const [path, text] of Object.entries(content)) project.write(path, text);
    project.write('node_modules/left/out.js', '');
    const line = (path: keyof typeof content) => `${createHash('sha512').update(content[path]).digest('hex')}  ${path}\0`;
    const lines = [line('B.js'), line('a-b.js'), line('a/node_modules/y.js'), line('a/x.js'), line('é.js')];
    expect(pinOf(project.directory)).toBe(`sha512-${createHash('sha512').update(lines.join('')).digest('base64')}`);
  });

  it('changes if content, a name, or an empty file changes', () => {
    const project = makeProject({ dependencies: ['banned-words'] });
    const folder = project.folderOf('banned-words');
    const pins = [pinOf(folder)];
    project.write('node_modules/@fixture/banned-words/.hidden', '');
    pins.push(pinOf(folder));
    renameSync(join(folder, '.hidden'), join(folder, '.other'));
    pins.push(pinOf(folder));
    project.write('node_modules/@fixture/banned-words/.other', ' ');
    pins.push(pinOf(folder));
    expect(new Set(pins).size).toBe(4);
  });
});
