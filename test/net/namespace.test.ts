import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Lab, webPort } from '../../src/lab/lab.ts';
import { addresses, isInsideLab } from '../../src/lab/network.ts';
import { type LabProcess, startProcess } from '../../src/lab/processes.ts';
import { describeForwardPolicies } from './support/forward-policies.ts';
import { createTestLab } from './support/test-lab.ts';

/*
 * `tributary namespace up` on a host: the lab's device plays the host, and the agent runs in the namespace made on it.
 * `ip netns add` needs the mount namespace of the lab, so commands enter the device's network namespace alone.
 */
// Outside the lab there are no namespaces, and the host itself would be changed.
describe.skipIf(!isInsideLab())('a namespace of its own on a host', () => {
  let lab: Lab;
  let agent: LabProcess;
  let before: string;

  const onHost = (...command: readonly string[]) =>
    ['nsenter', `--net=/run/netns/${lab.network.netns('device')}`, ...command] as const;
  const run = async (...command: readonly string[]) => {
    const running = startProcess({ argv: onHost(...command) });
    const exitCode = await running.exited;
    return { exitCode, text: running.lines.join('\n') };
  };
  // Without `ip netns exec NAME`, which the lab puts in front.
  const program = (...args: readonly string[]) => lab.command(...args).slice(4);
  const snapshot = async () =>
    (
      await run(
        'sh',
        '-c',
        'ip -br a; ip rule; ip route; ip netns | grep ^tributary; nft list ruleset; sysctl -a --pattern net.ipv4.*forw; ls /etc',
      )
    ).text;

  beforeAll(async () => {
    lab = await createTestLab({
      id: 'hostns',
      profile: 'documented',
      // The host's side of the fence knows nothing of the lab's Internet either, nor of its service.
      config: { gateway: { allow_destinations: ['192.0.2.0/24', '198.51.100.0/24'] } },
    });
    before = await snapshot();
  });

  afterAll(async () => {
    agent?.kill();
    await agent?.exited;
    await lab?.remove();
  });

  it('is made, and made again without harm', async () => {
    expect(await run(...program('namespace', 'up'))).toMatchObject({ exitCode: 0 });
    expect(await run(...program('namespace', 'up'))).toMatchObject({ exitCode: 0 });
    expect((await run('ip', 'netns', 'exec', 'tributary', 'ip', '-br', 'address')).text).toContain('uplink0');
  });

  it('holds an agent that provides', async () => {
    agent = startProcess({
      argv: [...onHost('ip', 'netns', 'exec', 'tributary'), ...program('run')] as [string, ...string[]],
      env: { TRIBUTARY_AUTH_CODE: lab.authCode },
    });
    const status = await lab.waitForStatus((current) => current.phase === 'providing');
    expect(status.gateway.uplink).toBe('uplink0');
    await expect.poll(() => lab.probe(addresses.internet, webPort), { timeout: 15_000 }).toBe('reached');
  });

  const outOfReach = [
    ['the NAS', addresses.nas],
    ['the host', addresses.device],
    ['the router', addresses.homeLan],
    ["the wire's other end", '198.18.213.1'],
  ] as const;

  it.each(outOfReach)('keeps %s out of reach', async (_name, address) => {
    expect(await lab.probe(address, webPort)).toBe('refused');
  });

  it("keeps them out of reach by the host's side of the fence alone", async () => {
    // Held still, or it would put its own side back.
    agent.kill('SIGSTOP');
    await run('ip', 'netns', 'exec', 'tributary', 'nft', 'flush', 'ruleset');
    await run('ip', 'netns', 'exec', 'tributary', 'ip', 'rule', 'delete', 'priority', '5181');
    for (const [, address] of outOfReach) expect(await lab.probe(address, webPort)).toBe('refused');
    agent.kill('SIGCONT');
  });

  // Where /etc could not be made private (enter.sh says so), the host's own would be compared with itself while tests run.
  it.skipIf(!existsSync('/run/etc/upper'))('leaves the host as it was when it is taken down', async () => {
    agent.kill();
    expect(await agent.exited).toBe(0);
    expect(await run(...program('namespace', 'down'))).toMatchObject({ exitCode: 0 });
    expect(await run(...program('namespace', 'down'))).toMatchObject({ exitCode: 0 });
    expect(await snapshot()).toBe(before);
  });
});

// In this file, because all that is in the lab shares the one name that the namespace has.
describeForwardPolicies();
