import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { grantPermit } from '../../src/data-path/permit.ts';
import type { Ceilings } from '../../src/gateway/ceilings.ts';
import type { RefusalCounter } from '../../src/gateway/policy.ts';
import { isInsideLab } from '../../tools/lab/network.ts';
import {
  consumerAddress,
  createGatewayNetwork,
  far,
  type GatewayNetwork,
  otherConsumer,
  tunnelInterface,
} from './gateway-network.ts';

const port = 8080;
/** Nobody has this address, and nobody says so. */
const silent = '9.9.9.10';
const none: Ceilings = { perConsumer: 0, total: 0, newPerSecond: 0, halfOpen: 0 };
let network: GatewayNetwork;

const apply = (ceilings: Partial<Ceilings>, blockedPorts: readonly number[] = [25]) =>
  network.apply({ connections: { ...none, ...ceilings }, blockedPorts });
const flood = (from: string, count: number, host: string = far.public4) =>
  network.consumer.say({ kind: 'flood', host, from, count });
const refused = async (counter: RefusalCounter) =>
  (await network.table()).counters.get(counter)?.packets ?? 0;
const tracked = async () => {
  const args = ['/proc/sys/net/netfilter/nf_conntrack_count'];
  return Number(await network.onDevice({ program: 'cat', args, doing: 'counting connections' }));
};

/** How many of so many connections open until none opens for a second, and stay open. */
async function hold(from: string, count: number, host: string = far.public4): Promise<number> {
  return Number(
    await network.consumer.say({ kind: 'hold', host, port, from, count, waitMs: 1000 }),
  );
}

// Packets can only be forwarded between network namespaces of one's own, which tools/lab/enter.sh
// makes.
describe.skipIf(!isInsideLab())('a greedy consumer', () => {
  beforeEach(async () => {
    network = await createGatewayNetwork();
    await network.far.say({ kind: 'listen', tcp: [port], udp: [] });
    await network.consumer.say({ kind: 'listen', tcp: [], udp: [] });
    await apply({});
    await grantPermit(network.onDevice, [tunnelInterface], 600);
  });
  afterEach(() => network?.remove());

  test('without ceilings fills connection tracking, so that what follows shows something', async () => {
    await flood(consumerAddress, 5000);
    expect(await tracked()).toBeGreaterThanOrEqual(5000);
    expect(await hold(consumerAddress, 100)).toBe(100);
  });

  test('with 30,000 datagrams gets its own part and what all share, and another consumer still has its own', async () => {
    await apply({ perConsumer: 20 });
    await flood(consumerAddress, 30_000);
    expect(await tracked()).toBeLessThanOrEqual(100);
    expect(await refused('refused_connections')).toBeGreaterThan(29_000);
    expect(await hold(consumerAddress, 5)).toBe(0);
    expect(await hold(otherConsumer, 20)).toBe(20);
  });

  test('whose friend on the Internet keeps everything open gets no further, until it closes some', async () => {
    await apply({ perConsumer: 10 });
    expect(await hold(consumerAddress, 80)).toBe(50);
    expect(await hold(otherConsumer, 10)).toBe(10);
    expect(await hold(otherConsumer, 5)).toBe(0);
    await network.consumer.say({ kind: 'close' });
    expect(await hold(consumerAddress, 30)).toBe(30);
  });

  test('over IPv6 is a whole /64, and its neighbour another', async () => {
    await apply({ perConsumer: 10 });
    expect(await hold('fd99::2', 30, far.public6)).toBe(30);
    expect(await hold('fd99::3', 30, far.public6)).toBe(20);
    expect(await hold('fd99::3', 5, far.public6)).toBe(0);
    expect(await hold('fd98::2', 10, far.public6)).toBe(10);
  });

  test('and all others together stay below the ceiling for all', async () => {
    await apply({ total: 60 });
    await flood(consumerAddress, 50);
    await flood(otherConsumer, 50);
    expect([await tracked(), await refused('refused_total')]).toEqual([60, 40]);
    expect(await hold(otherConsumer, 3)).toBe(0);
  });

  test('that opens too fast is slowed down, and what is open goes on', async () => {
    await network.consumer.say({ kind: 'open', host: far.public4, port });
    await apply({ newPerSecond: 10 });
    const startedAtMs = performance.now();
    await flood(consumerAddress, 3000);
    const seconds = (performance.now() - startedAtMs) / 1000;
    // Four seconds' worth of its own and of what all share, and what came in while it went on.
    expect(await tracked()).toBeGreaterThanOrEqual(200);
    expect(await tracked()).toBeLessThanOrEqual(201 + 50 * (seconds + 1));
    expect(await refused('refused_new')).toBeGreaterThan(2000);
    expect(await hold(otherConsumer, 40)).toBe(40);
    expect(await network.consumer.say({ kind: 'echo', bytes: 10_000, waitMs: 10000 })).toBe(
      'heard',
    );
  });

  test('that says much on one connection, and is not answered, has opened one', async () => {
    await apply({ newPerSecond: 10, perConsumer: 1, total: 5 });
    await network.far.say({ kind: 'listen', tcp: [], udp: [9000] });
    await network.consumer.say({
      kind: 'udp',
      host: far.public4,
      port: 9000,
      word: 'much',
      count: 1000,
      size: 100,
    });
    await expect.poll(async () => (await network.far.heard()).much).toBe(1000);
    expect(await tracked()).toBe(1);
  });

  test('that waits for too many answers opens no more, until the waiting is over', async () => {
    await apply({ halfOpen: 15 });
    expect(await hold(consumerAddress, 60, silent)).toBe(0);
    expect(await tracked()).toBeLessThanOrEqual(15);
    expect(await refused('refused_half_open')).toBeGreaterThanOrEqual(45);
    expect(await hold(consumerAddress, 1)).toBe(0);
    expect(await hold(otherConsumer, 10)).toBe(10);
    await network.consumer.say({ kind: 'close' });
    await expect.poll(() => hold(consumerAddress, 1)).toBe(1);
  });

  test('that goes on asking goes on waiting', async () => {
    await apply({ halfOpen: 1 });
    const left = async () =>
      Math.max(0, ...(await network.table()).expires.values().filter((seconds) => seconds < 60));
    expect(await hold(consumerAddress, 1, silent)).toBe(0);
    // TCP asks again after one second and after three.
    let before = await left();
    const isAskedAgain = async () => {
      const now = await left();
      const isLonger = before > 0 && now > before;
      before = now;
      return isLonger;
    };
    await expect.poll(isAskedAgain, { interval: 20 }).toBe(true);
  });

  test('whose every attempt is answered opens as many as it likes', async () => {
    await apply({ halfOpen: 15 });
    for (let round = 1; round <= 6; round += 1) expect(await hold(consumerAddress, 10)).toBe(10);
    expect(await refused('refused_half_open')).toBe(0);
  });

  test('gains nothing from another ruleset: what is open still counts; with another ceiling the count begins again', async () => {
    await apply({ perConsumer: 10 });
    expect(await hold(consumerAddress, 80)).toBe(50);
    await apply({ perConsumer: 10 }, [25, 26]);
    expect(await hold(consumerAddress, 10)).toBe(0);
    await apply({ perConsumer: 11 }, [25, 26]);
    expect(await hold(consumerAddress, 10)).toBe(10);
  });

  test('changes nothing of what the kernel lists as the fence, and nobody is told of its connections', async () => {
    await apply({ perConsumer: 10, total: 1000, newPerSecond: 100, halfOpen: 10 });
    const before = await network.table();
    const args = ['-c', 'timeout 4 nft monitor & sleep 3.5; wait || true'];
    const told = network.onDevice({ program: 'sh', args, doing: 'listening to nft' });
    await hold(consumerAddress, 30);
    await hold('fd99::2', 30, far.public6);
    await hold(otherConsumer, 5, silent);
    const after = await network.table();
    for (const set of [
      'rates4',
      'rates6',
      'consumers4',
      'consumers6',
      'shared',
      'all_consumers',
      'waiting4',
    ])
      expect(after.sets.get(set), set).not.toEqual([]);
    expect(after.listing).toBe(before.listing);
    expect(await told).toBe('');
  });

  test('leaves nothing in the sets once its connections are gone', async () => {
    await apply({ perConsumer: 10, newPerSecond: 100, halfOpen: 10 });
    await hold(consumerAddress, 10);
    expect((await network.table()).sets.get('consumers4')).toEqual([consumerAddress]);
    await network.consumer.say({ kind: 'close' });
    const left = async () => (await network.table()).sets.get('consumers4')?.length;
    await expect.poll(left).toBe(0);
  });
});
