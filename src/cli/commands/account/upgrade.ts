import { TributaryError } from '../../../errors/codes.ts';
import { parseJson } from '../../../lib/parse-json.ts';
import { confirmOrStop, defineCommand, type OptionValues, refuse } from '../../frame/command.ts';
import type { CommandContext } from '../../frame/context.ts';
import {
  checkSources,
  readNewPassword,
  readSecret,
  type SecretSource,
} from '../../frame/read-secret.ts';
import { joinLines } from '../../present/text.ts';
import { wakeAgent } from '../set-up/reload.ts';

const flags = {
  '--user-auth <email-or-phone>': 'e-mail address or phone number to sign in with (required)',
  '--name <network>': "the network's name, which must be free (required)",
  '--password-file <file>':
    'read the password from this file; - is standard input (default: asks for it)',
  '--auth-jwt-file <file>': "read a third party's token from this file, instead of a password",
  '--auth-jwt-type <type>': 'whose token that is: google, apple or un',
  '--wallet-auth-file <file>':
    "read a wallet's signature from this file, as JSON, instead of a password",
  '--guest-jwt-file <file>': "the guest's token (default: what this device is signed in with)",
  '--jwt-out <file>': 'also write the new network JWT to this file, which must not exist yet',
  '--yes': 'skip the confirmation',
};
const authJwtTypes = ['google', 'apple', 'un'] as const;

export const upgrade = defineCommand({
  usage: 'upgrade',
  description: 'turn a guest session into a permanent network that keeps everything the guest has',
  options: flags,
  examples: {
    'tributary account upgrade --user-auth ada@example.org --name ada':
      'asks twice for the password',
    'tributary account upgrade --user-auth ada@example.org --name ada --password-file - --yes':
      'for a script',
  },
  async run(session, { options }, context) {
    session.findServed('upgradeGuest');
    const { chooseJwtDestination } = await import('./jwt-destination.ts');
    const { userAuth, networkName, proof, authJwtType, guest } = planUpgrade(options);
    checkSources(guest === undefined ? [proof] : [guest, proof], context);
    const former =
      guest === undefined ? await session.readToken() : await readSecret(guest, context);
    const destination = await chooseJwtDestination(session.tokens, former, options.jwtOut);
    const question = `Turn this guest into the permanent network ${networkName}, owned by ${userAuth}?`;
    await confirmOrStop(question, options, context);
    const secret = await readProof({ proof, authJwtType }, context);
    await using prepared = await destination.prepare();
    const request = { userAuth, networkName, ...secret };
    const { network, verificationRequired } = await session.call('upgradeGuest', request, former);
    const token = network?.byJwt;
    if (token !== undefined) await prepared.store(token);
    else if (verificationRequired === undefined) {
      const message = 'upgrading the guest: the answer holds neither a network JWT nor an error';
      throw new TributaryError('answer-invalid', message);
    }
    const signedIn = token !== undefined && destination.signsIn;
    if (signedIn) await wakeAgent(await context.resolvePlaces(options));
    return {
      /** False if the upgrade has only begun and no token was issued yet. */
      upgraded: token !== undefined,
      networkName,
      /**
       * The e-mail address or phone number that has to be verified; undefined if none has to be.
       */
      verificationRequired: verificationRequired && (verificationRequired.userAuth ?? userAuth),
      signedIn,
      /** The file that the new token was written to; undefined without one. */
      jwtFile: token && options.jwtOut,
    };
  },
  render({ upgraded, networkName, verificationRequired, signedIn, jwtFile }) {
    return joinLines([
      upgraded
        ? `The network ${networkName} is now permanent.`
        : `The network ${networkName} is not permanent yet.`,
      !upgraded && "The service gave no new token: the guest's stays in use.",
      signedIn && 'This device is signed in to it.',
      jwtFile !== undefined && `Its network JWT is in ${jwtFile}.`,
      verificationRequired !== undefined &&
        `Verify ${verificationRequired}: the service sent instructions there.`,
    ]);
  },
});

type Proof = SecretSource & { readonly isWallet?: boolean };

/** What vouches for the owner, as the request has it. @throws usage-invalid */
async function readProof(
  {
    proof,
    authJwtType,
  }: { readonly proof: Proof; readonly authJwtType: (typeof authJwtTypes)[number] | undefined },
  context: CommandContext,
) {
  if (proof.isWallet === true) {
    const walletAuth = parseJson((await readSecret(proof, context)).reveal());
    if (typeof walletAuth === 'object' && walletAuth !== null)
      return { walletAuth: { ...walletAuth } };
    throw refuse(`${proof.option}: it is not a JSON object`);
  }
  return authJwtType === undefined
    ? { password: await readNewPassword(proof, context) }
    : { authJwt: await readSecret(proof, context), authJwtType };
}

/**
 * What the options ask for, checked before any secret is read. Without `guest` it is about the
 * stored token.
 * @throws usage-invalid
 */
function planUpgrade(options: OptionValues<typeof flags>) {
  const { userAuth, name, passwordFile, authJwtFile, walletAuthFile, guestJwtFile } = options;
  if (!userAuth)
    throw refuse('--user-auth is missing: the e-mail address or phone number to sign in with');
  if (!name) throw refuse('--name is missing: the name of the network');
  if ((authJwtFile === undefined) !== (options.authJwtType === undefined)) {
    throw refuse('--auth-jwt-file and --auth-jwt-type go together');
  }
  if ([passwordFile, authJwtFile, walletAuthFile].filter((file) => file !== undefined).length > 1)
    throw refuse('give one of --password-file, --auth-jwt-file and --wallet-auth-file');
  const authJwtType = authJwtTypes.find((type) => type === options.authJwtType);
  if (authJwtType !== options.authJwtType) {
    throw refuse(
      `--auth-jwt-type ${options.authJwtType}: it must be one of ${authJwtTypes.join(', ')}`,
    );
  }
  const password = {
    name: 'new password',
    file: passwordFile,
    option: '--password-file',
    isPassword: true,
  };
  const thirdParty = { name: 'third-party token', file: authJwtFile, option: '--auth-jwt-file' };
  const wallet = {
    name: "wallet's signature",
    file: walletAuthFile,
    option: '--wallet-auth-file',
    isWallet: true,
  };
  const guest = { name: "guest's token", file: guestJwtFile, option: '--guest-jwt-file' };
  return {
    userAuth,
    networkName: name,
    proof:
      walletAuthFile === undefined ? (authJwtFile === undefined ? password : thirdParty) : wallet,
    authJwtType,
    guest: guestJwtFile === undefined ? undefined : guest,
  };
}
