import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { TributaryError } from '../lib/errors.ts';
import { namespaceName } from './plan.ts';

export type Means = Awaited<ReturnType<typeof observeMeans>>;

/** How a command gets into a namespace of the agent's own, by these means. @throws host-namespace where neither works */
export function chooseWayIn(means: Means, command: readonly string[]) {
  // Should this process be killed, the agent inside is told to stop as well.
  const tied = ['setpriv', '--pdeathsig', 'TERM', ...command];
  if (means.isRoot) return { kind: 'netns', argv: ['ip', 'netns', 'exec', namespaceName, ...tied] } as const;
  const inPasta = ['unshare', '--mount', 'sh', '-c', pastaScript, 'sh', ...tied];
  if (means.hasPasta) return { kind: 'pasta', argv: ['pasta', ...pastaOptions, ...inPasta] } as const;
  const message =
    "this is the host's own network namespace, and the agent changes none but its own: run it as root, or install pasta (apt-get install passt)";
  throw new TributaryError('host-namespace', message);
}

/** Neither the host's loopback (--no-map-gw) nor a port is led across: the agent is asked through its socket. */
const pastaOptions = [
  '--config-net',
  '--quiet',
  '--foreground',
  '--no-map-gw',
  ...['-t', 'none', '-u', 'none', '-T', 'none', '-U', 'none'],
  '--',
];

/** A private /run: the host's, and the /run/wireguard that wireguard-go wants and an ordinary user cannot make. */
const pastaScript = [
  'set -e',
  // A place that everybody has; nothing is left there, also where this is cut short.
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
  // A resolver on the host's loopback is out of reach in there; the servers that systemd's asks are not.
  'servers=/run/systemd/resolve/resolv.conf',
  'if [ -r $servers ] && grep -q "^nameserver 127[.]" /etc/resolv.conf; then mount -n --bind $servers /etc/resolv.conf; fi',
  // nft is not where Debian lets ordinary users look.
  'PATH=$PATH:/usr/sbin:/sbin',
  'exec "$@"',
].join('\n');

export async function observeMeans(environment: NodeJS.ProcessEnv) {
  const folders = [...(environment.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/bin'];
  const found = await Promise.allSettled(folders.map((folder) => access(join(folder, 'pasta'), constants.X_OK)));
  return { isRoot: process.geteuid?.() === 0, hasPasta: found.some(({ status }) => status === 'fulfilled') };
}
