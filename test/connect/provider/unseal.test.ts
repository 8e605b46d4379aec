import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { unseal } from '../../../src/connect/provider/unseal.ts';
import type { Id } from '../../../src/connect/wire/id.ts';
import {
  encodePackFrame,
  encodeSealedFrame,
  type TransferPath,
} from '../../../src/connect/wire/transfer-frame.ts';
import { WireError } from '../../../src/connect/wire/wire-error.ts';
import { assertLaw } from '../../unit/law.ts';
import { anyId, anyPack } from '../support/arbitraries.ts';

const toPath = (sourceId: Id, destinationId: Id): TransferPath => ({
  sourceId,
  destinationId,
  streamId: undefined,
});
const sealedWith = (path: TransferPath, inside: Buffer) =>
  encodeSealedFrame(path, { bytes: inside, role: 1, isCompanion: false });
const threeIds = fc.uniqueArray(anyId, { minLength: 3, maxLength: 3 });

describe('what is inside a sealed frame', () => {
  test('counts as sealed, where its path is the one outside', () => {
    assertLaw(fc.tuple(threeIds, anyPack), ([[from, to], pack]) => {
      const path = toPath(from as Id, to as Id);
      const message = sealedWith(path, encodePackFrame(path, pack));
      expect(unseal(message, (_, { bytes }) => bytes)).toEqual({
        path,
        body: { kind: 'pack', pack: { ...pack, cameSealed: true } },
      });
    });
  });

  test('is nothing, where its sender, receiver or stream is another', () => {
    assertLaw(fc.tuple(threeIds, anyPack), ([ids, pack]) => {
      const [from, to, other] = ids as [Id, Id, Id];
      const outside = toPath(from, to);
      for (const inside of [
        toPath(other, to),
        toPath(from, other),
        { ...outside, streamId: other },
      ]) {
        const message = sealedWith(outside, encodePackFrame(inside, pack));
        expect(() => unseal(message, (_, { bytes }) => bytes)).toThrow(WireError);
      }
    });
  });

  test('is nothing, where no key opens it', () => {
    assertLaw(fc.tuple(threeIds, anyPack), ([[from, to], pack]) => {
      const path = toPath(from as Id, to as Id);
      const message = sealedWith(path, encodePackFrame(path, pack));
      expect(() => unseal(message, () => undefined)).toThrow(WireError);
    });
  });
});
