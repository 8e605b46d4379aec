import { readFileSync } from 'node:fs';

/*
 * The add-on's options as lines for a shell, by the names that the agent's environment has for
 * them. What its owner left empty is left out. `settings` name any other key, and come last.
 */

const names = {
  service: 'TRIBUTARY_SERVICE_BASE_URL',
  profile: 'TRIBUTARY_SERVICE_PROFILE',
  mode: 'TRIBUTARY_PROVIDE_MODE',
  cap: 'TRIBUTARY_PROVIDE_CAP_BYTES',
  rate_limit: 'TRIBUTARY_PROVIDE_RATE_LIMIT_LINE',
  auth_code: 'TRIBUTARY_AUTH_CODE',
  status_token: 'TRIBUTARY_STATUS_TOKEN',
};

const options = JSON.parse(readFileSync(process.argv[2] ?? '/data/options.json', 'utf8'));
const own = Object.entries(names).map(([option, name]) => ({ name, value: options[option] }));
for (const { name, value } of [...own, ...(options.settings ?? [])]) {
  if (value === undefined || value === null || value === '') continue;
  // The Supervisor has checked the names; a shell must not take one for a command all the same.
  if (!/^TRIBUTARY_[A-Z0-9_]+$/.test(name)) throw new Error(`no name of a setting: ${name}`);
  console.log(`export ${name}='${String(value).replaceAll("'", `'\\''`)}'`);
}
