import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createKernelWatch } from '../../../../src/agent/pass/kernel-watch.ts';
import type { KeptProgram } from '../../../../src/system/kept-program.ts';

/** A watch whose monitors say what the test lets them say, on a clock of its own. */
async function createWorld({ hears = true, router = '' } = {}) {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const wakes: number[] = [];
  const asked: string[] = [];
  const programs = new Map<string, KeptProgram>();
  const restarts: string[] = [];
  const watch = createKernelWatch({
    exec: async ({ args }) => {
      asked.push(args.join(' '));
      if (args.includes('get'))
        return JSON.stringify(router === '' ? [] : [{ gateway: '10.1.1.9', dev: 'v0' }]);
      if (args.includes('neighbour')) return JSON.stringify([{ lladdr: router }]);
      return args[0] === '-j' ? '[]' : '';
    },
    keepProgram: (program, signal) => {
      programs.set(program.program, program);
      const ended = new Promise<void>((resolve) =>
        signal.addEventListener('abort', () => resolve()),
      );
      return { ended, restart: () => void restarts.push(program.program) };
    },
    wakeup: { notify: () => void wakes.push(performance.now()) },
  });
  const controller = new AbortController();
  const running = watch.tick(controller.signal);
  if (hears) watch.begin();
  if (hears) await vi.advanceTimersByTimeAsync(10_000);
  const afterStart = { wakes: wakes.splice(0).length, isFenceChanged: watch.takeFenceChange() };
  let number = 1;
  const tellNft = (line: string) => {
    number += 1;
    programs.get('sh')?.onLine(line);
    programs.get('sh')?.onLine(`# new generation ${number} by process 7 (nft)`);
  };
  tellNft('add table ip strange');
  const renew = async () => {
    await watch.exec({ program: 'nft', args: ['-f', '-'], doing: 'test' });
    tellNft('add element inet tributary permit { "trib0" timeout 1m expires 1m }');
  };
  const countReads = () => asked.filter((line) => line.includes('address show')).length;
  return {
    afterStart,
    countReads,
    watch,
    wakes,
    restarts,
    programs,
    tellNft,
    renew,
    controller,
    running,
  };
}

const strange = 'add rule inet tributary destination accept';

describe('the watch over the kernel', () => {
  test('reads the network again where a change was told or made, where it was away, and every five minutes', async () => {
    const { watch, programs, countReads } = await createWorld();
    const change = '[ADDR]3: v0    inet 8.8.8.1/24 scope global v0';
    const readTwice = async () => {
      const before = countReads();
      await watch.observeNetwork();
      await watch.observeNetwork();
      return countReads() - before;
    };
    expect([await readTwice(), await readTwice()]).toEqual([1, 0]);
    programs.get('ip')?.onLine(change);
    expect([await readTwice(), await readTwice()]).toEqual([1, 0]);
    await watch.exec({ program: 'ip', args: ['-4', '-batch', '-'], doing: 'test' });
    expect([await readTwice(), await readTwice()]).toEqual([1, 0]);
    await watch.exec({ program: 'wg', args: ['show', 'x', 'dump'], doing: 'test' });
    expect(await readTwice()).toBe(0);
    programs.get('ip')?.onReturn();
    expect(await readTwice()).toBe(2);
    vi.advanceTimersByTime(2_000);
    expect([await readTwice(), await readTwice()]).toEqual([1, 0]);
    vi.advanceTimersByTime(299_000);
    expect(await readTwice()).toBe(0);
    vi.advanceTimersByTime(1_000);
    expect(await readTwice()).toBe(1);
  });

  test('reads it each time before its monitors hear', async () => {
    const { watch, countReads } = await createWorld({ hears: false });
    await watch.observeNetwork();
    await watch.observeNetwork();
    expect(countReads()).toBe(2);
  });

  test('looks once when its monitors hear: what was changed before is in force no longer than that', async () => {
    const { afterStart } = await createWorld();
    expect(afterStart).toEqual({ wakes: 1, isFenceChanged: true });
  });

  test('wakes the data path soon after a stranger’s change, once for a burst, and says so once', async () => {
    const { watch, wakes, tellNft } = await createWorld();
    vi.advanceTimersByTime(10_000);
    const startedAtMs = performance.now();
    for (let count = 0; count < 20; count += 1) tellNft(strange);
    vi.advanceTimersByTime(1_000);
    expect(wakes.map((atMs) => atMs - startedAtMs)).toEqual([50]);
    expect([watch.takeFenceChange(), watch.takeFenceChange()]).toEqual([true, false]);
  });

  test('lets the agent sleep through its own renewals', async () => {
    const { watch, wakes, renew } = await createWorld();
    for (let count = 0; count < 100; count += 1) {
      await renew();
      vi.advanceTimersByTime(15_000);
    }
    expect([wakes, watch.takeFenceChange()]).toEqual([[], false]);
  });

  test('wakes it where a quota of its own table is used up, and calls that no change of the fence', async () => {
    const { watch, wakes, programs } = await createWorld();
    const tell = (table: string) => {
      programs.get('sh')?.onLine(`a quota is used up in ${table}`);
      vi.advanceTimersByTime(60);
    };
    tell('strange');
    expect(wakes).toHaveLength(0);
    tell('tributary');
    expect([wakes.length, watch.takeFenceChange()]).toEqual([1, false]);
    vi.advanceTimersByTime(10_000);
    expect(wakes).toHaveLength(1);
  });

  test('wakes it for a link, an address, a route or a rule, and not for what is said again', async () => {
    const { watch, wakes, programs } = await createWorld();
    programs
      .get('ip')
      ?.onLine('[ADDR]3: v0    inet 8.8.8.1/24 scope global v0\\       valid_lft forever');
    vi.advanceTimersByTime(60);
    expect([wakes.length, watch.takeFenceChange()]).toEqual([1, false]);
    vi.advanceTimersByTime(10_000);
    programs
      .get('ip')
      ?.onLine('[ADDR]3: v0    inet 8.8.8.1/24 scope global v0\\       valid_lft forever');
    vi.advanceTimersByTime(10_000);
    expect(wakes).toHaveLength(1);
  });

  test('wakes it where another router answers at the same address, and not for other neighbours', async () => {
    const { watch, wakes, programs, countReads } = await createWorld({ router: '02:00:01' });
    await watch.observeNetwork();
    const reads = countReads();
    const tell = (address: string, hardwareAddress: string) => {
      programs.get('ip')?.onLine(`[NEIGH]${address} dev v0 lladdr ${hardwareAddress} STALE `);
      vi.advanceTimersByTime(60);
    };
    tell('10.1.1.8', '02:00:02');
    tell('10.1.1.9', '02:00:01');
    expect(wakes).toHaveLength(0);
    tell('10.1.1.9', '02:00:02');
    expect(wakes).toHaveLength(1);
    await watch.observeNetwork();
    expect(countReads()).toBe(reads + 1);
  });

  test('wakes it about once a second under a flood, and within a second of its last change', async () => {
    const { wakes, tellNft } = await createWorld();
    for (let ms = 0; ms < 60_000; ms += 10) {
      tellNft(strange);
      vi.advanceTimersByTime(10);
    }
    const lastAtMs = performance.now();
    expect(wakes.length).toBeGreaterThan(50);
    expect(wakes.length).toBeLessThan(70);
    vi.advanceTimersByTime(5_000);
    expect((wakes.at(-1) ?? 0) - lastAtMs).toBeLessThanOrEqual(1_000);
  });

  test('is as quick as ever some seconds after a flood', async () => {
    const { wakes, tellNft } = await createWorld();
    for (let count = 0; count < 500; count += 1) {
      tellNft(strange);
      vi.advanceTimersByTime(10);
    }
    vi.advanceTimersByTime(10_000);
    const startedAtMs = performance.now();
    tellNft(strange);
    vi.advanceTimersByTime(50);
    expect(wakes.at(-1)).toBe(startedAtMs + 50);
  });

  test('makes the data path look when a monitor was away', async () => {
    const { wakes, programs } = await createWorld();
    for (const name of ['sh', 'ip']) {
      programs.get(name)?.onReturn();
      vi.advanceTimersByTime(10_000);
    }
    expect(wakes).toHaveLength(2);
  });

  test('starts a monitor again that hangs, and one that has told very much', async () => {
    const { watch, restarts, tellNft } = await createWorld();
    vi.advanceTimersByTime(1);
    await watch.exec({ program: 'nft', args: ['-f', '-'], doing: 'test' });
    vi.advanceTimersByTime(6_000);
    expect([watch.takeFenceChange(), watch.takeFenceChange()]).toEqual([true, false]);
    expect(restarts).toEqual(['sh']);
    for (let count = 0; count < 3_000; count += 1)
      tellNft(`add element inet tributary own4 { 10.0.0.0/8 } # ${'x'.repeat(60)}`);
    expect(restarts).toEqual(['sh', 'sh']);
  });

  test('vouches for the table while its monitor hears, and no longer than five minutes', async () => {
    const { watch, tellNft } = await createWorld();
    expect(watch.vouchesFor(undefined)).toBe(false);
    const change = { program: 'nft', args: ['-f', '-'], doing: 'test' };
    vi.advanceTimersByTime(1);
    await watch.exec(change);
    vi.advanceTimersByTime(1);
    tellNft(strange);
    vi.advanceTimersByTime(15_000);
    expect([
      watch.vouchesFor(performance.now() - 299_000),
      watch.vouchesFor(performance.now() - 300_000),
    ]).toEqual([true, false]);
    await watch.exec(change);
    vi.advanceTimersByTime(15_000);
    expect(watch.vouchesFor(performance.now() - 30_000)).toBe(false);
  });

  test('leaves nothing running behind', async () => {
    const { controller, running, tellNft, wakes } = await createWorld();
    tellNft(strange);
    controller.abort();
    await running;
    vi.advanceTimersByTime(10_000);
    expect(wakes).toEqual([]);
  });

  test('does nothing without monitors', async () => {
    const { watch } = await createWorld();
    const none = createKernelWatch({
      exec: watch.exec,
      keepProgram: undefined,
      wakeup: { notify: () => undefined },
    });
    await none.tick(new AbortController().signal);
    expect(none.takeFenceChange()).toBe(false);
  });
});
