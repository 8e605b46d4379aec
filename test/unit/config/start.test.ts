import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';

const load = new URL('../../../src/config/load.ts', import.meta.url).href;

/**
 * Names of the packages that a fresh process loads with the configuration from this environment.
 */
function packagesOf(environment: Readonly<Record<string, string>>): readonly string[] {
  const program = `
    import { registerHooks } from 'node:module';
    const packages = new Set();
    registerHooks({ resolve: (name, parent, next) => (/^[a-z]/.test(name) && !/^(node|file):/.test(name) && packages.add(name), next(name, parent)) });
    const { loadConfig } = await import(${JSON.stringify(load)});
    await loadConfig({ environment: ${JSON.stringify(environment)} });
    console.log(JSON.stringify([...packages]));
  `;
  const args = ['--no-warnings', '--input-type=module', '--eval', program];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }));
}

const address = { TRIBUTARY_SERVICE_BASE_URL: 'https://service.example' };
const schedule = { TRIBUTARY_PROVIDE_SCHEDULE: '[{"cron":"0 1 * * *","mode":"none"}]' };

test.skipIf(existsSync('/etc/tributary/tributary.yaml'))(
  'a start loads what its configuration needs, no more',
  () => {
    const known = new Set(['yaml', 'node-cron']);
    const lateOf = (environment: Readonly<Record<string, string>>) =>
      packagesOf(environment).filter((name) => known.has(name));
    expect(packagesOf(address)).toContain('zod');
    expect(lateOf(address)).toEqual([]);
    expect(lateOf({ ...address, ...schedule })).toEqual(['node-cron']);
  },
);
