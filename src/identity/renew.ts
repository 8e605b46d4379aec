import { toFailure } from '../lib/errors.ts';
import { isSame } from '../lib/secret.ts';
import type { RegistrationDependencies } from './authenticate.ts';
import { findTunnel, reauthenticateOwn } from './recover.ts';
import type { Registration } from './registration-files.ts';
import { composeRegistration, toIssuedTunnel } from './store.ts';

const storeEveryMs = 86_400_000;

/**
 * The keep-alive: re-authenticates the client with its description and spec. A changed tunnel or interval is returned and
 * stored, at the next keep-alive where the disk takes nothing; where the answer brings none (production), the old one stays.
 * @throws registration-incomplete when the service has lost the client; service-refused, codes of `call`
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
  const failure = await dependencies.files.registration.write(renewed).catch(toFailure('state-unwritable'));
  return failure === undefined ? renewed : { ...renewed, storedAt: '' };
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
