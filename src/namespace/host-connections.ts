import { connectionSeconds, consumerMark, renderNewCount } from '../gateway/ceilings.ts';
import { usualConsumerPorts } from '../lib/ports.ts';
import { hostSide } from './plan.ts';

/** How many connections out of the namespace the host tracks at most. */
export interface ConnectionPolicy {
  /** Consumers' connections; 0 for no ceiling at all. */
  readonly connections: number;
  /** The agent's own connections, beside them. */
  readonly ownConnections: number;
}

interface ConnectionCount {
  readonly set: string;
  readonly rules: readonly string[];
}

const ports = `${usualConsumerPorts.first}-${usualConsumerPorts.last}`;
const fromConsumer = `th sport ${ports}`;
const notFromConsumer = `th sport != ${ports}`;

/**
 * Marks consumers' connections, by which they are forgotten together. The other bits of a mark that
 * the owner gives connections stay.
 */
export function listMarks(): readonly string[] {
  const mark = `ct mark set ct mark or ${consumerMark}`;
  return [
    `ct state new meta l4proto { tcp, udp } ${fromConsumer} ${mark}`,
    `ct state new meta l4proto != { tcp, udp } ${mark}`,
  ];
}

/**
 * The ceilings: one for consumers, and one for the agent itself, which therefore reaches its
 * service however many connections consumers have. A set is named by its ceiling, because what it
 * holds counts by the ceiling with which it began.
 */
export function listCounts({
  connections,
  ownConnections,
}: ConnectionPolicy): readonly ConnectionCount[] {
  if (connections === 0) return [];
  const ofConsumers = `consumers_${connections}`;
  const own = `own_${ownConnections}`;
  const withPorts = 'meta l4proto { tcp, udp }';
  const drop = `${renderNewCount(ofConsumers, connections)} drop`;
  const dropOwn = `${renderNewCount(own, ownConnections)} drop`;
  return [
    {
      set: ofConsumers,
      rules: [`${withPorts} ${fromConsumer} ${drop}`, `meta l4proto != { tcp, udp } ${drop}`],
    },
    {
      set: own,
      rules: [`${withPorts} ${notFromConsumer} ${dropOwn}`],
    },
  ];
}

/**
 * Consumers' connections end on the host when they end in the namespace. Otherwise the host would
 * keep for days what the namespace forgets within an hour. The kernel does not change the seconds
 * of an object that is there, so they are part of its name.
 */
export function listClock(): readonly string[] {
  const policies = Object.entries(connectionSeconds).map(([protocol, seconds]) => ({
    protocol,
    name: `${protocol}_${Object.values(seconds).join('_')}`,
    policy: Object.entries(seconds)
      .map(([state, value]) => `${state} : ${value}`)
      .join(', '),
  }));
  return [
    ...policies.map(
      ({ protocol, name, policy }) =>
        `  ct timeout ${name} { protocol ${protocol}; l3proto ip; policy = { ${policy} }; }`,
    ),
    '  chain clock {',
    '    type filter hook prerouting priority mangle; policy accept;',
    ...policies.map(
      ({ protocol, name }) =>
        `    iifname "${hostSide}" ip protocol ${protocol} ${fromConsumer} ct timeout set "${name}"`,
    ),
    '  }',
  ];
}
