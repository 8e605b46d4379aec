import { getHeapCodeStatistics } from 'node:v8';
import { runInThisContext } from 'node:vm';
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

test('compiled code that ran once is dropped, and runs again all the same', () => {
  const sizeOfCode = () => getHeapCodeStatistics().bytecode_and_metadata_size;
  const without = sizeOfCode();
  const sums = Array.from({ length: 5000 }, (_, index) => `() => [${index}, 1, 2, 3].map(String)`);
  const functions = runInThisContext(`[${sums.join()}]`) as (() => readonly string[])[];
  for (const each of functions) each();
  const compiled = sizeOfCode();
  giveBackMemory();
  expect(sizeOfCode()).toBeLessThan((without + compiled) / 2);
  expect(functions[7]?.()).toEqual(['7', '1', '2', '3']);
});

function makeGarbage(): object {
  return { bytes: new Uint8Array(1024) };
}
