import { hasCode } from '../lib/errors.ts';
import type { DoctorHost } from './host.ts';

/** True where the program is installed, even if it fails. */
export async function findProgram({ exec }: Pick<DoctorHost, 'exec'>, program: string, args: readonly string[]) {
  try {
    await exec({ program, args, doing: `looking for ${program}`, timeoutMs: 4000 });
    return true;
  } catch (error) {
    return !hasCode(error, 'missing-program');
  }
}
