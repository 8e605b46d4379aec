import { describe, expect, test } from 'vitest';
import { findSurprises } from '../faults/judge.ts';
import { shortRows } from '../faults/rows.ts';
import { runFault } from '../faults/run-fault.ts';

describe('a device that provides', () => {
  test.each(shortRows)(
    'goes on through $name ($where), says why, asks seldom, and is back soon',
    async (fault) => {
      expect(findSurprises(fault, await runFault(fault))).toEqual([]);
    },
  );
});
