import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { observeWireGuardGo } from '../../../src/system/wg.ts';

const hex = (letter: string) => Buffer.from(letter.repeat(32)).toString('hex');
const base64 = (letter: string) => Buffer.from(letter.repeat(32)).toString('base64');

const own = `private_key=${hex('p')}\nlisten_port=51820\n`;
const first = `public_key=${hex('a')}\npreshared_key=${hex('s')}\nprotocol_version=1\nendpoint=198.51.100.1:51820\nlast_handshake_time_sec=1700000000\nlast_handshake_time_nsec=5\ntx_bytes=20\nrx_bytes=10\npersistent_keepalive_interval=25\nallowed_ip=0.0.0.0/0\nallowed_ip=::/0\n`;
const second = `public_key=${hex('b')}\nlast_handshake_time_sec=0\ntx_bytes=148\nrx_bytes=0\npersistent_keepalive_interval=0\n`;
const end = 'errno=0\n\n';

/** Asks a wireguard-go that says these pieces, one after the other, and then ends or hangs. */
async function observe(pieces: readonly string[], { hangs = false } = {}) {
  const directory = await mkdtemp(join(tmpdir(), 'tributary-wg-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const path = join(directory, 'x.sock');
  const asked: string[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', async (question) => {
      asked.push(`${question}`);
      for (const piece of pieces) {
        socket.write(piece);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      if (!hangs) socket.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  onTestFinished(() => {
    server.close();
  });
  const found = await observeWireGuardGo(path, (key) => `public of ${key.reveal()}`);
  expect(asked).toEqual(['get=1\n\n']);
  return found;
}

test("wireguard-go's answer becomes an interface with its peers, however it is cut", async () => {
  const text = own + first + second + end;
  for (const cut of [0, 20, 300, text.length - 1]) {
    expect(await observe([text.slice(0, cut), text.slice(cut)], { hangs: true })).toEqual({
      publicKey: `public of ${base64('p')}`,
      peers: [
        {
          publicKey: base64('a'),
          endpoint: '198.51.100.1:51820',
          allowedIps: ['0.0.0.0/0', '::/0'],
          lastHandshakeAt: 1_700_000_000,
          rxBytes: 10,
          txBytes: 20,
          persistentKeepaliveSeconds: 25,
        },
        {
          publicKey: base64('b'),
          endpoint: undefined,
          allowedIps: [],
          lastHandshakeAt: undefined,
          rxBytes: 0,
          txBytes: 148,
          persistentKeepaliveSeconds: undefined,
        },
      ],
    });
  }
});

test('a new interface has neither key nor peers, and no shared secret is observed', async () => {
  expect(await observe([end])).toEqual({ publicKey: undefined, peers: [] });
  expect(JSON.stringify(await observe([own + first + end]))).not.toContain(base64('s'));
});

test.each([
  ['cut', [own + first]],
  ['a failure', ['errno=5\n\n']],
  ['nothing', []],
])('%s is no answer', async (_, pieces) => {
  expect(await observe(pieces)).toBeUndefined();
});

test('neither is a wireguard-go that hangs, one that has died, or a file of that name', async () => {
  expect(await observe([own], { hangs: true })).toBeUndefined();
  expect(await observeWireGuardGo('/nonexistent/x.sock', () => '')).toBeUndefined();
  const directory = await mkdtemp(join(tmpdir(), 'tributary-wg-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  await writeFile(join(directory, 'x.sock'), '');
  expect(await observeWireGuardGo(join(directory, 'x.sock'), () => '')).toBeUndefined();
});
