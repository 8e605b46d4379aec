import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openConfirmedMode, openOverrides } from '../../../src/agent/kept-choices.ts';

async function makeDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'tributary-kept-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

const start = new Date('2026-05-04T12:00:00Z');

describe('the mode set by hand', () => {
  const open = (directory: string, now: Date) =>
    openOverrides({ directory, onSetAside: () => undefined, now: () => now });

  test('holds for its time, also after a restart, and no longer', async () => {
    const directory = await makeDirectory();
    await (await open(directory, start)).set('none', 60);
    expect((await open(directory, new Date(start.getTime() + 59_999))).current()?.mode).toBe('none');
    expect((await open(directory, new Date(start.getTime() + 60_000))).current()).toBeUndefined();
  });

  test('without a time holds until it is cleared', async () => {
    const directory = await makeDirectory();
    const overrides = await open(directory, start);
    await overrides.set('friends', undefined);
    expect((await open(directory, new Date('2036-01-01'))).current()?.mode).toBe('friends');
    await overrides.clear();
    expect([overrides.current(), (await open(directory, start)).current()]).toEqual([undefined, undefined]);
  });

  test('is in force also where it cannot be written down', async () => {
    const overrides = await open(join(await makeDirectory(), 'missing'), start);
    await expect(overrides.set('none', undefined)).rejects.toMatchObject({ code: 'state-unwritable' });
    expect(overrides.current()?.mode).toBe('none');
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

  test('is no longer known once the service did not say', async () => {
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

  test('of a device that is not registered is nothing', async () => {
    const confirmed = await open(await makeDirectory(), undefined);
    await confirmed.note('friends');
    expect(confirmed.current()).toBeUndefined();
  });
});
