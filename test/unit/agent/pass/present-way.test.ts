import { describe, expect, test } from 'vitest';
import { createPresentWay, type FoundWay } from '../../../../src/agent/pass/present-way.ts';

const address = '192.168.1.1';
const [one, other] = ['02:00:00:00:00:01', '02:00:00:00:00:02'];
const at = (hardwareAddress?: string, changes = {}) => ({
  interface: 'eth0',
  address,
  hardwareAddress,
  ...changes,
});
const at6 = (hardwareAddress?: string, own = 'fe80::1') => at(hardwareAddress, { address: own });
const way = (...routers: FoundWay['routers']): FoundWay => ({
  uplink: 'eth0',
  router: address,
  routers,
});

/** At which of these the way is another than before. */
function findChanges(...found: readonly (FoundWay | undefined)[]): readonly number[] {
  const presentWay = createPresentWay();
  const texts = found.map((each) => presentWay(each));
  return texts.flatMap((text, index) => (index > 0 && text !== texts[index - 1] ? [index] : []));
}

describe('the way to the Internet', () => {
  test.each<readonly [string, readonly (FoundWay | undefined)[], readonly number[]]>([
    ['stays while nothing changes', [way(at(one)), way(at(one))], []],
    ['is another with another uplink', [way(at(one)), { ...way(at(one)), uplink: 'wlan0' }], [1]],
    ['is another with another router', [way(), { ...way(), router: '192.168.1.2' }], [1]],
    ['is another where another router has its address', [way(at(one)), way(at(other))], [1]],
    ['is another where that comes after a silence', [way(at(one)), way(at()), way(at(other))], [2]],
    ['stays while the router is asked for', [way(at()), way(at(one)), way(at()), way(at(one))], []],
    ['stays where IPv6 comes later', [way(at(one)), way(at(one), at6(one))], []],
    ['stays where IPv6 is away for a while', [way(at6(one)), way(), way(at6(one))], []],
    ['is another with another router of IPv6', [way(at6(one)), way(at6(one, 'fe80::2'))], [1]],
    [
      'is another where another router of IPv6 has its address',
      [way(at(one), at6(one)), way(at(one), at6(other)), way(at(one), at6(other))],
      [1],
    ],
    ['follows the first of several routers', [way(at(one), at(other)), way(at(one))], []],
    ['is none without an uplink', [way(at(one)), undefined, way(at(one))], [1, 2]],
  ])('%s', (_, found, changes) => {
    expect(findChanges(...found)).toEqual(changes);
  });
});
