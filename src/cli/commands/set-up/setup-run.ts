import {
  chooseConfigPath,
  defaultConfigPath,
  readConfigFile,
} from '../../../config/config-file.ts';
import type { LoadedConfig } from '../../../config/load.ts';
import { completeEnvironment } from '../../../config/own-environment.ts';
import { setConfigKeys } from '../../../config/set-key.ts';
import { valueAt, withValue } from '../../../config/tree.ts';
import { hasCode, messageOf, TributaryError } from '../../../errors/codes.ts';
import { phaseTraits } from '../../../health/phase-traits.ts';
import { createRegistrationFiles } from '../../../identity/registration-files.ts';
import { toPlainText } from '../../../lib/plain-text.ts';
import type { Secret } from '../../../lib/secret.ts';
import { toPageUrl } from '../../../status/page-url.ts';
import { isThere } from '../../../system/files.ts';
import { refuse, type Show } from '../../frame/command.ts';
import { type CommandContext, loadConfig, type PathOptions } from '../../frame/context.ts';
import { readSecret } from '../../frame/read-secret.ts';
import { joinLines } from '../../present/text.ts';
import { renderLines } from '../everyday/status.ts';
import { checkService } from './check-service.ts';
import { forgetOnPage } from './config-effect.ts';
import { wakeAgent } from './reload.ts';
import { type GivenAnswers, gatherAnswers, toChanges, toOffers } from './setup-answers.ts';
import { listCountries } from './setup-country.ts';
import { askPage, keepPageToken, opensPage, renderOpenPage } from './setup-page.ts';
import { findStart, waitForStatus } from './setup-start.ts';
import { explainLoopback, refusedCode, renderPage, whatItDoes, whereFrom } from './setup-words.ts';
import { signInOnce } from './sign-in-once.ts';

type SetupOptions = GivenAnswers & PathOptions & { readonly codeFile?: string };
type SetupGiven = { readonly options: SetupOptions; readonly show: Show };

const settledWithinMs = 60_000;
const toMove =
  'New address, same service: sudo tributary config set service.base_url ADDRESS. Another service: also sudo tributary login --new-device';
const again = 'This device is signed in. Sign in again, with a new code?';
const nothingDone = 'nothing was changed';

/**
 * Collects and checks the answers, then writes the file, starts the agent, signs in and waits for
 * it.
 * @throws codes of its parts
 */
export async function runSetup(
  { options, show }: SetupGiven,
  context: CommandContext,
): Promise<void> {
  const prepared = await prepare(options, context);
  const { path, answers } = prepared;
  const warn = (line: string) => void context.stderr.write(`${line}\n`);
  const progress = { done: nothingDone };
  const stop = () => {
    warn(`tributary: stopped; ${progress.done}`);
    process.exit(130);
  };
  process.once('SIGINT', stop);
  const { page, status } = await finish({ ...prepared, progress }, options, context).catch(
    (error: unknown) => {
      if (progress.done !== nothingDone && hasCode(error, 'usage-invalid'))
        throw refuse(`stopped; ${progress.done}`);
      if (progress.done !== nothingDone) warn(`tributary: ${progress.done}`);
      throw error;
    },
  );
  process.off('SIGINT', stop);
  const { service, profile, mode, cap } = answers;
  const done = {
    file: path,
    service,
    profile,
    mode,
    cap: cap || undefined,
    signedIn: true,
    phase: status?.phase,
    page,
  };
  const toStart = [
    'Set up, but the agent is not running. Start it:',
    `  tributary run --config ${path}`,
  ];
  const text = status
    ? [...renderLines(status, context), '', ...renderPage(page, context)]
    : toStart;
  await show(done, () => joinLines(text));
}

async function prepare(options: SetupOptions, context: CommandContext) {
  const before = await readBefore(options, context);
  const { path, loaded } = before;
  const handedIn = options.codeFile === undefined ? loaded.credentials.authCode : undefined;
  // A code that was handed in means that a script runs this, so no question is asked.
  const prompt =
    options.codeFile === undefined && handedIn === undefined ? context.prompt : undefined;
  const say = async (text: string) =>
    prompt === undefined ? void context.stderr.write(`${text}\n`) : prompt.tell(text);
  const check = async (baseUrl: string) => {
    const { base_url: known } = loaded.config.service;
    const why = explainLoopback(baseUrl);
    if (why !== undefined && (await findStart(path)) !== undefined) throw refuse(why);
    await prompt?.tell(`Asking ${baseUrl}: this may take half a minute.`);
    if (!before.isRegistered || before.isNew || baseUrl === known)
      return checkService({ ...loaded.service, baseUrl });
    throw refuse(`this device is registered at ${known}. ${toMove}`);
  };
  const asking = (baseUrl: string) => listCountries({ ...loaded.service, baseUrl });
  const parts = { prompt, say, check, listCountries: asking };
  if (prompt !== undefined) await say(whatItDoes);
  const answers = await gatherAnswers(toOffers(options, before), parts);
  // Elsewhere than with the package, nobody hands the agent a token.
  const isPackaged = prompt !== undefined && (await findStart(path)) !== undefined;
  const opened = isPackaged ? await askPage({ prompt, say, loaded }) : [];
  const isKept =
    before.isSignedIn && options.codeFile === undefined && (await prompt?.confirm(again)) !== true;
  const source = { name: 'auth code', file: options.codeFile, option: '--code-file' };
  if (prompt !== undefined && !isKept) await say(whereFrom);
  const code = isKept ? undefined : (handedIn ?? (await readSecret(source, context)));
  return { path, answers, changes: [...toChanges(answers, before), ...opened], code, prompt, say };
}

/** `progress` tells what is done already if the owner stops the work. */
type Work = Awaited<ReturnType<typeof prepare>> & { readonly progress: { done: string } };

async function finish(work: Work, options: PathOptions, context: CommandContext) {
  const { path, changes, code, prompt, say, progress } = work;
  await setConfigKeys(path, changes, context.environment);
  const changed = changes.map(({ key }) => key);
  await forgetOnPage(changed, options, context);
  if (changes.length > 0)
    progress.done = `${path} is written; run tributary setup again to continue`;
  const loaded = await loadConfig(options, {
    environment: await completeEnvironment(context.environment),
  });
  const token = opensPage(path, changes) ? await keepPageToken() : undefined;
  // This comes before the sign-in, because systemd makes the state directory for the user that the
  // agent runs as.
  const start = await findStart(path);
  const tell = async (text: string) => void (await prompt?.tell(text));
  if (start !== undefined) await tell('Starting the agent: this may take half a minute.');
  if (changes.length > 0 || code !== undefined)
    await start?.().catch((error: unknown) => say(toPlainText(messageOf(error))));
  if (code !== undefined) await signInWith({ ...work, code }, loaded, context);
  progress.done = 'everything is written, and this device is signed in';
  await wakeAgent(loaded);
  if (start !== undefined) await tell('Waiting until the device shares: a minute at most.');
  const status = await waitForStatus(
    loaded,
    start ? settledWithinMs : 0,
    new AbortController().signal,
  );
  if (start && !(status && phaseTraits[status.phase].isWell)) context.setExitCode(1);
  const { listen } = loaded.config.status;
  if (token !== undefined && listen.port !== 0)
    context.stderr.write(`${await renderOpenPage({ port: listen.port, token }, context)}\n`);
  return { status, page: listen.port === 0 ? null : toPageUrl(listen) };
}

/** Signs in; a person whose code is refused is asked for another one. */
async function signInWith(
  { code, prompt, say }: Pick<Work, 'prompt' | 'say'> & { readonly code: Secret },
  loaded: LoadedConfig,
  { stderr: notes }: CommandContext,
): Promise<void> {
  await prompt?.tell('Signing in.');
  for (let next = code; ; ) {
    const refused = await signInOnce(loaded, next, { isNewDevice: false, notes }).then(
      () => undefined,
      (error: unknown) => error,
    );
    if (refused === undefined) return;
    if (prompt === undefined || !hasCode(refused, 'auth-code-refused')) throw refused;
    await say(refusedCode);
    next = await prompt.askSecret('Another auth code');
  }
}

export type Before = Awaited<ReturnType<typeof readBefore>>;

/**
 * What is set up already. A missing file or address is no error here.
 * @throws not-allowed, configuration-invalid, state-unreadable
 */
async function readBefore({ config, stateDir }: PathOptions, { environment }: CommandContext) {
  const path = chooseConfigPath({ configPath: config, environment });
  if (path === defaultConfigPath && process.geteuid?.() !== 0) {
    const action =
      'Run it with sudo: sudo tributary setup. Or name a file of your own: --config FILE';
    throw new TributaryError('not-allowed', `only root may write ${path}`, { action });
  }
  // A missing file is read as an empty one.
  const file = (await isThere(path)) ? path : '/dev/null';
  const { tree } = await readConfigFile({ configPath: file, environment });
  const { TRIBUTARY_SERVICE_BASE_URL: given, TRIBUTARY_SERVICE_BASE_URL_FILE: twin } = environment;
  const isNew = (valueAt(tree, ['service', 'base_url']) ?? given ?? twin) === undefined;
  const standIn = isNew ? { TRIBUTARY_SERVICE_BASE_URL: 'https://service.invalid' } : {};
  const options = { config: file, ...(stateDir === undefined ? {} : { stateDir }) };
  const loaded = await loadConfig(options, { environment: { ...environment, ...standIn } });
  const { identity, networkJwt, registration } = createRegistrationFiles(
    loaded.stateDirectory,
    () => undefined,
  );
  const isRegistered =
    ((await identity.peek()) ?? (await registration.peek()))?.clientId !== undefined;
  const configured = isNew
    ? withValue(loaded.given, ['service', 'base_url'], undefined)
    : loaded.given;
  return {
    path,
    loaded,
    isNew,
    configured,
    isRegistered,
    isSignedIn: (await networkJwt.peek())?.token !== undefined,
  };
}
