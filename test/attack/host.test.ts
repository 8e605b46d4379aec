import { describeAttack } from './describe-attack.ts';

describeAttack('host');
