import { TributaryError } from '../../lib/errors.ts';
import { toPlainText } from '../../lib/plain-text.ts';
import { confirmOrStop, type Given, type ServiceCommand } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { joinLines } from '../present/text.ts';
import { checkSources, readSecret } from '../read-secret.ts';
import type { Session } from '../session.ts';
import { wakeAgent } from '../wake-agent.ts';
import { planUpgrade, readUpgradeRequest, type UpgradeOptions, upgradeFlags } from './upgrade-request.ts';

/** `tributary account upgrade`. */
export const upgrade: ServiceCommand<Awaited<ReturnType<typeof upgradeGuest>>, UpgradeOptions> = {
  usage: 'upgrade',
  description: "make a guest's session a permanent network, which keeps everything that the guest has",
  options: upgradeFlags,
  examples: {
    'tributary account upgrade --user-auth ada@example.org --name ada': 'asks twice for the password',
    'tributary account upgrade --user-auth ada@example.org --name ada --password-file - --yes': 'for a script',
  },
  run: upgradeGuest,
  render({ upgraded, networkName, verificationRequired, signedIn, jwtFile }) {
    const name = toPlainText(networkName);
    const whom = toPlainText(verificationRequired ?? '');
    return joinLines([
      upgraded
        ? `The network ${name} is permanent now.`
        : `The service has begun to make the network ${name} permanent.`,
      !upgraded && "It gave no new token yet: the guest's stays in use.",
      signedIn && 'This device is signed in to it.',
      jwtFile !== undefined && `Its network JWT is in ${toPlainText(jwtFile)}.`,
      verificationRequired !== undefined && `${whom} has to be verified: follow what the service sent there.`,
    ]);
  },
};

async function upgradeGuest(session: Session, { options }: Given<UpgradeOptions>, context: CommandContext) {
  const { chooseJwtDestination } = await import('./jwt-destination.ts');
  const plan = planUpgrade(options);
  const { userAuth, networkName, proof, guest } = plan;
  checkSources(guest === undefined ? [proof] : [guest, proof], context);
  const former = guest === undefined ? await session.readToken() : await readSecret(guest, context);
  const destination = await chooseJwtDestination({ tokens: session.tokens, former, file: options.jwtOut });
  await confirmOrStop(`Make the guest the permanent network ${networkName} of ${userAuth}?`, options, context);
  const request = await readUpgradeRequest(plan, context);
  await using prepared = await destination.prepare();
  const { network, verificationRequired } = await session.call('upgradeGuest', request, former);
  const token = network?.byJwt;
  if (token !== undefined) await prepared.store(token);
  else if (verificationRequired === undefined) {
    const message = 'upgrading the guest: the answer holds neither a network JWT nor an error';
    throw new TributaryError('answer-invalid', message);
  }
  const signedIn = token !== undefined && destination.signsIn;
  if (signedIn) await wakeAgent(await context.resolveSocketPaths(options));
  return {
    /** False where the service has only begun with it, and gave no token yet. */
    upgraded: token !== undefined,
    networkName,
    /** The e-mail address or phone number that is to be verified; undefined where none is. */
    verificationRequired: verificationRequired && (verificationRequired.userAuth ?? userAuth),
    /** True where this device is signed in with the new token. */
    signedIn,
    /** Where the new token was written to; undefined where to no file. */
    jwtFile: token && options.jwtOut,
  };
}
