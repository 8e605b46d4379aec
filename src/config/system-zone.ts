import { isTimeZone } from './values.ts';

/**
 * A zone in TZ that is not known here counts as UTC, and the system says nothing. `configured` is
 * the owner's `provide.time_zone`, beside which TZ does not matter.
 */
export function findZoneWarnings(
  { TZ: zone }: NodeJS.ProcessEnv,
  configured: string | undefined,
): readonly string[] {
  if (!zone || configured !== undefined || isInForce(zone)) return [];
  const shown = JSON.stringify(zone.slice(0, 60));
  return [
    `TZ: ${shown} is not known here, so schedule, cap and page go by another time; give a name such as "Europe/Berlin" there or in provide.time_zone`,
  ];
}

/** `UTC-3`: any name, and how far its clock is behind. */
const fixedOffset = /^[A-Za-z]{3,}[+-]?\d{1,2}(:\d\d){0,2}$/;

/** Whether this process, which has the same TZ, keeps the time that its owner means by it. */
function isInForce(zone: string): boolean {
  if (zone === 'UTC' || zone === 'Etc/UTC') return true;
  const [winter, summer] = [0, 6].map((month) => new Date(2026, month, 1).getTimezoneOffset());
  // Only a known zone has a summer. This spares Intl, which costs several MB of memory.
  if (winter !== summer) return true;
  const inForce: string | undefined = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (winter !== 0) return inForce !== undefined || fixedOffset.test(zone);
  return inForce !== undefined && isTimeZone(zone.replace(/^:?(posix\/)?/, ''));
}
