import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { StatusDocument } from '../../src/status/document.ts';
import { type Lab, webPort } from '../../tools/lab/lab.ts';
import { addresses, isInsideLab } from '../../tools/lab/network.ts';
import { type LabProcess, startProcess } from '../../tools/lab/processes.ts';
import { type NastyService, nastyUrl, startNastyService } from './support/start-nasty-service.ts';
import { createTestLab, showLogOnFailure, stopAgent } from './support/test-lab.ts';

const renderText = (address: string, allowedIps: string) => `[Interface]
PrivateKey = {KEY}
Address = ${address}

[Peer]
PublicKey = {PEER}
Endpoint = {ENDPOINT}
AllowedIPs = ${allowedIps}
`;
const ofBoth = {
  wireGuardText: renderText('{ADDRESS}/32, fd00:99::2/128', '0.0.0.0/0, ::/0'),
  keepaliveSeconds: 5,
};
/**
 * A kernel started with ipv6.disable=1, as far as programs see it: no settings, and no answer about
 * routes and rules.
 */
const withoutIpv6 = `
  mount -t tmpfs tmpfs /proc/sys/net/ipv6
  programs=$(mktemp -d -p "$1")
  shift
  mount -t tmpfs tmpfs "$programs"
  cat >"$programs/ip" <<'END'
#!/bin/sh
case " $* " in *" -6 "*) echo 'RTNETLINK answers: Operation not supported' >&2; exit 2 ;; esac
PATH=\${PATH#*:} exec ip "$@"
END
  chmod +x "$programs/ip"
  PATH=$programs:$PATH exec "$@"
`;
const ofIpv6Alone = {
  wireGuardText: renderText('{ADDRESS}/128', '::/0'),
  address: 'fd00:99::2',
  keepaliveSeconds: 5,
};

// Namespaces are needed; test/global-setup.ts says aloud that this is left out.
describe.skipIf(!isInsideLab())('a device whose IPv6 is switched off', () => {
  let lab: Lab;
  let service: NastyService;
  let agent: LabProcess | undefined;
  const switchIpv6 = (to: 'on' | 'off') =>
    lab.network.run(
      'device',
      'sysctl',
      '-qw',
      `net.ipv6.conf.all.disable_ipv6=${to === 'off' ? 1 : 0}`,
    );
  const listAddresses = () =>
    lab.network.run('device', 'ip', '-brief', 'address', 'show', 'dev', 'trib-noip6');

  beforeAll(async () => {
    lab = await createTestLab({
      id: 'noip6',
      profile: 'documented',
      config: { service: { base_url: nastyUrl, profile: 'documented', allow_insecure_http: true } },
    });
    service = await startNastyService(lab);
    await switchIpv6('off');
  });
  afterAll(async () => {
    if (agent !== undefined) await stopAgent(agent);
    await service?.stop();
    await lab?.remove();
  });

  it('provides by IPv4 where both were issued, and says once what is left out', async (context) => {
    showLogOnFailure(context, () => agent);
    await service.behave(ofBoth);
    agent = lab.startAgent();
    const { reasons } = await lab.waitForStatus(({ phase }) => phase === 'providing');
    expect(reasons.map(({ code }) => code)).toEqual(['no-ipv6']);
    await expect.poll(() => lab.probe(addresses.internet, webPort)).toBe('reached');
    expect(await listAddresses()).not.toContain('fd00:');
    expect(agent.lines.filter((line) => line.includes('no-ipv6'))).toHaveLength(1);
  });

  it('has the whole tunnel once it is switched on', async (context) => {
    showLogOnFailure(context, () => agent);
    await switchIpv6('on');
    await lab.waitForStatus(
      ({ phase, reasons }) => phase === 'providing' && reasons.length === 0,
      60_000,
    );
    expect(await listAddresses()).toContain('fd00:99::2/128');
  });

  it('is blocked with a reason where IPv6 alone was issued', async (context) => {
    showLogOnFailure(context, () => agent);
    await switchIpv6('off');
    await service.behave(ofIpv6Alone);
    // Until a renewal has brought that tunnel, the one before may fail as IPv6 goes away under
    // it.
    const isBlocked = ({ phase, reasons: [reason] }: StatusDocument) =>
      phase === 'blocked' && reason?.code === 'no-ipv6';
    const { reasons } = await lab.waitForStatus(isBlocked);
    expect(reasons[0]).toMatchObject({
      code: 'no-ipv6',
      message: expect.stringContaining('IPv6 alone'),
    });
  });

  it('provides by IPv4 on a kernel that knows nothing of IPv6', async (context) => {
    showLogOnFailure(context, () => agent);
    if (agent !== undefined) await stopAgent(agent);
    await service.behave(ofBoth);
    // Without `ip netns exec NAME`, which the lab puts in front.
    const run = lab.command('run').slice(4);
    agent = startProcess({
      argv: lab.network.on(
        'device',
        ...['unshare', '--mount', 'sh', '-euc', withoutIpv6, 'sh', lab.directory],
        ...run,
      ),
      env: { TRIBUTARY_AUTH_CODE: lab.authCode },
    });
    // Not the lab's own agent, whose end the lab watches for.
    const readCodes = async () => {
      const { phase, reasons } = await lab.status();
      return [phase, ...reasons.map(({ code }) => code)];
    };
    await expect.poll(readCodes).toEqual(['providing', 'no-ipv6']);
    await expect.poll(() => lab.probe(addresses.internet, webPort)).toBe('reached');
    expect(await stopAgent(agent)).toBe(0);
  });
});
