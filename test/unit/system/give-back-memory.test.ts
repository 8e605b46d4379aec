import { expect, test } from 'vitest';
import { giveBackMemory } from '../../../src/system/give-back-memory.ts';

test('memory that nobody holds any more is collected', () => {
  // An object of its own scope: what this function still names would be held.
  const held = new WeakRef(makeGarbage());
  expect(held.deref()).toBeDefined();
  return new Promise<void>((resolve) => {
    // A WeakRef holds its object until the job that made it is over.
    setTimeout(() => {
      giveBackMemory();
      expect(held.deref()).toBeUndefined();
      resolve();
    }, 0);
  });
});

test('leaves no door to the collector behind', () => {
  giveBackMemory();
  expect('gc' in globalThis).toBe(false);
});

function makeGarbage(): object {
  return { bytes: new Uint8Array(1024) };
}
