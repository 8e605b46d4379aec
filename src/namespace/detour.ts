import { nameWay } from '../gateway/way-out.ts';
import type { Exec } from '../system/exec.ts';
import { applyIpCommands, observeRoutes, observeRules } from '../system/ip.ts';
import type { Way } from '../system/ways.ts';
import { hostSide } from './plan.ts';

/** The host's routing table for what comes from the namespace, and the rules that lead there. */
const table = '51822';
const incoming = `iif ${hostSide} lookup`;
const rules = [
  // The host's own networks come first, but no route to the Internet or to half of it.
  { priority: 5183, line: `${incoming} main suppress_prefixlength 7` },
  { priority: 5184, line: `${incoming} ${table}` },
] as const;

/**
 * Leads what comes from the namespace out by this way, whatever way the host's own packets take;
 * undefined to leave it to the host's routes. Safe to repeat.
 * @throws command-failed
 */
export async function fitDetour(exec: Exec, way: Way | undefined): Promise<void> {
  const [found, routes] = await Promise.all([observeRules(exec, 4), observeRoutes(exec, 4)]);
  const own = found.filter(({ incomingInterface: name }) => name === hostSide);
  const isThere = (priority: number) => own.some((rule) => rule.priority === priority);
  const isLed = routes.some((route) => route.table === table);
  const lines =
    way === undefined
      ? [
          ...rules
            .filter(({ priority }) => isThere(priority))
            .map(({ priority, line }) => `rule delete priority ${priority} ${line}`),
          ...(isLed ? [`route flush table ${table}`] : []),
        ]
      : [
          `route replace default${nameWay(way)} table ${table}`,
          ...rules
            .filter(({ priority }) => !isThere(priority))
            .map(({ priority, line }) => `rule add priority ${priority} ${line}`),
        ];
  await applyIpCommands(
    exec,
    lines.map((line) => ({ family: 4, line })),
    'leading the namespace out',
  );
}
