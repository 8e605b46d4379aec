import { fail, pass, skip } from '../check.ts';
import type { DoctorHost } from '../host.ts';

/** The numbers of the modes differ between dialects: the wrong one would announce another mode than the owner's. */
export async function lookAtProfile(host: DoctorHost) {
  const { profile } = (await host.configuration()).config.service;
  const { registration } = await host.state();
  if (registration === undefined) return skip('known once this device is registered');
  const spoken = registration.showsProduction ? 'production' : 'documented';
  if (spoken === (profile ?? 'documented')) return pass(spoken);
  return fail(
    `the service speaks ${spoken}, the configuration says ${profile ?? 'nothing'}`,
    `Set service.profile: ${spoken}, then restart the agent`,
  );
}
