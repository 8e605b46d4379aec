import { expect, test } from 'vitest';
import { listWaysBack } from '../../../src/namespace/forwarding.ts';

const at = (name: string, address: string, isUp = true) => ({
  name,
  isUp,
  addresses: address === '' ? [] : [{ family: 4 as const, address, prefixLength: 24 }],
});

test.each([
  ['the uplink alone', [at('eth0', '192.168.1.5')], ['eth0']],
  [
    'WiFi in the same network',
    [at('eth0', '192.168.1.5'), at('wlan0', '192.168.1.6')],
    ['eth0', 'wlan0'],
  ],
  [
    'not WiFi that is off',
    [at('eth0', '192.168.1.5'), at('wlan0', '192.168.1.6', false)],
    ['eth0'],
  ],
  ['not another network', [at('eth0', '192.168.1.5'), at('docker0', '172.17.0.1')], ['eth0']],
  ['not what has no address', [at('eth0', '192.168.1.5'), at('wlan0', '')], ['eth0']],
  ['nothing without the uplink', [at('wlan0', '192.168.1.6')], []],
])('answers come in by %s', (_, interfaces, expected) => {
  expect(listWaysBack(interfaces, 'eth0')).toEqual(expected);
});
