import { TributaryError } from '../../errors/codes.ts';
import { type OperationName, operations } from '../../service/operations.ts';
import type { Profile } from '../../service/profiles.ts';

/** What an owner can do where the service lacks an operation. */
const instead: Partial<Readonly<Record<OperationName, string>>> = {
  setProvide: 'Set the mode on the device itself: tributary provide MODE',
  findProviders: 'Without --ids, the providers are found there, too: tributary service providers',
  createProviderSpec: 'Places by their names: tributary service locations WORDS',
  upgradeGuest:
    "Make the network permanent in the service's own app or on its website, then: tributary login",
};

/**
 * The operation that serves a call in this profile: itself, or another one that does the same.
 * @throws operation-not-served where nothing serves it, so that nothing is asked or sent in vain
 */
export function findServed<Name extends OperationName>(name: Name, profile: Profile): Name {
  if (!profile.notServed.includes(name)) return name;
  const other = profile.servedBy[name];
  // Both take the same request and answer the same.
  if (other !== undefined) return other as Name;
  const { method, path } = operations[name];
  const message = `${method} ${path}: services of the profile ${profile.name} do not have this operation`;
  throw new TributaryError('operation-not-served', message, { action: instead[name] });
}
