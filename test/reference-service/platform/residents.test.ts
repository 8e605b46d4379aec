import { expect, test } from 'vitest';
import type { Id } from '../../../src/connect/wire/id.ts';
import { createResidents, type Line } from '../../../src/reference-service/platform/residents.ts';

const minute = 60_000;
const clientId = 'provider' as Id;

function open() {
  const world = { ms: 0 };
  const residents = createResidents(() => world.ms);
  const sent: string[] = [];
  const makeLine = (name: string): Line => ({
    send: (bytes) => void sent.push(`${name} ${bytes.toString()}`),
    end: () => undefined,
    bufferedBytes: () => 0,
  });
  const place = (name: string, instanceId = 'one') => ({
    ...{ clientId, instanceId, host: 0 },
    line: makeLine(name),
  });
  const send = (text: string) => residents.send(clientId, Buffer.from(text));
  return { world, residents, sent, place, send };
}

test('a process that opens another socket within five minutes is the resident that it was', () => {
  const { world, residents, sent, place, send } = open();
  const first = place('first');
  const { number } = residents.add(first);
  residents.remove(first);
  world.ms += 5 * minute - 1;
  residents.sweep();
  expect(send('nobody hears this')).toBe(false);
  const second = place('second');
  expect(residents.add(second).number).toBe(number);
  expect(send('this')).toBe(true);
  expect(sent).toEqual(['second this']);
  residents.remove(second);
  world.ms += 5 * minute;
  residents.sweep();
  expect(residents.find(clientId)).toBeUndefined();
  expect(residents.add(place('third')).number).not.toBe(number);
});

test('another process takes its place at once', () => {
  const { residents, place } = open();
  const first = place('first');
  const { number } = residents.add(first);
  residents.remove(first);
  const other = residents.add(place('second', 'two'));
  expect(other.number).not.toBe(number);
  expect(residents.find(clientId)?.number).toBe(other.number);
  expect(residents.add(place('third')).number).not.toBe(number);
});
