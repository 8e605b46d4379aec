import { describeAttack } from './describe-attack.ts';

describeAttack('container', { from: 'connect' });
