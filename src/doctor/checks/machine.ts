import { hasCode, toFailure } from '../../errors/codes.ts';
import { isClockSet } from '../../lib/clock.ts';
import { formatBytes, formatSeconds } from '../../lib/units.ts';
import { isWanted } from '../../source/drivers.ts';
import { isInContainer } from '../../system/container-state.ts';
import { type Finding, fail, pass, skip } from '../check.ts';
import type { DoctorHost } from '../host.ts';

/**
 * Only the processor can be wrong here: with a Node that is too old this program does not even
 * start.
 */
export async function lookAtNode({ nodeVersion, processor }: DoctorHost): Promise<Finding> {
  if (['x64', 'arm64'].includes(processor)) return pass(`Node ${nodeVersion}`);
  return fail(
    `a Node for ${processor}: only 64-bit systems are supported (amd64, arm64)`,
    'Install a 64-bit system',
  );
}

/** A start needs more than this. */
const leastMemoryBytes = 48 * 1024 ** 2;

/** The kernel's available memory or what the container's limit leaves, whichever is less. */
export async function lookAtMemory({ disk }: DoctorHost): Promise<Finding> {
  const find = async (path: string, pattern: RegExp) =>
    pattern.exec((await disk.read(path)) ?? '')?.[1];
  const kilobytes = await find('/proc/meminfo', /^MemAvailable:\s*(\d+) kB/m);
  if (kilobytes === undefined) return skip('/proc/meminfo cannot be read');
  const available = Number(kilobytes) * 1024;
  const swapFree = Number((await find('/proc/meminfo', /^SwapFree:\s*(\d+) kB/m)) ?? 0) * 1024;
  // Without a limit the file says `max`, which is no number.
  const limit = await find('/sys/fs/cgroup/memory.max', /^(\d+)$/m);
  const used = await find('/sys/fs/cgroup/memory.current', /^(\d+)$/m);
  const ofContainer =
    limit === undefined || used === undefined
      ? Number.POSITIVE_INFINITY
      : Math.max(0, Number(limit) - Number(used));
  const found = `${formatBytes(Math.min(available, ofContainer))} available, ${formatBytes(swapFree)} of swap free`;
  const unlimited = (await isWithoutLimits(disk)) ? `; ${withoutLimits}` : '';
  if (Math.min(available + swapFree, ofContainer) >= leastMemoryBytes)
    return pass(`${found}${unlimited}`);
  if (ofContainer < available)
    return fail(`${found}: the container's limit`, 'docker update --memory 256m CONTAINER');
  return fail(found, 'Stop what uses the most memory: ps -eo rss,args --sort=-rss | head -5');
}

/**
 * A kernel that counts no memory for groups of processes, as Raspberry Pi OS has it unless it is
 * asked to: limits of units and containers do nothing then, and nobody says so.
 */
async function isWithoutLimits(disk: DoctorHost['disk']): Promise<boolean> {
  const controllers = await disk.read('/sys/fs/cgroup/cgroup.controllers');
  return controllers !== undefined && !/\bmemory\b/.test(controllers);
}

const withoutLimits =
  'limits of memory do nothing here, because this kernel counts none for units and containers (on a Raspberry Pi: add cgroup_enable=memory to the line in /boot/firmware/cmdline.txt, and restart it)';

/** Whether the one capability that the agent needs is there. */
export async function lookAtPrivileges(host: DoctorHost): Promise<Finding> {
  if (await host.isNetworkAdmin()) return pass('this process has CAP_NET_ADMIN');
  if (host.userId !== 0) return skip('not root, so some checks are skipped: sudo tributary doctor');
  const fix = (await isInContainer(host.disk))
    ? 'docker run --cap-add NET_ADMIN …'
    : 'sudo tributary run';
  return fail('CAP_NET_ADMIN is missing: even root may not change networks here', fix);
}

/** Tokens and certificates still work with a clock that is wrong by this many seconds. */
const mostSeconds = 300;
const setClock = 'sudo timedatectl set-ntp true';

/** With a wrong clock every certificate and every sign-in looks invalid. */
export async function lookAtClock(host: DoctorHost): Promise<Finding> {
  const now = host.now();
  if (!isClockSet(now.getTime()))
    return fail(`this device believes it is ${now.toISOString()}`, setClock);
  const theirs = await host.serviceDate().catch(() => undefined);
  if (theirs === undefined) return pass(`${now.toISOString()}, with nothing to compare it with`);
  const seconds = (host.now().getTime() - theirs.getTime()) / 1000;
  if (Math.abs(seconds) <= mostSeconds)
    return pass(`within ${formatSeconds(Math.abs(seconds) + 1)} of the service's`);
  const how = seconds < 0 ? 'behind' : 'ahead of';
  return fail(`${formatSeconds(Math.abs(seconds))} ${how} the service's clock`, setClock);
}

export async function lookAtNft(host: DoctorHost): Promise<Finding> {
  if (!(await findProgram(host, 'nft'))) {
    return fail('the program nft is not installed', 'sudo apt-get install nftables');
  }
  if (!(await host.isNetworkAdmin())) return skip('needs root: sudo tributary doctor');
  const listing = host.exec({
    program: 'nft',
    args: ['list', 'chains'],
    doing: 'listing the nft chains',
  });
  const chains = await listing.catch(toFailure('command-failed'));
  if (typeof chains === 'string') {
    const helpful = Object.entries(withoutHelp);
    const found = await Promise.all(helpful.map(([program]) => findProgram(host, program)));
    const missed = helpful.flatMap(([, loss], index) => (found[index] === true ? [] : loss));
    return pass(['answers', ...missed].join('; '));
  }
  const isSynology = (await Promise.all(marksOfSynology.map(host.disk.isThere))).includes(true);
  if (!isSynology) return fail(chains.message, 'sudo modprobe nf_tables');
  const fix =
    'Use another device, or Debian in a virtual machine on this one (docs/install-docker.md)';
  return fail(
    'the kernel of Synology DSM has no nftables: nothing could keep consumers off your network',
    fix,
  );
}

/** What is lost without programs that help where they are installed. */
const withoutHelp = {
  conntrack:
    "without conntrack (sudo apt-get install conntrack), consumers' old connections may linger for up to an hour",
  perl: 'without perl (sudo apt-get install perl-base), a long list of denied addresses takes much memory',
};

/** The first of these files is seen in containers too. */
const marksOfSynology = ['/proc/sys/kernel/syno_hw_version', '/etc/synoinfo.conf'];

const tunDevice = '/dev/net/tun';

/**
 * The network's own protocol needs /dev/net/tun everywhere, and so does wireguard-go; the kernel's
 * WireGuard does not.
 */
export async function lookAtTun(host: DoctorHost): Promise<Finding> {
  const backend = await findBackend(host);
  const isForKernel =
    !(await wantsEngine(host)) &&
    (backend === 'kernel' || (backend === 'auto' && (await hasKernelWireGuard(host))));
  if (isForKernel) return pass("not needed: the kernel's own WireGuard carries the tunnel");
  const code = await host.disk.tryOpen(tunDevice);
  if (code === undefined) return pass(`${tunDevice} opens`);
  const isClosed = code === 'EACCES' || code === 'EPERM';
  if (isClosed && host.userId !== 0)
    return skip(`${tunDevice} is closed to this user: sudo tributary doctor`);
  const onHost = isClosed ? `sudo chmod 0666 ${tunDevice}` : 'sudo modprobe tun';
  const fix = (await isInContainer(host.disk)) ? 'docker run --device /dev/net/tun …' : onHost;
  return fail(`${tunDevice} ${isClosed ? 'may not be opened' : 'is missing'}`, fix);
}

/** Whether `wg` is there, and something that carries the tunnel. */
export async function lookAtWireGuard(host: DoctorHost): Promise<Finding> {
  const [backend, hasTool, isInKernel, go] = await Promise.all([
    findBackend(host),
    findProgram(host, 'wg'),
    hasKernelWireGuard(host),
    askVersion(host, 'wireguard-go'),
  ]);
  if (!hasTool)
    return fail('the program wg is not installed', 'sudo apt-get install wireguard-tools');
  if (isInKernel && backend !== 'userspace') return pass("the kernel's own");
  if (backend === 'kernel')
    return fail('this kernel has none, and tunnel.backend asks for it', 'sudo modprobe wireguard');
  if (go !== undefined) return pass(describeGo(go));
  return fail(
    'nothing carries it here: wireguard-go is not installed',
    'sudo apt-get install wireguard-go',
  );
}

/**
 * Versions of this day or later hand on many packets at once, and carry several times as much. The
 * release of 2023 was made two weeks before.
 */
const gatheringSince = '20230310';

/** @param said what it says of its version: `wireguard-go v0.0.20220316` and more */
function describeGo(said: string): string {
  const version = /\bv(\d+\.\d+\.(\d{8}))\b/.exec(said);
  if (version?.[2] === undefined) return 'wireguard-go';
  const name = `wireguard-go ${version[1]}`;
  if (version[2] >= gatheringSince) return name;
  return `${name}: newer ones, and the kernel's own (sudo modprobe wireguard), are several times faster, because they hand on many packets at once`;
}

async function findProgram(host: Pick<DoctorHost, 'exec'>, program: string): Promise<boolean> {
  return (await askVersion(host, program)) !== undefined;
}

/** What the program says of its version, empty if it does not; undefined if it is not installed. */
async function askVersion({ exec }: Pick<DoctorHost, 'exec'>, program: string) {
  return exec({
    program,
    args: ['--version'],
    doing: `looking for ${program}`,
    timeoutMs: 4000,
  }).catch((error: unknown) => (hasCode(error, 'missing-program') ? undefined : ''));
}

/** The configured backend of the tunnel; `auto` where the configuration cannot be read. */
async function findBackend({ configuration }: Pick<DoctorHost, 'configuration'>) {
  return (await configuration().catch(() => undefined))?.config.tunnel.backend ?? 'auto';
}

/** Whether consumers are to come by the network's own protocol, too. */
async function wantsEngine({ configuration }: Pick<DoctorHost, 'configuration'>) {
  const source = (await configuration().catch(() => undefined))?.config.source;
  return source !== undefined && isWanted('connect', { source });
}

/**
 * True where this kernel has WireGuard built in, loaded, or as a module that could be loaded.
 * Nothing is loaded to find out.
 */
async function hasKernelWireGuard({ disk }: Pick<DoctorHost, 'disk'>): Promise<boolean> {
  if (await disk.isThere('/sys/module/wireguard')) return true;
  const release = (await disk.read('/proc/sys/kernel/osrelease'))?.trim();
  const paths = ['modules.dep', 'modules.builtin'].map((name) => `/lib/modules/${release}/${name}`);
  const lists = await Promise.all(paths.map(disk.read));
  return lists.some((text) => /\/wireguard\.ko/.test(text ?? ''));
}
