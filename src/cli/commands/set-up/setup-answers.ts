import { usualUnpaidLimit } from '../../../config/connect-section.ts';
import { explainWrongValue, type KeyChange } from '../../../config/set-key.ts';
import { valueAt } from '../../../config/tree.ts';
import { messageOf, TributaryError } from '../../../errors/codes.ts';
import { toPlainText } from '../../../lib/plain-text.ts';
import type { ProvideMode } from '../../../service/profiles.ts';
import { modeWords } from '../../../status/mode-words.ts';
import { refuse } from '../../frame/command.ts';
import type { Prompt } from '../../frame/prompt.ts';
import { askCountry, type Country } from './setup-country.ts';
import type { Before } from './setup-run.ts';

const keys = {
  service: 'service.base_url',
  profile: 'service.profile',
  mode: 'provide.mode',
  cap: 'provide.cap.bytes',
  source: 'source',
  country: 'proxy.country_code',
  unpaidLimit: 'connect.unpaid_limit',
} as const;
type Subject = keyof typeof keys;

/** Each answer as the file will have it; undefined where nothing is written, '' for none. */
export type Answers = Readonly<Record<Subject, string | undefined>>;

/** The answers that may be given as options. */
export type GivenAnswers = Readonly<
  Partial<Record<Exclude<Subject, 'source' | 'unpaidLimit'>, string | undefined>>
>;

/** What is offered for each answer. A fixed answer is not asked for. */
type Offers = Readonly<
  Record<Subject, { readonly value: string | undefined; readonly isFixed: boolean }>
>;

/**
 * What to offer: what was given, otherwise what is configured.
 * @throws usage-invalid: a wrong value, or one that the environment overrules
 */
export function toOffers(
  options: GivenAnswers,
  before: Pick<Before, 'configured' | 'loaded' | 'isNew'>,
): Offers {
  const offer = (subject: Subject) => {
    const path = keys[subject].split('.');
    const configured = valueAt(before.configured, path)?.toString();
    const origin = before.loaded.originOf(path);
    const isOverruled = origin.kind === 'environment' && configured !== undefined;
    // A device without a service shares with friends, whatever the sample file says.
    const isSample = subject === 'mode' && before.isNew && !isOverruled;
    const value = (options as Partial<Answers>)[subject];
    if (value === undefined)
      return { value: isSample ? 'friends' : configured, isFixed: isOverruled };
    const wrong = explainWrongValue(keys[subject], value);
    if (wrong !== undefined) throw refuse(`--${subject}: ${wrong}`);
    if (!isOverruled || value === configured) return { value, isFixed: true };
    throw refuse(
      `--${subject}: ${origin.place} says ${configured}, which wins over the file; change it there`,
    );
  };
  return {
    service: offer('service'),
    profile: offer('profile'),
    mode: offer('mode'),
    cap: offer('cap'),
    source: offer('source'),
    country: offer('country'),
    unpaidLimit: offer('unpaidLimit'),
  };
}

/**
 * Without a prompt no question is asked. `check` finds the profile of the service at the address,
 * and throws what is wrong there; `listCountries` asks it where providers are.
 */
interface AnswerParts {
  readonly prompt: Prompt | undefined;
  readonly check: (address: string) => Promise<'production' | undefined>;
  readonly listCountries: (address: string) => Promise<readonly Country[]>;
  readonly say: (text: string) => Promise<void> | void;
}

/** The answers. Each is checked as soon as it is known. @throws usage-invalid, codes of `check` */
export async function gatherAnswers(offers: Offers, parts: AnswerParts): Promise<Answers> {
  const { address: service, found } = await findService(offers.service, parts);
  const asker = (subject: Subject) => (offers[subject].isFixed ? undefined : parts.prompt);
  const configured = offers.profile.value ?? found;
  const profile =
    configured ?? (await asker('profile')?.choose(whichProfile, 'documented', profiles));
  if (profile !== (found ?? profile))
    await parts.say(`Warning: it answers like the ${found} profile, not ${profile}.`);
  const offered = offers.mode.value as ProvideMode | undefined;
  const mode = await asker('mode')?.choose(
    'Who may use your connection?',
    offered ?? 'friends',
    describeModes(),
  );
  const before = offers.cap.value;
  const explainCap = (text: string) =>
    text === '' ? undefined : explainWrongValue(keys.cap, text);
  const cap = await asker('cap')?.askText(howMuch, before ?? '', explainCap);
  const source =
    profile === 'production' ? await askSource(offers.source, parts) : offers.source.value;
  // Its own protocol needs no tunnel.
  const country =
    profile === 'production' && source !== 'connect'
      ? await askCountry({
          ...offers.country,
          ...parts,
          countries: await parts.listCountries(service),
        })
      : offers.country.value;
  const isConnect = profile === 'production' && (source === 'connect' || source === 'both');
  const unpaidLimit = isConnect
    ? await askUnpaidLimit(offers.unpaidLimit, parts)
    : offers.unpaidLimit.value;
  const said = { service, profile, mode: mode ?? offered, cap: cap ?? before };
  return { ...said, source, country, unpaidLimit };
}

/**
 * Whether consumers come by the network's own protocol. Only the owner may switch it on, because
 * its terms are for the owner to read: without a prompt it is named and left off.
 */
async function askSource(
  { value, isFixed }: Offers['source'],
  { prompt, say }: AnswerParts,
): Promise<string | undefined> {
  if (isFixed || (value !== undefined && value !== 'wireguard')) return value;
  await say(aboutConnect);
  if (prompt === undefined) await say(switchItOn);
  else if (await prompt.confirm(whetherConnect)) return 'connect';
  return value;
}

/** Nothing is written for the usual limit. */
async function askUnpaidLimit(
  { value, isFixed }: Offers['unpaidLimit'],
  { prompt, say }: AnswerParts,
): Promise<string | undefined> {
  if (isFixed || prompt === undefined) return value;
  await say(aboutUnpaid);
  const offered = value ?? usualUnpaidLimit;
  const explain = (text: string) => explainWrongValue(keys.unpaidLimit, text);
  const limit = await prompt.askText(howMuchUnpaid, offered, explain);
  return value === undefined && limit === usualUnpaidLimit ? undefined : limit;
}

/** The answers that differ from the configuration; without a cap, its whole section goes. */
export function toChanges(
  answers: Answers,
  { configured }: Pick<Before, 'configured'>,
): readonly KeyChange[] {
  const all = Object.entries(keys).map(([subject, key]) => ({
    key,
    text: answers[subject as Subject],
  }));
  return all.flatMap(({ key, text }) => {
    const before = valueAt(configured, key.split('.'));
    if (text === undefined || text === (before ?? '')) return [];
    return [text === '' ? { key: 'provide.cap', text: undefined } : { key, text }];
  });
}

async function findService(
  { value, isFixed }: Offers['service'],
  { prompt, check, say }: AnswerParts,
) {
  const explain = (text: string) => explainWrongValue(keys.service, text);
  for (;;) {
    const asked = isFixed
      ? undefined
      : await prompt?.askText('Address of the service', value ?? 'https://', explain);
    const address = asked ?? value;
    if (address === undefined) throw refuse(`no service address given. ${withoutTerminal}`);
    try {
      const found = await check(address);
      await say(
        `${address} answers as a bandwidth-sharing service${found ? `, ${found} profile` : ''}.`,
      );
      return { address, found };
    } catch (error) {
      if (asked === undefined || !(error instanceof TributaryError)) throw error;
      await say(toPlainText(messageOf(error)));
    }
  }
}

const withoutTerminal =
  'Without a terminal give --service, --mode and --cap, and the code by --code-file, standard input or TRIBUTARY_AUTH_CODE';
const aboutConnect = `Consumers of this network come by its own protocol, and not through the tunnel that it issues.
Its terms of April 2025 are about its own application: they forbid copying, changing and reverse engineering it, and say nothing about other programs.
Whether they let you use this one is for you to judge: read them first, and docs/connect.md.
Packets of consumers who ask for it are sealed from them to this device, so that the network cannot read them. Most do not ask.`;
const switchItOn = 'To switch it on: sudo tributary config set source connect';
const whetherConnect = "Share by the network's own protocol? It needs no tunnel.";
const aboutUnpaid = `The network pays for a consumer's traffic for about five minutes at a time, and a long download may run past that.
This limit is how much of it you carry for nothing. Beyond it the download breaks, and the consumer comes back and is paid for again.`;
const howMuchUnpaid = 'Most unpaid data per consumer, such as 256 MiB';
const howMuch = 'Monthly data cap, such as 500 GB (empty: no cap)';
const whichProfile = 'Which profile does the service use?';
const profiles = {
  documented: 'the interface as it is documented; right unless your service says otherwise',
  production: 'your service says so',
} as const;

/** The modes in the order in which they are offered. */
const offeredModes = ['friends', 'network', 'public', 'stream', 'none', 'default'] as const;

function describeModes(): Readonly<Record<ProvideMode, string>> {
  const described = offeredModes.map((mode) => {
    const { who, consequence } = modeWords[mode];
    return [mode, `${who}; ${consequence}`];
  });
  return Object.fromEntries(described);
}
