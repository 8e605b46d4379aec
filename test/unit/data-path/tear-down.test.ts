import { describe, expect, test } from 'vitest';
import { grantPermit } from '../../../src/data-path/permit.ts';
import { closeDataPath, removeDataPath } from '../../../src/data-path/tear-down.ts';
import type { ForwardedTotals } from '../../../src/gateway/policy.ts';
import { createDesired, createWorld, tunnelInterface, uplink } from './data-path-world.ts';

/** Where a tear-down leaves the totals, and those that it handed over. */
function createKeep() {
  const kept: (ForwardedTotals | undefined)[] = [];
  return { kept, keep: async (totals: ForwardedTotals | undefined) => void kept.push(totals) };
}

describe('tear-down', () => {
  test('ends the permit first and removes the table last', async () => {
    const { machine, host, pass, doings, commands } = createWorld();
    const untouched = machine.print();
    await pass(createDesired());
    await grantPermit(host.exec, [tunnelInterface], 60);
    machine.count('forwarded_up', 2, 3_000);
    commands.length = 0;
    const { kept, keep } = createKeep();
    await removeDataPath(host, keep);
    expect(doings().filter((doing) => !/^(reading|asking|listing)/.test(doing))).toEqual([
      'ending the permit to forward',
      'shaping the line',
      'removing the routes',
      'removing the routes',
      `removing the interface ${tunnelInterface}`,
      'forgetting connections',
      'forgetting connections',
      'removing the gateway',
    ]);
    expect(kept).toEqual([{ up: { packets: 2, bytes: 3_000 }, down: { packets: 0, bytes: 0 } }]);
    expect(machine.print()).toBe(untouched);
  });

  test('ends the counting at the uplink that is configured', async () => {
    const { machine, host, commands } = createWorld();
    const link = machine.links.get(uplink);
    if (link !== undefined) machine.links.set('fakeother9', link);
    const { keep } = createKeep();
    await removeDataPath({ ...host, configuredUplink: () => 'fakeother9' }, keep);
    const said = commands.map(({ input = '' }) => input).join('');
    expect(said).toContain('filter delete dev fakeother9 egress');
    expect(said).not.toContain(uplink);
  });

  test('does nothing where nothing is set up', async () => {
    const { machine, host } = createWorld();
    const { kept, keep } = createKeep();
    await removeDataPath(host, keep);
    expect(machine.changes()).toBe(0);
    expect(kept).toEqual([undefined]);
  });

  test('that may stay closed leaves the table alone, and hands it back', async () => {
    const { machine, host, pass } = createWorld();
    await pass(createDesired());
    const table = await closeDataPath(host, createKeep().keep);
    expect(table?.sets.get('permit')).toEqual([]);
    expect(machine.links.has(tunnelInterface)).toBe(false);
  });

  test('keeps the table, closed, where its counts cannot be written down', async () => {
    const { machine, host, pass } = createWorld();
    await pass(createDesired());
    await grantPermit(host.exec, [tunnelInterface], 60);
    const full = new Error('no space left');
    const keepTotals = () => Promise.reject(full);
    await expect(removeDataPath(host, keepTotals)).rejects.toBe(full);
    expect(machine.print()).toContain('"name":"permit","elem":[]}}');
  });
});
