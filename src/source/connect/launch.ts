import { toCallFilter } from './call-filter.ts';
import { callNumbers } from './call-numbers.ts';
import type { EngineUser } from './engine-user.ts';
import { launchScript } from './launch-script.ts';

export interface LaunchOptions {
  /** Node by its path, its options, and the engine's file, without a link in either path. */
  readonly command: readonly string[];
  readonly user: EngineUser;
  /** The network device, which belongs to that user. */
  readonly device: string;
  /** By default this machine's. */
  readonly architecture?: NodeJS.Architecture;
}

/** A program with its arguments. */
interface Launch {
  readonly program: string;
  readonly args: readonly string[];
}

/** Programs and their libraries. */
const runs = ['/usr', '/lib', '/lib32', '/lib64'];
/**
 * Names of hosts are looked up by /etc and by what its links lead to; folders and not files,
 * because these files are replaced. Node asks /proc and /sys how much memory and how many
 * processors it has. The kernel does not show there what belongs to a less restricted process.
 */
const reads = [
  '/etc',
  '/run/systemd/resolve',
  '/run/resolvconf',
  '/run/NetworkManager',
  '/proc',
  '/sys',
];

/**
 * The engine's command line: its device open, no capability, no way to new ones, no file but the
 * system's, no socket but the Internet's, its own user where there is one, and its end is this
 * process's end, also after kill -9. undefined on a processor for which this cannot be promised.
 */
export function planLaunch(options: LaunchOptions): Launch | undefined {
  const { command, user, device, architecture = process.arch } = options;
  const numbers = callNumbers[architecture];
  if (numbers === undefined) return undefined;
  const { capset, prctl } = numbers;
  const filter = toCallFilter(numbers).join(';');
  const [node = '', file = ''] = [command[0], command.at(-1)];
  const ids = [`--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups'];
  const reach = [
    ...[...runs, node].map((path) => `run:${path}`),
    ...[...reads, file].map((path) => `read:${path}`),
  ];
  return {
    program: 'setpriv',
    args: [
      ...['--pdeathsig', 'KILL', '--no-new-privs', '--inh-caps=-all', '--ambient-caps=-all'],
      ...(user.isOther ? ids : []),
      ...['--', '/usr/bin/perl', '-e', launchScript],
      ...[String(capset), String(prctl), filter, device, ...reach, '--', ...command],
    ],
  };
}
