import type { Attempt } from '../service/client.ts';
import type { ContactSection } from './state.ts';

export function createContactWatch(contact: ContactSection, now: () => Date): (attempt: Attempt) => void {
  return ({ outcome }) => {
    contact.isReachable = outcome !== 'service-unreachable';
    if (contact.isReachable) contact.lastContactAt = now();
  };
}
