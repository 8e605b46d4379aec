import { messageOf } from '../../src/errors/codes.ts';
import { type Exec, exec } from '../../src/system/exec.ts';
import { LabError } from './lab-error.ts';

/** The hosts of the lab, each a network namespace. */
const hostNames = ['consumer', 'proxy', 'internet', 'home', 'nas', 'device'] as const;
export type HostName = (typeof hostNames)[number];

/**
 * Hosts on the lab's Internet have documentation addresses (RFC 5737), which the device's
 * configuration allows.
 */
export const addresses = {
  consumer: '10.99.0.2',
  proxy: '198.51.100.2',
  internet: '192.0.2.10',
  homeWan: '203.0.113.2',
  homeLan: '192.168.77.1',
  device: '192.168.77.10',
  nas: '192.168.77.20',
} as const;

/** The value of the device's `gateway.allow_destinations` in the lab. */
export const labInternet = '192.0.2.0/24';

/** The network of the service, and how the consumer's host gets there. */
export const serviceNetwork = { prefix: '198.51.100.0/24', router: '10.99.0.1' } as const;

/** The proxy's interface for consumers' traffic, and the device's uplink. */
export const consumerSide = 'to-consumer';
export const deviceUplink = 'lan0';

/** True inside `enter.sh`; a lab may only be made there. */
export function isInsideLab(): boolean {
  return process.env.LAB_OF_TRIBUTARY === 'inside';
}

/** The command line of a command on a host. */
export type HostCommand = readonly ['ip', 'netns', 'exec', netns: string, ...string[]];

/** The lab's hosts, linked. */
export interface LabNetwork {
  /** The name of a host's network namespace. */
  netns(host: HostName): string;
  on(host: HostName, ...command: readonly string[]): HostCommand;
  /**
   * Runs a command on a host to its end. Resolves with its standard output.
   * @throws command-failed
   */
  run(host: HostName, program?: string, ...args: readonly string[]): Promise<string>;
  /** Runs programs on a host as `exec` does on this machine. */
  execOn(host: HostName): Exec;
  remove(): Promise<void>;
}

/**
 * Links the hosts: consumer — proxy — internet — home — (nas, device). `id` distinguishes the labs
 * of one run.
 * @throws LabError
 */
export async function createLabNetwork(id: string): Promise<LabNetwork> {
  const netns = (host: HostName) => `${id}-${host}`;
  const on = (host: HostName, ...command: readonly string[]) =>
    ['ip', 'netns', 'exec', netns(host), ...command] as const;
  const execOn =
    (host: HostName): Exec =>
    (command) => {
      const [program, ...args] = on(host, command.program, ...command.args);
      return exec({ ...command, program, args });
    };
  const run = (host: HostName, program = 'true', ...args: readonly string[]) =>
    execOn(host)({ program, args, doing: `in the lab, on ${host}: ${program} ${args.join(' ')}` });
  const remove = async () => {
    const removeHost = (host: HostName) =>
      exec({
        program: 'ip',
        args: ['netns', 'delete', netns(host)],
        doing: 'removing a host of the lab',
      });
    await Promise.allSettled(hostNames.map(removeHost));
  };
  try {
    await batch(listLinks(netns));
    await Promise.all(hostNames.map((host) => batch(listHostCommands(host), netns(host))));
    const routers = ['proxy', 'internet', 'home'] as const;
    // Not by sysctl, which small images lack.
    const forward = 'echo 1 >/proc/sys/net/ipv4/ip_forward';
    await Promise.all(routers.map((host) => run(host, 'sh', '-c', forward)));
    // A home router translates what leaves. Without that, the device's tunnel could be reached from
    // outside.
    const chain =
      'chain out { type nat hook postrouting priority srcnat; oifname "wan0" masquerade; }';
    await run('home', 'nft', `table ip home { ${chain}; }`);
  } catch (error) {
    await remove();
    throw new LabError(`making the lab's network: ${messageOf(error)}`, {
      cause: error,
    });
  }
  return { netns, on, run, execOn, remove };
}

async function batch(lines: readonly string[], netns?: string): Promise<void> {
  const args = [...(netns === undefined ? [] : ['-netns', netns]), '-batch', '-'];
  await exec({
    program: 'ip',
    args,
    input: `${lines.join('\n')}\n`,
    doing: 'linking the hosts of the lab',
  });
}

type LinkEnd = readonly [host: HostName, name: string];

function listLinks(netns: (host: HostName) => string): readonly string[] {
  const link = ([one, oneName]: LinkEnd, [other, otherName]: LinkEnd) =>
    `link add ${oneName} netns ${netns(one)} type veth peer name ${otherName} netns ${netns(other)}`;
  return [
    ...hostNames.map((host) => `netns add ${netns(host)}`),
    link(['consumer', 'eth0'], ['proxy', consumerSide]),
    link(['proxy', 'wan0'], ['internet', 'to-proxy']),
    link(['internet', 'to-home'], ['home', 'wan0']),
    link(['home', 'port1'], ['nas', 'lan0']),
    link(['home', 'port2'], ['device', deviceUplink]),
  ];
}

function listHostCommands(host: HostName): readonly string[] {
  const up = (name: string, address: string) => [
    `address add ${address} dev ${name}`,
    `link set ${name} up`,
  ];
  const via = (router: string) => `route add default via ${router}`;
  const own: Readonly<Record<HostName, readonly string[]>> = {
    consumer: [...up('eth0', '10.99.0.2/24'), via('10.99.0.1')],
    proxy: [
      ...up(consumerSide, '10.99.0.1/24'),
      ...up('wan0', '198.51.100.2/24'),
      via('198.51.100.1'),
    ],
    internet: [
      ...up('lo', '192.0.2.10/32'),
      ...up('to-proxy', '198.51.100.1/24'),
      ...up('to-home', '203.0.113.1/24'),
    ],
    home: [
      'link add lan0 type bridge',
      'link set port1 master lan0 up',
      'link set port2 master lan0 up',
      ...up('lan0', '192.168.77.1/24'),
      ...up('wan0', '203.0.113.2/24'),
      via('203.0.113.1'),
    ],
    nas: [...up('lan0', '192.168.77.20/24'), via('192.168.77.1')],
    device: [...up(deviceUplink, '192.168.77.10/24'), via('192.168.77.1')],
  };
  return ['link set lo up', ...own[host]];
}
