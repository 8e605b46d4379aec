import { describe, expect, test } from 'vitest';
import {
  gatherAnswers,
  toChanges,
  toOffers,
} from '../../../../../src/cli/commands/set-up/setup-answers.ts';
import type { Prompt } from '../../../../../src/cli/frame/prompt.ts';
import { TributaryError } from '../../../../../src/errors/codes.ts';
import { load, withService } from '../../../config/config-fixture.ts';

const address = 'https://service.example';
const needsCountry =
  'A tunnel is issued only for a country that has providers: DE (Germany, 3), IS (Iceland, 1)';

/**
 * What there is before setup, from a file and an environment; without an address nothing is set up
 * yet.
 */
async function createBefore(
  lines: readonly string[] = [],
  environment: NodeJS.ProcessEnv = {},
  isNew = false,
) {
  const loaded = await load(withService(...lines), environment);
  return { loaded, isNew, configured: isNew ? { ...loaded.given, service: {} } : loaded.given };
}

describe('what is offered', () => {
  const network = { TRIBUTARY_PROVIDE_MODE: 'network' };

  test.each<[string, Parameters<typeof createBefore>, string | undefined, boolean]>([
    [
      'of a new device is friends, whatever the sample says',
      [['provide: { mode: public }'], {}, true],
      'friends',
      false,
    ],
    [
      'of one that is set up is what its file says',
      [['provide: { mode: public }']],
      'public',
      false,
    ],
    ['where nothing is said is nothing', [], undefined, false],
    ['by the environment is not asked', [[], network, true], 'network', true],
  ])('as the mode %s', async (_, parts, value, isFixed) => {
    expect(toOffers({}, await createBefore(...parts)).mode).toEqual({ value, isFixed });
  });

  test('by an option wins over the file, and is not asked', async () => {
    const before = await createBefore(['provide: { mode: public }']);
    expect(toOffers({ mode: 'none' }, before).mode).toEqual({ value: 'none', isFixed: true });
  });

  test('by an option is refused where the environment would win, and allowed where both say the same', async () => {
    const before = await createBefore([], network);
    expect(() => toOffers({ mode: 'public' }, before)).toThrow(
      '--mode: TRIBUTARY_PROVIDE_MODE says network, which wins over the file; change it there',
    );
    expect(toOffers({ mode: 'network' }, before).mode.value).toBe('network');
  });

  test.each([
    ['cap', '500', /^--cap: found "500"; allowed: an amount of data with its unit/],
    ['cap', '0 GB', /^--cap: found "0 GB"; allowed: more than nothing/],
    ['mode', 'pubic', /^--mode: found "pubic"; allowed: "default", "none"/],
    ['profile', 'product', /^--profile: found "product"; allowed: "documented", "production"/],
    ['service', 'service.example', /^--service: found "service.example"; allowed: /],
  ])('as --%s %s is refused by what is allowed', async (option, value, message) => {
    const before = await createBefore();
    expect(() => toOffers({ [option]: value }, before)).toThrow(message);
  });
});

/** A person who gives these answers in turn; `asked` holds the questions with what was offered. */
function createPerson(...typed: readonly string[]) {
  const asked: string[] = [];
  const left = [...typed];
  const take = (question: string, offered: string) => {
    asked.push(`${question.split(/\?|, such/)[0]}: ${offered}`);
    const answer = left.shift();
    return answer === undefined || answer === '=' ? offered : answer;
  };
  const prompt: Prompt = {
    async askText(question, offered, explain) {
      for (;;) {
        const answer = take(question, offered);
        const wrong = explain(answer);
        if (wrong === undefined) return answer;
        asked.push(`  refused: ${wrong}`);
      }
    },
    choose: async (question, offered) => take(question, offered) as typeof offered,
    confirm: async () => false,
    tell: async () => undefined,
    askSecret: () => Promise.reject(new Error('no secret is asked here')),
  };
  return { prompt, asked };
}

async function gather(
  before: Awaited<ReturnType<typeof createBefore>>,
  options = {},
  person?: ReturnType<typeof createPerson>,
) {
  const said: string[] = [];
  const check = async (tried: string) => {
    if (tried.includes('wrong'))
      throw new TributaryError('service-unreachable', `nothing answers at ${tried}`);
    return tried.includes('production') ? ('production' as const) : undefined;
  };
  const say = (line: string) => void said.push(line);
  const answers = await gatherAnswers(toOffers(options, before), {
    prompt: person?.prompt,
    check,
    listCountries: async () => [
      { code: 'DE', name: 'Germany', providerCount: 3 },
      { code: 'IS', name: 'Iceland', providerCount: 1 },
    ],
    say,
  });
  return { answers, said, asked: person?.asked ?? [], changes: toChanges(answers, before) };
}

describe('the dialogue', () => {
  test('asks for the service, its profile, the mode and the cap, and offers what is safe', async () => {
    const person = createPerson(address, 'documented', '=', '500 GB');
    const { answers, asked } = await gather(await createBefore([], {}, true), {}, person);
    expect(asked).toEqual([
      'Address of the service: https://',
      'Which profile does the service use: documented',
      'Who may use your connection: friends',
      'Monthly data cap: ',
    ]);
    expect(answers).toEqual({
      service: address,
      profile: 'documented',
      mode: 'friends',
      cap: '500 GB',
    });
  });

  test('asks again for an address that nothing answers at, a wrong one, and a wrong cap', async () => {
    const person = createPerson(
      'service',
      'https://wrong.example',
      address,
      '=',
      '=',
      '500',
      '500GB',
    );
    const { answers, said, asked } = await gather(await createBefore([], {}, true), {}, person);
    expect(asked.filter((line) => line.startsWith('  refused'))).toEqual([
      expect.stringMatching(/found "service"; allowed: /),
      expect.stringMatching(/found "500"; allowed: an amount of data/),
    ]);
    expect(said).toEqual([
      'nothing answers at https://wrong.example',
      `${address} answers as a bandwidth-sharing service.`,
    ]);
    expect(answers).toMatchObject({ service: address, cap: '500GB' });
  });

  test('does not ask for a profile that the service shows', async () => {
    const person = createPerson('https://production.example', '=', '=');
    const { answers, asked, said } = await gather(await createBefore([], {}, true), {}, person);
    expect(asked.join()).not.toContain('profile');
    expect(answers.profile).toBe('production');
    expect(said).toEqual([
      'https://production.example answers as a bandwidth-sharing service, production profile.',
      expect.stringMatching(/read them first, and docs\/connect\.md\.\n[^\n]*sealed[^\n]*\.$/),
      needsCountry,
    ]);
  });

  test('asks for a country of the tunnel, and takes one that has providers', async () => {
    const person = createPerson('https://production.example', '=', '=', 'FR', 'x', 'is');
    const { asked, changes } = await gather(await createBefore([], {}, true), {}, person);
    expect(asked.slice(-5)).toEqual([
      'Country of the tunnel, two letters: ',
      '  refused: no provider is in FR now',
      'Country of the tunnel, two letters: ',
      expect.stringMatching(/refused: found "x"; allowed: a two-letter country code/),
      'Country of the tunnel, two letters: ',
    ]);
    expect(changes).toContainEqual({ key: 'proxy.country_code', text: 'is' });
  });

  test.each([
    [{}, [`${needsCountry}\nTo choose one: sudo tributary config set proxy.country_code CODE`]],
    [{ country: 'FR' }, [`Warning: no provider is in FR now. ${needsCountry}`]],
    [{ country: 'de' }, []],
  ])('without a terminal says what a tunnel needs: %j', async (given, warnings) => {
    const service = 'https://production.example';
    const { said } = await gather(await createBefore([], {}, true), { service, ...given });
    expect(said.slice(3)).toEqual(warnings);
  });

  test('asks for no country where no tunnel is used', async () => {
    const person = createPerson('https://production.example', '=', '=');
    const before = await createBefore(['source: connect']);
    expect((await gather(before, {}, person)).asked.join()).not.toContain('Country');
  });

  test('offers what is configured, and changes nothing where nothing else is said', async () => {
    const lines = ['  profile: documented', 'provide: { mode: network, cap: { bytes: 1 TB } }'];
    const { changes, asked } = await gather(await createBefore(lines), {}, createPerson());
    expect(asked).toEqual([
      `Address of the service: ${address}`,
      'Who may use your connection: network',
      'Monthly data cap: 1 TB',
    ]);
    expect(changes).toEqual([]);
  });

  test('takes a cap away where it is emptied', async () => {
    const person = createPerson('=', '=', '');
    const { changes } = await gather(
      await createBefore([
        '  profile: documented',
        'provide: { mode: network, cap: { bytes: 1 TB } }',
      ]),
      {},
      person,
    );
    expect(changes).toEqual([{ key: 'provide.cap', text: undefined }]);
  });

  test('asks for nothing that was given', async () => {
    const given = { service: address, profile: 'documented', mode: 'none', cap: '1 TB' };
    const { answers, asked } = await gather(
      await createBefore([], {}, true),
      given,
      createPerson(),
    );
    expect([answers, asked]).toEqual([given, []]);
  });

  test('warns where the service shows another profile than was said', async () => {
    const given = { service: 'https://production.example', profile: 'documented' };
    const { answers, said } = await gather(await createBefore([], {}, true), given, createPerson());
    expect(answers.profile).toBe('documented');
    expect(said.at(-1)).toBe('Warning: it answers like the production profile, not documented.');
  });
});

describe('without a terminal', () => {
  test('what is not known stays unsaid: the agent sends no mode while the profile is unclear', async () => {
    const { answers, changes } = await gather(await createBefore([], {}, true), {
      service: address,
    });
    expect(answers).toEqual({
      service: address,
      profile: undefined,
      mode: 'friends',
      cap: undefined,
    });
    expect(changes).toEqual([
      { key: 'service.base_url', text: address },
      { key: 'provide.mode', text: 'friends' },
    ]);
  });

  test('a missing address is said with what to give, and a wrong one is an error', async () => {
    const offers = toOffers({}, await createBefore([], {}, true));
    const parts = {
      prompt: undefined,
      check: async () => undefined,
      listCountries: async () => [],
      say: () => undefined,
    };
    await expect(gatherAnswers(offers, parts)).rejects.toMatchObject({
      code: 'usage-invalid',
      message: expect.stringMatching(
        /no service address given.*--service.*--mode.*--cap.*--code-file.*TRIBUTARY_AUTH_CODE/,
      ),
    });
    const wrong = toOffers({ service: 'https://wrong.example' }, await createBefore());
    const check = () =>
      Promise.reject(new TributaryError('service-unreachable', 'nothing answers'));
    await expect(gatherAnswers(wrong, { ...parts, check })).rejects.toMatchObject({
      code: 'service-unreachable',
    });
  });
});
