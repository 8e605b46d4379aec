import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Lab } from '../../tools/lab/lab.ts';
import { isInsideLab } from '../../tools/lab/network.ts';
import { type LabProcess, startProcess } from '../../tools/lab/processes.ts';
import { waitUntil } from '../patience.ts';
import { createTestLab, showLogOnFailure } from './support/test-lab.ts';

/*
 * In a namespace of its own the agent has the host as its router: the kernel there tells it nothing
 * of the home's. So a router that is replaced at the same address is noticed by silence.
 */
describe.skipIf(!isInsideLab())('the network’s own protocol from a namespace on a host', () => {
  let lab: Lab;
  let agent: LabProcess | undefined;
  const onHost = (...command: readonly string[]): [string, ...string[]] => [
    'nsenter',
    `--net=/run/netns/${lab.network.netns('device')}`,
    ...command,
  ];
  const program = (...args: readonly string[]) => lab.command(...args).slice(4);
  /** When the engine's socket opened; null before, and once it is closed. */
  const readSince = async () => (await lab.status()).sources[0]?.aliveSince ?? null;

  beforeAll(async () => {
    const config = { gateway: { allow_destinations: ['192.0.2.0/24', '198.51.100.0/24'] } };
    lab = await createTestLab({ id: 'nsrou', profile: 'documented', source: 'connect', config });
  });
  beforeEach((context) => showLogOnFailure(context, () => agent));
  afterAll(async () => {
    agent?.kill();
    await agent?.exited;
    await lab?.remove();
  });

  it('has another socket before the one is given up that a replaced router knows nothing of', async () => {
    const made = startProcess({ argv: onHost(...program('namespace', 'up')) });
    expect(await made.exited).toBe(0);
    agent = startProcess({
      argv: [...onHost('ip', 'netns', 'exec', 'tributary'), ...program('run')] as never,
      env: { TRIBUTARY_AUTH_CODE: lab.authCode, RUNTIME_DIRECTORY: lab.stateDirectory },
    });
    const { gateway } = await lab.waitForStatus(({ phase }) => phase === 'providing');
    expect(gateway.uplink).toBe('uplink0');
    const before = await readSince();
    expect(before).not.toBeNull();
    const known = await lab.network.run('home', 'conntrack', '-L', '-p', 'tcp');
    const ports = [...known.matchAll(/^.*? sport=(\d+) /gm)].map(([, port]) => port);
    const drop = `tcp sport { ${ports.join(', ')} } drop`;
    const chain = `chain former { type filter hook forward priority -1; ${drop}; }`;
    await lab.network.run('home', 'nft', `table ip former { ${chain}; }`);
    // Between two looks a gap may be missed; `test/connect/socket/link.test.ts` shows, on virtual
    // time, that another socket is open before a silent one is given up.
    const seen = new Set<string | null>();
    await waitUntil(async () => {
      seen.add(await readSince());
      expect(seen.size).toBeGreaterThan(1);
    });
    expect(seen).not.toContain(null);
  });
});
