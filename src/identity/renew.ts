import { isSame } from '../lib/secret.ts';
import type { RegistrationDependencies } from './authenticate.ts';
import { findTunnel, reauthenticateOwn } from './recover.ts';
import type { Registration } from './registration-files.ts';
import { composeRegistration, toIssuedTunnel } from './store.ts';

const storeEveryMs = 86_400_000;

/**
 * The keep-alive: authenticates the client again and stores a changed tunnel or interval; one that did not come stays.
 * @throws registration-incomplete where the service has lost the client; state-unwritable, codes of `call`
 */
export async function renewRegistration(
  dependencies: RegistrationDependencies,
  registration: Registration,
  signal: AbortSignal,
): Promise<Registration> {
  const answer = await reauthenticateOwn(dependencies, registration, signal);
  const issued = toIssuedTunnel(answer.proxyConfigResult);
  const { installId, clientId } = registration;
  const known = { identity: { installId, clientId, isUncertain: false }, pending: undefined };
  // Production issues a tunnel once, when the client is made; a repaired one is only in the list.
  const tunnel = issued ?? (dependencies.needsTunnel ? await findTunnel(dependencies, known, signal) : undefined);
  const renewed = composeRegistration(registration, { answer, tunnel, before: registration });
  if (!mustStore(registration, renewed)) return { ...renewed, storedAt: registration.storedAt };
  await dependencies.files.registration.write(renewed);
  return renewed;
}

/** A fresh client JWT alone is written once a day: every keep-alive brings one, and SD cards wear out. */
function mustStore(before: Registration, renewed: Registration): boolean {
  const ageMs = Math.abs(Date.parse(renewed.storedAt) - Date.parse(before.storedAt));
  return (
    before.keepaliveSeconds !== renewed.keepaliveSeconds ||
    !isSame(before.tunnel, renewed.tunnel) ||
    !(ageMs < storeEveryMs)
  );
}
