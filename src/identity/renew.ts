import { computeBackoffMs } from '../lib/backoff.ts';
import { isSame } from '../lib/secret.ts';
import {
  authenticate,
  composeRegistration,
  lacksTunnel,
  type RegistrationDependencies,
  toIssuedTunnel,
} from './authenticate.ts';
import { explainRefusal, findTunnel } from './find-client.ts';
import { chooseKeptMs } from './own-token.ts';
import type { Registration } from './registration-files.ts';

/**
 * Asks the service again for a client that is registered, with its description and spec, and
 * returns the registration as it is from then on. A changed tunnel or interval is in use before it
 * is on the disk; where the disk takes nothing, the next renewal writes it. Where the answer brings
 * no tunnel (production), the old one stays. One that is wanted and was never issued is looked for
 * each time.
 * @throws client-lost when the service has lost the client; service-refused, codes of
 * `call`
 */
export async function renew(
  dependencies: RegistrationDependencies,
  registration: Registration,
  signal: AbortSignal,
): Promise<Registration> {
  const answer = await authenticate(dependencies, registration, signal).catch(
    async (error: unknown) => {
      throw await explainRefusal(dependencies, { own: registration, error }, signal);
    },
  );
  const issued = toIssuedTunnel(answer.proxyConfigResult);
  // The production service issues a tunnel once, when the client is made. A later or a repaired one
  // is only in the list.
  const isLookedFor =
    issued === undefined &&
    (dependencies.needsTunnel === true || lacksTunnel(dependencies, registration));
  const tunnel = isLookedFor ? await findTunnel(dependencies, registration, signal) : issued;
  const renewed = composeRegistration(registration, { answer, tunnel, before: registration });
  dependencies.onIssued?.(renewed);
  const { renewed: writer } = dependencies.files;
  if (!writer.isBehind() && !mustStore(registration, renewed))
    return { ...renewed, storedAt: registration.storedAt };
  await writer.put(renewed);
  return renewed;
}

/** Every renewal brings a new client JWT. If nothing else changed it is written now and then. */
function mustStore(before: Registration, renewed: Registration): boolean {
  const ageMs = Math.abs(Date.parse(renewed.storedAt) - Date.parse(before.storedAt));
  return (
    before.renewSeconds !== renewed.renewSeconds ||
    !isSame(before.tunnel, renewed.tunnel) ||
    !isSame(before.unissued, renewed.unissued) ||
    !(ageMs < chooseKeptMs(renewed.clientJwt))
  );
}

const leastSeconds = 5;
const mostSeconds = 21_600;

/**
 * Whole seconds between two renewals, 5 to 21600: what the service asks for, in seconds, or
 * `defaultSeconds` where that is no positive number (production sends 0).
 */
export function chooseRenewSeconds(
  rawSeconds: number | null | undefined,
  defaultSeconds: number,
): number {
  const isUsable = typeof rawSeconds === 'number' && Number.isFinite(rawSeconds) && rawSeconds > 0;
  return Math.min(
    Math.max(Math.ceil(isUsable ? rawSeconds : defaultSeconds), leastSeconds),
    mostSeconds,
  );
}

/**
 * Milliseconds to the next renewal: 80 to 100 % of the interval, so that none is late and devices
 * do not stay in step. `renewSeconds` undefined: no interval is known yet.
 */
export function spreadRenewMs(renewSeconds: number | undefined, random: () => number): number {
  return (renewSeconds ?? 60) * 1000 * (0.8 + random() / 5);
}

/**
 * Milliseconds to the next try after so many failures in a row: at least a quarter of the interval,
 * because the service expects one renewal in each. `renewSeconds` undefined: the device is not
 * registered.
 */
export function chooseRetryMs(
  failures: number,
  renewSeconds: number | undefined,
  random: () => number,
): number {
  const baseMs = (renewSeconds ?? 1) * 2000;
  const bounds = { baseMs, maxMs: Math.max(300_000, baseMs) };
  return Math.max(500, baseMs / 8) + computeBackoffMs(failures, bounds, random);
}
