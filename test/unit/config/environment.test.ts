import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { listConfigKeys } from '../../../src/config/keys.ts';
import { loadConfig } from '../../../src/config/load.ts';
import { valueAt } from '../../../src/config/tree.ts';
import { linesOf, load, makeDirectory, makeFile, withService } from './config-fixture.ts';

describe('a key can be given in the environment', () => {
  const rows: readonly (readonly [string, string, string, unknown])[] = [
    ['TRIBUTARY_SERVICE_PROFILE', 'production', 'service.profile', 'production'],
    ['TRIBUTARY_SERVICE_ALLOW_INSECURE_HTTP', 'true', 'service.allow_insecure_http', true],
    ['TRIBUTARY_DEVICE_DESCRIPTION', '42', 'device.description', '42'],
    ['TRIBUTARY_PROVIDE_CAP_BYTES', '5 GB', 'provide.cap.bytes', 5e9],
    ['TRIBUTARY_PROVIDE_RATE_LIMIT_LINE', '20 Mbit', 'provide.rate_limit.line', 20e6],
    ['TRIBUTARY_PROVIDE_HOUSEHOLD', 'off', 'provide.household', 'off'],
    ['TRIBUTARY_PROVIDE_CAP_BYTES', '5 GB', 'provide.cap.counts', 'share'],
    ['TRIBUTARY_GATEWAY_LOW_PRIORITY', 'false', 'gateway.low_priority', false],
    [
      'TRIBUTARY_PROVIDE_SCHEDULE',
      '[{"cron":"0 1 * * *","mode":"none"}]',
      'provide.schedule',
      [{ cron: '0 1 * * *', mode: 'none' }],
    ],
    ['TRIBUTARY_GATEWAY_BLOCKED_PORTS', '25, 465', 'gateway.blocked_ports', [25, 465]],
    ['TRIBUTARY_GATEWAY_BLOCKED_PORTS', '25,\n  465\r\n', 'gateway.blocked_ports', [25, 465]],
    ['TRIBUTARY_GATEWAY_BLOCKED_PORTS', '[25,\n465]\n', 'gateway.blocked_ports', [25, 465]],
    ['TRIBUTARY_GATEWAY_BLOCKED_PORTS', '[25,465]', 'gateway.blocked_ports', [25, 465]],
    [
      'TRIBUTARY_GATEWAY_BLOCKED_PORTS',
      'mail, 6881-6889,udp/1900, 25',
      'gateway.blocked_ports',
      ['mail', '6881-6889', 'udp/1900', 25],
    ],
    ['TRIBUTARY_GATEWAY_BLOCKED_PORTS', '', 'gateway.blocked_ports', []],
    [
      'TRIBUTARY_GATEWAY_ALLOW_DESTINATIONS',
      '198.51.100.0/24,2001:db8::/32',
      'gateway.allow_destinations',
      ['198.51.100.0/24', '2001:db8::/32'],
    ],
    ['TRIBUTARY_GATEWAY_PERMIT_SECONDS', '30', 'gateway.permit_seconds', 30],
  ];
  test.each(rows)('%s=%s', async (name, text, path, value) => {
    const { config } = await load(withService(), { [name]: text });
    expect(valueAt(config, path.split('.'))).toEqual(value);
  });
});

describe('a wrong value in the environment is an error with its name', () => {
  const rows: readonly (readonly [string, string, string])[] = [
    [
      'TRIBUTARY_GATEWAY_PERMIT_SECONDS',
      'soon',
      'found "soon"; allowed: a whole number from 5 to 600',
    ],
    ['TRIBUTARY_GATEWAY_ENABLED', 'yes', 'found "yes"; allowed: true or false'],
    [
      'TRIBUTARY_GATEWAY_BLOCKED_PORTS',
      '25,smtp',
      'found "smtp"; allowed: a port from 1 to 65535, a range ("6881-6889"), ports of one protocol ("udp/1900", "tcp/6660-6669") or "mail", "file-sharing", "scanning", "router-helpers", "web-only", "other-protocols"',
    ],
    [
      'TRIBUTARY_PROVIDE_SCHEDULE',
      'nightly',
      'found "nightly"; allowed: a list of at most 100, such as "[one, other]"',
    ],
    [
      'TRIBUTARY_PROVIDE_CAP_BYTES',
      '',
      'found ""; allowed: an amount of data with its unit, such as "500 GB" or "1.5 TiB"',
    ],
    [
      'TRIBUTARY_PROVID_MODE',
      'none',
      'unknown environment name; did you mean TRIBUTARY_PROVIDE_MODE?',
    ],
    [
      'TRIBUTARY_AUTHCODE',
      'hunter2',
      'unknown environment name; did you mean TRIBUTARY_AUTH_CODE?',
    ],
    ['TRIBUTARY_Z', 'hunter2', 'unknown environment name; `tributary config show` lists the keys'],
  ];
  test.each(rows)('%s=%s', async (name, text, expected) => {
    expect(await linesOf(withService(), { [name]: text })).toEqual([`${name}: ${expected}`]);
  });
});

test('what to correct is the variable where it is at fault, and the file where that is', async () => {
  const adviceOf = (yaml: string, environment: Record<string, string>) =>
    load(yaml, environment).catch((error: { action?: string }) => error.action);
  const variables = { TRIBUTARY_PROVIDE_MODE: 'all', TRIBUTARY_Z: '1' };
  expect(await adviceOf(withService(), variables)).toBe(
    "Correct TRIBUTARY_Z, TRIBUTARY_PROVIDE_MODE where this program's environment comes from.",
  );
  const both = await adviceOf(withService('log: { level: loud }'), variables);
  expect(both).toBeUndefined();
});

test('no two keys share a name, and one that ends like a twin is the path of a file too', () => {
  const names = listConfigKeys().map((key) => key.environmentName);
  expect(new Set(names).size).toBe(names.length);
  const likeTwins = names.filter((name) => name.endsWith('_FILE'));
  expect(likeTwins).toEqual(['TRIBUTARY_SERVICE_CA_FILE']);
  expect(names.filter((name) => likeTwins.includes(`${name}_FILE`))).toEqual([]);
});

test('the environment wins over the file', async () => {
  const loaded = await load(withService('log: { level: warn, format: json }'), {
    TRIBUTARY_LOG_LEVEL: 'debug',
  });
  expect(loaded.config.log).toEqual({ level: 'debug', format: 'json' });
  expect(loaded.originOf(['log', 'level'])).toEqual({
    kind: 'environment',
    place: 'TRIBUTARY_LOG_LEVEL',
  });
  expect(loaded.originOf(['log', 'format'])).toMatchObject({
    kind: 'file',
    place: expect.stringMatching(/yaml:3$/),
  });
  expect(loaded.originOf(['tunnel', 'interface'])).toEqual({ kind: 'default' });
});

test.skipIf(existsSync('/etc/tributary/tributary.yaml'))(
  'without any file the environment alone will do',
  async () => {
    const environment = { TRIBUTARY_SERVICE_BASE_URL: 'https://service.example' };
    const { config, file } = await loadConfig({ environment });
    expect({ url: config.service.base_url, file }).toEqual({
      url: 'https://service.example',
      file: undefined,
    });
    await expect(loadConfig({ environment: {} })).rejects.toMatchObject({
      message: expect.stringContaining(
        'service.base_url: missing, and there is no /etc/tributary/tributary.yaml; create it with `tributary setup`, or use --config FILE or TRIBUTARY_SERVICE_BASE_URL',
      ),
      action: 'Set this device up: sudo tributary setup',
    });
  },
);

describe('a value can stand in a file that the _FILE twin names', () => {
  test('without its line break', async () => {
    const environment = { TRIBUTARY_DEVICE_DESCRIPTION_FILE: makeFile('Hall\n') };
    expect((await load(withService(), environment)).config.device.description).toBe('Hall');
  });

  test('not beside the name itself', async () => {
    const environment = { TRIBUTARY_LOG_LEVEL: 'info', TRIBUTARY_LOG_LEVEL_FILE: makeFile('info') };
    expect(await linesOf(withService(), environment)).toEqual([
      'TRIBUTARY_LOG_LEVEL_FILE: set together with TRIBUTARY_LOG_LEVEL; allowed: only one of them',
    ]);
  });

  test('not absent', async () => {
    const path = join(makeDirectory(), 'absent');
    expect(await linesOf(withService(), { TRIBUTARY_LOG_LEVEL_FILE: path })).toEqual([
      `TRIBUTARY_LOG_LEVEL_FILE: reading ${path}: there is no such file`,
    ]);
  });
});

test('what Kubernetes says about a service whose name begins with ours is not taken for keys', async () => {
  const environment = {
    TRIBUTARY_METRICS_SERVICE_HOST: 'fd00:10::7',
    TRIBUTARY_METRICS_SERVICE_PORT: '9469',
    TRIBUTARY_METRICS_PORT: 'tcp://[fd00:10::7]:9469',
    TRIBUTARY_METRICS_PORT_9469_TCP: 'tcp://10.0.0.7:9469',
    TRIBUTARY_METRICS_PORT_9469_TCP_PROTO: 'tcp',
    TRIBUTARY_METRICS_PORT_9469_TCP_PORT: '9469',
    TRIBUTARY_A_1_B_SERVICE_HOST: '10.0.0.8',
    TRIBUTARY_SERVICE_HOST: '10.0.0.1',
    TRIBUTARY_SERVICE_PORT_HTTP: '9469',
    TRIBUTARY_PORT: 'tcp://10.0.0.1:9469',
    TRIBUTARY_PORT_9469_TCP_ADDR: '10.0.0.1',
  };
  expect(await linesOf(withService(), environment)).toHaveLength(11);
  expect(
    await linesOf(withService(), { ...environment, KUBERNETES_SERVICE_HOST: '10.0.0.1' }),
  ).toEqual([]);
  const misspelt = { TRIBUTARY_STATUS_PORT: 'off', TRIBUTARY_STATE_SERVICE_HOST: 'pi.example' };
  expect(
    await linesOf(withService(), { ...misspelt, KUBERNETES_SERVICE_HOST: '10.0.0.1' }),
  ).toHaveLength(2);
});
