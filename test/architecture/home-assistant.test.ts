import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import { credentialNames } from '../../src/config/credential-names.ts';
import { listConfigKeys } from '../../src/config/keys.ts';
import { provideModes } from '../../src/service/profiles.ts';

const root = join(import.meta.dirname, '../..');
const folder = join(root, 'config/home-assistant/tributary');
const read = (name: string) => readFileSync(join(folder, name), 'utf8');
const addOn = parse(read('config.yaml'));

const element = z.string().regex(
  // The kinds of options that the Supervisor knows, each with its bounds, and optional with a `?`.
  /^(?:bool|email|url|port|device(?:\(.+\))?|(?:str|password|int|float)(?:\(-?[\d.]*,-?[\d.]*\))?|match\(.+\)|list\(.+\))\??$/,
);

/**
 * What the Supervisor documents of an add-on's description, of the keys that are in ours. It drops
 * keys that it does not know without a word, so none is taken here.
 */
const description = z.strictObject({
  name: z.string(),
  version: z.string().regex(/^\d+\.\d+\.\d+(?:-[0-9a-z.]+)?$/),
  slug: z.string().regex(/^[-_.A-Za-z0-9]+$/),
  description: z.string(),
  url: z.url(),
  arch: z.array(z.enum(['aarch64', 'amd64', 'armhf', 'armv7', 'i386'])),
  startup: z.enum(['initialize', 'system', 'services', 'application', 'once']),
  boot: z.enum(['auto', 'manual', 'manual_only']),
  init: z.boolean(),
  stage: z.enum(['stable', 'experimental', 'deprecated']),
  // Every further capability, device or mount is a decision.
  privileged: z.tuple([z.literal('NET_ADMIN')]),
  devices: z.tuple([z.literal('/dev/net/tun')]),
  tmpfs: z.boolean(),
  backup: z.enum(['hot', 'cold']),
  timeout: z.int().min(10).max(300),
  environment: z.record(z.string().regex(/^\w+$/), z.string()),
  ports: z.record(z.string().regex(/^\d+\/(?:tcp|udp)$/), z.int().nullable()),
  ports_description: z.record(z.string(), z.string()),
  options: z.record(z.string(), z.unknown()),
  schema: z.record(
    z.string(),
    z.union([element, z.array(z.union([element, z.record(z.string(), element)]))]),
  ),
});

describe("Home Assistant's add-on", () => {
  test('is described as the Supervisor takes it, with one capability and one device', () => {
    expect(description.safeParse(addOn).error).toBeUndefined();
  });

  test('is refused a description that asks for more', () => {
    // A button to the page: without an open port, which it does not look for, it leads nowhere.
    const webui = 'http://[HOST]:[PORT:9469]';
    const further = [
      { full_access: true },
      { host_network: true },
      { docker_api: true },
      { webui },
    ];
    for (const more of further) {
      expect(description.safeParse({ ...addOn, ...more }).success).toBe(false);
    }
    expect(description.safeParse({ ...addOn, privileged: ['SYS_ADMIN'] }).success).toBe(false);
  });

  test('keeps the device where the Supervisor keeps files, and opens no port by itself', () => {
    expect(addOn.environment.TRIBUTARY_STATE_DIR).toBe('/data/tributary');
    expect(Object.values(addOn.ports)).toEqual([null]);
    expect(addOn.version).toBe(
      JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version,
    );
  });

  test('offers the modes that there are, and has words for each of its options', () => {
    const offered = /^list\((.+)\)$/.exec(addOn.schema.mode)?.[1]?.split('|') ?? [];
    expect(offered.toSorted()).toEqual([...provideModes].toSorted());
    const words = parse(read('translations/en.yaml')).configuration;
    expect(Object.keys(words)).toEqual(expect.arrayContaining(Object.keys(addOn.schema)));
    expect(Object.keys(addOn.schema)).toEqual(expect.arrayContaining(Object.keys(words)));
    const given = Object.keys(addOn.options).filter((name) => !(name in addOn.schema));
    expect(given).toEqual([]);
  });

  test('hands each option to the agent by a name that the agent knows', () => {
    const options = {
      service: "https://service.example/it's",
      profile: 'production',
      mode: 'friends',
      cap: '500 GB',
      rate_limit: '20 Mbit',
      auth_code: '$(touch never) `x` "y"',
      status_token: 'sixteen-or-more-signs',
      settings: [{ name: 'TRIBUTARY_PROVIDE_TIME_ZONE', value: 'Europe/Berlin' }],
    };
    expect(Object.keys(options)).toEqual(expect.arrayContaining(Object.keys(addOn.schema)));
    const handed = start(options);
    expect(handed).toEqual({
      TRIBUTARY_SERVICE_BASE_URL: options.service,
      TRIBUTARY_SERVICE_PROFILE: 'production',
      TRIBUTARY_PROVIDE_MODE: 'friends',
      TRIBUTARY_PROVIDE_CAP_BYTES: '500 GB',
      TRIBUTARY_PROVIDE_RATE_LIMIT_LINE: '20 Mbit',
      TRIBUTARY_AUTH_CODE: options.auth_code,
      TRIBUTARY_STATUS_TOKEN: options.status_token,
      TRIBUTARY_PROVIDE_TIME_ZONE: 'Europe/Berlin',
    });
    const names = [...Object.keys(handed), ...Object.keys(addOn.environment)];
    expect(names.filter((name) => !known.includes(name))).toEqual([]);
    expect(start({ ...options, cap: '', status_token: null })).not.toHaveProperty([
      'TRIBUTARY_STATUS_TOKEN',
    ]);
  });

  test('lets no setting be a command', () => {
    expect(() => start({ settings: [{ name: 'X; touch never', value: '1' }] })).toThrow(
      /no name of a setting/,
    );
  });

  test('runs the agent with the one capability, from the image of a release', () => {
    expect(read('start')).toMatch(
      /^exec setpriv --no-new-privs --bounding-set=-all,\+net_admin --inh-caps=-all tributary run$/m,
    );
    const [from = '', copied = ''] = read('Dockerfile').match(/^(?:ARG|FROM|COPY) .*$/gm) ?? [];
    expect(from).toBe('FROM ghcr.io/OWNER/tributary:VERSION');
    for (const name of copied.split(' ').slice(1, -1)) expect(read(name)).not.toBe('');
  });
});

/** Every name that the agent reads in its environment. */
const known: readonly (string | undefined)[] = [
  'TRIBUTARY_STATE_DIR',
  ...listConfigKeys().map(({ environmentName }) => environmentName),
  ...Object.values(credentialNames).map(({ environment }) => environment),
];

/** What the add-on's entry has in its environment before it becomes the agent. */
function start(options: object): Readonly<Record<string, string>> {
  const place = mkdtempSync(join(tmpdir(), 'tributary-add-on-'));
  onTestFinished(() => rmSync(place, { recursive: true }));
  writeFileSync(join(place, 'options.json'), JSON.stringify(options));
  const command = [join(folder, 'options.mjs'), join(place, 'options.json')];
  // What it says of a fault is in the error, and not on this test's own output.
  const lines = execFileSync(process.execPath, command, { stdio: 'pipe' }).toString();
  const text = execFileSync('sh', ['-c', `${lines}\nenv -0`], { env: {}, cwd: place }).toString();
  const entries = text.split('\0').map((line) => /^([^=]*)=(.*)$/s.exec(line) ?? []);
  return Object.fromEntries(
    entries
      .filter(([, name]) => name?.startsWith('TRIBUTARY_'))
      .map(([, name = '', value = '']) => [name, value]),
  );
}
