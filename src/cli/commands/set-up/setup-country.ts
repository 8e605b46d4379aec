import { explainWrongValue } from '../../../config/set-key.ts';
import { createServiceClient } from '../../../service/client.ts';
import type { ServiceAddress } from '../../../service/url.ts';
import { personWaits } from '../../frame/patience.ts';
import type { Prompt } from '../../frame/prompt.ts';

/** A country in which providers are, the service's word for each. */
export interface Country {
  /** Two capital letters. */
  readonly code: string;
  readonly name: string;
  readonly providerCount: number;
}

interface CountryQuestion {
  /** What is configured or was given. */
  readonly value: string | undefined;
  /** True where no question is asked. */
  readonly isFixed: boolean;
  readonly countries: readonly Country[];
  readonly prompt: Prompt | undefined;
  readonly say: (text: string) => Promise<void> | void;
}

/**
 * The country of the tunnel. A production service issues none without a country that has providers,
 * and it decides once, when the device is registered.
 */
export async function askCountry(question: CountryQuestion): Promise<string | undefined> {
  const { value, isFixed, countries, prompt, say } = question;
  const offers = countries.length === 0 ? '' : `: ${describeCountries(countries)}`;
  if (isFixed || prompt === undefined) {
    if (value === undefined)
      await say(`${needsCountry}${offers}\nTo choose one: sudo tributary config set ${key} CODE`);
    else if (!hasProviders(value, countries))
      await say(`Warning: no provider is in ${value} now. ${needsCountry}${offers}`);
    return value;
  }
  await say(`${needsCountry}${offers}`);
  const explain = (text: string) => {
    if (text === '') return undefined;
    const wrong = explainWrongValue(key, text);
    if (wrong !== undefined) return wrong;
    return hasProviders(text, countries) ? undefined : `no provider is in ${text} now`;
  };
  const answer = await prompt.askText(whichCountry, value ?? '', explain);
  return answer === '' ? value : answer;
}

const key = 'proxy.country_code';
const whichCountry = 'Country of the tunnel, two letters, such as DE (empty: none)';
const needsCountry = 'A tunnel is issued only for a country that has providers';
const mostShown = 12;

/** True too where it is not known which countries have any. */
function hasProviders(code: string, countries: readonly Country[]): boolean {
  return countries.length === 0 || countries.some((own) => own.code === code.toUpperCase());
}

function describeCountries(countries: readonly Country[]): string {
  const shown = countries
    .slice(0, mostShown)
    .map(({ code, name, providerCount }) => `${code} (${name}, ${providerCount})`);
  return [...shown, ...(countries.length > mostShown ? ['…'] : [])].join(', ');
}

/** The countries with providers, the most first; empty where the service does not say. */
export async function listCountries(service: ServiceAddress): Promise<readonly Country[]> {
  await using client = createServiceClient({ ...service, ...personWaits, tries: 1 });
  const answer = await client.call('providerLocations', undefined).catch(() => undefined);
  return (answer?.locations ?? [])
    .flatMap(({ locationType, countryCode = '', name = '', providerCount = 0 }) =>
      locationType === 'country' && /^[a-z]{2}$/i.test(countryCode) && providerCount > 0
        ? [{ code: countryCode.toUpperCase(), name, providerCount }]
        : [],
    )
    .toSorted((one, other) => other.providerCount - one.providerCount);
}
