import { expect, test } from 'vitest';
import { findIptablesChain, findOwnRules } from '../../../src/namespace/let-through.ts';

const docker = [
  '-P INPUT ACCEPT',
  '-P FORWARD DROP',
  '-N DOCKER-USER',
  '-A FORWARD -j DOCKER-USER',
];
const ufw = ['-P FORWARD DROP', '-N ufw-user-forward', '-A ufw-before-forward -j ufw-user-forward'];

test.each([
  [
    'a host that lets through what it forwards needs none',
    ['-P FORWARD ACCEPT', '-A FORWARD -j DOCKER-USER'],
    undefined,
  ],
  ["Docker's is the chain for the owner's rules", docker, 'DOCKER-USER'],
  ["ufw's is the chain of its route rules", ufw, 'ufw-user-forward'],
  ["with both it is Docker's, which comes first", [...ufw, ...docker], 'DOCKER-USER'],
  ['a chain that nothing leads to is of no use', ['-P FORWARD DROP', '-N DOCKER-USER'], 'FORWARD'],
  ['a host that refuses by hand', ['-P FORWARD DROP'], 'FORWARD'],
  [
    'a host that refuses by its last rule, as some images do',
    ['-P FORWARD ACCEPT', '-A FORWARD -j REJECT --reject-with icmp-host-prohibited'],
    'FORWARD',
  ],
  [
    'a rule that refuses some is in nobody’s way',
    ['-P FORWARD ACCEPT', '-A FORWARD -i br7 -j DROP'],
    undefined,
  ],
  ['no rules at all', [], undefined],
])('%s', (_claim, lines, chain) => {
  expect(findIptablesChain(lines.join('\n'))).toBe(chain);
});

test('our rules are known by the link', () => {
  const text =
    '-A FORWARD -i tributary-host -j ACCEPT\n-A FORWARD -i tributary-host2 -j ACCEPT\n-N tributary-host\n';
  expect(findOwnRules(text)).toEqual([
    { chain: 'FORWARD', match: ['-i', 'tributary-host', '-j', 'ACCEPT'] },
  ]);
});
