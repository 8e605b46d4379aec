import * as z from 'zod';
import { formatBytes } from '../../src/lib/units.ts';
import type { StatusDocument } from '../../src/status/document.ts';
import type { Lab } from './lab.ts';
import { LabError } from './lab-error.ts';

/** How consumers' traffic reaches the device of a demonstration. */
export interface ShownSource {
  /** For people: its device, and whether its other end answers. */
  readonly line: string;
  /** `kernel` or `userspace` for a tunnel; undefined for another source. */
  readonly backend: string | undefined;
  readonly isAlive: boolean;
}

/** The source as the status has it. */
export function describeSource({ tunnel, sources }: StatusDocument): ShownSource {
  const other = sources.find(({ name }) => name !== 'wireguard');
  if (other === undefined) {
    const isAlive = tunnel.lastHandshakeAt !== null;
    const shaken = `handshake with ${tunnel.endpoint}: ${isAlive ? 'yes' : 'no'}`;
    const line = `  tunnel      ${tunnel.interface} (${tunnel.backend}), ${shaken}`;
    return { line, backend: tunnel.backend ?? undefined, isAlive };
  }
  const isAlive = other.aliveSince !== null;
  const line = `  source      ${other.name} (${other.interface}), connected: ${isAlive ? 'yes' : 'no'}`;
  return { line, backend: undefined, isAlive };
}

/**
 * Whether who runs the service could read what the consumer sent; undefined where consumers come by
 * the tunnel, which ends at the service.
 * @throws LabError where it was not sealed
 */
export function describeSealing({ sources }: StatusDocument): string | undefined {
  const sealing = sources.find(({ consumers }) => consumers !== null)?.consumers?.sealing;
  if (sealing === undefined) return undefined;
  const { openedMessages, sealedMessages } = sealing;
  if (openedMessages === 0 || sealedMessages === 0)
    throw new LabError('what the consumer sent was not sealed');
  return `  sealed      between consumer and device, so that the service cannot read it: ${openedMessages} messages up, ${sealedMessages} down`;
}

const money = z.object({
  networks: z.array(z.object({ earnedUsdc: z.number(), providedBytes: z.number() })),
});

/**
 * What the device's network earned, once consumer and agent have reported their last contracts;
 * undefined where consumers come by the tunnel.
 * @throws LabError where nothing was earned
 */
export async function readEarned({ consumer }: Lab): Promise<Earned | undefined> {
  if (consumer === undefined) return undefined;
  const { networks } = money.parse(JSON.parse(await consumer.readMoney()));
  const usdc = networks.reduce((sum, { earnedUsdc }) => sum + earnedUsdc, 0);
  const bytes = networks.reduce((sum, { providedBytes }) => sum + providedBytes, 0);
  if (usdc === 0) throw new LabError('nothing was earned');
  // The consumer only says what its last contract carried so far, as the network's own programs do.
  const line = `  earned      ${usdc.toFixed(6)} USDC for ${formatBytes(bytes)}; the last contract is paid when the service closes it`;
  return { usdc, line };
}

interface Earned {
  readonly usdc: number;
  readonly line: string;
}
