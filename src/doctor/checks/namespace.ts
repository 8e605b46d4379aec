import { fail, pass } from '../check.ts';
import type { DoctorDoors } from '../doors.ts';

/** The agent changes no network namespace but its own; where there is none it needs a way to make one. */
export async function lookAtNamespace(doors: DoctorDoors) {
  const place = await doors.place();
  if (place.kind === 'own') return pass("this network namespace, which holds none of the host's hardware");
  if (place.inside !== undefined) return pass(`tributary, on this host (${place.hardware})`);
  const isRoot = doors.userId === 0;
  const hasPasta = await Promise.all(['/usr/bin/pasta', '/usr/local/bin/pasta'].map(doors.disk.isThere));
  if (isRoot || hasPasta.includes(true)) {
    return pass(
      `the host's own (${place.hardware}); the agent makes itself one ${isRoot ? 'when it starts' : 'by pasta'}`,
    );
  }
  return fail(`the host's own (${place.hardware}), and this user can make none`, 'sudo apt-get install passt');
}
