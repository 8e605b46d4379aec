import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createKernelWatch } from '../../src/agent/pass/kernel-watch.ts';
import { exec } from '../../src/system/exec.ts';
import { keepProgram } from '../../src/system/kept-program.ts';
import type { Lab } from '../../tools/lab/lab.ts';
import { addresses, deviceUplink, isInsideLab } from '../../tools/lab/network.ts';
import type { LabProcess } from '../../tools/lab/processes.ts';
import { createTestLab, showLogOnFailure } from './support/test-lab.ts';

const otherHardware = '02:00:00:00:77:01';
const thirdHardware = '02:00:00:00:77:02';
/** The lab has no IPv6: its NAS is the router there, to an Internet that answers nothing. */
const router6 = '2001:db8:77::1';

describe.skipIf(!isInsideLab()).each([
  { family: 4, host: 'home', router: addresses.homeLan, notify: 'ipv4.conf.lan0.arp_notify' },
  { family: 6, host: 'nas', router: router6, notify: 'ipv6.conf.lan0.ndisc_notify' },
] as const)('another router of IPv$family at the same address', (given) => {
  const { family, host, router, notify } = given;
  let lab: Lab;
  let agent: LabProcess | undefined;
  const on = (name: 'device' | typeof host, command: string) =>
    lab.network.run(name, ...command.split(' '));
  /** When the engine's socket opened. */
  const readSince = async () => (await lab.status()).sources[0]?.aliveSince ?? null;
  const readNeighbour = () => on('device', `ip neighbour show to ${router} dev ${deviceUplink}`);

  beforeAll(async () => {
    lab = await createTestLab({ id: `orou${family}`, profile: 'documented', source: 'connect' });
    if (family === 6) {
      await on(host, `ip address add ${router}/64 dev lan0 nodad`);
      await on('device', `ip address add 2001:db8:77::10/64 dev ${deviceUplink} nodad`);
      await on('device', `ip route add default via ${router} dev ${deviceUplink}`);
    }
    await on('device', `ping -c 1 ${router}`);
  });
  beforeEach((context) => showLogOnFailure(context, () => agent));
  afterAll(() => lab?.remove());

  /** The agent's watch over the device's kernel, in this process; it has looked once. */
  const watchKernel = async () => {
    let wakes = 0;
    const toDevice = <Of extends { readonly program: string; readonly args: readonly string[] }>(
      of: Of,
    ) => {
      const [program, ...args] = lab.network.on('device', of.program, ...of.args);
      return { ...of, program, args };
    };
    const watch = createKernelWatch({
      exec: (command) => exec(toDevice(command)),
      keepProgram: (program, signal) => keepProgram(toDevice(program), signal),
      wakeup: { notify: () => void wakes++ },
    });
    const stop = new AbortController();
    const running = watch.tick(stop.signal);
    onTestFinished(async () => {
      stop.abort();
      await running;
    });
    watch.begin();
    // It looks when its monitors hear, and that is not because of anything that they said.
    await expect.poll(() => wakes).toBeGreaterThan(0);
    await watch.observeNetwork();
    wakes = 0;
    return { wakes: () => wakes };
  };
  /** A router that is switched on tells its neighbours. */
  const replaceRouter = async (hardware: string) => {
    await on(host, `sysctl -qw net.${notify}=1`);
    await on(host, `ip link set lan0 address ${hardware}`);
    await expect.poll(readNeighbour).toContain(hardware);
  };

  // Before the agent runs: its changes of the firewall would be a stranger's to this watch.
  it('is told by the kernel, and by nothing else', async () => {
    const { wakes } = await watchKernel();
    await replaceRouter(thirdHardware);
    await expect.poll(wakes).toBe(1);
  });

  // Where it is the one of IPv6, the socket itself goes by IPv4 and lives on: one that only flees
  // from silence would stay there.
  it('has a socket opened because of it', async () => {
    agent = lab.startAgent();
    await lab.waitForStatus(({ phase }) => phase === 'providing');
    expect(await readNeighbour()).toContain('lladdr');
    const before = await readSince();
    expect(before).not.toBeNull();
    await replaceRouter(otherHardware);
    await expect.poll(async () => [null, before].includes(await readSince())).toBe(false);
  });
});
