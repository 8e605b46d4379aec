import { hasCode } from '../../lib/errors.ts';
import { fail, pass } from '../check.ts';
import type { DoctorHost } from '../host.ts';

/** The agent's own configuration, read as the agent would. */
export async function lookAtConfiguration(host: DoctorHost) {
  try {
    const { file, config, warnings } = await host.configuration();
    const notes = warnings.length === 0 ? '' : `; ${warnings.length} warning(s): tributary config check`;
    return pass(`${file ?? 'no file, the environment alone'}, service ${config.service.base_url}${notes}`);
  } catch (error) {
    if (!hasCode(error, 'configuration-invalid', 'insecure-url')) throw error;
    const [, first = error.message, ...others] = error.message.split('\n');
    const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
    return fail(`${first.trim()}${more}`, 'tributary config check');
  }
}
