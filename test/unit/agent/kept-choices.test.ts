import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import * as z from 'zod';
import { openConfirmedMode, openOverrides } from '../../../src/agent/kept-choices.ts';
import { createStateFile } from '../../../src/system/state-file.ts';

async function makeDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'tributary-kept-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

const start = new Date('2026-05-04T12:00:00Z');

describe('the mode set by hand', () => {
  const create = (directory: string, now: Date) =>
    openOverrides({ directory, onSetAside: () => undefined, now: () => now });
  const open = async (directory: string, now: Date) => {
    const overrides = create(directory, now);
    await overrides.load();
    return overrides;
  };

  test('holds for its time, also after a restart, and no longer', async () => {
    const directory = await makeDirectory();
    await (await open(directory, start)).set('none', 60);
    expect((await open(directory, new Date(start.getTime() + 59_999))).current()?.mode).toBe(
      'none',
    );
    expect((await open(directory, new Date(start.getTime() + 60_000))).current()).toBeUndefined();
  });

  describe('on a clock that was never set', () => {
    const boot = new Date(600_000);
    const openOn = async (directory: string, clock: { now: Date }) => {
      const overrides = openOverrides({
        directory,
        onSetAside: () => undefined,
        now: () => clock.now,
      });
      await overrides.load();
      return overrides;
    };

    test('holds for its time also once the clock is set', async () => {
      const clock = { now: boot };
      const overrides = await openOn(await makeDirectory(), clock);
      await overrides.set('none', 3600);
      clock.now = start;
      const { mode, until } = overrides.current() ?? {};
      expect(mode).toBe('none');
      expect(until?.getTime()).toBeGreaterThan(start.getTime() + 3_500_000);
      expect(until?.getTime()).toBeLessThanOrEqual(start.getTime() + 3_600_000);
    });

    test.each(['set', 'put back', 'left alone'])(
      'is over once its time has passed, where the clock is %s meanwhile',
      async (how) => {
        vi.useFakeTimers({ toFake: ['performance'] });
        onTestFinished(() => void vi.useRealTimers());
        const clock = { now: boot };
        const overrides = await openOn(await makeDirectory(), clock);
        await overrides.set('public', 3600);
        const endMs = how === 'left alone' ? boot.getTime() : start.getTime();
        for (const [passedMs, mode] of [
          [3_599_999, 'public'],
          [1, undefined],
        ] as const) {
          vi.advanceTimersByTime(passedMs);
          const wallMs = how === 'put back' ? 500_000 : endMs + performance.now();
          clock.now = new Date(wallMs);
          expect([passedMs, overrides.current()?.mode]).toEqual([passedMs, mode]);
        }
      },
    );

    test('after a restart, none stays until it is cleared, and sharing is over', async () => {
      for (const [mode, left] of [
        ['none', 'none'],
        ['public', undefined],
      ] as const) {
        const directory = await makeDirectory();
        const clock = { now: boot };
        await (await openOn(directory, clock)).set(mode, 3600);
        expect((await openOn(directory, clock)).current()?.mode).toBe(mode);
        clock.now = start;
        expect((await openOn(directory, clock)).current()?.mode).toBe(left);
      }
    });

    test('does not last for longer where the clock goes back', async () => {
      const clock = { now: start };
      const overrides = await openOn(await makeDirectory(), clock);
      await overrides.set('public', 3600);
      clock.now = new Date(start.getTime() - 30 * 86_400_000);
      expect(overrides.current()?.until?.getTime()).toBeLessThanOrEqual(
        clock.now.getTime() + 3_600_000,
      );
    });
  });

  test('without a time holds until it is cleared', async () => {
    const directory = await makeDirectory();
    const overrides = await open(directory, start);
    await overrides.set('friends', undefined);
    expect((await open(directory, new Date('2036-01-01'))).current()?.mode).toBe('friends');
    await overrides.clear();
    expect([overrides.current(), (await open(directory, start)).current()]).toEqual([
      undefined,
      undefined,
    ]);
  });

  test('holds on a clock that went back', async () => {
    const directory = await makeDirectory();
    await (await open(directory, start)).set('none', 60);
    expect((await open(directory, new Date(0))).current()?.mode).toBe('none');
  });

  test.each([
    [{}, true],
    [{ until: '2026-05-04T13:00:00.000Z' }, true],
    [{ until: 'tomorrow' }, false],
    [{ mode: 'everyone' }, false],
    [{ limitBitsPerSecond: 64_000 }, true],
    [{ limitBitsPerSecond: 100e9 }, true],
    [{ limitBitsPerSecond: 0 }, false],
    [{ limitBitsPerSecond: '20 Mbit' }, false],
  ])('is valid in its file as %j: %s', async (change, loads) => {
    const directory = await makeDirectory();
    const schema = z.unknown();
    const file = createStateFile({
      directory,
      name: 'override',
      schema,
      onSetAside: () => undefined,
    });
    await file.write({ override: { mode: 'public', ...change } });
    const loading = create(directory, start).load();
    if (loads) await loading;
    else await expect(loading).rejects.toMatchObject({ code: 'state-unreadable' });
  });

  test('brings its limit with it, also after a restart, until it is set without one', async () => {
    const directory = await makeDirectory();
    const overrides = await open(directory, start);
    await overrides.set('friends', 60, 10e6);
    expect((await open(directory, start)).current()).toMatchObject({
      mode: 'friends',
      limitBitsPerSecond: 10e6,
    });
    await overrides.set('friends', 60);
    expect((await open(directory, start)).current()?.limitBitsPerSecond).toBeUndefined();
  });

  test('is in force also where it cannot be written down', async () => {
    const overrides = await open(join(await makeDirectory(), 'missing'), start);
    await expect(overrides.set('none', undefined)).rejects.toMatchObject({
      code: 'state-unwritable',
    });
    expect(overrides.current()?.mode).toBe('none');
  });

  test('is lost with a broken file, and nothing is shared until the owner sets one', async () => {
    const directory = await makeDirectory();
    const path = join(directory, 'override.json');
    await writeFile(path, 'garbage');
    const overrides = create(directory, start);
    await expect(overrides.load()).rejects.toMatchObject({
      code: 'state-unreadable',
      message: expect.stringContaining(path),
    });
    expect(await readFile(path, 'utf8')).toBe('garbage');
    await overrides.clear();
    await overrides.load();
    expect(overrides.current()).toBeUndefined();
    expect((await open(directory, start)).current()).toBeUndefined();
  });

  test('is read again after a failure; what the owner sets meanwhile holds', async () => {
    const directory = await makeDirectory();
    const path = join(directory, 'override.json');
    await (await open(directory, start)).set('none', undefined);
    await rename(path, `${path}.away`);
    await mkdir(path);
    const [waiting, told] = [create(directory, start), create(directory, start)];
    for (const overrides of [waiting, told])
      await expect(overrides.load()).rejects.toMatchObject({ code: 'state-unreadable' });
    await expect(told.set('friends', undefined)).rejects.toMatchObject({
      code: 'state-unwritable',
    });
    await rm(path, { recursive: true });
    await rename(`${path}.away`, path);
    for (const overrides of [waiting, told]) await overrides.load();
    expect([waiting.current()?.mode, told.current()?.mode]).toEqual(['none', 'friends']);
  });
});

describe('the mode that the service confirmed', () => {
  const open = (directory: string, clientId: string | undefined) =>
    openConfirmedMode({ directory, onSetAside: () => undefined, clientId: () => clientId });

  test('is known after a restart, for the same client only', async () => {
    const directory = await makeDirectory();
    await (await open(directory, 'client-1')).note('friends');
    expect((await open(directory, 'client-1')).current()).toBe('friends');
    expect((await open(directory, 'client-2')).current()).toBeUndefined();
    expect((await open(directory, undefined)).current()).toBeUndefined();
  });

  test('is unknown once an answer of the service does not name it', async () => {
    const confirmed = await open(await makeDirectory(), 'client-1');
    await confirmed.note('friends');
    await confirmed.note(undefined);
    expect(confirmed.current()).toBeUndefined();
  });

  test('is written when it changes, and not again', async () => {
    const directory = await makeDirectory();
    const path = join(directory, 'confirmed-mode.json');
    const confirmed = await open(directory, 'client-1');
    await confirmed.note('friends');
    await writeFile(path, 'touched');
    await confirmed.note('friends');
    expect(await readFile(path, 'utf8')).toBe('touched');
    await confirmed.note('none');
    expect(await readFile(path, 'utf8')).toContain('"none"');
  });

  test('is not known where its file cannot be read, and that stops nothing', async () => {
    const directory = await makeDirectory();
    await mkdir(join(directory, 'confirmed-mode.json'));
    expect((await open(directory, 'client-1')).current()).toBeUndefined();
  });

  test('is unknown for a device that is not registered', async () => {
    const confirmed = await open(await makeDirectory(), undefined);
    await confirmed.note('friends');
    expect(confirmed.current()).toBeUndefined();
  });
});
