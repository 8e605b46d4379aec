import { formatBytes } from '../../lib/units.ts';
import { fail, pass, skip } from '../check.ts';
import type { DoctorHost } from '../host.ts';

/** Less than a start needs. */
const leastBytes = 48 * 1024 ** 2;

/** The kernel's available memory or the container's remaining limit, the smaller of the two. */
export async function lookAtMemory({ disk }: DoctorHost) {
  const available = readKilobytes(await disk.read('/proc/meminfo'), 'MemAvailable');
  if (available === undefined) return skip('/proc/meminfo cannot be read');
  const swapFree = readKilobytes(await disk.read('/proc/meminfo'), 'SwapFree') ?? 0;
  const limit = readNumber(await disk.read('/sys/fs/cgroup/memory.max'));
  const used = readNumber(await disk.read('/sys/fs/cgroup/memory.current'));
  const ofContainer = limit === undefined || used === undefined ? Number.POSITIVE_INFINITY : Math.max(0, limit - used);
  const found = `${formatBytes(Math.min(available, ofContainer))} available, ${formatBytes(swapFree)} of swap free`;
  if (Math.min(available + swapFree, ofContainer) >= leastBytes) return pass(found);
  if (ofContainer < available) return fail(`${found}: the container's limit`, 'docker update --memory 256m CONTAINER');
  return fail(found, 'End what takes the most: ps -eo rss,args --sort=-rss | head -5');
}

function readKilobytes(text: string | undefined, name: string): number | undefined {
  const amount = new RegExp(`^${name}:\\s*(\\d+) kB`, 'm').exec(text ?? '')?.[1];
  return amount === undefined ? undefined : Number(amount) * 1024;
}

/** `max` is no number: no limit. */
function readNumber(text: string | undefined): number | undefined {
  return /^\d+$/.test(text?.trim() ?? '') ? Number(text) : undefined;
}
