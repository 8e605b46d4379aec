import { expect, it } from 'vitest';
import {
  formatHostPort,
  hostPortOfUrl,
  parseHostPort,
  toUrlHost,
} from '../../../src/lib/host-port.ts';

it.each([
  ['127.0.0.1:9469', '127.0.0.1', 9469],
  ['[::1]:9469', '::1', 9469],
  ['[2001:db8::1]:65535', '2001:db8::1', 65_535],
  ['[fe80::1%eth0]:51820', 'fe80::1%eth0', 51_820],
  ['proxy.example:0', 'proxy.example', 0],
])('%s is read and written back', (text, host, port) => {
  expect(parseHostPort(text)).toEqual({ host, port });
  expect(formatHostPort({ host, port })).toBe(text);
});

it.each([
  '',
  ':',
  ':80',
  'host',
  'host:',
  'host:x',
  'host:-1',
  'host:65536',
  'host:123456',
  '::1:80',
  '[::1]',
  '[::1]80',
  '[]:80',
  '[[::1]]:80',
  '[proxy.example]:80',
  'host:1:2',
  'host:80 ',
  ' host:80\n',
])('%j is no host with a port', (text) => {
  expect(parseHostPort(text)).toBeUndefined();
});

it.each([
  ['https://service.example/api', 'service.example', 443],
  ['http://192.0.2.1', '192.0.2.1', 80],
  ['http://[2001:db8::1]:8080/x', '2001:db8::1', 8080],
  ['mqtts://broker.example', 'broker.example', 8883],
  ['mqtt://[::1]/', '::1', 1883],
])('%s leads to its host and port', (text, host, port) => {
  expect(hostPortOfUrl(text)).toEqual({ host, port });
});

it.each(['', 'service.example', 'ftp://files.example', 'unix:///run/x'])(
  '%j is no address that leads to a host',
  (text) => {
    expect(() => hostPortOfUrl(text)).toThrow(TypeError);
  },
);

it('brackets belong to IPv6 addresses alone', () => {
  expect(toUrlHost('2001:db8::1')).toBe('[2001:db8::1]');
  expect(toUrlHost('192.0.2.1')).toBe('192.0.2.1');
  expect(toUrlHost('service.example')).toBe('service.example');
});
