import type { Command } from 'commander';
import { TributaryError } from '../../lib/errors.ts';
import type { OperationResponse } from '../../service/operations.ts';
import { toPlainText } from '../../status/wrap.ts';
import type { CommandContext } from '../context.ts';
import { checkSources, readSecret } from '../read-secret.ts';
import { addServiceCommand, confirmOrStop, type Given } from '../service-command.ts';
import type { Session } from '../session.ts';
import { wakeAgent } from '../wake-agent.ts';
import { createJwtKeeper, type JwtKeeper } from './jwt-keeper.ts';
import { readUpgradeRequest, toUpgradeOrder, type UpgradeOptions } from './upgrade-order.ts';

/** What `account upgrade --json` prints. */
interface UpgradeView {
  /** False where the service has only begun with it, and gave no token yet. */
  readonly upgraded: boolean;
  readonly networkName: string;
  /** The e-mail address or phone number that is to be verified; null where none is. */
  readonly verificationRequired: string | null;
  /** True where this device is signed in with the new token. */
  readonly signedIn: boolean;
  /** Where the new token was written to; null where to no file. */
  readonly jwtFile: string | null;
}

/** Adds `tributary account upgrade`. */
export function registerUpgrade(group: Command, context: CommandContext): void {
  addServiceCommand<UpgradeView, UpgradeOptions>(group, context, {
    usage: 'upgrade',
    description: "make a guest's session a permanent network, which keeps everything that the guest has",
    options: {
      '--user-auth <email-or-phone>': 'what the network signs in with (required)',
      '--name <network>': 'the name of the network, which no other has (required)',
      '--password-file <file>': 'read the password from this file; - is standard input (default: asks for it)',
      '--auth-jwt-file <file>': 'instead of a password: the token of a third party, from this file',
      '--auth-jwt-type <type>': 'whose token that is: google, apple or un',
      '--guest-jwt-file <file>': "the guest's token (default: what this device is signed in with)",
      '--jwt-out <file>': 'write the new network JWT to this file too, which must not be there yet',
      '--yes': 'do not ask',
    },
    examples: {
      'tributary account upgrade --user-auth ada@example.org --name ada': 'asks twice for the password',
      'tributary account upgrade --user-auth ada@example.org --name ada --password-file - --yes': 'for a script',
    },
    run: upgrade,
    render: renderUpgrade,
  });
}

async function upgrade(
  session: Session,
  { options }: Given<UpgradeOptions>,
  context: CommandContext,
): Promise<UpgradeView> {
  const order = toUpgradeOrder(options);
  const { userAuth, networkName } = order;
  checkSources(order.guest === undefined ? [order.proof] : [order.guest, order.proof], context);
  const guest = order.guest === undefined ? await session.readToken() : await readSecret(order.guest, context);
  const keeper = await createJwtKeeper({ tokens: session.tokens, former: guest, file: options.jwtOut });
  await confirmOrStop(`Make the guest the permanent network ${networkName} of ${userAuth}?`, options, context);
  const request = await readUpgradeRequest(order, context);
  await keeper.prepare();
  const answer = await session.call('upgradeGuest', request, guest).catch(async (error: unknown) => {
    await keeper.giveUp();
    throw error;
  });
  const upgraded = await keepToken(answer, keeper);
  if (upgraded && keeper.signsIn) await wakeAgent(await context.resolveSocketPaths(options));
  return {
    upgraded,
    networkName,
    verificationRequired:
      answer.verificationRequired === undefined ? null : (answer.verificationRequired.userAuth ?? userAuth),
    signedIn: upgraded && keeper.signsIn,
    jwtFile: upgraded ? (keeper.file ?? null) : null,
  };
}

/** True where the answer brought a token. @throws answer-invalid, state-unwritable */
async function keepToken(answer: OperationResponse<'upgradeGuest'>, keeper: JwtKeeper): Promise<boolean> {
  const token = answer.network?.byJwt;
  if (token !== undefined) {
    await keeper.keep(token);
    return true;
  }
  await keeper.giveUp();
  if (answer.verificationRequired !== undefined) return false;
  throw new TributaryError(
    'answer-invalid',
    'upgrading the guest: the answer holds neither a network JWT nor an error',
  );
}

function renderUpgrade(view: UpgradeView): string {
  const { upgraded, verificationRequired, signedIn, jwtFile } = view;
  const name = toPlainText(view.networkName);
  const whom = toPlainText(verificationRequired ?? '');
  return [
    upgraded ? `The network ${name} is permanent now.` : `The service has begun to make the network ${name} permanent.`,
    ...(upgraded ? [] : ["It gave no new token yet: the guest's stays in use."]),
    ...(signedIn ? ['This device is signed in to it.'] : []),
    ...(jwtFile === null ? [] : [`Its network JWT is in ${toPlainText(jwtFile)}.`]),
    ...(verificationRequired === null ? [] : [`${whom} has to be verified: follow what the service sent there.`]),
    '',
  ].join('\n');
}
