import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { createLineTest } from '../../../src/reference-service/platform/line-test.ts';

const second = 1000;

function open({ isFirst = true } = {}) {
  const clock = { ms: 0 };
  const at = () => ({ now: clock.ms, platformNow: clock.ms });
  const line = createLineTest({ openedAt: at(), isFirst, randomBytes });
  /** Echoes all messages, each after a ms, and what `among` adds after the first. */
  const echo = (messages: readonly Buffer[], among?: Buffer): void => {
    for (const [index, message] of messages.entries()) {
      clock.ms += 1;
      line.heard(message, at());
      if (index === 0 && among !== undefined) line.heard(among, at());
    }
  };
  return { clock, at, line, echo };
}

test('a first connection is probed sixteen times from five seconds on, a later one twice', () => {
  for (const [isFirst, expected] of [
    [true, 16],
    [false, 2],
  ] as const) {
    const { clock, at, line, echo } = open({ isFirst });
    clock.ms = 4999;
    expect(line.step(at())).toEqual([]);
    clock.ms = 5000;
    let count = 0;
    for (let sent = line.step(at()); sent.length > 0; sent = line.step(at())) {
      expect(sent.map(({ length }) => length)).toEqual([16]);
      echo(sent);
      count++;
    }
    expect(count).toBe(expected);
    expect(line.result().latencyMs).toBe(1);
  }
});

/** A connection that is a minute old: what is sent, without the probes of latency. */
function openOld() {
  const opened = open({ isFirst: false });
  const { clock, at, line } = opened;
  clock.ms = 60 * second;
  const stepSpeed = () => line.step(at()).filter(({ length }) => length !== 16);
  return { ...opened, stepSpeed };
}

test('two tests of 512 times 1,024 bytes make a round, and the better one counts', () => {
  const { line, echo, stepSpeed } = openOld();
  const first = stepSpeed();
  expect(first.map(({ length }) => length)).toEqual([5, ...Array(512).fill(1024), 5]);
  expect([first[0]?.[0], first.at(-1)?.[0]]).toEqual([1, 2]);
  expect(first[0]?.subarray(1)).toEqual(first.at(-1)?.subarray(1));
  expect(stepSpeed()).toEqual([]);
  echo(first);
  expect(line.result().bytesPerSecond).toBeUndefined();
  echo(stepSpeed());
  expect(line.result()).toMatchObject({
    bytesPerSecond: Math.round(524_288 / 0.513),
    speedTests: { counted: 2, spoiled: 0, unanswered: 0 },
  });
  expect(stepSpeed()).toEqual([]);
});

test('a frame among the echoes spoils the test, and no other follows', () => {
  const { clock, line, echo, stepSpeed } = openOld();
  echo(stepSpeed(), Buffer.alloc(100));
  clock.ms += 3600 * second;
  expect(stepSpeed()).toEqual([]);
  expect(line.result()).toMatchObject({ speedTests: { counted: 0, spoiled: 1, unanswered: 0 } });
});

test('a test that nobody answers is repeated after thirty seconds', () => {
  const { clock, line, echo, stepSpeed } = openOld();
  const unanswered = stepSpeed();
  clock.ms += 30 * second - 1;
  expect(stepSpeed()).toEqual([]);
  clock.ms += 1;
  const again = stepSpeed();
  expect(again.length).toBe(514);
  // The echo of the old one says nothing of the new one.
  echo(unanswered);
  echo(again);
  expect(line.result().speedTests).toEqual({ counted: 1, spoiled: 0, unanswered: 1 });
});

test('traffic that shows a fast line is measurement enough', () => {
  const { clock, at, line, stepSpeed } = openOld();
  line.noteSent(30 * 1024 * 1024, at());
  clock.ms += 5 * second;
  line.noteSent(1000, at());
  expect(stepSpeed()).toEqual([]);
  expect(line.result()).toMatchObject({
    bytesPerSecond: 6 * 1024 * 1024,
    speedTests: { counted: 0 },
  });
});
