import { expect, test } from 'vitest';
import {
  hasHook,
  listHookLines,
  listUplinkHookLines,
  readSegments,
  readUplinkSegments,
  renderHookRemoval,
} from '../../../src/gateway/segment-hook.ts';

const counted = `qdisc noqueue 0: root refcnt 2 
 Sent 0 bytes 0 pkt (dropped 0, overlimits 0 requeues 0) 
 backlog 0b 0p requeues 0
qdisc clsact ffff: parent ffff:fff1 
 Sent 20912308 bytes 13822 pkt (dropped 0, overlimits 0 requeues 0) 
 backlog 0b 0p requeues 0
`;
const redirect = `filter protocol all pref 20 u32 chain 0 
filter protocol all pref 20 u32 chain 0 fh 800::800 order 2048 key ht 800 bkt 0 terminal flowid not_in_hw 
  match 00000000/00000000 at 0
	action order 1: mirred (Egress Redirect to device tributary-line) stolen
	index 1 ref 1 bind 1 installed 9 sec used 1 sec firstused 9 sec
	Action statistics:
	Sent 4711 bytes 42 pkt (dropped 0, overlimits 0 requeues 0) 
	backlog 0b 0p requeues 0
`;
const hook = 'filter protocol all pref 30 u32 chain 0 \n';

test('what leaves by a device is read where it leaves once', () => {
  const said = `${counted}${redirect}${hook}`;
  expect(readSegments(said, { isRedirected: false })).toEqual({
    bytes: 20_912_308,
    packets: 13_822,
  });
  expect(readSegments(said, { isRedirected: true })).toEqual({ bytes: 4_711, packets: 42 });
});

test('what consumers sent is read at the uplink, where it leaves once', () => {
  const counting = `filter protocol all pref 30 bpf chain 0 handle 0x1 bytecode '4,32 0 0' not_in_hw
	action order 1: gact action pass
	 random type none pass val 0
	 index 1 ref 1 bind 1 installed 17 sec used 2 sec firstused 9 sec
	Action statistics:
	Sent 21400 bytes 20 pkt (dropped 0, overlimits 0 requeues 0)
`;
  const said = `${counted}${redirect}${counting}`;
  expect(readUplinkSegments(said, { isRedirected: false })).toEqual({ bytes: 21_400, packets: 20 });
  expect(readUplinkSegments(said, { isRedirected: true })).toEqual({ bytes: 4_711, packets: 42 });
  expect(readUplinkSegments(counted, { isRedirected: false })).toBeUndefined();
  expect(listUplinkHookLines('lan9')[1]).toMatch(/dev lan9 egress .*pref 30 bpf .* action pass$/);
});

test('where nothing counts, nothing is read', () => {
  expect(readSegments(counted, { isRedirected: true })).toBeUndefined();
  expect(
    readSegments('qdisc noqueue 0: root refcnt 2 \n Sent 9 bytes 1 pkt\n', { isRedirected: false }),
  ).toBeUndefined();
});

test('the hook is known by its own filter', () => {
  expect([hasHook(`${counted}${redirect}`), hasHook(`${counted}${hook}`)]).toEqual([false, true]);
  expect(listHookLines('tun9')[1]).toContain('pref 30 ');
  expect(renderHookRemoval('tun9')).toContain('pref 30');
});
