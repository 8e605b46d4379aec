import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Lab } from '../../tools/lab/lab.ts';
import { isInsideLab } from '../../tools/lab/network.ts';
import type { LabProcess } from '../../tools/lab/processes.ts';
import { type NastyService, nastyUrl, startNastyService } from './support/start-nasty-service.ts';
import { createTestLab, showLogOnFailure, signIn, stopAgent } from './support/test-lab.ts';

const good = `[Interface]
PrivateKey = {KEY}
Address = {ADDRESS}/32

[Peer]
PublicKey = {PEER}
Endpoint = {ENDPOINT}
AllowedIPs = 0.0.0.0/0
`;
const touched = '/run/touched-by-the-service';

interface Case {
  readonly name: string;
  readonly text: string;
  readonly code: string;
  readonly address?: string;
}

const refused: readonly Case[] = [
  ...['PreUp', 'PostUp', 'PreDown', 'PostDown'].map((hook) => ({
    name: `a ${hook} hook`,
    text: good.replace('\n\n[Peer]', `\n${hook} = touch ${touched}\n\n[Peer]`),
    code: 'wireguard-text-refused',
  })),
  {
    name: 'shell characters in an address',
    text: good.replace('{ADDRESS}/32', `{ADDRESS}/32; touch ${touched}`),
    code: 'wireguard-text-refused',
  },
  {
    name: 'a command in an endpoint',
    text: good.replace('{ENDPOINT}', `$(touch ${touched}):51820`),
    code: 'wireguard-text-refused',
  },
  { name: 'a doubled section', text: `${good}\n${good}`, code: 'wireguard-text-refused' },
  { name: 'no peer', text: good.slice(0, good.indexOf('[Peer]')), code: 'wireguard-text-refused' },
  {
    name: 'a megabyte',
    text: `${good}\n#${'x'.repeat(1024 * 1024)}`,
    code: 'wireguard-text-refused',
  },
  {
    name: "an address of the device's own network",
    text: good,
    address: '192.168.77.55',
    code: 'address-collision',
  },
  {
    name: "an end of the tunnel in the home's own public network",
    text: good.replace('{ENDPOINT}', '84.10.0.5:1900'),
    code: 'wireguard-text-refused',
  },
];

// Namespaces are needed; test/global-setup.ts says aloud that this is left out.
describe.skipIf(!isInsideLab())('a service that issues hostile WireGuard texts', () => {
  let lab: Lab;
  let service: NastyService;
  let agent: LabProcess | undefined;
  beforeAll(async () => {
    lab = await createTestLab({
      id: 'host',
      profile: 'documented',
      config: { service: { base_url: nastyUrl, profile: 'documented', allow_insecure_http: true } },
    });
    service = await startNastyService(lab);
    await lab.network.run(
      'device',
      'sh',
      '-ec',
      'ip link add own0 type veth peer name own1 && ip address add 84.10.0.2/28 dev own0 && ip link set own0 up',
    );
    await signIn(lab);
  });
  afterEach(async () => {
    if (agent !== undefined) await stopAgent(agent);
    agent = undefined;
  });
  afterAll(async () => {
    await service?.stop();
    await lab?.remove();
  });

  it.each(refused)('is blocked with a reason: $name', async ({ text, code, address }) => {
    await forgetRegistration(lab);
    await service.behave({ wireGuardText: text, ...(address === undefined ? {} : { address }) });
    agent = lab.startAgent();
    const status = await lab.waitForStatus(({ phase }) => phase === 'blocked');
    expect(status.reasons[0]).toMatchObject({
      code,
      message: expect.any(String),
      action: expect.any(String),
    });
    expect(status.reasons[0]?.message.length).toBeLessThan(300);
    expect(status.gateway.open).toBe(false);
    expect(await lab.network.run('device', 'ip', '-o', 'link')).not.toContain(
      status.tunnel.interface,
    );
    expect(await lab.network.run('device', 'nft', 'list', 'tables'), 'the fence is up').toContain(
      'tributary',
    );
    expect(existsSync(touched)).toBe(false);
    expect((await lab.status()).phase).toBe('blocked');
  });

  it('goes on by itself once a good text is issued', async (context) => {
    showLogOnFailure(context, () => agent);
    await forgetRegistration(lab);
    await service.behave({ wireGuardText: refused[0]?.text ?? '', keepaliveSeconds: 5 });
    agent = lab.startAgent();
    await lab.waitForStatus(({ phase }) => phase === 'blocked');
    await service.behave({});
    const status = await lab.waitForStatus(({ phase }) => phase === 'providing');
    expect(status.reasons).toEqual([]);
  });

  it('keeps the tunnel that it has when a later text is refused', async (context) => {
    showLogOnFailure(context, () => agent);
    await forgetRegistration(lab);
    await service.behave({ wireGuardText: good, keepaliveSeconds: 5 });
    agent = lab.startAgent();
    await lab.waitForStatus(({ phase }) => phase === 'providing');
    await service.behave({ wireGuardText: refused[0]?.text ?? '', keepaliveSeconds: 5 });
    const status = await lab.waitForStatus(
      ({ reasons }) => reasons[0]?.code === 'wireguard-text-refused',
    );
    expect(status).toMatchObject({ phase: 'providing', gateway: { open: true } });
    expect(existsSync(touched)).toBe(false);
  });
});

/** As a new device of the same network: only the sign-in stays. */
async function forgetRegistration(lab: Lab): Promise<void> {
  for (const name of ['identity.json', 'registration.json', 'pending-create.json']) {
    await rm(join(lab.stateDirectory, name), { force: true });
  }
}
