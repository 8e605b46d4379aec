import { expect, test } from 'vitest';
import { createSelfTest } from '../../../src/data-path/self-test.ts';
import { type Probe, probeSets, toProbeMark } from '../../../src/gateway/self-test.ts';
import type { NftTable } from '../../../src/system/nft.ts';

const refused: Probe = {
  device: 'tributary0',
  slot: 0,
  family: 4,
  name: 'this device',
  source: '10.93.171.5',
  destination: '192.168.1.9',
  port: 443,
};

/** The fence after so many packets of the probe came in and were refused. */
function makeTable(arrived: number): NftTable {
  return {
    counters: new Map(),
    quotas: new Map(),
    sets: new Map(),
    expires: new Map(),
    elementPackets: new Map([[`${probeSets.arrived}/${toProbeMark(refused)}`, arrived]]),
    rules: new Map(),
    policies: new Map(),
    listing: '',
  };
}

/**
 * What each pass hands over: the whole data path, of which much changes while consumers' traffic
 * flows.
 */
const read = (arrived: number, { probes = [refused] } = {}) => ({
  table: makeTable(arrived),
  probes,
  tunnel: { kind: 'present', rxBytes: arrived * 1000 },
});

test('probes are judged while traffic flows through the tunnel', async () => {
  const selfTest = createSelfTest(
    async () => '',
    async () => undefined,
  );
  expect(selfTest.review(read(0))).toBeUndefined();
  await selfTest.send();
  expect(selfTest.review(read(1))).toEqual({ kind: 'held' });
  await selfTest.send();
  expect(selfTest.review(read(2))).toEqual({ kind: 'held' });
  await selfTest.send();
  expect(selfTest.review(read(2))).toEqual({ kind: 'lost', probes: [refused] });
});

test.each([
  { probes: [{ ...refused, port: 8443 }] },
  { probes: [{ ...refused, device: 'tributary1' }] },
])('probes that were sent before %j are not judged by the ones tried since', async (change) => {
  const selfTest = createSelfTest(
    async () => '',
    async () => undefined,
  );
  selfTest.review(read(0));
  await selfTest.send();
  expect(selfTest.review(read(0, change))).toBeUndefined();
});
