import { describe, expect, test } from 'vitest';
import { createSections } from '../../../src/agent/create-sections.ts';
import { createReload } from '../../../src/agent/reload.ts';
import { createWakeups } from '../../../src/agent/run-loop.ts';
import { type Config, configSchema } from '../../../src/config/schema.ts';
import { TributaryError } from '../../../src/errors/codes.ts';
import { createLogger } from '../../../src/report/logger.ts';
import type { ServiceAddress } from '../../../src/service/url.ts';

const base = {
  service: { base_url: 'https://service.example' },
  report: { webhook: { url: 'https://hooks.example/a' } },
};
const parse = (change: object = {}): Config => configSchema.parse({ ...base, ...change });

function start(
  loadConfig: () => Promise<{ readonly config: Config; readonly service?: ServiceAddress }>,
) {
  const load = async () => ({ service: {}, ...(await loadConfig()) });
  const { configuration } = createSections(parse(), new Date(0));
  const wakeups = createWakeups();
  const woken: string[] = [];
  for (const [name, wakeup] of Object.entries(wakeups)) wakeup.notify = () => void woken.push(name);
  const lines: string[] = [];
  const log = createLogger(parse().log, {
    isTty: false,
    destination: { write: (line) => void lines.push(line) },
  });
  const reload = createReload({
    configuration,
    wakeups,
    load: load as never,
    log,
    now: () => new Date(0),
  });
  return { configuration, reload, woken, lines };
}

describe('a reload', () => {
  test('takes a new configuration into force, and wakes the loops that act on it', async () => {
    const next = parse({ provide: { mode: 'friends' }, gateway: { blocked_ports: [25, 465] } });
    const { configuration, reload, woken } = start(async () => ({ config: next }));
    await reload();
    expect(configuration.config).toBe(next);
    expect(woken.sort()).toEqual(['announce', 'dataPath', 'outside', 'service']);
  });

  test.each([
    [{ provide: { rate_limit: { line: '10 Mbit' } } }],
    [{ provide: { household: 'off' } }],
    [{ provide: { cap: { bytes: '1 GB', counts: 'line' } } }],
    [
      {
        provide: {
          schedule: [{ cron: '0 7 * * *', mode: 'none', rate_limit: { line: '1 Mbit' } }],
        },
      },
    ],
    [{ gateway: { low_priority: false } }],
  ])('takes on %j without a restart', async (change) => {
    const next = parse(change);
    const { configuration, reload } = start(async () => ({ config: next }));
    await reload();
    expect(configuration.config).toBe(next);
  });

  test.each([
    ['service', { service: { base_url: 'https://elsewhere.example' } }],
    ['status', { status: { listen: '127.0.0.1:9999' } }],
    ['tunnel', { tunnel: { interface: 'other0' } }],
    ['report', { report: { ledger: false } }],
    ['report', { report: { webhook: { url: 'https://hooks.example/b' } } }],
    ['log.format', { log: { format: 'text' } }],
  ])(
    'refuses a change of %s, which needs a restart, and keeps the configuration before',
    async (key, change) => {
      const { configuration, reload, woken } = start(async () => ({ config: parse(change) }));
      const before = configuration.config;
      await expect(reload()).rejects.toMatchObject({
        code: 'configuration-invalid',
        message: `changes to ${key} need a restart of the agent`,
      });
      expect(configuration.config).toBe(before);
      expect(configuration.problem).toMatchObject({ code: 'configuration-invalid' });
      expect(woken).toEqual([]);
    },
  );

  test('changes the level of the log from its next line on', async () => {
    const levels = ['warn', 'info'];
    const { reload, lines } = start(async () => ({
      config: parse({ log: { level: levels.shift() } }),
    }));
    await reload();
    expect(lines).toEqual([]);
    await reload();
    expect(lines.join()).toContain('the configuration was read again');
  });

  test('takes on the certificates that vouch for the service, which may have been renewed', async () => {
    const service = {
      baseUrl: '',
      allowInsecureHttp: false,
      certificateAuthority: () => 'renewed',
    };
    const { configuration, reload } = start(async () => ({ config: parse(), service }));
    await reload();
    expect(configuration.certificateAuthority).toBe('renewed');
  });

  test('that was refused is forgotten once one succeeds', async () => {
    const configs = [parse({ log: { format: 'text' } }), parse()];
    const { configuration, reload } = start(async () => ({ config: configs.shift() ?? parse() }));
    await expect(reload()).rejects.toMatchObject({ code: 'configuration-invalid' });
    expect(configuration.problem).toBeDefined();
    await reload();
    expect(configuration.problem).toBeUndefined();
  });

  test('that read slowly does not put an older file into force over a newer one', async () => {
    const [older, newer] = [parse(), parse({ provide: { mode: 'friends' } })];
    const slow = Promise.withResolvers<void>();
    let file = older;
    let isFirst = true;
    const { configuration, reload } = start(async () => {
      const read = file;
      if (isFirst) {
        isFirst = false;
        await slow.promise;
      }
      return { config: read };
    });
    const first = reload();
    // The first one has read the file, and checks it for long.
    await expect.poll(() => isFirst).toBe(false);
    file = newer;
    const second = reload();
    slow.resolve();
    await Promise.all([first, second]);
    expect(configuration.config).toBe(newer);
  });

  test('runs after one that was refused', async () => {
    const configs = [parse({ log: { format: 'text' } }), parse({ provide: { mode: 'friends' } })];
    const { configuration, reload } = start(async () => ({ config: configs.shift() ?? parse() }));
    const [first, second] = [reload(), reload()];
    await expect(first).rejects.toMatchObject({ code: 'configuration-invalid' });
    await second;
    expect(configuration.config.provide.mode).toBe('friends');
  });

  test('says in the log why it was refused', async () => {
    const { reload, lines } = start(async () => {
      throw new TributaryError('configuration-invalid', 'provide.mode: unknown');
    });
    await expect(reload()).rejects.toThrow('provide.mode: unknown');
    expect(lines.join()).toContain('provide.mode: unknown');
  });
});
