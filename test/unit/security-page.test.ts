import { existsSync, globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { toChains } from '../../src/gateway/chains.ts';
import { homePolicy, reviewedPolicies } from './gateway/policy-fixture.ts';

const { endpoint, capped, policed } = reviewedPolicies;
const { remainingBytes, remainingNewBytes } = capped ?? homePolicy;
/** With every rule that some setting adds. */
const policy = {
  ...homePolicy,
  devices: (endpoint?.devices ?? homePolicy.devices).map((device) => ({
    ...device,
    isStrict: true,
  })),
  remainingBytes,
  remainingNewBytes,
  blockedPorts: [...homePolicy.blockedPorts, 'tcp/21', 'udp/69'],
  line: { ...homePolicy.line, dropAboveBits: policed?.line.dropAboveBits },
};

const pages = ['docs/security.md', 'docs/development/firewall.md'];
const written = pages.map((path) => readFileSync(path, 'utf8')).join('\n');
const quoted = [...written.matchAll(/`([^`\n]+)`/g)].flatMap(([, code]) => code ?? []);

/** `destination/own-v4`: every rule of the firewall by chain and name. */
const rules = new Set(
  toChains(policy).flatMap(({ name, rules: own }) => own.map((rule) => `${name}/${rule.name}`)),
);
const chains = new Set([...rules].map((name) => name.split('/')[0] ?? ''));

describe('docs/security.md with docs/development/firewall.md', () => {
  test('names tests that are there', () => {
    const named = quoted.filter((text) => text.startsWith('test/'));
    expect(named.length).toBeGreaterThan(30);
    expect(named.filter((path) => !existsSync(path))).toEqual([]);
  });

  test('names rules of the firewall that are there', () => {
    const named = quoted.filter(
      (text) => chains.has(text.split('/')[0] ?? '') && text.includes('/'),
    );
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((name) => !rules.has(name))).toEqual([]);
  });

  test('names every file of the state directory', () => {
    const sources = globSync('src/**/*.ts').map((path) => readFileSync(path, 'utf8'));
    const kept = sources
      .filter((text) => text.includes("/state-file.ts'"))
      .flatMap((text) => [...text.matchAll(/\bname: '([a-z-]+)',\s+schema/g)])
      .map(([, name]) => `${name}.json`);
    expect(kept.length).toBeGreaterThan(10);
    expect(kept.filter((name) => !quoted.includes(name))).toEqual([]);
  });

  test('leaves out no chain that refuses', () => {
    const refusing = toChains(policy).filter(({ rules: own }) =>
      own.some(({ text }) => text.endsWith('drop')),
    );
    const said = new Set(quoted.map((text) => text.split('/')[0]));
    const further = ['probe_leak', 'ceilings', 'half_open'];
    // A row of chains that differ by a number alone is written once, with an ellipsis.
    const isSaid = (name: string) => said.has(name) || said.has(name.replace(/\d+$/, '…'));
    expect(
      refusing.map(({ name }) => name).filter((name) => !isSaid(name) && !further.includes(name)),
    ).toEqual([]);
  });
});

describe('docs/development/testing.md', () => {
  const section = /### Which row notices which rule\n([\s\S]*?)\n## /.exec(
    readFileSync('docs/development/testing.md', 'utf8'),
  )?.[1];
  const said = new Set([...(section ?? '').matchAll(/`([^`\n]+)`/g)].map(([, text]) => text ?? ''));

  test('names of every rule that refuses what notices it', () => {
    const refusing = toChains(policy).flatMap(({ name, hook = '', rules: own }) => [
      ...own.filter(({ text }) => /drop$/.test(text)).map((rule) => `${name}/${rule.name}`),
      ...(hook.includes('policy drop') ? [name] : []),
    ]);
    expect(refusing.length).toBeGreaterThan(60);
    const isSaid = (name: string) =>
      said.has(name) ||
      said.has(name.replace(/\/.*/, '')) ||
      said.has(name.replace(/\d+\/.*/, '…')) ||
      said.has(name.replace(/ .*/, ' …'));
    expect(refusing.filter((name) => !isSaid(name))).toEqual([]);
  });

  test('names rules that are there, and files of rows and of tests', () => {
    const named = [...said].filter((name) => name.includes('/'));
    const isFile = (name: string) =>
      existsSync(name) || existsSync(`test/attack/${name}`) || rules.has(name);
    const further = [...rules, ...furtherRules];
    expect(
      named.filter(
        (name) => !isFile(name) && !further.some((rule) => rule.startsWith(name.replace('…', ''))),
      ),
    ).toEqual([]);
  });
});

/** Rules that a setting adds which the policy above has not. */
const furtherRules = Object.values(reviewedPolicies).flatMap((own) =>
  toChains(own).flatMap(({ name, rules: all }) => all.map((rule) => `${name}/${rule.name}`)),
);
