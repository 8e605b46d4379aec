import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { NastyScript } from '../lab/nasty-service.ts';
import { addresses } from '../lab/network.ts';
import type { Bench } from './bench-lab.ts';

const port = 8081;

/** The service's address for the agent. This service may issue another key in its next answer. */
export const keyChangerUrl = `http://${addresses.proxy}:${port}`;

export interface KeyChanger {
  /**
   * Puts a new key into the next renewal. From then on consumers' traffic goes only to the owner of
   * that key. Resolves with the time of it (ms since 1970).
   */
  change(): Promise<number>;
}

/**
 * Starts a service that passes everything on to the reference service until it is told to change
 * the key.
 * @throws LabError
 */
export async function startKeyChanger({ lab, start, distDirectory }: Bench): Promise<KeyChanger> {
  const scriptFile = join(lab.directory, 'key-changer.json');
  const behave = (script: NastyScript) => writeFile(scriptFile, JSON.stringify(script));
  await behave({});
  const program = join(distDirectory, '../tools/lab/nasty-service.ts');
  let onRequest: (() => void) | undefined;
  const running = start({
    argv: lab.network.on(
      'proxy',
      ...[process.execPath, program, addresses.proxy, String(port), lab.baseUrl, scriptFile],
    ),
    onLine: (line) => (line === 'POST /network/auth-client' ? onRequest?.() : undefined),
  });
  await running.waitForLine((line) => line === 'listening');
  const setPeer = (...args: readonly string[]) =>
    lab.network.run('proxy', 'wg', 'set', 'ref-bench', 'peer', ...args);
  return {
    async change() {
      const { privateKey, publicKey } = await makeKeys(lab);
      // The key is made known at once, so that a handshake is answered whenever it comes. It
      // carries no traffic yet.
      await setPeer(publicKey);
      const asked = new Promise<void>((resolve) => {
        onRequest = resolve;
      });
      await behave({
        wireGuardText: renderTunnel(privateKey),
        beside: { client_private_key: privateKey, client_public_key: publicKey },
      });
      await asked;
      const changedAtMs = Date.now();
      // The other keys are removed first, because the service gives consumers' traffic to any known
      // key with a fresh handshake.
      const keys = (await lab.network.run('proxy', 'wg', 'show', 'ref-bench', 'peers'))
        .trim()
        .split('\n');
      for (const key of keys) if (key !== publicKey) await setPeer(key, 'remove');
      await setPeer(publicKey, 'allowed-ips', '0.0.0.0/0');
      return changedAtMs;
    },
  };
}

async function makeKeys({ network }: Bench['lab']) {
  const made = await network.run(
    'proxy',
    'sh',
    '-c',
    'key=$(wg genkey); echo "$key"; echo "$key" | wg pubkey',
  );
  const [privateKey = '', publicKey = ''] = made.trim().split('\n');
  return { privateKey, publicKey };
}

/** The words in braces are replaced by what was issued, see nasty-service.ts. */
function renderTunnel(privateKey: string): string {
  const own = ['[Interface]', `PrivateKey = ${privateKey}`, 'Address = {ADDRESS}/32', ''];
  const peer = [
    '[Peer]',
    'PublicKey = {PEER}',
    'Endpoint = {ENDPOINT}',
    'AllowedIPs = 0.0.0.0/0',
    'PersistentKeepalive = 25',
  ];
  return [...own, ...peer].join('\n');
}
