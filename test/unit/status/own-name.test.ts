import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toHostName } from '../../../src/lib/host-name.ts';
import { refuseHost } from '../../../src/status/handler.ts';
import { assertLaw } from '../law.ts';

const names = ['Kitchen.example.org', 'proxy.example.net'];
const unnamed = 'The request names no host: ask by name or by address.';

describe('the page answers', () => {
  test.each([
    '127.0.0.1',
    '127.0.0.1:9469',
    '192.168.1.5:9469',
    '[::1]:9469',
    '[fd00::5]',
    'localhost',
    'LocalHost:9469',
    // A service of a compose file, a host's own short name, either as typed with the dot of the
    // root.
    'tributary:9469',
    'my_tributary-1:9469',
    'raspberrypi',
    'raspberrypi.:9469',
    'raspberrypi.local:9469',
    'RASPBERRYPI.LOCAL.',
    'tributary.lan',
    'tributary.internal',
    'pi.home.arpa:80',
    'tributary.default.svc.cluster.local:9469',
    'kitchen.example.org',
    'KITCHEN.example.org.:9469',
    'proxy.example.net:443',
  ])('%s', (host) => {
    expect(refuseHost(host, names)).toBeUndefined();
  });
});

describe('the page does not answer', () => {
  test.each([
    'evil.example:9469',
    'evil.example',
    'EVIL.example.',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    'x.local.evil.example',
    'tributary.lan.evil.example:9469',
    'evil-local.example',
    'home.arpa.example',
    'x.kitchen.example.org',
    'kitchen.example.org.evil.example',
    'fritz.box',
    'evil.com.home.arpa.co',
    // Endings of a home are endings of whole labels.
    'evil.notlocal',
    'evil.wlan',
    'home.arpa.evil',
  ])('%s, and says which key allows it', (host) => {
    const name = host.toLowerCase().replace(/:\d+$/, '').replace(/\.$/, '');
    expect(refuseHost(host, names)).toBe(
      `${name} is not known as a name of this device. If it is yours, add it to status.allowed_hosts in the configuration and restart the agent.`,
    );
  });

  test.each([
    undefined,
    '',
    '.',
    '..',
    ':9469',
    'evil.example@raspberrypi.local',
    'owner:secret@raspberrypi.local:9469',
    'raspberrypi.local/evil.example',
    'raspberrypi.local#evil.example',
    'raspberrypi.local, evil.example',
    'raspberrypi.local evil.example',
    'raspberrypi.local..',
    'evil.example..local',
    '.local',
    '[raspberrypi.local]:9469',
    '[127.0.0.1]:9469',
    '[::1',
    '[]',
    '::1',
    'raspberrypi.local:',
    'raspberrypi.local:99999999',
    'raspberrypi.local:9469:9469',
    '-x.local',
    'evil\u0000.local',
    'évil.local',
    `${'x'.repeat(64)}.local`,
    `${'x.'.repeat(130)}local`,
  ])('a request whose Host is no name: %s', (host) => {
    expect(refuseHost(host, names)).toBe(unnamed);
  });

  test('any name under a public ending that nobody allowed', () => {
    assertLaw(fc.domain(), (domain) => {
      const isHome = /\.(local|lan|internal|home\.arpa)$/.test(domain);
      expect(refuseHost(domain, names) === undefined).toBe(isHome);
      expect(refuseHost(`${domain}:9469`, [...names, domain.toUpperCase()])).toBeUndefined();
    });
  });

  test('whatever else a request may say it is for', () => {
    assertLaw(fc.string({ unit: 'binary' }), (host) => {
      if (refuseHost(`${host}.evil.example`, [])?.length === undefined) throw new Error(host);
    });
  });
});

test.each([
  ['tributary.example.org', 'tributary.example.org'],
  ['Tributary.Example.org.', 'tributary.example.org'],
  ['https://tributary.example.org', undefined],
  ['tributary.example.org:9469', undefined],
  ['*.example.org', undefined],
  ['', undefined],
  ['a b', undefined],
])('%s is the host %s', (text, name) => {
  expect(toHostName(text)).toBe(name);
});
