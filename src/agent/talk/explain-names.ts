import { hasCode, TributaryError } from '../../errors/codes.ts';
import { unansweredNames } from '../../lib/plain-reason.ts';
import { readNameServers } from '../../system/name-servers.ts';

/** What is said of a lookup that got no answer. */
const unanswered = [...unansweredNames, 'was not resolved'];

/** Docker's own name server, which a container finds at its loopback. */
const ofDocker = /^\s*nameserver\s+127\.0\.0\.11\s*$/m;
const ofIpv6 = /^\s*nameserver\s+(?!::1\s*$)\S*:/m;

/**
 * The failure with its cause in its text, where a name was not resolved because no name server can
 * be reached from this network namespace; any other failure as it is.
 * @param readResolvConf what this process has as /etc/resolv.conf; asked only where it matters
 */
export async function explainNames(
  error: unknown,
  readResolvConf: () => Promise<string | undefined>,
): Promise<unknown> {
  if (!hasCode(error, 'service-unreachable') || !isUnanswered(error.message)) return error;
  const resolvConf = (await readResolvConf()) ?? '';
  if (readNameServers(resolvConf).length > 0) return error;
  // A container may have IPv6, which a namespace on a host does not: that file has only IPv4.
  if (ofDocker.test(resolvConf) || ofIpv6.test(resolvConf)) return error;
  const cause =
    "no name server can be reached from the agent's namespace, because the host's /etc/resolv.conf names only the host itself or IPv6: add one, such as your router";
  return new TributaryError(error.code, `${error.message}; ${cause}`, { cause: error });
}

function isUnanswered(message: string): boolean {
  return unanswered.some((words) => message.includes(words));
}
