import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { router, service, start, startYielding, tunnelEnd, type World } from './household-world.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('the household’s loop', () => {
  test.each([
    ['nothing is shared', 0],
    ['too little is shared to be felt', 50e3],
  ])('asks nobody and waits two seconds where %s', async (_, bitsPerSecond) => {
    const { home, asked, ends, rates, run } = start();
    home.bitsPerSecond = bitsPerSecond;
    expect(await run(10)).toEqual(Array.from({ length: 10 }, () => 4_000));
    expect([asked, rates]).toEqual([[], []]);
    expect(ends).toEqual(Array.from({ length: 10 }, () => 'rest'));
  });

  test('waits for each answer of the ping while something is shared, and leaves the rate alone while nothing is late', async () => {
    const { asked, rates, household, run } = start();
    const waits = await run(20);
    expect(waits.slice(1)).toEqual(Array.from({ length: 19 }, () => 400));
    expect(asked).toHaveLength(19);
    expect(asked.at(-1)).toEqual({
      loadBits: expect.closeTo(20e6, -6),
      lineBits: 0,
      rateBits: Number.POSITIVE_INFINITY,
      tunnelEnd,
      service,
      router,
    });
    expect(rates).toEqual([]);
    expect(household).toEqual({ yields: 0, measuredTo: 'first-hop' });
  });

  test('learns nothing where nobody is asked, and forgets nothing', async () => {
    const world = await startYielding();
    const { home, rates, household, run } = world;
    const count = rates.length;
    home.place = undefined;
    expect(await run(300)).toEqual(Array.from({ length: 300 }, () => 500));
    expect([rates.length, household.yieldingSince]).toEqual([count, expect.any(Date)]);
  });

  test('says whom it measures to, and why it is not by ping', async () => {
    const { home, household, run } = start();
    await run(5);
    expect(household).toMatchObject({ measuredTo: 'first-hop', pingProblem: undefined });
    home.place = { kind: 'service', place: service.host };
    home.problem = 'missing';
    expect((await run(5)).at(-1)).toBe(500);
    expect(household).toMatchObject({ measuredTo: 'service', pingProblem: 'missing' });
  });

  test.each([
    ['http://service.example', { host: 'service.example', port: 80 }],
    ['https://service.example:8443/api', { host: 'service.example', port: 8443 }],
    ['https://[2001:db8::1]', { host: '2001:db8::1', port: 443 }],
  ])('knows where %s is', async (baseUrl, target) => {
    const { asked, run } = start({ baseUrl });
    await run(2);
    expect(asked.map((question) => question.service)).toEqual([target]);
  });

  test('knows no tunnel’s end where no source has one', async () => {
    const { sections, asked, run } = start();
    sections.sources.wireGuard = undefined;
    await run(2);
    expect(asked.map((question) => question.tunnelEnd)).toEqual([undefined]);
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
    world.ends.length = 0;
    end(world);
    expect(await run(5)).toEqual(Array.from({ length: 5 }, () => 4_000));
    expect(rates.slice(setBefore)).toEqual([undefined]);
    expect(household).toEqual({
      bitsPerSecond: undefined,
      ceilingBitsPerSecond: undefined,
      yieldingSince: undefined,
      yields: 1,
      measuredTo: 'first-hop',
    });
    expect(world.ends).toEqual(Array.from({ length: 5 }, () => 'end'));
    expect(asked).toHaveLength(askedBefore);
    expect(said()).toEqual(['yielding to the household', 'the household leaves the line']);
    expect(household.yields).toBe(1);
  });
});

test('delays to another place are not compared with the former ones', async () => {
  const { home, rates, run } = start();
  await run(20);
  home.place = { kind: 'tunnel-end', place: tunnelEnd };
  home.delayOf = () => 90;
  await run(300);
  expect(rates).toEqual([]);
});
