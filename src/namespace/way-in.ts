import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { TributaryError } from '../errors/codes.ts';
import { namespaceName } from './plan.ts';

/** By which means this process could get into a namespace of the agent's own. */
export interface Means {
  readonly isRoot: boolean;
  readonly hasPasta: boolean;
}

/** The command line that leads in there, and what makes the namespace. */
interface WayIn {
  readonly kind: 'netns' | 'pasta';
  readonly argv: readonly [program: string, ...args: string[]];
}

/**
 * How a command gets into a namespace of the agent's own with these means.
 * @throws host-namespace where none of them works
 */
export function chooseWayIn(means: Means, command: readonly string[]): WayIn {
  // If this process is killed, the agent inside is told to stop as well.
  const tied = ['setpriv', '--pdeathsig', 'TERM', ...command];
  if (means.isRoot) return { kind: 'netns', argv: ['ip', 'netns', 'exec', namespaceName, ...tied] };
  const inPasta = ['unshare', '--mount', 'sh', '-c', pastaScript, 'sh', ...tied];
  if (means.hasPasta) return { kind: 'pasta', argv: ['pasta', ...pastaOptions, ...inPasta] };
  const message =
    "this is the host's own network namespace, and the agent changes none but its own: run it with sudo, or install pasta (apt-get install passt)";
  throw new TributaryError('host-namespace', message);
}

/**
 * Neither the host's loopback (--no-map-gw) nor a port is led across: the agent is asked through
 * its socket.
 */
const pastaOptions = [
  '--config-net',
  '--quiet',
  '--foreground',
  '--no-map-gw',
  ...['-t', 'none', '-u', 'none', '-T', 'none', '-U', 'none'],
  '--',
];

/**
 * Makes a private /run with the contents of the host's, and with the /run/wireguard that
 * wireguard-go needs and an ordinary user cannot make.
 */
const pastaScript = [
  'set -e',
  // Every system has /tmp; nothing is left there, even if this is cut short.
  'new=/tmp',
  'mount -n -t tmpfs -o mode=755 tmpfs "$new"',
  'for entry in /run/*; do',
  '  name=$(basename "$entry")',
  '  if [ "$name" = wireguard ] || [ ! -r "$entry" ]; then continue',
  '  elif [ -d "$entry" ]; then mkdir "$new/$name" && mount -n --rbind "$entry" "$new/$name"',
  '  elif [ -f "$entry" ] || [ -S "$entry" ]; then : >"$new/$name" && mount -n --bind "$entry" "$new/$name"; fi',
  'done',
  'mkdir "$new/wireguard"',
  'mount -n --move "$new" /run',
  // A resolver on the host's loopback cannot be reached from inside. The servers that
  // systemd-resolved asks can, and those that the network has named to NetworkManager.
  'for servers in /run/systemd/resolve/resolv.conf /run/NetworkManager/no-stub-resolv.conf; do',
  '  if [ -r $servers ] && grep -q "^nameserver 127[.]" /etc/resolv.conf; then mount -n --bind $servers /etc/resolv.conf; fi',
  'done',
  // Debian keeps nft where ordinary users do not look for programs.
  'PATH=$PATH:/usr/sbin:/sbin',
  'exec "$@"',
].join('\n');

export async function observeMeans(environment: NodeJS.ProcessEnv): Promise<Means> {
  const folders = [...(environment.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/bin'];
  const found = await Promise.allSettled(
    folders.map((folder) => access(join(folder, 'pasta'), constants.X_OK)),
  );
  return {
    isRoot: process.geteuid?.() === 0,
    hasPasta: found.some(({ status }) => status === 'fulfilled'),
  };
}
