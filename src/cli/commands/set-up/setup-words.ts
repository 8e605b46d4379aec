import { hostname } from 'node:os';
import { isLoopback } from '../../../service/url.ts';
import type { CommandContext } from '../../frame/context.ts';

/** What an owner agrees to, before the first question. */
export const whatItDoes = `This makes this machine a device of a bandwidth-sharing service: the service sends people to it, and they use your Internet connection, at any hour and within the limits that you set here.
What they do is done from your home's address, so complaints about it come to you; choose with care whom you let in. Nothing is changed before the last answer.`;
/** Where a code comes from. */
export const whereFrom =
  'The auth code comes from your account at the service, or from a device that is signed in there: tributary auth code. It works once, and for a few minutes.';
/** Of a code that was refused, where another one is asked for. */
export const refusedCode =
  'The service refused this code: it is mistyped, used or too old. Make a new one.';
/**
 * Why the packaged agent cannot reach a service at this address: it lives in a network namespace,
 * whose loopback is its own. undefined where it can.
 */
export function explainLoopback(baseUrl: string): string | undefined {
  const { hostname: host } = new URL(baseUrl);
  if (!isLoopback(host)) return undefined;
  return `${baseUrl} leads nowhere from the agent, which lives in a network of its own: this machine's ${host} is not in it. Give the service's address in your network or on the Internet.`;
}

/** Where the page is, and how to reach it from the computer before which the owner may sit. */
export function renderPage(
  page: string | null,
  { environment }: Pick<CommandContext, 'environment'>,
): readonly string[] {
  if (page === null) return [];
  const { hostname: address, port } = new URL(page);
  if (!isLoopback(address)) return [`Page      ${page}`];
  const user = environment.SUDO_USER ?? environment.USER ?? 'USER';
  return [
    `Page      ${page} on this machine; on another computer, first type there:`,
    `          ssh -L ${port}:${address}:${port} ${user}@${hostname()}`,
  ];
}
