import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test, vi } from 'vitest';
import { loadConfig } from '../../../src/config/load.ts';
import { collectBundle, findAsker, writeBundle } from '../../../src/doctor/bundle.ts';
import { openDisk } from '../../../src/doctor/open-host.ts';
import { redact } from '../../../src/doctor/redact.ts';
import { Secret } from '../../../src/lib/secret.ts';
import { now } from '../../../tools/docs/sample-facts.ts';
import { createExec, createHost } from './fake-host.ts';

const home = '/home/';
const none = { secrets: [], shownAddresses: [], hostName: 'attic-pi.home' };

test.each([
  ['a token', 'token eyJhbGciOiJub25lIn0.eyJ4IjoxfQ.c2ln in a line', 'token [secret] in a line'],
  ['a key', `peer: ${'A'.repeat(43)}=`, 'peer: [key]'],
  ['a header', 'Authorization: Bearer abc.def', 'Authorization: [secret]'],
  ['a password in a setting', 'mqtt_password=hunter2hunter2', 'mqtt_password=[secret]'],
  ['a destination', 'to 93.184.216.34:443, from 10.0.0.2', 'to [address]:443, from 10.0.0.2'],
  ['a destination of IPv6', 'to 2606:4700::1111, from fe80::1', 'to [address], from fe80::1'],
  ['hardware', 'link/ether 02:42:ac:11:00:02', 'link/ether [hardware]'],
  [
    'hardware, written otherwise',
    'client 02-42-AC-11-00-02, enx0242ac110002 up',
    'client [hardware], enx[hardware] up',
  ],
  [
    'hardware in an address',
    'inet6 fe80::42:acff:fe11:2/64 fd00:1::b827:ebff:fe12:3456',
    'inet6 fe80::[hardware]/64 fd00:1::[hardware]',
  ],
  ['hardware that begins with noughts', 'fe80::ff:fe11:2%eth0', 'fe80::[hardware]%eth0'],
  ['a secret in hexadecimal', `page?key=${'0f'.repeat(12)}`, 'page?key=[hex]'],
  ['a key as wireguard-go says it', `private_key=${'ab'.repeat(32)}`, 'private_key=[hex]'],
  [
    'what the machine is called',
    'at Attic-Pi tributary[7]: attic-pi.home.arpa, "attic-pi"',
    'at [host] tributary[7]: [host], "[host]"',
  ],
  [
    'who lives there',
    `${home}maria.k/.config/tributary and ${home}otto`,
    `${home}[user]/.config/tributary and ${home}[user]`,
  ],
])('%s is taken out', (_, text, expected) => {
  expect(redact(text, none)).toBe(expected);
});

test('text that only resembles a secret is kept', () => {
  const text =
    'at 12:34:56 the token was refused; the password is in TRIBUTARY_MQTT_PASSWORD; 0.0.0.0/0 by 192.168.1.1; client 3f8a1c9e-0000-4000-8000-00000000abcd; fe80::1; 1234567890123456789; attic-pirate';
  expect(redact(text, none)).toBe(text);
});

test('a machine with a name that many have keeps the words of the text', () => {
  const text = 'tributary[7] on localhost';
  for (const hostName of ['tributary', 'localhost.localdomain', ''])
    expect(redact(text, { ...none, hostName })).toBe(text);
});

test('a known secret is taken out however it is written', () => {
  const secret = new Secret('p"ss wörd/1');
  const spellings = [
    'p"ss wörd/1',
    JSON.stringify('p"ss wörd/1'),
    encodeURIComponent('p"ss wörd/1'),
    Buffer.from('p"ss wörd/1').toString('base64'),
  ];
  const text = redact(spellings.join('\n'), { ...none, secrets: [secret] });
  expect(text).not.toMatch(/ss w|ss%20|w%C3|cCJzcyB3/);
});

test('a bundle holds no secret, wherever one was planted', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-bundle-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const stateDirectory = join(folder, 'state');
  await mkdir(stateDirectory);
  const planted = {
    token: 'opaque-network-token-1',
    clientJwt: 'opaque-client-token-2',
    broken: 'opaque-token-in-a-broken-file',
    authCode: 'planted-auth-code',
    mqtt: 'planted-mqtt-password',
    key: `${'k'.repeat(43)}=`,
    destination: '93.184.216.34',
    webhook: '/hooks/planted-in-a-path',
    hardware: 'fe80::b827:ebff:fe12:3456',
    hostName: 'attic-pi',
  };
  await writeFile(
    join(stateDirectory, 'network-jwt.json'),
    JSON.stringify({ data: { token: planted.token } }),
  );
  await writeFile(
    join(stateDirectory, 'registration.json'),
    JSON.stringify({ data: { clientJwt: planted.clientJwt } }),
  );
  await writeFile(
    join(stateDirectory, 'x.json.broken-1'),
    `{"data": {"token": "${planted.broken}", "cut`,
  );
  const everything = `${Object.values(planted).join(' ')}\n`;
  const exec = createExec({
    nft: everything,
    ip: everything,
    wg: everything,
    journalctl: everything,
  });
  const loaded = await loadConfig({
    environment: {
      TRIBUTARY_SERVICE_BASE_URL: 'https://service.example',
      TRIBUTARY_REPORT_WEBHOOK_URL: `https://hooks.example${planted.webhook}`,
    },
    stateDirectory,
  });
  const configuration = async () => loaded;
  const own = { disk: openDisk(), stateDirectory, exec, inside: async () => exec, configuration };
  const host = { ...(await createHost()), ...own };
  const document = {
    checks: [{ id: 'node', verdict: 'pass', found: everything, mend: null, becauseOf: null }],
    failed: 0,
  } as const;
  const environment = {
    TRIBUTARY_AUTH_CODE: planted.authCode,
    TRIBUTARY_MQTT_PASSWORD: planted.mqtt,
  };
  const members = await collectBundle({ host, document, environment, version: '1.2.3' });
  const path = join(folder, 'help.tar.gz');
  await writeBundle(path, members, { at: now });
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  const out = join(folder, 'out');
  await mkdir(out);
  await promisify(execFile)('tar', ['-C', out, '-xzf', path]);
  expect((await readdir(out)).sort()).toEqual(members.map(({ name }) => name).sort());
  for (const name of await readdir(out)) {
    const text = await readFile(join(out, name), 'utf8');
    expect(text.length).toBeGreaterThan(10);
    for (const [what, secret] of Object.entries(planted))
      expect(text.includes(secret), `${what} in ${name}`).toBe(false);
  }
  await expect(writeBundle(path, members, { at: now })).rejects.toMatchObject({
    code: 'usage-invalid',
  });
});

test('a support bundle belongs to who typed sudo, so that they can read it', () => {
  const asker = { SUDO_UID: '1000', SUDO_GID: '1001' };
  const geteuid = vi.spyOn(process, 'geteuid').mockReturnValue(0);
  onTestFinished(() => geteuid.mockRestore());
  expect(findAsker(asker)).toEqual({ userId: 1000, groupId: 1001 });
  expect(findAsker({})).toBeUndefined();
  expect(findAsker({ ...asker, SUDO_UID: '-1' })).toBeUndefined();
  geteuid.mockReturnValue(1000);
  expect(findAsker(asker)).toBeUndefined();
});
