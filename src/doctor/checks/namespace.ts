import { fail, pass } from '../check.ts';
import type { DoctorHost } from '../host.ts';

/** The agent changes only its own network namespace; without one it needs a way to create it. */
export async function lookAtNamespace(host: DoctorHost) {
  const place = await host.place();
  if (place.kind === 'own') return pass("this network namespace, which holds none of the host's hardware");
  if (place.inside !== undefined) return pass(`tributary, on this host (${place.hardware})`);
  const isRoot = host.userId === 0;
  const hasPasta = await Promise.all(['/usr/bin/pasta', '/usr/local/bin/pasta'].map(host.disk.isThere));
  if (isRoot || hasPasta.includes(true)) {
    return pass(
      `the host's own (${place.hardware}); the agent makes itself one ${isRoot ? 'when it starts' : 'by pasta'}`,
    );
  }
  return fail(`the host's own (${place.hardware}), and this user can make none`, 'sudo apt-get install passt');
}
