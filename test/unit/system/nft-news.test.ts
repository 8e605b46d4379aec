import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createNftNews } from '../../../src/system/kernel-news.ts';
import { lostLine } from '../../../src/system/nft-monitor.ts';

const renewal = [
  'delete element inet tributary permit { "trib0" timeout 1m expires 59s816ms }',
  'add element inet tributary permit { "trib0" timeout 1m expires 1m }',
];
const swap = [
  'add rule inet tributary destination accept',
  'delete rule inet tributary destination handle 8',
];
const elsewhere = [
  'add rule inet filter input comment "inet tributary forward"',
  'add table inet tributary_host',
];

/** A monitor that has told of one transaction, and a kernel that counts on. */
function createWorld() {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const news = createNftNews(async () => '', 'inet tributary');
  let number = 1;
  const tell = (lines: readonly string[]) => {
    number += 1;
    return [...lines, `# new generation ${number} by process 77 (nft)`].map((line) =>
      news.takeLine(line),
    );
  };
  const act = () => news.exec({ program: 'nft', args: ['-f', '-'], doing: 'test' });
  tell(elsewhere);
  expect(news.isChanged()).toBe(false);
  return {
    news,
    tell,
    act,
    /** Transactions that nobody told of. */
    miss: (count: number) => {
      number += count;
    },
  };
}

describe('what a monitor of nft tells', () => {
  test('is worth a look at the end of each transaction', () => {
    expect(createWorld().tell(swap)).toEqual([false, false, true]);
  });

  test('is no news where the agent did it', async () => {
    const { news, tell, act } = createWorld();
    for (let round = 0; round < 5; round += 1) {
      await act();
      tell(renewal);
      expect(news.isChanged()).toBe(false);
    }
  });

  test.each([
    ['swaps a rule', swap],
    ['takes the permit away', ['delete element inet tributary permit { "trib0" }']],
    ['grants it', ['add element inet tributary permit { "trib0" }']],
    ['takes one prefix out of a set', ['delete element inet tributary own4 { 10.0.0.0/8 }']],
    ['puts the table to sleep', ['add table inet tributary { flags dormant; }']],
    ['deletes the table', ['delete table inet tributary']],
    ['does what nothing was told of', []],
    ['does what was told in part', [...elsewhere, lostLine]],
  ])('is news, once, where another program %s', (_claim, lines) => {
    const { news, tell } = createWorld();
    tell(lines);
    expect([news.isChanged(), news.isChanged()]).toEqual([true, false]);
  });

  test('is news where another program’s change comes among the agent’s own', async () => {
    const { news, tell, act } = createWorld();
    await act();
    tell(renewal);
    tell(swap);
    await act();
    tell(renewal);
    expect(news.isChanged()).toBe(true);
  });

  test('is no news where it is about another table', () => {
    const { news, tell } = createWorld();
    tell(elsewhere);
    expect(news.isChanged()).toBe(false);
  });

  test('is news where transactions are missing, and the agent’s own were fewer', async () => {
    const { news, tell, act, miss } = createWorld();
    await act();
    miss(1);
    await act();
    tell(renewal);
    expect(news.isChanged()).toBe(false);
    await act();
    miss(2);
    await act();
    tell(renewal);
    expect(news.isChanged()).toBe(true);
  });

  test('is complete from the first transaction on, both the agent’s own and others’', async () => {
    const news = createNftNews(async () => '', 'inet tributary');
    const act = () => news.exec({ program: 'nft', args: ['-f', '-'], doing: 'test' });
    await act();
    await act();
    for (const line of [...renewal, '# new generation 9 by process 77 (nft)']) news.takeLine(line);
    expect(news.isChanged()).toBe(false);
    for (const line of [...swap, '# new generation 10 by process 77 (nft)']) news.takeLine(line);
    expect(news.isChanged()).toBe(true);
  });

  test('is not judged while a change of the agent’s own is under way', async () => {
    let finish: (text: string) => void = () => undefined;
    const news = createNftNews(
      () => new Promise((resolve) => (finish = resolve)),
      'inet tributary',
    );
    for (const line of [...elsewhere, '# new generation 2 by process 77 (nft)'])
      news.takeLine(line);
    const done = news.exec({ program: 'nft', args: ['-f', '-'], doing: 'test' });
    for (const line of [...renewal, '# new generation 3 by process 78 (nft)']) news.takeLine(line);
    expect(news.isChanged()).toBeUndefined();
    finish('');
    await done;
    expect(news.isChanged()).toBe(false);
  });

  test('counts neither what failed nor what only reads as the agent’s own', async () => {
    const failing = createNftNews(() => Promise.reject(new Error('no')), 'inet tributary');
    failing.takeLine('# new generation 2 by process 77 (nft)');
    await expect(
      failing.exec({ program: 'nft', args: ['-f', '-'], doing: 'test' }),
    ).rejects.toThrow('no');
    for (const line of [...swap, '# new generation 3 by process 78 (nft)']) failing.takeLine(line);
    expect(failing.isChanged()).toBe(true);
    const { news, tell } = createWorld();
    await news.exec({
      program: 'nft',
      args: ['-j', 'list', 'table', 'inet', 'tributary'],
      doing: 'test',
    });
    tell(swap);
    expect(news.isChanged()).toBe(true);
  });

  test('hides nothing for long where a change of the agent’s own was not told', async () => {
    const { news, tell, act } = createWorld();
    await act();
    vi.advanceTimersByTime(6_000);
    expect(news.isChanged()).toBe(false);
    tell(swap);
    expect(news.isChanged()).toBe(true);
  });
});

describe('a monitor', () => {
  test('counts as working once it has reported anything', () => {
    const news = createNftNews(async () => '', 'inet tributary');
    expect([news.isHearing(), news.takeHang()]).toEqual([false, false]);
    news.takeLine('# new generation 2 by process 77 (nft)');
    expect([news.isHearing(), news.takeHang()]).toEqual([true, false]);
  });

  test('hangs, once, where it does not tell of what the agent did', async () => {
    const { news, act } = createWorld();
    vi.advanceTimersByTime(1);
    await act();
    expect([news.isHearing(), news.takeHang()]).toEqual([true, false]);
    vi.advanceTimersByTime(5_001);
    expect([news.isHearing(), news.takeHang(), news.takeHang()]).toEqual([false, true, false]);
  });

  test('hangs where it tells of nothing that the agent does, however often that is', async () => {
    const { news, tell, act } = createWorld();
    for (let round = 0; round < 4; round += 1) {
      await act();
      vi.advanceTimersByTime(1_700);
    }
    expect([news.isHearing(), news.takeHang(), news.takeHang()]).toEqual([false, true, false]);
    await act();
    expect(news.isHearing()).toBe(true);
    tell(renewal);
    vi.advanceTimersByTime(60_000);
    expect([news.isHearing(), news.takeHang()]).toEqual([true, false]);
  });

  test('is waited for anew where it told of one change while the next was under way', async () => {
    let finish: (text: string) => void = () => undefined;
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const news = createNftNews(
      () => new Promise((resolve) => (finish = resolve)),
      'inet tributary',
    );
    const act = () => news.exec({ program: 'nft', args: ['-f', '-'], doing: 'test' });
    news.takeLine('# new generation 2 by process 77 (nft)');
    expect(news.isChanged()).toBe(true);
    const first = act();
    finish('');
    await first;
    const second = act();
    news.takeLine('# new generation 3 by process 77 (nft)');
    finish('');
    await second;
    vi.advanceTimersByTime(5_001);
    expect([news.isHearing(), news.takeHang()]).toEqual([false, true]);
  });

  test('is well where it tells of a change before the program that made it answers', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    let number = 2;
    const news = createNftNews(async () => {
      number += 1;
      for (const line of [...renewal, `# new generation ${number}`]) news.takeLine(line);
      return '';
    }, 'inet tributary');
    news.takeLine('# new generation 2');
    expect(news.isChanged()).toBe(true);
    for (let round = 0; round < 3; round += 1) {
      await news.exec({ program: 'nft', args: ['-f', '-'], doing: 'test' });
      expect(news.isChanged()).toBe(false);
      vi.advanceTimersByTime(20_000);
      expect([news.isHearing(), news.takeHang()]).toEqual([true, false]);
    }
  });
});
