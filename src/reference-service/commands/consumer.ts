import type { ConsumerCounters } from '../consumer/consumer.ts';
import { type Manner, manners } from '../consumer/habits.ts';
import { type SealingMode, sealingModes } from '../consumer/sealing.ts';
import {
  parseInterface,
  parseNumber,
  renderLabelled,
  type SandboxCommand,
  type SharedOptions,
} from './command.ts';
import { waitForStop } from './wait-for-stop.ts';

/** Numbers are texts, as they were typed. */
interface ConsumerOptions extends SharedOptions {
  readonly interface: string;
  readonly count: string;
  readonly provider?: string;
  readonly network?: string;
  readonly service?: string;
  readonly manner: Manner;
  readonly sealing: SealingMode;
}

/** What is printed once the consumers are connected. */
interface Ready {
  readonly interface: string;
  readonly provider: string;
  readonly consumers: readonly Readonly<
    Record<'clientId' | 'ipv4', string> & { ipv6: string | undefined }
  >[];
}

const mostConsumers = 1000;

/** Uses a provider by the network's own protocol, until SIGINT or SIGTERM. */
export function createConsumerCommand(program: string): SandboxCommand<ConsumerOptions> {
  return {
    usage: 'consumer',
    description: "use a provider by the network's own protocol, through a TUN device",
    options: {
      '--interface <name>': [
        'the TUN device that it makes; what you route there leaves by the provider',
        (own) => own.default('trib-use0'),
      ],
      '--count <number>': [
        'consumers, each with addresses of its own on the device',
        (own) => own.default('1'),
      ],
      '--manner <manner>': [
        'app: it pings too; direct: it also tries to do without the platform; plain: neither',
        (own) => own.choices(manners).default('app'),
      ],
      '--sealing <mode>': [
        'opportunistic: what they send is sealed where the provider can; required: or not sent; off: never',
        (own) => own.choices(sealingModes).default('opportunistic'),
      ],
      '--provider <client>': 'id of the provider (default: the first that is connected)',
      '--network <network>': 'whose clients they are (default: a network of their own)',
      '--service <url>': 'where the service listens (default: where it listened last)',
    },
    examples: {
      [`${program} consumer --data ./sandbox`]: 'as root, beside a sandbox that runs',
    },
    async act({ options, show }) {
      const name = parseInterface('--interface', options.interface);
      const count = parseNumber('--count', options.count, { least: 1, most: mostConsumers });
      const stop = new AbortController();
      const stopped = waitForStop().then(() => stop.abort());
      // Loaded at the first use: no other command needs them.
      const { startConsumers } = await import('../consumer/start-consumers.ts');
      const started = await startConsumers({ ...options, name, count }, stop.signal);
      if (started !== undefined) {
        const { consumers, addresses, identities, provider } = started;
        const ready: Ready = {
          interface: name,
          provider,
          consumers: identities.map(({ clientId }, number) => ({
            clientId,
            ipv4: addresses[number]?.ipv4 ?? '',
            ipv6: addresses[number]?.ipv6,
          })),
        };
        await show(ready, () => renderReady(ready));
        await stopped;
        const sealing = consumers.sealing();
        await consumers.ended;
        await started.close();
        const totals = { ...sum(consumers.counters()), sealing };
        await show(totals, () => renderTotals(totals));
      }
      await stopped;
    },
  };
}

function sum(counters: readonly ConsumerCounters[]): ConsumerCounters {
  const total = {
    upBytes: 0,
    downBytes: 0,
    contracts: 0,
    unpaid: 0,
    unsound: 0,
    unansweredPings: 0,
  };
  for (const one of counters)
    for (const name of Object.keys(total) as (keyof ConsumerCounters)[]) total[name] += one[name];
  return total;
}

function renderReady({ interface: name, provider, consumers }: Ready): string {
  const addresses = consumers.map(({ ipv4, ipv6 }) => [ipv4, ipv6].filter(Boolean).join(' '));
  const shown =
    consumers.length > 3 ? `${addresses[0]} to ${addresses.at(-1)}` : addresses.join(', ');
  const values = { Provider: provider, Device: name, Addresses: shown };
  return `${renderLabelled(values)}Route to ${name} what shall leave by the provider. Ctrl-C stops it.\n`;
}

/** Of all consumers; `sealing` is how many of them sealed in the end. */
type Totals = ConsumerCounters & { readonly sealing: number };

function renderTotals({ upBytes, downBytes, contracts, sealing }: Totals): string {
  return renderLabelled({
    Sent: upBytes,
    Received: downBytes,
    Contracts: contracts,
    Sealing: sealing,
  });
}
