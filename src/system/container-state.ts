import { isThere, readFileIfThere } from './files.ts';

/** What is asked of the disk, so that the doctor can ask the same of its own. */
interface Looks {
  readonly isThere: (path: string) => Promise<boolean>;
  readonly read: (path: string) => Promise<string | undefined>;
}

/** Whether this is a container of Docker or Podman, which put a mark there. */
export async function isInContainer(looks: Pick<Looks, 'isThere'> = { isThere }): Promise<boolean> {
  const marks = await Promise.all(['/.dockerenv', '/run/.containerenv'].map(looks.isThere));
  return marks.includes(true);
}

/**
 * Why the next container would be a new device: this one's folder is lost with it. undefined
 * outside of containers, and where the folder outlives them.
 */
export async function explainLostState(
  folder: string,
  looks: Looks = { isThere, read: readFileIfThere },
): Promise<string | undefined> {
  // What is put there on purpose is a trial, which may be lost.
  if (folder.startsWith('/tmp/')) return undefined;
  if (!(await isInContainer(looks))) return undefined;
  const found = judgeMount((await looks.read('/proc/self/mountinfo')) ?? '', folder);
  if (found === 'kept') return undefined;
  const why =
    found === 'unnamed'
      ? `${folder} is in a volume without a name, which the next container does not find`
      : `${folder} is in the container, and is lost with it`;
  return `${why}: it will be a new device, and needs a new code. Give the folder a volume with a name: --volume tributary:${folder}`;
}

/**
 * Docker and Podman call a volume to which nobody gave a name by 64 digits.
 * @param mounts `/proc/self/mountinfo`, see proc(5)
 */
export function judgeMount(mounts: string, folder: string): 'kept' | 'unnamed' | 'lost' {
  const rows = mounts.split('\n').flatMap((line) => {
    const [, , , from = '', at = ''] = line.split(' ');
    return at.startsWith('/') && isWithin(folder, at) ? [{ from, at }] : [];
  });
  // The last of several at one place hides the others.
  const nearest = rows.reduce((best, row) => (row.at.length >= best.at.length ? row : best), {
    from: '',
    at: '',
  });
  // Without a list nothing is known, and nobody is alarmed.
  if (nearest.at === '') return 'kept';
  if (nearest.at === '/') return 'lost';
  return /\/[0-9a-f]{64}\/_data$/.test(nearest.from) ? 'unnamed' : 'kept';
}

function isWithin(folder: string, at: string): boolean {
  return at === '/' || folder === at || folder.startsWith(`${at}/`);
}
