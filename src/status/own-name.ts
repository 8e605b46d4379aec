import { isIP, isIPv6 } from 'node:net';
import { toHostName } from '../lib/host-name.ts';

/** No public name server answers for these: only the home's own network can point such a name at this device. */
const homeEndings = ['.local', '.lan', '.internal', '.home.arpa'];

/**
 * Why a request with this `Host` is not answered; undefined: it is. A website may point its own name at this device (DNS
 * rebinding) and then read the page as its own, so names that a stranger can register have to be allowed by the owner.
 * @param names the device's own name and those that the owner allows
 */
export function refuseHost(host: string | undefined, names: readonly string[]): string | undefined {
  const [, address, text = ''] = /^(?:\[([^\]]+)\]|([^:]+))(?::\d{1,5})?$/.exec(host ?? '') ?? [];
  if (address !== undefined && isIPv6(address)) return undefined;
  const name = toHostName(text);
  if (name === undefined) return 'The request names no host: ask by name or by address.';
  const isHome = !name.includes('.') || homeEndings.some((ending) => name.endsWith(ending)) || isIP(name) !== 0;
  if (isHome || names.some((own) => toHostName(own) === name)) return undefined;
  return `${name} is not known as a name of this device. If it is yours, add it to status.allowed_hosts in the configuration and restart the agent.`;
}
