import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../../src/config/load.ts';
import { linesOf, load, makeDirectory, makeFile, withService } from './config-fixture.ts';

const portsAllowed =
  'a port from 1 to 65535, a range ("6881-6889"), ports of one protocol ("udp/1900", "tcp/6660-6669") or "mail", "file-sharing", "scanning", "router-helpers", "web-only", "other-protocols"';

describe('one wrong value gives one line with place, finding and what is allowed', () => {
  const rows: readonly (readonly [string, string, string])[] = [
    [
      'a number where an amount with its unit is asked',
      'provide: { cap: { bytes: 500 } }',
      'provide.cap.bytes: found 500 without a unit; allowed: an amount of data with its unit, such as "500 GB" or "1.5 TiB"',
    ],
    [
      'an amount with an unknown unit',
      'provide: { cap: { bytes: 5 GX } }',
      'provide.cap.bytes: found "5 GX"; allowed: an amount of data with its unit, such as "500 GB" or "1.5 TiB"',
    ],
    [
      'a cap of nothing',
      'provide: { cap: { bytes: 0 GB } }',
      'provide.cap.bytes: found "0 GB"; allowed: more than nothing; to share no data at all set provide.mode to "none"',
    ],
    [
      'a cap without an amount',
      'provide: { cap: { period: day } }',
      'provide.cap.bytes: missing; allowed: an amount of data with its unit, such as "500 GB" or "1.5 TiB"',
    ],
    [
      'a cap whose keys are all commented out',
      'provide: { cap: }',
      'provide.cap: found nothing; allowed: keys below it: bytes, period, reset_day, counts',
    ],
    [
      'a rate so low that nothing works',
      'provide: { rate_limit: { line: 63 kbit } }',
      'provide.rate_limit.line: found "63 kbit"; allowed: a rate from "64 kbit" to "100 Gbit"',
    ],
    ...[
      'rate_limit: { line: 0 Mbit }',
      'rate_limit: { line: 101 Gbit }',
      'rate_limit: { line: 0.063 Mbit }',
    ].map((limit): readonly [string, string, string] => [
      `a limit out of range (${limit})`,
      `provide: { ${limit} }`,
      `provide.rate_limit.line: found "${limit.slice(20, -2)}"; allowed: a rate from "64 kbit" to "100 Gbit"`,
    ]),
    [
      'a limit without its unit',
      'provide: { rate_limit: { line: 20 } }',
      'provide.rate_limit.line: found 20 without a unit; allowed: a rate with its unit, such as "20 Mbit" or "500 kbit" (per second)',
    ],
    [
      'a limit of one direction',
      'provide: { rate_limit: { up: 5 Mbit } }',
      'provide.rate_limit.up: unknown key; allowed: line',
    ],
    [
      'a limit by the clock of zero',
      'provide: { schedule: [{ cron: "0 1 * * *", mode: none, rate_limit: { line: 0 kbit } }] }',
      'provide.schedule[0].rate_limit.line: found "0 kbit"; allowed: a rate from "64 kbit" to "100 Gbit"',
    ],
    [
      'a limit by the clock without a mode',
      'provide: { schedule: [{ cron: "0 1 * * *", rate_limit: { line: 1 Mbit } }] }',
      'provide.schedule[0].mode: missing; allowed: "default", "none", "network", "friends", "public", "stream"',
    ],
    [
      'a household that comes last',
      'provide: { household: last }',
      'provide.household: found "last"; allowed: "first", "off"',
    ],
    [
      'a cap that counts otherwise',
      'provide: { cap: { bytes: 1 GB, counts: both } }',
      'provide.cap.counts: found "both"; allowed: "share", "line"',
    ],
    [
      'a mark that is a word',
      'gateway: { low_priority: low }',
      'gateway.low_priority: found "low"; allowed: true or false',
    ],
    [
      'an unknown mode',
      'provide: { mode: everyone }',
      'provide.mode: found "everyone"; allowed: "default", "none", "network", "friends", "public", "stream"',
    ],
    [
      'an hour that no clock knows',
      'provide: { schedule: [{ cron: "0 24 * * *", mode: none }] }',
      'provide.schedule[0].cron: found "0 24 * * *"; allowed: a valid five-field cron expression (its hour 24 is out of range)',
    ],
    [
      'a cron expression with seconds',
      'report: { cron: "0 0 1 * * *" }',
      'report.cron: found "0 0 1 * * *"; allowed: a cron expression of five fields (minute, hour, day, month, day of week), such as "0 22 * * *"',
    ],
    [
      'a cron range that would fill the memory',
      'report: { cron: "0-99999999999 * * * *" }',
      'report.cron: found "0-99999999999 * * * *"; allowed: a cron expression of five fields (minute, hour, day, month, day of week), such as "0 22 * * *"',
    ],
    [
      'two entries that fire together',
      'provide: { schedule: [{ cron: "0 1 * * *", mode: none }, { cron: "0  1 * * *", mode: public }] }',
      'provide.schedule[1].cron: found "0 1 * * *"; allowed: another time: provide.schedule[0] begins then too',
    ],
    [
      'two entries that fire together, one written with zeros',
      'provide: { schedule: [{ cron: "0 7 * * *", mode: none }, { cron: "00 07 * * *", mode: public }] }',
      'provide.schedule[1].cron: found "00 07 * * *"; allowed: another time: provide.schedule[0] begins then too',
    ],
    [
      'a time of two fields',
      'provide: { schedule: [{ cron: "0 22", mode: none }] }',
      'provide.schedule[0].cron: found "0 22"; allowed: a cron expression of five fields (minute, hour, day, month, day of week), such as "0 22 * * *"',
    ],
    [
      'a reset day of a day',
      'provide: { cap: { bytes: 1 GB, period: day, reset_day: 1 } }',
      'provide.cap.reset_day: found 1; allowed: none with period "day", which begins every midnight',
    ],
    [
      'an eighth day of a week',
      'provide: { cap: { bytes: 1 GB, period: week, reset_day: 8 } }',
      'provide.cap.reset_day: found 8; allowed: with period "week" 1 (Monday) to 7 (Sunday)',
    ],
    [
      'a destination that is everything',
      'gateway: { allow_destinations: [10.0.0.0/8, 0.0.0.0/0] }',
      'gateway.allow_destinations[1]: found "0.0.0.0/0"; allowed: a prefix of /8 or longer (IPv6: /7 or longer): a wider one would open every private network',
    ],
    [
      'a destination that is half of everything, IPv6',
      'gateway: { allow_destinations: ["8000::/1"] }',
      'gateway.allow_destinations[0]: found "8000::/1"; allowed: a prefix of /8 or longer (IPv6: /7 or longer): a wider one would open every private network',
    ],
    [
      'a denied destination by name',
      'gateway: { deny_destinations: [example.com] }',
      'gateway.deny_destinations[0]: found "example.com"; allowed: an address, a prefix of /1 or longer, or a file of them by its full path, such as "file:/etc/tributary/lists/drop.txt"',
    ],
    [
      'a denied destination that is everything',
      'gateway: { deny_destinations: ["198.51.100.7", "::/0"] }',
      'gateway.deny_destinations[1]: found "::/0"; allowed: an address, a prefix of /1 or longer, or a file of them by its full path, such as "file:/etc/tributary/lists/drop.txt"',
    ],
    [
      'a file of denied destinations without its full path',
      'gateway: { deny_destinations: ["file:drop.txt"] }',
      'gateway.deny_destinations[0]: found "file:drop.txt"; allowed: an address, a prefix of /1 or longer, or a file of them by its full path, such as "file:/etc/tributary/lists/drop.txt"',
    ],
    [
      'a destination that is allowed and denied',
      'gateway: { allow_destinations: [192.168.1.9/24], deny_destinations: [198.51.100.7, 192.168.1.0/24] }',
      'gateway.deny_destinations[1]: found "192.168.1.0/24"; allowed: what is not in gateway.allow_destinations too',
    ],
    [
      'more files than there is room for',
      `gateway: { deny_destinations: [${Array.from({ length: 17 }, (_, index) => `"file:/${index}"`).join(', ')}] }`,
      'gateway.deny_destinations: found "17 files"; allowed: at most 16',
    ],
    [
      'a public address that no home can have',
      'gateway: { public_address: { fixed: 192.168.1.1 } }',
      'gateway.public_address.fixed: found "192.168.1.1"; allowed: an IPv4 address on the Internet, such as "203.0.113.7"',
    ],
    [
      'a STUN server without its port',
      'gateway: { public_address: { stun: stun.example } }',
      'gateway.public_address.stun: found "stun.example"; allowed: HOST:PORT, such as "stun.example:3478"',
    ],
    [
      'a STUN server with a port that is none',
      'gateway: { public_address: { stun: "stun.example:70000" } }',
      'gateway.public_address.stun: found "stun.example:70000"; allowed: HOST:PORT, such as "stun.example:3478"',
    ],
    [
      'one port where a list is asked',
      'gateway: { blocked_ports: 25 }',
      'gateway.blocked_ports: found 25; allowed: a list of at most 1000, such as "[one, other]"',
    ],
    [
      'a part of the connections that is more than all',
      'gateway: { connections: { total: 100, per_consumer: 101 } }',
      'gateway.connections.per_consumer: found 101; allowed: at most gateway.connections.total (100)',
    ],
    [
      'more that wait than there may be',
      'gateway: { connections: { per_consumer: 50, half_open: 51 } }',
      'gateway.connections.half_open: found 51; allowed: at most gateway.connections.per_consumer (50)',
    ],
    [
      'a ceiling below nothing',
      'gateway: { connections: { new_per_second: -1 } }',
      'gateway.connections.new_per_second: found -1; allowed: a whole number from 0 to 1000000',
    ],
    [
      'a port that is none',
      'gateway: { blocked_ports: [70000] }',
      `gateway.blocked_ports[0]: found 70000; allowed: ${portsAllowed}`,
    ],
    ...[
      '"6889-6881"',
      '"1-70000"',
      '"0-5"',
      '"sctp/25"',
      '"25,26"',
      '"udp/"',
      'all',
      '2.5',
      'true',
    ].map((entry): [string, string, string] => [
      `a port range that is none (${entry})`,
      `gateway: { blocked_ports: [25, ${entry}] }`,
      `gateway.blocked_ports[1]: found ${/^[a-z]{3}$/.test(entry) ? `"${entry}"` : entry}; allowed: ${portsAllowed}`,
    ]),
    [
      'a listener without a port',
      'status: { listen: 127.0.0.1 }',
      'status.listen: found "127.0.0.1"; allowed: ADDRESS:PORT, such as "127.0.0.1:9469" or "[::1]:9469"; port 0 turns it off',
    ],
    ...['"https://tributary.example.org"', '"*.example.org"', '"pi:80"', '""', '5'].map(
      (entry): readonly [string, string, string] => [
        `a name of the page that is none (${entry})`,
        `status: { allowed_hosts: [pi.example.org, ${entry}] }`,
        `status.allowed_hosts[1]: found ${entry}; allowed: a host name without "https://", port and "*", such as "tributary.example.org"`,
      ],
    ),
    [
      'a time zone that is none',
      'provide: { time_zone: Mars/Olympus }',
      'provide.time_zone: found "Mars/Olympus"; allowed: a time zone name, such as "Europe/Berlin"',
    ],
    [
      'a word for true',
      'gateway: { enabled: yes }',
      'gateway.enabled: found "yes"; allowed: true or false',
    ],
    [
      'a name of two lines',
      'device: { description: "a\\nb" }',
      'device.description: found "a\\nb"; allowed: one line of 1 to 200 characters',
    ],
    ['a section that is a number', 'log: 5', 'log: found 5; allowed: keys below it: level, format'],
    [
      'a misspelt key',
      'provide: { mod: none }',
      'provide.mod: unknown key; did you mean provide.mode?',
    ],
    ['a misspelt section', 'provides: {}', 'provides: unknown key; did you mean provide?'],
    [
      'a key in the wrong section',
      'cap: { bytes: 1 GB }',
      'cap: unknown key here; did you mean provide.cap?',
    ],
    [
      'a secret in the file',
      'network_jwt: eyJhbGciOi',
      'network_jwt: unknown key; secrets do not belong here: give TRIBUTARY_AUTH_CODE_FILE or TRIBUTARY_NETWORK_JWT_FILE',
    ],
    [
      'a key like no other',
      'log: { zzzzzz: 1 }',
      'log.zzzzzz: unknown key; allowed: level, format',
    ],
    [
      'a key that other languages find special',
      '__proto__: { a: 1 }',
      '__proto__: unknown key; allowed: service, provide, device, proxy, source, tunnel, connect, gateway, report, status, log',
    ],
    [
      'a source that there is not',
      'source: tunnel',
      'source: found "tunnel"; allowed: "wireguard", "connect", "both"',
    ],
    [
      'an address of the platform that a browser would open',
      'connect: { urls: ["https://connect.example"] }',
      'connect.urls[0]: found "https://connect.example"; allowed: a wss:// address without user, password, query and fragment, such as "wss://connect.service.example"',
    ],
    [
      'an address of the platform without TLS',
      'connect: { urls: ["ws://connect.example"] }',
      'connect.urls[0]: found "ws://connect.example"; allowed: a wss:// address, or service.allow_insecure_http: true beside it (tokens can then be read on the way)',
    ],
    [
      'public addresses for consumers',
      'connect: { pool_ipv4: 198.51.100.0/24 }',
      'connect.pool_ipv4: found "198.51.100.0/24"; allowed: a private IPv4 prefix of /8 to /28, such as "100.126.0.0/16"',
    ],
    [
      'a prefix that is wider than the private one in it',
      'connect: { pool_ipv4: 172.0.0.0/8 }',
      'connect.pool_ipv4: found "172.0.0.0/8"; allowed: a private IPv4 prefix of /8 to /28, such as "100.126.0.0/16"',
    ],
    [
      'a size without its unit',
      'connect: { unpaid_limit: 256 }',
      'connect.unpaid_limit: found 256 without a unit; allowed: an amount of data with its unit, such as "500 GB" or "1.5 TiB"',
    ],
    [
      'a device of consumers with the name of the tunnel',
      'connect: { interface: tributary0 }\nsource: both',
      'connect.interface: found "tributary0"; allowed: another name than tunnel.interface has',
    ],
  ];
  test.each(rows)('%s', async (_claim, text, expected) => {
    expect(await linesOf(withService(text))).toEqual([`FILE:3: ${expected}`]);
  });
});

describe('a value that is wrong by itself is not judged together with others', () => {
  const rows: readonly (readonly [string, string, readonly string[]])[] = [
    [
      'a reset day that no period has',
      'provide: { cap: { bytes: 1 GB, period: day, reset_day: 40 } }',
      ['provide.cap.reset_day: found 40; allowed: a whole number from 1 to 31'],
    ],
    [
      'entries without a time',
      'provide: { schedule: [{ mode: none }, { mode: public }] }',
      [0, 1].map(
        (index) =>
          `provide.schedule[${index}].cron: missing; allowed: a cron expression of five fields (minute, hour, day, month, day of week), such as "0 22 * * *"`,
      ),
    ],
    [
      'an entry that is none, before and after two that fire together',
      'provide: { schedule: [5, { cron: "0 1 * * *", mode: none }, { cron: "0 1 * * *", mode: public }, 6] }',
      [
        'provide.schedule[0]: found 5; allowed: keys below it: cron, mode, rate_limit',
        'provide.schedule[3]: found 6; allowed: keys below it: cron, mode, rate_limit',
        'provide.schedule[2].cron: found "0 1 * * *"; allowed: another time: provide.schedule[1] begins then too',
      ],
    ],
  ];
  test.each(rows)('%s', async (_claim, text, expected) => {
    expect(await linesOf(withService(text))).toEqual(expected.map((line) => `FILE:3: ${line}`));
  });

  test('a whole section, beside an address without TLS', async () => {
    const text = 'service: 5\nreport: { webhook: { url: "http://hook.example" } }\n';
    expect(await linesOf(text)).toEqual([
      expect.stringMatching(/^FILE:1: service: found 5;/),
      expect.stringMatching(
        /^FILE:2: report\.webhook\.url: found "http:\/\/hook\.example"; allowed: an https:\/\//,
      ),
    ]);
  });
});

test.each([
  'period: day',
  'period: week, reset_day: 1',
  'period: week, reset_day: 7',
  'period: month, reset_day: 8',
])('a cap with %s is fine', async (period) => {
  expect(await linesOf(withService(`provide: { cap: { bytes: 1 GB, ${period} } }`))).toEqual([]);
});

test('every error comes at once, from file and environment, one line each', async () => {
  const text = [
    'service:',
    '  base_url: http://service.example',
    '  profile: prod',
    'provide:',
    '  mode: everyone',
    '  schedule:',
    '    - { cron: "61 * * * *", mode: none }',
    '    - { cron: "0 1 * * *", mode: nobody }',
    '    - { cron: "0 1 * * *", mode: none }',
    '    - { cron: "0 2 * * *", rate_limit: { line: 0 Mbit } }',
    '  cap: { bytes: 500, period: day, reset_day: 3 }',
    '  rate_limit: { line: 63 kbit }',
    'logs: 1',
  ].join('\n');
  const lines = await linesOf(text, {
    TRIBUTARY_LOG_LEVEL: 'loud',
    TRIBUTARY_PROVIDE_CAPS_BYTES: '1 GB',
    TRIBUTARY_NETWORK_JWT: 'a',
    TRIBUTARY_NETWORK_JWT_FILE: '/nowhere',
  });
  const places = lines.map((line) =>
    line
      .split(': ')
      .slice(0, line.startsWith('FILE') ? 2 : 1)
      .join(' '),
  );
  expect(places.toSorted()).toEqual(
    [
      'FILE:2 service.base_url',
      'FILE:3 service.profile',
      'FILE:5 provide.mode',
      'FILE:7 provide.schedule[0].cron',
      'FILE:8 provide.schedule[1].mode',
      'FILE:9 provide.schedule[2].cron',
      'FILE:10 provide.schedule[3].mode',
      'FILE:10 provide.schedule[3].rate_limit.line',
      'FILE:11 provide.cap.bytes',
      'FILE:11 provide.cap.reset_day',
      'FILE:12 provide.rate_limit.line',
      'FILE:13 logs',
      'TRIBUTARY_LOG_LEVEL',
      'TRIBUTARY_NETWORK_JWT_FILE',
      'TRIBUTARY_PROVIDE_CAPS_BYTES',
    ].toSorted(),
  );
});

describe('which file is read', () => {
  test('a named file that is absent is an error', async () => {
    const configPath = join(makeDirectory(), 'absent.yaml');
    await expect(loadConfig({ configPath, environment: {} })).rejects.toMatchObject({
      code: 'configuration-invalid',
      message: `the configuration has a problem:\n${configPath}: there is no such file`,
    });
  });

  test('an absent file does not hide what is wrong with the environment', async () => {
    const configPath = join(makeDirectory(), 'absent.yaml');
    const environment = { TRIBUTARY_LOG_LEVL: 'info' };
    await expect(loadConfig({ configPath, environment })).rejects.toThrow(
      'did you mean TRIBUTARY_LOG_LEVEL?',
    );
  });

  test('the option goes before TRIBUTARY_CONFIG', async () => {
    const environment = { TRIBUTARY_CONFIG: makeFile(withService('log: { level: debug }')) };
    const configPath = makeFile(withService('log: { level: warn }'));
    expect((await loadConfig({ configPath, environment })).config.log.level).toBe('warn');
    expect((await loadConfig({ environment })).config.log.level).toBe('debug');
  });

  test('a directory is an error', async () => {
    await expect(
      loadConfig({ configPath: makeDirectory(), environment: {} }),
    ).rejects.toMatchObject({
      code: 'configuration-invalid',
    });
  });
});

test.each([
  ['700 B', 700],
  ['1 KB', 1e3],
  ['1MB', 1e6],
  ['0.5 GB', 5e8],
  ['1 TB', 1e12],
  ['1 KiB', 2 ** 10],
  ['1 MiB', 2 ** 20],
  ['1 GiB', 2 ** 30],
  ['1.5 TiB', 1.5 * 2 ** 40],
])('%s is %d bytes', async (text, bytes) => {
  const { config } = await load(withService(`provide: { cap: { bytes: ${text} } }`));
  expect(config.provide.cap?.bytes).toBe(bytes);
});

test('a rate becomes bits per second', async () => {
  const { config } = await load(
    withService(
      'provide: { rate_limit: { line: 1.5 Gbit }, schedule: [{ cron: "0 1 * * *", mode: none, rate_limit: { line: 64kbit } }] }',
    ),
  );
  expect(config.provide.rate_limit).toEqual({ line: 1_500_000_000 });
  expect(config.provide.schedule[0]?.rate_limit).toEqual({ line: 64_000 });
});

test('a reset day after the 28th is fine: a shorter month ends it earlier', async () => {
  const { config } = await load(withService('provide: { cap: { bytes: 1 GB, reset_day: 31 } }'));
  expect(config.provide.cap).toEqual({
    bytes: 1e9,
    period: 'month',
    reset_day: 31,
    counts: 'share',
  });
});

describe('what is allowed and dangerous is warned of', () => {
  const rows: readonly (readonly [string, string, readonly string[]])[] = [
    [
      'a status page for everyone',
      'status: { listen: "0.0.0.0:9469" }',
      [
        'status.listen: 0.0.0.0:9469 shows the status page and the metrics to everyone who can reach that address',
      ],
    ],
    ['a status page on this machine, IPv6', 'status: { listen: "[::1]:9469" }', []],
    ['a status page that is off', 'status: { listen: "0.0.0.0:0" }', []],
    [
      'mail from strangers',
      'gateway: { blocked_ports: [] }',
      ['gateway.blocked_ports: port 25 is open, so spam can be sent from your address'],
    ],
    [
      'mail from strangers where port 25 is closed to UDP alone',
      'gateway: { blocked_ports: ["udp/1-100", scanning] }',
      ['gateway.blocked_ports: port 25 is open, so spam can be sent from your address'],
    ],
    ...['mail', 'web-only', '"20-30"', 'tcp/25'].map((entry): [string, string, string[]] => [
      `nothing where ${entry} closes port 25`,
      `gateway: { blocked_ports: [${entry}] }`,
      [],
    ]),
    ['nothing', 'proxy: { lock_caller_ip: true, lock_ips: [198.51.100.7] }', []],
  ];
  test.each(rows)('%s', async (_claim, text, warnings) => {
    expect((await load(withService(text))).warnings).toEqual(warnings);
  });

  test("the page's token on an address that others reach", async () => {
    const warningsOf = async (listen: string) => {
      const text = withService(`status: { listen: "${listen}" }`);
      return (await load(text, { TRIBUTARY_STATUS_TOKEN: 'a-token-of-twenty-four-letters' }))
        .warnings;
    };
    const said =
      'status.listen: the page on 192.168.1.5:9469 has no TLS, so its token, which sets the mode, can be read on the way';
    expect(await warningsOf('192.168.1.5:9469')).toEqual([
      expect.stringContaining('to everyone'),
      said,
    ]);
    expect(await warningsOf('127.0.0.1:9469')).toEqual([]);
    expect(await warningsOf('192.168.1.5:0')).toEqual([]);
  });
});
