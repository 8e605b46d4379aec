import { describe, expect, test } from 'vitest';
import { createIpNews } from '../../../src/system/kernel-news.ts';

// As iproute2 6.1 prints them.
const lines = {
  linkUp:
    '[LINK]3: v0@v1: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc noqueue state UP group default \\    link/ether 22:05',
  linkDown:
    '[LINK]3: v0@v1: <BROADCAST,MULTICAST> mtu 1500 qdisc noqueue state DOWN group default \\    link/ether 22:05',
  otherLink:
    '[LINK]2: v1@v0: <BROADCAST,MULTICAST,UP> mtu 1500 qdisc noqueue state UP group default \\    link/ether ea:0e',
  address:
    '[ADDR]3: v0    inet 10.1.1.1/24 scope global v0\\       valid_lft forever preferred_lft forever',
  address6: (seconds: number) =>
    `[ADDR]3: v0    inet6 2001:db8::1/64 scope global dynamic \\       valid_lft ${seconds}sec preferred_lft ${seconds}sec`,
  route6: (seconds: number) =>
    `[ROUTE]default via fe80::1 dev v0 proto ra metric 1024 expires ${seconds}sec hoplimit 64 pref medium`,
  route: (via: string) => `[ROUTE]default via ${via} dev v0 `,
  reply: '[ROUTE]default dev trib0 table 51820 scope link ',
  rule: '[RULE]5182:\tfrom all iif v0 lookup 51820',
};

const told = (...said: readonly string[]) => {
  const isNews = createIpNews();
  return said.map((line) => isNews(line));
};

describe('what ip monitor tells', () => {
  test.each(
    Object.entries({
      ...lines,
      address6: lines.address6(9),
      route6: lines.route6(9),
      route: lines.route('::'),
    }),
  )('is news the first time: %s', (_name, line) => {
    expect(told(line)).toEqual([true]);
  });

  test('is no news where a router advertises the same again', () => {
    const said = [100, 90, 100].flatMap((seconds) => [
      lines.address6(seconds),
      lines.route6(seconds),
    ]);
    expect(told(...said)).toEqual([true, true, false, false, false, false]);
  });

  test('is news each time that a link goes down or comes up, but not when a line is repeated', () => {
    expect(told(lines.linkUp, lines.linkDown, lines.linkUp, lines.otherLink, lines.linkUp)).toEqual(
      [...[true, true, true, true], false],
    );
  });

  test('is news where a route changes from one router to another and back', () => {
    expect(told(lines.route('10.0.0.1'), lines.route('10.0.0.2'), lines.route('10.0.0.1'))).toEqual(
      [true, true, true],
    );
  });

  test.each([
    'default \\\tnexthop via 10.0.0.1 dev v0 weight 1 \\\tnexthop via 10.0.0.1 dev v1 weight 1 ',
    'blackhole default ',
    'default via 10.0.0.1 dev v0 onlink ',
    'default via 10.0.0.1 dev v0 linkdown ',
    'default dev v0 scope link ',
  ])('is news where a route is replaced by "%s" and back', (other) => {
    const before = lines.route('10.0.0.1');
    expect(told(before, `[ROUTE]${other}`, before)).toEqual([true, true, true]);
  });

  test.each([lines.reply, lines.rule, lines.address])(
    'is news each time that %s is deleted',
    (line) => {
      const gone = line.replace(']', ']Deleted ');
      expect(told(line, gone, line, gone, gone)).toEqual([true, true, true, true, true]);
    },
  );

  test('tells routes of the same destination in two tables apart', () => {
    const main = '[ROUTE]default dev trib0 scope link ';
    expect(told(main, lines.reply, main, lines.reply)).toEqual([true, true, false, false]);
  });

  test('tells routes of the same destination with two metrics apart', () => {
    const [one, other] = ['metric 100', 'metric 600'].map(
      (it) => `${lines.route('10.0.0.1')}${it} `,
    );
    expect(told(one ?? '', other ?? '', one ?? '', other ?? '')).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  test('is no news of a neighbour, who comes and goes all the time', () => {
    const neighbour = '[NEIGH]10.0.0.9 dev v0 lladdr 02:00:00:00:00:01 ';
    expect(told(`${neighbour}REACHABLE `, `${neighbour}STALE `)).toEqual([false, false]);
  });
});
