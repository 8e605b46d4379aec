import type { EngineUser } from './engine-user.ts';

/** A program with its arguments. */
interface Launch {
  readonly program: string;
  readonly args: readonly string[];
}

/** The number of the call capset(2), which is a processor's own. */
const capsetNumbers: Readonly<Partial<Record<NodeJS.Architecture, number>>> = {
  arm: 185,
  arm64: 91,
  loong64: 91,
  ppc64: 184,
  riscv64: 91,
  s390x: 185,
  x64: 126,
};

/**
 * Gives up every capability, then becomes the program. After `--no-new-privs` no program that it
 * starts can have one again, also as root: root in a container may keep its capabilities otherwise,
 * where it is not allowed to change its bounding set.
 */
const giveUp = `
my ($call, $whom, $none) = (shift(@ARGV) + 0, pack("L l", 0x20080522, 0), pack("L6", (0) x 6));
syscall($call, $whom, $none) == 0 or die "capset: $!";
exec { $ARGV[0] } @ARGV or die "$ARGV[0]: $!";
`;

/**
 * The engine's command line: no capability, no way to new ones, its own user where there is one,
 * and its end is this process's end, also after kill -9. undefined on a processor for which this
 * cannot be promised.
 */
export function planLaunch(
  engine: readonly string[],
  user: EngineUser,
  architecture: NodeJS.Architecture = process.arch,
): Launch | undefined {
  const capset = capsetNumbers[architecture];
  if (capset === undefined) return undefined;
  const ids = [`--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups'];
  return {
    program: 'setpriv',
    args: [
      ...['--pdeathsig', 'KILL', '--no-new-privs', '--inh-caps=-all', '--ambient-caps=-all'],
      ...(user.isOther ? ids : []),
      ...['--', '/usr/bin/perl', '-e', giveUp, String(capset), ...engine],
    ],
  };
}
