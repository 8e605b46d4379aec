import { formatBytes } from '../lib/units.ts';
import type { StatusDocument } from './document.ts';

type Source = StatusDocument['sources'][number];
type Shown = Pick<StatusDocument, 'sources' | 'tunnel'>;

/** The sources that have a line of their own: of a lone tunnel, its line says all there is. */
export function listShownSources({ sources, tunnel }: Shown): readonly Source[] {
  const isLoneTunnel = sources.every((source) => source.interface === tunnel.interface);
  return sources.length < 2 && isLoneTunnel ? [] : sources;
}

/** False where the traffic comes by other sources only: then there is no tunnel to speak of. */
export function hasTunnel({ sources, tunnel }: Shown): boolean {
  return sources.length === 0 || sources.some((own) => own.interface === tunnel.interface);
}

/** How it is known that a source is alive: its connection began then, or it was last heard of. */
interface ShownLife {
  readonly since: Date;
  readonly isConnection: boolean;
}

/** What is known of a source, in phrases; `sayLife` says since when it is alive. */
export function describeSource<Phrase>(
  source: Source,
  sayLife: (life: ShownLife) => Phrase,
): readonly (string | Phrase)[] {
  const { there, aliveSince, aliveUntil, rxBytes, txBytes, problem } = source;
  const dead = there ? 'not alive' : 'not there';
  return [
    source.interface,
    aliveSince === null
      ? dead
      : sayLife({ since: new Date(aliveSince), isConnection: aliveUntil === null }),
    rxBytes === null ? '' : `${formatBytes(rxBytes)} received`,
    txBytes === null ? '' : `${formatBytes(txBytes)} sent`,
    problem === null ? '' : `problem: ${problem.code}`,
  ];
}

type Consumers = NonNullable<Source['consumers']>;

/** What is known of a source's consumers, in phrases; what never occurred is left out. */
export function describeConsumers(
  consumers: Consumers,
  formatCount: (count: number) => string = String,
): readonly string[] {
  const { present, acceptedContracts, refusedContracts, sealing } = consumers;
  const { reportsWaiting, reportsRefused } = consumers;
  const list = (kinds: Readonly<Record<string, number>>): string =>
    Object.entries(kinds)
      .filter(([, count]) => count > 0)
      .map(([kind, count]) => `${formatCount(count)} ${kind}`)
      .join(', ');
  const refused = list(refusedContracts);
  const failed = list(sealing.refusedHandshakes);
  const plain = formatCount(Math.max(0, present - sealing.consumers));
  return [
    `${formatCount(present)} now`,
    present === 0 ? '' : `${formatCount(sealing.consumers)} sealed and ${plain} in plaintext`,
    `${formatCount(acceptedContracts)} contracts accepted`,
    refused === '' ? '' : `refused: ${refused}`,
    failed === '' ? '' : `handshakes refused: ${failed}`,
    sealing.refusedPlaintext === 0
      ? ''
      : `${formatCount(sealing.refusedPlaintext)} messages in plaintext refused`,
    reportsWaiting === 0 ? '' : `${formatCount(reportsWaiting)} reports waiting`,
    reportsRefused === 0 ? '' : `${formatCount(reportsRefused)} reports refused`,
  ];
}
