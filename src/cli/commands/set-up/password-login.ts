import { TributaryError } from '../../../errors/codes.ts';
import type { Secret } from '../../../lib/secret.ts';
import type { ServiceClient } from '../../../service/client.ts';
import type { Profile } from '../../../service/profiles.ts';
import { refuse } from '../../frame/command.ts';
import type { CommandContext } from '../../frame/context.ts';
import { findServed } from '../../frame/find-served.ts';
import { readSecret } from '../../frame/read-secret.ts';

interface PasswordLogin {
  readonly client: ServiceClient;
  readonly profile: Profile;
  /** An e-mail address or a phone number. */
  readonly userAuth: string;
  readonly passwordFile: string | undefined;
  /** Where it is given, the address is verified by it, and no password is asked for. */
  readonly verifyCodeFile: string | undefined;
}

/**
 * Trades an address and its password for the network's token; an address that is not verified yet
 * is verified first, by the code that the service sends there.
 * @throws usage-invalid, service-refused, codes of `call`
 */
export async function logInByPassword(
  { client, profile, userAuth, passwordFile, verifyCodeFile }: PasswordLogin,
  context: CommandContext,
): Promise<Secret> {
  findServed('passwordLogin', profile);
  const ofCode = { name: 'verification code', file: verifyCodeFile, option: '--verify-code-file' };
  const verify = async () => {
    const verifyCode = await readSecret(ofCode, context);
    const { network } = await client.call('verify', { userAuth, verifyCode });
    return readToken(network?.byJwt);
  };
  if (verifyCodeFile !== undefined) return verify();
  const ofPassword = {
    name: 'password',
    file: passwordFile,
    option: '--password-file',
    isPassword: true,
  };
  if (passwordFile === undefined) await context.prompt?.tell(noPassword);
  const password = await readSecret(ofPassword, context);
  const answer = await client.call('passwordLogin', { userAuth, password });
  if (answer.verificationRequired === undefined) return readToken(answer.network?.byJwt);
  await client.call('verifySend', { userAuth });
  if (context.prompt !== undefined) return verify();
  throw refuse(`${userAuth} has to be verified, and the service sent a code there`, {
    action: `Then: sudo tributary login --user-auth ${userAuth} --verify-code-file FILE`,
  });
}

const noPassword =
  "An account that was made with Google, Apple or a wallet has no password: make an auth code in the service's app or on its website, and type: sudo tributary login";

function readToken(token: Secret | undefined): Secret {
  if (token !== undefined) return token;
  const message = 'signing in: the answer holds neither a network JWT nor an error';
  throw new TributaryError('answer-invalid', message);
}
