import * as fc from 'fast-check';
import { expect } from 'vitest';

/** Holds that `law` throws for no value of the kind. */
export function assertLaw<T>(values: fc.Arbitrary<T>, law: (value: T) => void): void {
  // A plain property is checked before this returns; only one over async predicates gives a
  // promise.
  expect(fc.assert(fc.property(values, law))).toBeUndefined();
}
