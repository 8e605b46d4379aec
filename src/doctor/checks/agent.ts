import { hasCode } from '../../lib/errors.ts';
import { fail, pass, skip } from '../check.ts';
import type { DoctorHost } from '../host.ts';

/** Whether one runs and answers; none running is no fault, since it may not have been started yet. */
export async function lookAtAgent(host: DoctorHost) {
  try {
    const { phase } = await host.status();
    return pass(`answers: it is ${phase}`);
  } catch (error) {
    if (hasCode(error, 'not-running')) return skip('none runs here; start it: tributary run');
    if (!hasCode(error, 'command-failed')) throw error;
    return fail(error.message, 'sudo systemctl restart tributary');
  }
}
