import { hasCode } from '../lib/errors.ts';
import type { DoctorDoors } from './doors.ts';

/** True where the program is installed, whatever it answers. */
export async function findProgram({ exec }: Pick<DoctorDoors, 'exec'>, program: string, args: readonly string[]) {
  try {
    await exec({ program, args, doing: `looking for ${program}`, timeoutMs: 4000 });
    return true;
  } catch (error) {
    return !hasCode(error, 'missing-program');
  }
}
