import { describeAttack } from './describe-attack.ts';
import { describeTakenOver } from './describe-taken-over.ts';

describeAttack('host');
describeTakenOver();
