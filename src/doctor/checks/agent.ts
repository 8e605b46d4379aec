import { hasCode } from '../../lib/errors.ts';
import { fail, pass, skip } from '../check.ts';
import type { DoctorDoors } from '../doors.ts';

/** Whether one runs and answers; none running is no fault, since it may not have been started yet. */
export async function lookAtAgent(doors: DoctorDoors) {
  try {
    const { phase } = await doors.status();
    return pass(`answers: it is ${phase}`);
  } catch (error) {
    if (hasCode(error, 'not-running')) return skip('none runs here; start it: tributary run');
    if (!hasCode(error, 'command-failed')) throw error;
    return fail(error.message, 'sudo systemctl restart tributary');
  }
}
