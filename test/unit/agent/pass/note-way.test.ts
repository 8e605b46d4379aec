import { describe, expect, test } from 'vitest';
import { noteWay, type WayNotes } from '../../../../src/agent/pass/note-way.ts';
import { createNftTable } from '../../data-path/nft-table.ts';

const startMs = Date.parse('2026-05-04T12:00:00Z');
const at = (seconds: number) => new Date(startMs + seconds * 1000);
const createTable = (packets: number) =>
  createNftTable({ counters: new Map([['refused_uplink', { packets, bytes: packets * 60 }]]) });

/** Notes after passes that read these counts, each at its second. */
function pass(...readings: readonly (readonly [seconds: number, packets: number])[]): WayNotes {
  let notes: WayNotes | undefined;
  for (const [seconds, packets] of readings) {
    const table = createTable(packets);
    notes = noteWay(notes, { uplink: 'eth0', table, strays: [] }, at(seconds));
  }
  return notes ?? { packets: 0 };
}

describe('packets that leave by another way than the uplink', () => {
  test.each<[string, readonly (readonly [number, number])[]]>([
    ['were refused before this process began', [[0, 700]]],
    [
      'are none',
      [
        [0, 0],
        [20, 0],
        [40, 0],
      ],
    ],
    [
      'are a few at a change of the uplink',
      [
        [0, 0],
        [20, 9],
        [40, 9],
      ],
    ],
    [
      'ended two minutes ago',
      [
        [0, 0],
        [20, 9],
        [40, 12],
        [170, 12],
      ],
    ],
    [
      'were counted by a table that is made again',
      [
        [0, 900],
        [20, 0],
        [40, 0],
      ],
    ],
  ])('are no news where they %s', (_, readings) => {
    expect(pass(...readings).problem).toBeUndefined();
  });

  test('are named where it goes on, with the time at which it began', () => {
    expect(pass([0, 0], [20, 9], [40, 12], [60, 12]).problem).toEqual({
      code: 'not-uplink',
      message:
        'Packets to the Internet leave by another interface and not by the uplink eth0, so those of consumers are refused.',
      since: at(20),
    });
  });

  test('are named at once where the uplink leads nowhere, and by which interface they leave', () => {
    const found = { uplink: 'wlan0', table: createTable(0), strays: ['eth0'] };
    const first = noteWay(undefined, found, at(0));
    expect(first.problem?.message).toContain('leave by eth0 and not by the uplink wlan0');
    const next = noteWay(first, found, at(30));
    expect(next.problem?.since).toEqual(at(0));
    expect(noteWay(next, { ...found, strays: [] }, at(60)).problem).toBeUndefined();
  });
});
