import { TributaryError } from '../../lib/errors.ts';
import type { OperationRequest } from '../../service/operations.ts';
import type { CommandContext } from '../context.ts';
import { readNewPassword, readSecret, type SecretSource } from '../read-secret.ts';

/** The options of `account upgrade`. */
export interface UpgradeOptions {
  readonly userAuth?: string;
  readonly name?: string;
  readonly passwordFile?: string;
  readonly authJwtFile?: string;
  readonly authJwtType?: string;
  readonly guestJwtFile?: string;
  readonly jwtOut?: string;
}

/** What is to be sent, as far as it was not read yet. */
export interface UpgradeOrder {
  readonly userAuth: string;
  readonly networkName: string;
  /** A password, or the token of a third party. */
  readonly proof: SecretSource;
  /** undefined for a password. */
  readonly authJwtType: AuthJwtType | undefined;
  /** undefined: the stored token. */
  readonly guest: SecretSource | undefined;
}

const authJwtTypes = ['google', 'apple', 'un'] as const;
type AuthJwtType = (typeof authJwtTypes)[number];

/** @throws usage-invalid */
export function toUpgradeOrder(options: UpgradeOptions): UpgradeOrder {
  const { userAuth, name, passwordFile, authJwtFile, authJwtType, guestJwtFile } = options;
  if (!userAuth) throw refuse('--user-auth is missing: the e-mail address or phone number to sign in with');
  if (!name) throw refuse('--name is missing: the name of the network');
  if ((authJwtFile === undefined) !== (authJwtType === undefined)) {
    throw refuse('--auth-jwt-file and --auth-jwt-type go together');
  }
  if (authJwtFile !== undefined && passwordFile !== undefined) {
    throw refuse('give --password-file or --auth-jwt-file, not both');
  }
  return {
    userAuth,
    networkName: name,
    proof:
      authJwtFile === undefined
        ? { name: 'new password', file: passwordFile, option: '--password-file', isPassword: true }
        : { name: 'third-party token', file: authJwtFile, option: '--auth-jwt-file' },
    authJwtType: toAuthJwtType(authJwtType),
    guest:
      guestJwtFile === undefined
        ? undefined
        : { name: "guest's token", file: guestJwtFile, option: '--guest-jwt-file' },
  };
}

/** Asks for what is still missing. @throws usage-invalid */
export async function readUpgradeRequest(
  { userAuth, networkName, proof, authJwtType }: UpgradeOrder,
  context: CommandContext,
): Promise<OperationRequest<'upgradeGuest'>> {
  const names = { userAuth, networkName };
  if (authJwtType === undefined) return { ...names, password: await readNewPassword(proof, context) };
  return { ...names, authJwt: await readSecret(proof, context), authJwtType };
}

function toAuthJwtType(text: string | undefined): AuthJwtType | undefined {
  const known = authJwtTypes.find((type) => type === text);
  if (known === undefined && text !== undefined) {
    throw refuse(`--auth-jwt-type ${text}: it must be one of ${authJwtTypes.join(', ')}`);
  }
  return known;
}

function refuse(why: string): TributaryError {
  return new TributaryError('usage-invalid', `upgrading the guest: ${why}`);
}
