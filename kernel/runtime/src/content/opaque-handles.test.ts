import { newRunId } from '@svc/kernel/admission';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { KeyTree } from './key-tree.ts';
import { OpaqueHandles } from './opaque-handles.ts';

const ALICE = { principal_id: 'alice', provider: 'claude', model: 'm', route: 'default' };
const newest = KeyTree.generate();
const handles = new OpaqueHandles({ newest, older: [], forget: null });

it('returns any value to its principal, and reveals nothing about it', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 4, unit: 'grapheme' }), (value) => {
      const handle = handles.make(ALICE, value);
      expect(handle).toMatch(/^svc_opaque_[A-Za-z0-9_-]+$/);
      expect(handle.includes(value) || Buffer.from(handle.slice(11), 'base64url').includes(value)).toBe(false);
      expect(handles.open(handle, ALICE)).toBe(value.toWellFormed());
    }),
  );
  expect(handles.make(ALICE, 'the same')).not.toBe(handles.make(ALICE, 'the same'));
});

it('returns nothing to other principals, and nothing for an altered or invented handle', () => {
  const handle = handles.make(ALICE, 'QUJD');
  expect(handles.open(handle, { ...ALICE, principal_id: 'eve' })).toBeNull();
  for (const other of ['provider', 'model', 'route']) expect(handles.open(handle, { ...ALICE, [other]: 'other' })).toBeNull();
  // The last character stays, because some of its bits are unused.
  for (const at of [11, handle.length - 2]) {
    const altered = `${handle.slice(0, at)}${handle[at] === 'A' ? 'B' : 'A'}${handle.slice(at + 1)}`;
    expect(handles.open(altered, ALICE)).toBeNull();
  }
  for (const other of ['QUJD', 'svc_opaque_', 'svc_opaque_QUJD', `svc_opaque_${'_'.repeat(200)}`])
    expect(handles.open(other, ALICE)).toBeNull();
  expect(new OpaqueHandles({ newest: KeyTree.generate(), older: [], forget: null }).open(handle, ALICE)).toBeNull();
});

it('opens after a rotation of the key, and after the erasure of a run', () => {
  const handle = handles.make(ALICE, 'QUJD');
  const rotated = new OpaqueHandles({ newest: KeyTree.generate(), older: [newest], forget: null });
  const erased = new OpaqueHandles({ newest: newest.without(newRunId(0)), older: [], forget: null });
  expect([rotated.open(handle, ALICE), erased.open(handle, ALICE)]).toEqual(['QUJD', 'QUJD']);
});
