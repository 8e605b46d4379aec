import type { RefusalReason } from '../../gateway/policy.ts';
import type { Tone } from '../text.ts';

/** A sign beside each tone, so that colour is not the only one. */
export const toneSigns: Readonly<Record<Tone, string>> = { good: '●', warning: '▲', bad: '■', plain: '○' };

/** Each kind of refused packet in words: what consumers tried. */
const refusals: Readonly<Record<RefusalReason, string>> = {
  'not-providing': 'While nothing was shared',
  'other-tunnel': 'From a tunnel that is not ours',
  'forged-source': 'With a forged source address',
  'strange-packet': 'With options, or about to expire',
  'device-itself': 'To this device itself',
  'denied-destination': 'To destinations you deny',
  'own-network': 'Into your own networks',
  'not-public': 'To addresses that are not public',
  'blocked-port': 'To blocked ports',
  'not-uplink': 'By another way than the uplink',
  invalid: 'Packets that belong to no connection',
  unsolicited: 'From outside, unasked',
  'error-message': 'Our own answers to refused packets',
  'too-many-connections': 'More connections than one consumer may have',
  'too-many-in-all': 'More connections than all consumers may have',
  'too-many-new-connections': 'Connections opened too fast',
  'too-many-half-open': 'Connections opened while too many got no answer',
  'data-cap': 'Over the data cap',
  'rate-limit': 'Over the rate limit',
};

/** A kind of refused packet in words; an unknown kind by its name. */
export function describeRefusal(kind: string): string {
  return new Map<string, string>(Object.entries(refusals)).get(kind) ?? kind.replaceAll('-', ' ');
}
