import { expect, test } from 'vitest';
import { renderShownConfig, toShownConfig } from '../../../src/config/show.ts';
import { load, withService } from './config-fixture.ts';

const text = withService(
  'provide: { cap: { bytes: 500 GB } }',
  'gateway: { blocked_ports: [25, mail, udp/1-9] }',
);

test('every key is shown with its value and where it comes from', async () => {
  const loaded = await load(text, { TRIBUTARY_LOG_LEVEL: 'debug' });
  const { keys } = toShownConfig(loaded);
  const find = (key: string) => keys.find((shown) => shown.key === key);
  expect(find('provide.cap.bytes')).toEqual({
    key: 'provide.cap.bytes',
    value: 500e9,
    text: '500 GB',
    from: 'file',
    place: `${loaded.file}:3`,
  });
  expect(find('log.level')).toMatchObject({
    value: 'debug',
    from: 'environment',
    place: 'TRIBUTARY_LOG_LEVEL',
  });
  expect(find('provide.cap.period')).toMatchObject({
    value: 'month',
    from: 'default',
    place: null,
  });
  expect(find('device.spec')).toMatchObject({ value: null, text: 'not set', from: 'default' });
});

test.each([
  ['the default', '', '127.0.0.1:9469'],
  ['IPv6', 'status: { listen: "[2001:db8::1]:80" }', '[2001:db8::1]:80'],
])('where the page listens is shown as one text: %s', async (_, section, shown) => {
  const { keys } = toShownConfig(await load(withService(section)));
  expect(keys.find(({ key }) => key === 'status.listen')).toMatchObject({
    value: shown,
    text: shown,
  });
});

test('people see a tree', async () => {
  const loaded = await load(text, { TRIBUTARY_AUTH_CODE: 'hunter2' });
  const lines = renderShownConfig(toShownConfig(loaded))
    .split('\n')
    .map((line) => line.trimEnd().split(/\s{2,}/));
  expect(lines).toContainEqual(['provide']);
  expect(lines.filter(([name]) => name === 'source')).toEqual([['source', 'wireguard', 'default']]);
  expect(lines).toContainEqual(['', 'cap.bytes', '500 GB', `${loaded.file}:3`]);
  expect(lines).toContainEqual(['', 'blocked_ports', '25, mail, udp/1-9', `${loaded.file}:4`]);
  expect(lines).toContainEqual(['', 'auth-code', '[secret]', 'TRIBUTARY_AUTH_CODE']);
  expect(lines).toContainEqual(['', 'network-jwt', 'not set']);
});
