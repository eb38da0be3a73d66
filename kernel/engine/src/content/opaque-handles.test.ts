import fc from 'fast-check';
import { expect, it } from 'vitest';
import { newRunId } from '../admission/run-id.ts';
import { KeyTree } from './key-tree.ts';
import { OpaqueHandles } from './opaque-handles.ts';

const ALICE = { principal_id: 'alice', provider: 'claude' };
const RUN = newRunId(0);
const newest = KeyTree.generate();
const handles = new OpaqueHandles({ newest, older: [], forget: null });

function made(value: string): string {
  const handle = handles.make(RUN, ALICE, value);
  if (handle === null) throw new Error('no handle');
  return handle;
}

it('gives back any value to its principal, and shows nothing of it', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 4, unit: 'grapheme' }), (value) => {
      const handle = made(value);
      expect(handle).toMatch(/^svc_opaque_[A-Za-z0-9_-]+$/);
      expect(handle.includes(value) || Buffer.from(handle.slice(11), 'base64url').includes(value)).toBe(false);
      expect(handles.open(handle, ALICE)).toBe(value.toWellFormed());
    }),
  );
  expect(made('the same')).not.toBe(made('the same'));
});

it('gives nobody else anything, and nothing for what was altered or made up', () => {
  const handle = made('QUJD');
  expect(handles.open(handle, { ...ALICE, principal_id: 'eve' })).toBeNull();
  expect(handles.open(`${handle.slice(0, -2)}xx`, ALICE)).toBeNull();
  for (const other of ['QUJD', 'svc_opaque_', 'svc_opaque_QUJD', `svc_opaque_${'_'.repeat(200)}`])
    expect(handles.open(other, ALICE)).toBeNull();
  expect(handles.open(handle, { ...ALICE, provider: 'other' })).toBeNull();
  const others = new OpaqueHandles({ newest: KeyTree.generate(), older: [], forget: null });
  expect(others.open(handle, ALICE)).toBeNull();
});

it('is opened after a rotation of the key, and by nobody once its run is erased', () => {
  const handle = made('QUJD');
  const rotated = new OpaqueHandles({ newest: KeyTree.generate(), older: [newest], forget: null });
  expect(rotated.open(handle, ALICE)).toBe('QUJD');
  const erased = new OpaqueHandles({ newest: newest.without(RUN), older: [], forget: null });
  expect([erased.open(handle, ALICE), erased.make(RUN, ALICE, 'QUJD')]).toEqual([null, null]);
});
