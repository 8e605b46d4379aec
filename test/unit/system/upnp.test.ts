import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  askUpnpRouter,
  findConnectionService,
  readExternalAddress,
  toPlaceOn,
} from '../../../src/system/upnp.ts';
import { startResponder } from './fake-router.ts';

const type = 'urn:schemas-upnp-org:service:WANIPConnection:1';
const service = (controlUrl: string, name = type) =>
  `<service><serviceType>${name}</serviceType><controlURL>${controlUrl}</controlURL></service>`;
const told = '<s:Body><u:R><NewExternalIPAddress>45.83.100.7</NewExternalIPAddress></u:R></s:Body>';

const atRoot = (base: string) => `${base}/root.xml`;

/** A router's UPnP: `pages` by path; `location` as it says it is found at. */
async function startRouter(pages: Readonly<Record<string, string>>, location = atRoot) {
  const calls: string[] = [];
  let base = '';
  const router = await startResponder(1900, () =>
    Buffer.from(`HTTP/1.1 200 OK\r\nLOCATION: ${location(base)}\r\n\r\n`),
  );
  const server = createServer((request, response) => {
    calls.push(`${request.method} ${request.url} ${request.headers.soapaction ?? ''}`.trim());
    response.end(pages[request.url ?? '']);
  });
  await new Promise<void>((resolve) => server.listen(0, router.address, resolve));
  onTestFinished(() => {
    server.close();
  });
  base = `http://${router.address}:${(server.address() as AddressInfo).port}`;
  return { address: router.address, calls };
}

const { signal } = new AbortController();

describe('a router that speaks UPnP', () => {
  test('is asked for its address, and for nothing else', async () => {
    const router = await startRouter({ '/root.xml': service('/ctl'), '/ctl': told });
    expect(await askUpnpRouter(router.address, signal)).toBe('45.83.100.7');
    expect(router.calls).toEqual(['GET /root.xml', `POST /ctl "${type}#GetExternalIPAddress"`]);
  });

  test.each<readonly [string, Readonly<Record<string, string>>, (base: string) => string]>([
    [
      'leads to another host',
      { '/root.xml': service('/ctl'), '/ctl': told },
      () => 'http://127.0.0.1:9/root.xml',
    ],
    ['leads to a file', {}, () => 'file:///etc/passwd'],
    ['has its control elsewhere', { '/root.xml': service('http://127.0.0.1:9/ctl') }, atRoot],
    [
      'sends more than a description',
      { '/root.xml': `${service('/ctl')}${' '.repeat(70_000)}`, '/ctl': told },
      atRoot,
    ],
    [
      'has no such service',
      { '/root.xml': service('/ctl', 'urn:schemas-upnp-org:service:Layer3Forwarding:1') },
      atRoot,
    ],
    [
      'tells no address',
      { '/root.xml': service('/ctl'), '/ctl': told.replace('45.83.100.7', 'example') },
      atRoot,
    ],
  ])('that %s is not believed', async (_claim, pages, location) => {
    const router = await startRouter(pages, location);
    expect(await askUpnpRouter(router.address, signal)).toBeUndefined();
  });
});

test('the first service of a description that knows the address is used', () => {
  const other = service('/no', 'urn:schemas-upnp-org:service:WANCommonInterfaceConfig:1');
  expect(findConnectionService(`${other}${service('/yes')}`)).toEqual({ type, controlUrl: '/yes' });
  expect(findConnectionService('<service>'.repeat(10_000))).toBeUndefined();
});

test.each([
  ['<NewExternalIPAddress>1.2.3.4</NewExternalIPAddress>', '1.2.3.4'],
  ['<NewExternalIPAddress xmlns="">1.2.3.4</NewExternalIPAddress>', '1.2.3.4'],
  ['<NewExternalIPAddress>1.2.3.456</NewExternalIPAddress>', undefined],
  ['<NewExternalIPAddress></NewExternalIPAddress>', undefined],
])('%s', (xml, address) => {
  expect(readExternalAddress(xml)).toBe(address);
});

test.each([
  ['http://192.168.1.1:49152/x', 'http://192.168.1.1:49152/x'],
  ['http://192.168.1.10/x', undefined],
  ['http://user@192.168.1.1/x', undefined],
  ['https://192.168.1.1/x', undefined],
  ['', undefined],
])('%s is on the router: %s', (text, expected) => {
  expect(toPlaceOn('192.168.1.1', text)?.href).toBe(expected);
});
