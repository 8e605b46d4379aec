import { LabError } from '../lab/lab-error.ts';
import { startProcess } from '../lab/processes.ts';

/**
 * Prints at the end how much memory the process had at most: the kernel's figure for this program
 * alone.
 */
const report = `import { readFileSync } from 'node:fs';
process.on('exit', () => process.stderr.write(readFileSync('/proc/self/status', 'utf8').match(/VmHWM:.*/)[0] + '\\n'));`;

/**
 * The highest resident memory of Node with these arguments, in KiB.
 * @throws LabError if it fails
 */
export async function measurePeakMemory(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<number> {
  const watched = `data:text/javascript,${encodeURIComponent(report)}`;
  const running = startProcess({ argv: [process.execPath, '--import', watched, ...args], env });
  const code = await running.exited;
  const last = running.lines.findLast((line) => line.startsWith('VmHWM:')) ?? '';
  const kibibytes = Number(/(\d+) kB/.exec(last)?.[1]);
  if (code === 0 && kibibytes > 0) return kibibytes;
  throw new LabError(
    `${args.join(' ')}: ended with ${code}: ${running.lines.slice(-3).join(' | ')}`,
  );
}
