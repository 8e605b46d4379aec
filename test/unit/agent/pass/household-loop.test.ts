import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type ProbeTarget, patienceMs } from '../../../../src/system/line-probe.ts';
import { router, service, start, startYielding, type World } from './household-world.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('the household’s loop', () => {
  test.each([
    ['nothing is shared', 0],
    ['too little is shared to be felt', 50e3],
  ])('asks nobody and waits two seconds where %s', async (_, bitsPerSecond) => {
    const { home, asked, rates, run } = start();
    home.bitsPerSecond = bitsPerSecond;
    expect(await run(10)).toEqual(Array.from({ length: 10 }, () => 4_000));
    expect([asked, rates]).toEqual([[], []]);
  });

  test('asks the service each half second while something is shared, and leaves the rate alone while nothing is late', async () => {
    const { asked, rates, household, run } = start();
    const waits = await run(20);
    expect(waits.slice(1)).toEqual(Array.from({ length: 19 }, () => 500));
    expect(asked).toEqual(Array.from({ length: 19 }, () => service));
    expect(rates).toEqual([]);
    expect(household).toEqual({ yields: 0 });
  });

  test.each([
    ['http://service.example', { host: 'service.example', port: 80 }],
    ['https://service.example:8443/api', { host: 'service.example', port: 8443 }],
    ['https://[2001:db8::1]', { host: '2001:db8::1', port: 443 }],
  ])('asks %s where it is', async (baseUrl, target) => {
    const { asked, run } = start({ baseUrl });
    await run(2);
    expect(asked).toEqual([target]);
  });

  test('sets the rate that is left, and tells it in its section', async () => {
    const { rates, household } = await startYielding();
    expect(rates.at(-1)).toBeLessThan(2e6);
    expect(household).toMatchObject({
      bitsPerSecond: rates.at(-1),
      yieldingSince: expect.any(Date),
    });
    expect(household.ceilingBitsPerSecond).toBeGreaterThanOrEqual(20e6);
  });

  test('sets it once for each change', async () => {
    const { rates, run } = await startYielding();
    const count = rates.length;
    await run(10);
    expect(rates).toHaveLength(count);
  });

  test('takes what the cards carry beyond what is shared for this device’s own', async () => {
    const [own, other] = [await startYielding(), await startYielding()];
    for (const world of [own, other]) {
      world.home.delayOf = () => 40;
      await world.run(60);
    }
    own.home.ownBits = 10e6;
    for (const world of [own, other]) {
      world.home.delayOf = () => 300;
      // What was carried before the first of them is seen with the second.
      await world.run(1);
      world.home.delayOf = () => 40;
      await world.run(1);
      world.home.delayOf = () => 300;
      await world.run(1);
    }
    expect(own.rates.at(-1)).toBeLessThan(2e6);
    expect(other.rates.at(-1)).toBeGreaterThan(10e6);
  });

  test('holds the owner’s limit, and does not take it for the household', async () => {
    const { sections, household, run, said } = start();
    sections.mode.limit = { bitsPerSecond: 5e6, source: 'configuration' } as never;
    await run(20);
    expect(household).toMatchObject({ bitsPerSecond: 5e6, ceilingBitsPerSecond: 5e6 });
    sections.mode.limit = { bitsPerSecond: 15e6, source: 'configuration' } as never;
    await run(5);
    expect(household).toMatchObject({ bitsPerSecond: 15e6, ceilingBitsPerSecond: 15e6 });
    expect([household.yieldingSince, said()]).toEqual([undefined, []]);
  });
});

describe('yielding', () => {
  test('is said once each way', async () => {
    const { home, household, run, said } = await startYielding();
    const { yieldingSince } = household;
    await run(20);
    expect(household.yieldingSince).toEqual(yieldingSince);
    expect(said()).toEqual(['yielding to the household']);
    expect(household.yields).toBe(1);
    home.delayOf = () => 40;
    await run(100);
    expect(household.yieldingSince).toBeUndefined();
    expect(said()).toEqual(['yielding to the household', 'the household leaves the line']);
    expect(household.yields).toBe(1);
  });

  test('is not said of the first cut, which looks for the end of the line', async () => {
    const { home, rates, run, said } = start();
    await run(20);
    home.delayOf = () => 60;
    await run(2);
    expect(rates.at(-1)).toBeLessThan(20e6);
    expect(said()).toEqual([]);
  });

  const endings: readonly (readonly [string, (world: World) => void])[] = [
    [
      'the owner turns it off',
      ({ sections: { configuration } }) => {
        const { provide } = configuration.config;
        configuration.config = {
          ...configuration.config,
          provide: { ...provide, household: 'off' },
        };
      },
    ],
    [
      'traffic may not pass',
      ({ sections: { mode } }) => {
        mode.decision = { permit: false, mode: 'none', reasons: [], devices: [] };
      },
    ],
    [
      'nothing is decided',
      ({ sections: { mode } }) => {
        mode.decision = undefined;
      },
    ],
  ];
  test.each(endings)('ends with everything given back where %s', async (_, end) => {
    const world = await startYielding();
    const { asked, rates, household, run, said } = world;
    const [askedBefore, setBefore] = [asked.length, rates.length];
    end(world);
    expect(await run(5)).toEqual(Array.from({ length: 5 }, () => 4_000));
    expect(rates.slice(setBefore)).toEqual([undefined]);
    expect(household).toEqual({
      bitsPerSecond: undefined,
      ceilingBitsPerSecond: undefined,
      yieldingSince: undefined,
      yields: 1,
    });
    expect(asked).toHaveLength(askedBefore);
    expect(said()).toEqual(['yielding to the household', 'the household leaves the line']);
    expect(household.yields).toBe(1);
  });
});

describe('a service that does not answer', () => {
  const hostsOf = ({ asked }: World, from: number) =>
    new Set(asked.slice(from).map(({ host }) => host));

  test.each([
    ['says nothing', patienceMs],
    ['cannot be tried', undefined],
  ])('is replaced by the router for five minutes where it %s', async (_, delayMs) => {
    const world = start();
    await world.run(10);
    world.home.delayOf = ({ host }) => (host === service.host ? delayMs : 2);
    await world.run(5);
    const from = world.asked.length;
    await world.run(500);
    expect(world.asked.slice(from)).toEqual(Array.from({ length: 500 }, () => router));
    world.home.delayOf = () => 40;
    await world.run(120);
    expect(world.asked.at(-1)).toEqual(service);
  });

  test('is not replaced after a single failure, nor if it answers in between', async () => {
    const world = start();
    await world.run(10);
    let count = 0;
    world.home.delayOf = () => {
      count += 1;
      return count % 2 === 0 ? 40 : undefined;
    };
    await world.run(40);
    expect(hostsOf(world, 0)).toEqual(new Set([service.host]));
  });

  test.each([
    ['a router that is farther', 90],
    ['the service, which is farther than the router, when it is asked again', 2],
  ])('is no reason to yield: %s', async (_, routerMs) => {
    const world = start();
    const { home, rates, run } = world;
    const delayOf = ({ host }: ProbeTarget) => (host === service.host ? 40 : routerMs);
    home.delayOf = delayOf;
    await run(20);
    home.delayOf = (target) => (target.host === service.host ? undefined : delayOf(target));
    await run(300);
    home.delayOf = delayOf;
    await run(600);
    expect(world.asked.at(-1)).toEqual(service);
    expect(hostsOf(world, 0)).toEqual(new Set([service.host, router.host]));
    expect(rates).toEqual([]);
  });

  test('is tried again where no router is known', async () => {
    const world = start();
    world.sections.path.observed = undefined;
    world.home.delayOf = () => undefined;
    await world.run(20);
    expect(hostsOf(world, 0)).toEqual(new Set([service.host]));
    expect(world.rates).toEqual([]);
  });
});
