import { parseArgs } from 'node:util';
import { messageOf, TributaryError } from '../../src/errors/codes.ts';
import { findNearest } from '../../src/lib/edit-distance.ts';
import { profileNames } from '../../src/service/profiles.ts';

export const usage =
  'Usage: npm run demo -- [--json] [--keep] [--profile documented|production] [--source wireguard|connect]';

/** What to do after the demonstration: the installed command says it in its own words. */
export function nextStep(): string {
  return (
    process.env.LAB_OF_TRIBUTARY_NEXT ?? 'install it on a device of yours: docs/getting-started.md'
  );
}

const options = {
  json: { type: 'boolean', default: false },
  keep: { type: 'boolean', default: false },
  profile: { type: 'string', default: 'documented' },
  source: { type: 'string', default: 'wireguard' },
  help: { type: 'boolean', default: false },
} as const;

const sources = ['wireguard', 'connect'] as const;

/** Reads the arguments after `npm run demo --`. @throws usage-invalid */
export function readDemoOptions(args: readonly string[]) {
  const { profile: typed, source: typedSource, ...values } = parse(args);
  const profile = profileNames.find((name) => name === typed);
  if (profile === undefined)
    throw refuse(`--profile ${typed}: documented or production`, findNearest(typed, profileNames));
  const source = sources.find((name) => name === typedSource);
  if (source === undefined)
    throw refuse(
      `--source ${typedSource}: wireguard or connect`,
      findNearest(typedSource, sources),
    );
  return { ...values, profile, source };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args, options }).values;
  } catch (error) {
    // Node's message continues with advice about its own syntax, which is cut off.
    const [what = ''] = messageOf(error).split(/\.\s/);
    const [, marks, typed = ''] = /'(-*)([^'=\s]+)/.exec(what) ?? [];
    const nearest = findNearest(typed, Object.keys(options));
    throw refuse(what, marks === '--' && nearest === typed ? undefined : nearest && `--${nearest}`);
  }
}

function refuse(what: string, meant: string | undefined): TributaryError {
  return new TributaryError(
    'usage-invalid',
    meant === undefined ? what : `${what}; did you mean ${meant}?`,
  );
}
