import { hasCode } from '../lib/errors.ts';
import { exec } from '../system/exec.ts';

/** What Debian's own judge says of a package, ready to be printed. */
export interface Verdict {
  readonly isClean: boolean;
  readonly text: string;
}

/** Asks lintian; where it is not installed, says how it is. Errors and warnings count. */
export async function judge(debPath: string): Promise<Verdict> {
  const args = ['--fail-on', 'none', '--no-tag-display-limit', debPath];
  try {
    const tags = (await exec({ program: 'lintian', args, doing: 'lintian', timeoutMs: 600_000 })).trim();
    if (tags === '') return { isClean: true, text: 'lintian: clean' };
    return { isClean: !/^[EW]:/m.test(tags), text: `lintian:\n${tags}` };
  } catch (error) {
    if (!hasCode(error, 'missing-program')) throw error;
    return { isClean: true, text: 'lintian is not installed; to have it look: sudo apt-get install lintian' };
  }
}
