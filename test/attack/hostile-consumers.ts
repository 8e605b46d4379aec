import { read, writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { virtioHeaderLength } from '../../src/connect/packet/cut.ts';
import { openTun } from '../../src/connect/tun/open-tun.ts';
import { consume } from '../../src/reference-service/consumer/consume.ts';
import { openConsumerDirectory } from '../../src/reference-service/consumer/identities.ts';

/*
 * Consumers by the network's own protocol that pay for what they send, and send anything at all:
 *   hostile-consumers.ts DATA SERVICE DEVICE
 * What goes into the TUN device DEVICE goes to the provider as it is, sound or not and from
 * whatever source; the answers come out of it. Says "ready" once a provider was found. A provider
 * gives one consumer few addresses, so sources are shared out among several.
 */

const count = 6;
const mostRead = 65_536 + virtioHeaderLength;
const [data = '', serviceUrl = '', name = ''] = process.argv.slice(2);

async function findProvider() {
  const directory = await openConsumerDirectory(data);
  try {
    const identities = await directory.enrol({ count, network: undefined });
    const wanted = { networkId: identities[0]?.networkId ?? '', named: undefined };
    for (;;) {
      const provider = directory.findProvider(wanted);
      if (provider !== undefined) return { identities, providerId: provider };
      await sleep(50);
    }
  } finally {
    directory.close();
  }
}

/** The source of a packet that may be anything. */
function readSource(packet: Buffer): string {
  const isIpv6 = (packet[0] ?? 0) >> 4 === 6;
  return packet.subarray(isIpv6 ? 8 : 12, isIpv6 ? 24 : 16).toString('hex');
}

const descriptor = openTun(name);
const found = await findProvider();
const consumers = await consume(
  {
    ...found,
    serviceUrl,
    manner: 'plain',
    write(packets) {
      for (const packet of packets) {
        try {
          writeSync(descriptor, Buffer.concat([Buffer.alloc(virtioHeaderLength), packet]));
        } catch {
          // The kernel refuses what is no packet.
        }
      }
    },
  },
  new AbortController().signal,
);
process.stdout.write('ready\n');

const numbers = new Map<string, number>();
const buffer = Buffer.allocUnsafeSlow(mostRead);
const next = (): void =>
  read(descriptor, buffer, 0, mostRead, null, (error, length) => {
    if (error !== null) return;
    const packet = Buffer.from(buffer.subarray(virtioHeaderLength, length));
    const source = readSource(packet);
    const number = numbers.get(source) ?? numbers.size % count;
    numbers.set(source, number);
    consumers.send(number, [packet]);
    next();
  });
next();
