import type { OperationRequest } from '../../service/operations.ts';
import type { CommandContext } from '../context.ts';
import type { OptionValues } from '../option-values.ts';
import { readNewPassword, readSecret, type SecretSource } from '../read-secret.ts';
import { refuse } from '../refuse.ts';

/** The options of `account upgrade`. */
export const upgradeFlags = {
  '--user-auth <email-or-phone>': 'what the network signs in with (required)',
  '--name <network>': 'the name of the network, which no other has (required)',
  '--password-file <file>': 'read the password from this file; - is standard input (default: asks for it)',
  '--auth-jwt-file <file>': 'instead of a password: the token of a third party, from this file',
  '--auth-jwt-type <type>': 'whose token that is: google, apple or un',
  '--guest-jwt-file <file>': "the guest's token (default: what this device is signed in with)",
  '--jwt-out <file>': 'write the new network JWT to this file too, which must not be there yet',
  '--yes': 'do not ask',
};
export type UpgradeOptions = OptionValues<typeof upgradeFlags>;

type Upgrade = ReturnType<typeof planUpgrade>;
const authJwtTypes = ['google', 'apple', 'un'] as const;

/** What the options ask for, before any secret is read. @throws usage-invalid */
export function planUpgrade(options: UpgradeOptions) {
  const { userAuth, name, passwordFile, authJwtFile, guestJwtFile } = options;
  if (!userAuth) throw refuseUpgrade('--user-auth is missing: the e-mail address or phone number to sign in with');
  if (!name) throw refuseUpgrade('--name is missing: the name of the network');
  if ((authJwtFile === undefined) !== (options.authJwtType === undefined)) {
    throw refuseUpgrade('--auth-jwt-file and --auth-jwt-type go together');
  }
  if (authJwtFile !== undefined && passwordFile !== undefined) {
    throw refuseUpgrade('give --password-file or --auth-jwt-file, not both');
  }
  const authJwtType = authJwtTypes.find((type) => type === options.authJwtType);
  if (authJwtType !== options.authJwtType) {
    throw refuseUpgrade(`--auth-jwt-type ${options.authJwtType}: it must be one of ${authJwtTypes.join(', ')}`);
  }
  const password = { name: 'new password', file: passwordFile, option: '--password-file', isPassword: true };
  const thirdParty = { name: 'third-party token', file: authJwtFile, option: '--auth-jwt-file' };
  const guest = { name: "guest's token", file: guestJwtFile, option: '--guest-jwt-file' };
  return {
    userAuth,
    networkName: name,
    proof: (authJwtFile === undefined ? password : thirdParty) satisfies SecretSource,
    /** undefined for a password. */
    authJwtType,
    /** undefined: the stored token. */
    guest: guestJwtFile === undefined ? undefined : guest,
  };
}

/** Asks for what is still missing. @throws usage-invalid */
export async function readUpgradeRequest(
  { userAuth, networkName, proof, authJwtType }: Upgrade,
  context: CommandContext,
): Promise<OperationRequest<'upgradeGuest'>> {
  const names = { userAuth, networkName };
  if (authJwtType === undefined) return { ...names, password: await readNewPassword(proof, context) };
  return { ...names, authJwt: await readSecret(proof, context), authJwtType };
}

function refuseUpgrade(why: string): Error {
  return refuse(`upgrading the guest: ${why}`);
}
