import { isSame, type Secret } from '../../lib/secret.ts';
import type { EngineHeritage } from './engine-files.ts';
import type {
  IdentityData,
  ProvideWish,
  SeenMessage,
  StartMessage,
  StateMessage,
  ToEngine,
} from './protocol.ts';

/**
 * Whether what goes between consumers and this device is sealed: where they offer it, always (those
 * that do not are not served), or never.
 */
type EncryptionMode = 'opportunistic' | 'required' | 'off';

/** What an engine is to be. */
export interface EngineOrder {
  /** The device's client, and its token; never the token of its owner's network. */
  readonly clientId: string;
  readonly token: Secret;
  readonly urls: readonly string[];
  readonly controlUrl: string;
  readonly pool: StartMessage['pool'];
  /** The device's name; it is there, and the engine's user may attach to it. */
  readonly device: string;
  /** The certificates that alone vouch for the service, as PEM; undefined where Node's own do. */
  readonly authority: string | undefined;
  readonly wish: ProvideWish;
  /** The device's way to the Internet, as a text to compare; undefined without one. */
  readonly way: string | undefined;
  /** The owner's limit of what one consumer may carry unpaid until its next contract. */
  readonly mostUnpaidBytes: number;
  /** Whether consumers that seal are answered so. */
  readonly encryption: EncryptionMode;
}

/**
 * What a running engine is told, so that it becomes what is wanted; undefined where only a new one
 * can.
 */
export function planMessages(
  present: EngineOrder,
  wanted: EngineOrder,
): readonly ToEngine[] | undefined {
  const { token, wish, way } = wanted;
  if (!isSame({ ...present, token, wish, way }, wanted)) return undefined;
  const hasMoved = way !== undefined && way !== present.way;
  return [
    ...(token.equals(present.token) ? [] : [{ type: 'token' as const, token: token.reveal() }]),
    ...(wish === present.wish ? [] : [{ type: 'wish' as const, wish }]),
    ...(hasMoved ? [{ type: 'network' as const }] : []),
  ];
}

/** The first message to a new engine. The only place where secrets leave the agent for it. */
export function toStartMessage(
  order: EngineOrder,
  { secrets, identity, books, largestId, published }: EngineHeritage,
  process: Pick<StartMessage, 'instanceId' | 'appVersion'>,
): StartMessage {
  return {
    type: 'start',
    ...process,
    ownId: order.clientId,
    token: order.token.reveal(),
    urls: order.urls,
    controlUrl: order.controlUrl,
    authority: order.authority ?? null,
    secrets: Object.fromEntries(
      Object.entries(secrets).map(([mode, secret]) => [mode, secret.reveal()]),
    ),
    identity: order.encryption === 'off' ? null : revealIdentity(identity),
    isSealingRequired: order.encryption === 'required',
    published,
    wish: order.wish,
    pool: order.pool,
    device: order.device,
    mostUnpaidBytes: order.mostUnpaidBytes,
    books,
    largestId,
  };
}

function revealIdentity(of: EngineHeritage['identity']): IdentityData {
  const { seed, certificate, certificateKey } = of;
  return { seed: seed.reveal(), certificate, certificateKey: certificateKey.reveal() };
}

/**
 * What an engine said, without how fast the platform's clock goes where that is no sandbox's: the
 * owner's minutes are counted by it. Only a platform without TLS may be one, and over TLS neither
 * it nor an engine that was taken over can say so.
 */
export function believeRate(
  message: SeenMessage | StateMessage,
  { urls }: Pick<EngineOrder, 'urls'>,
): SeenMessage | StateMessage {
  const mayBeSandbox = urls.every((url) => url.startsWith('ws:'));
  if (mayBeSandbox) return message;
  if (message.type === 'state') return { ...message, clockRate: null };
  const { sighting } = message;
  if (sighting.kind !== 'noted') return message;
  return { ...message, sighting: { ...sighting, aheadMs: 0 } };
}
