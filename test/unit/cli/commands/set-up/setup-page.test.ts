import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { type networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  askPage,
  chooseHomeAddress,
  keepPageToken,
  renderOpenPage,
} from '../../../../../src/cli/commands/set-up/setup-page.ts';
import type { Prompt } from '../../../../../src/cli/frame/prompt.ts';
import { renderQrCode } from '../../../../../src/cli/present/qr-code.ts';
import { loadConfig } from '../../../../../src/config/load.ts';

const of = (address: string, internal = false) => [
  { address, internal, family: 'IPv4' as const, netmask: '', mac: '', cidr: null },
];

const atHome = {
  lo: of('127.0.0.1', true),
  eth0: of('192.168.1.20'),
  tailscale0: of('100.64.1.2'),
};

async function ask(
  answer: boolean | undefined,
  more: NodeJS.ProcessEnv = {},
  interfaces: ReturnType<typeof networkInterfaces> = atHome,
) {
  const environment = { TRIBUTARY_SERVICE_BASE_URL: 'https://service.example', ...more };
  const loaded = await loadConfig({ environment, configPath: '/dev/null' });
  const said: string[] = [];
  const say = (text: string) => void said.push(text);
  const prompt =
    answer === undefined
      ? undefined
      : ({
          confirm: async (question) => {
            said.push(question);
            return answer;
          },
        } satisfies Partial<Prompt> as unknown as Prompt);
  return { changes: await askPage({ prompt, say, loaded, interfaces }), said: said.join('\n') };
}

describe('whether the page is opened at home', () => {
  test('is asked with its risk, and a yes opens it', async () => {
    const { changes, said } = await ask(true);
    expect(changes).toEqual([{ key: 'status.listen', text: '0.0.0.0:9469' }]);
    expect(said).toMatch(/everyone in your home network.*not encrypted.*\?$/s);
    expect((await ask(false)).changes).toEqual([]);
  });

  test('is not asked, and said why, where the machine has a public address', async () => {
    const { changes, said } = await ask(true, {}, { ...atHome, ppp0: of('9.9.9.9') });
    expect(changes).toEqual([]);
    expect(said).toMatch(/^The status page stays for this machine alone: 9\.9\.9\.9 .*Internet/);
  });

  test.each([
    ['nobody is there to ask', undefined, {}],
    ['the page is open already', true, { TRIBUTARY_STATUS_LISTEN: '192.168.1.5:80' }],
    ['the page is switched off', true, { TRIBUTARY_STATUS_LISTEN: '127.0.0.1:0' }],
    ['the environment decides', true, { TRIBUTARY_STATUS_LISTEN: '127.0.0.1:9469' }],
  ] as const)('is not asked where %s', async (_, answer, environment) => {
    expect(await ask(answer, environment)).toEqual({ changes: [], said: '' });
  });
});

test('the token is made once, long enough, and for root alone', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-token-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'status-token');
  const token = await keepPageToken(path);
  expect(token).toMatch(/^[0-9a-f]{32}$/);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect([await keepPageToken(path), await readFile(path, 'utf8')]).toEqual([token, `${token}\n`]);
});

test.each([
  ['the one by which the owner came', '192.168.7.2 5000 192.168.7.9 22', '192.168.7.9'],
  ["this machine's own in the home", '', '192.168.1.20'],
  ['not one that the Internet knows', '9.9.9.1 5000 9.9.9.9 22', '192.168.1.20'],
  ['not the one within the machine', '127.0.0.1 1 127.0.0.1 22', '192.168.1.20'],
])('the address shown is %s', (_, SSH_CONNECTION, expected) => {
  const interfaces = {
    lo: of('127.0.0.1', true),
    docker0: of('172.17.0.1'),
    'tributary-host': of('10.0.0.1'),
    ppp0: of('203.0.113.9'),
    eth0: of('192.168.1.20'),
  };
  expect(chooseHomeAddress({ SSH_CONNECTION }, interfaces)).toBe(expected);
});

test('address and token are shown, as a QR code too where the terminal has room', async () => {
  const token = '0123456789abcdef0123456789abcdef';
  const interfaces = { eth0: of('192.168.1.20') };
  const at = (columns: number | undefined) =>
    renderOpenPage({ port: 9469, token }, { environment: {}, columns, interfaces });
  const text = `At home   http://192.168.1.20:9469/\nToken     ${token}\n`;
  expect(await at(undefined)).toBe(text);
  expect(await at(80)).toMatch(/^At home .*\nToken .*\n\n {2}.*[█▀▄]/);
  expect(
    await renderOpenPage({ port: 1, token }, { environment: {}, columns: 80, interfaces: {} }),
  ).toBe(`Token     ${token}\n`);
});

test('a token of any characters comes whole out of the QR code', async () => {
  const shown = await renderOpenPage(
    { port: 9469, token: 'a-b+c/d=#%' },
    { environment: {}, columns: 90, interfaces: atHome },
  );
  const text = 'http://192.168.1.20:9469/#token=a-b%2Bc%2Fd%3D%23%25';
  expect(shown).toContain(await renderQrCode({ text, columns: 90, isWanted: true }));
});
