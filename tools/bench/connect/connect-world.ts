import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { completeSecrets, saveSecrets } from '../../../src/connect/contract/secrets.ts';
import type { StartMessage } from '../../../src/connect/engine/messages.ts';
import { makeIdentity } from '../../../src/connect/sealed/identity.ts';
import { createIdSource, toUuid } from '../../../src/connect/wire/id.ts';
import { deviceUplink, labInternet } from '../../lab/network.ts';
import type { Bench } from '../bench-lab.ts';

/** The engine's, on the lab's device. */
export const benchDevice = 'conn-bench';
/** Their interfaces on the consumer's host, by how they send. */
const consumerDevices = { engine: 'use-bench', sealed: 'seal-bench' } as const;

/** What the agent does for the engine: a device, ways out, and nothing of a fence. */
const ruleset = `table inet connect-bench {
  chain clamp {
    type filter hook forward priority mangle; policy accept;
    iifname "${benchDevice}" tcp flags syn tcp option maxseg size set 1060
    oifname "${benchDevice}" tcp flags syn tcp option maxseg size set 1060
  }
  chain translate {
    type nat hook postrouting priority srcnat; policy accept;
    iifname "${benchDevice}" oifname "${deviceUplink}" masquerade
  }
}
`;

/** Makes the device that the engine attaches to, on the lab's device. */
export async function makeDevice({ lab: { network } }: Bench): Promise<void> {
  const ip = (line: string) => network.run('device', 'ip', ...line.split(' '));
  await ip(`tuntap add dev ${benchDevice} mode tun vnet_hdr user 0`);
  await ip(`address add 100.112.0.1/16 dev ${benchDevice}`);
  await ip(`link set ${benchDevice} mtu 1500 up`);
  await network.run('device', 'sysctl', '-qw', 'net.ipv4.ip_forward=1');
  await network.run('device', 'sysctl', '-qw', `net.ipv4.conf.${benchDevice}.rp_filter=2`);
  await network.run('device', 'sh', '-c', 'printf %s "$1" | nft -f -', '-', ruleset);
}

/** Registers a provider with the lab's service: what its engine is started with. */
export async function register({ lab, authCode }: Bench): Promise<StartMessage> {
  const ask = async (path: string, token: string, body: object) => {
    const options = [
      '--fail',
      '--silent',
      '--show-error',
      '--header',
      `Authorization: Bearer ${token}`,
    ];
    const more = ['--header', 'Content-Type: application/json', '--data', JSON.stringify(body)];
    return JSON.parse(
      await lab.network.run('device', 'curl', ...options, ...more, `${lab.baseUrl}${path}`),
    );
  };
  const { by_jwt: networkToken } = await ask('/auth/code-login', '', { auth_code: authCode });
  const { by_client_jwt: token } = await ask('/network/auth-client', networkToken, {
    description: 'engine',
    device_spec: 'bench',
  });
  const claims = JSON.parse(Buffer.from(token.split('.')[1], 'base64url').toString());
  return {
    type: 'start',
    ownId: claims.client_id,
    token,
    urls: [lab.baseUrl.replace(/^http/, 'ws')],
    controlUrl: `${lab.baseUrl}/connect/control`,
    authority: null,
    instanceId: toUuid(createIdSource({ randomBytes }).next(Date.now())),
    appVersion: '0.0.0-bench',
    secrets: saveSecrets(completeSecrets(randomBytes)),
    isSealingRequired: false,
    identity: makeIdentity(randomBytes),
    published: null,
    wish: 'public',
    pool: {
      ipv4: { first: '100.112.0.2', count: 60_000 },
      ipv6: { first: 'fd00::2', count: 60_000 },
    },
    device: benchDevice,
    mostUnpaidBytes: 256 * 1024 * 1024,
    books: null,
    largestId: null,
  };
}

/** Connects a consumer in plaintext to the provider, and one that seals. */
export async function startConsumers(bench: Bench, provider: string): Promise<void> {
  const plain = ['--interface', consumerDevices.engine, '--sealing', 'off'];
  await startConsumer(bench, provider, plain);
  // One network's consumers are always the same clients, so the other one is of another network.
  await bench.lab.network.run('proxy', ...toSandbox(bench, 'network', 'sealed'));
  const sealed = ['--interface', consumerDevices.sealed, '--sealing', 'required'];
  await startConsumer(bench, provider, [...sealed, '--network', 'sealed']);
}

async function startConsumer(
  bench: Bench,
  provider: string,
  how: readonly string[],
): Promise<void> {
  const { lab, start } = bench;
  const program = toSandbox(bench, 'consumer', '--service', lab.baseUrl, '--json');
  const argv = lab.network.on('consumer', ...program, '--provider', provider, ...how);
  const running = start({ argv });
  await running.waitForLine((line) => line.startsWith('{'));
}

/** A command line of the lab's own service. */
function toSandbox({ lab, distDirectory }: Bench, ...args: readonly string[]): readonly string[] {
  const program = [process.execPath, join(distDirectory, 'tributary.cjs'), 'sandbox'];
  return [...program, ...args, '--data', join(lab.directory, 'service')];
}

/** By what goes that the consumer's host sends to the lab's Internet. */
export async function leadTraffic(
  { lab: { network } }: Bench,
  to: 'engine' | 'sealed' | 'tunnel',
): Promise<void> {
  if (to === 'tunnel') await network.run('consumer', 'ip', 'route', 'delete', labInternet);
  else
    await network.run(
      'consumer',
      'ip',
      'route',
      'replace',
      labInternet,
      'dev',
      consumerDevices[to],
    );
}
