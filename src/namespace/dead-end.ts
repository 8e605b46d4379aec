import type { Exec } from '../system/exec.ts';
import {
  applyIpCommands,
  observeRoutes,
  observeRules,
  type PolicyRule,
  type Route,
} from '../system/ip.ts';
import { hostSide, type Link } from './plan.ts';

/** The host's routing table for what comes in by an interface that forwards for the namespace. */
const table = '51819';
/** Where no rule of the host's owner comes before it. */
const usualPriority = 5179;

/** Who may find the namespace, and nothing else beyond this host. */
export interface DeadEnd {
  /** The network between host and namespace. */
  readonly network: Link['network'];
  /** Interfaces that forward for the namespace alone. */
  readonly switched: readonly string[];
}

/**
 * Leads what comes in by these interfaces to this host and to the namespace alone, also while the
 * host's table is gone; undefined to remove it. Safe to repeat.
 * @throws command-failed
 */
export async function fitDeadEnd(exec: Exec, deadEnd: DeadEnd | undefined): Promise<void> {
  const [rules, routes] = await Promise.all([observeRules(exec, 4), observeRoutes(exec, 4)]);
  await applyIpCommands(
    exec,
    planDeadEnd(deadEnd, { rules, routes }).map((line) => ({ family: 4, line })),
    'keeping neighbours from being routed',
  );
}

/** What is there of the host's routing. */
interface HostRouting {
  readonly rules: readonly PolicyRule[];
  readonly routes: readonly Route[];
}

/** The lines of `ip` that make it so: the way to the table last, and the way away from it first. */
export function planDeadEnd(
  deadEnd: DeadEnd | undefined,
  { rules, routes }: HostRouting,
): readonly string[] {
  const isOwn = (place: { readonly table?: string | undefined }) => place.table === table;
  const priority = choosePriority(
    rules.filter((rule) => !isOwn(rule)),
    routes,
  );
  const { network, switched } = deadEnd ?? { network: '', switched: [] };
  const wanted = {
    rules: switched.map((incomingInterface) => nameRule({ priority, incomingInterface })),
    routes: switched.length === 0 ? [] : [`${network} dev ${hostSide}`, 'blackhole default'],
  };
  const found = {
    rules: rules.filter(isOwn).map(nameRule),
    routes: routes.filter(isOwn).map(nameRoute),
  };
  return [
    ...without(wanted.routes, found.routes).map((line) => `route replace ${line} table ${table}`),
    ...without(wanted.rules, found.rules).map((line) => `rule add ${line}`),
    ...without(found.rules, wanted.rules).map((line) => `rule delete ${line}`),
    ...without(found.routes, wanted.routes).map((line) => `route delete ${line} table ${table}`),
  ];
}

/**
 * Before the owner's own rules, by which a neighbour would find another network, and after those
 * that deliver to this host: usually one, which leads to the table `local`. A rule that another
 * program adds without a priority comes before ours, so ours has to follow.
 */
function choosePriority(rules: readonly PolicyRule[], routes: readonly Route[]): number {
  const delivering = new Set(
    routes.flatMap((route) => (route.type === 'local' ? [route.table] : [])),
  );
  // A rule without a table refuses, or asks for the table of a card.
  const leading = rules.flatMap(({ priority, table: to }) =>
    to === undefined ? [] : [{ priority, delivers: delivering.has(to) }],
  );
  const before = leading.filter(({ delivers }) => delivers).map(({ priority }) => priority + 1);
  const after = leading.filter(({ delivers }) => !delivers).map(({ priority }) => priority - 1);
  return Math.max(Math.min(usualPriority, ...after), ...before);
}

function nameRule({
  priority,
  incomingInterface,
}: Pick<PolicyRule, 'priority' | 'incomingInterface'>): string {
  const incoming = incomingInterface === undefined ? '' : `iif ${incomingInterface} `;
  return `priority ${priority} ${incoming}lookup ${table}`;
}

function nameRoute({ type, destination, interface: name }: Route): string {
  return type === 'unicast' ? `${destination} dev ${name}` : `${type} ${destination}`;
}

function without(lines: readonly string[], others: readonly string[]): readonly string[] {
  return lines.filter((line) => !others.includes(line));
}
