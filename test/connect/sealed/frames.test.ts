import { randomBytes } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createFrameCipher } from '../../../src/connect/sealed/frames.ts';
import {
  decodeTransferFrame,
  encodeSealedFrame,
} from '../../../src/connect/wire/transfer-frame.ts';
import { assertLaw } from '../../unit/law.ts';
import vectors from './vectors.json' with { type: 'json' };

const fromHex = (hex: string): Buffer => Buffer.from(hex, 'hex');
const { sealed: vector } = vectors;
const key = fromHex(vector.key);
const inner = fromHex(vector.inner_frame);

describe('frames that the network’s own program sealed', () => {
  test.each(vector.frames)('role $session_role, companion $session_companion', (frame) => {
    const { path, body } = decodeTransferFrame(fromHex(frame.outer_frame));
    if (body.kind !== 'sealed') throw new Error('not sealed');
    expect(body.role).toBe(frame.session_role);
    expect(body.isCompanion).toBe(frame.session_companion);
    expect(createFrameCipher(key, randomBytes).open(body.bytes)).toEqual(inner);
    expect(decodeTransferFrame(inner).path).toEqual(path);
  });

  test.each(vector.frames)('are sealed by us to the byte: $nonce', (frame) => {
    const cipher = createFrameCipher(key, () => fromHex(frame.nonce));
    const { path } = decodeTransferFrame(inner);
    const outer = encodeSealedFrame(path, {
      bytes: cipher.seal(inner),
      role: frame.session_role,
      isCompanion: frame.session_companion,
    });
    expect(outer).toEqual(fromHex(frame.outer_frame));
  });

  test('are read in whatever order their fields come', () => {
    const [frame] = vector.frames;
    const outer = fromHex(frame?.outer_frame ?? '');
    const read = decodeTransferFrame(outer);
    if (read.body.kind !== 'sealed') throw new Error('not sealed');
    const { path, body } = read;
    const whole = encodeSealedFrame(path, { ...body, role: 1, isCompanion: true });
    // Role and companion are the last two fields, of two bytes each.
    const swapped = Buffer.concat([whole.subarray(-4), whole.subarray(0, -4)]);
    expect(decodeTransferFrame(swapped)).toEqual(decodeTransferFrame(whole));
    expect(decodeTransferFrame(swapped).body).toMatchObject({ role: 1, isCompanion: true });
  });

  test('a live session: what was sealed opens to what was sealed', () => {
    const cipher = createFrameCipher(fromHex(vectors.live.aead_key), randomBytes);
    const frames = vectors.live.frames.filter(({ inner: plain }) => plain !== undefined);
    expect(frames.length).toBeGreaterThan(3);
    for (const frame of frames) {
      const { body } = decodeTransferFrame(fromHex(frame.frame));
      if (body.kind !== 'sealed') throw new Error('not sealed');
      expect(cipher.open(body.bytes)).toEqual(fromHex(frame.inner ?? ''));
    }
  });
});

describe('what was changed on its way, or sealed by another key', () => {
  test('is not opened, wherever the change is', () => {
    const cipher = createFrameCipher(key, randomBytes);
    assertLaw(fc.tuple(fc.uint8Array({ maxLength: 300 }), fc.nat(), fc.nat(7)), (values) => {
      const [plain, at, bit] = values;
      const sealed = cipher.seal(Buffer.from(plain));
      expect(cipher.open(sealed)).toEqual(Buffer.from(plain));
      const changed = Buffer.from(sealed);
      const place = at % changed.length;
      changed[place] = (changed[place] ?? 0) ^ (1 << bit);
      expect(cipher.open(changed)).toBeUndefined();
      expect(cipher.open(sealed.subarray(0, at % sealed.length))).toBeUndefined();
    });
    expect(createFrameCipher(randomBytes(32), randomBytes).open(cipher.seal(inner))).toBe(
      undefined,
    );
  });

  test('no two frames of one key have the same nonce', () => {
    const cipher = createFrameCipher(key, randomBytes);
    const nonces = Array.from({ length: 2000 }, () =>
      cipher.seal(inner).subarray(0, 12).toString('hex'),
    );
    expect(new Set(nonces).size).toBe(2000);
  });
});
