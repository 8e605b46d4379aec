import { type ESTree, Visitor } from 'rolldown/utils';

/** How a function is called: a declaration, an arrow function, a method, or the type of one. */
export interface FunctionShape {
  /** Its first line, by which a reader finds it. */
  readonly line: string;
  /** Positional parameters. A `this` that only has a type is not counted. */
  readonly parameterCount: number;
  /** One of them is typed `boolean`, or is true or false by default. */
  readonly hasBoolean: boolean;
}

/** Every function of a file, also those that are only described. */
export function readFunctions(program: ESTree.Program, text: string): readonly FunctionShape[] {
  const found: FunctionShape[] = [];
  const add = ({ params, start, end }: Callable) => {
    const own = params.filter((one) => !(one.type === 'Identifier' && one.name === 'this'));
    found.push({
      line: text.slice(start, end).split('\n')[0]?.slice(0, 100) ?? '',
      parameterCount: own.length,
      hasBoolean: own.some(isBoolean),
    });
  };
  new Visitor({
    FunctionDeclaration: add,
    FunctionExpression: add,
    ArrowFunctionExpression: add,
    TSDeclareFunction: add,
    TSEmptyBodyFunctionExpression: add,
    TSMethodSignature: add,
    TSFunctionType: add,
    TSCallSignatureDeclaration: add,
    TSConstructSignatureDeclaration: add,
  }).visit(program);
  return found;
}

interface Callable {
  readonly params: readonly ESTree.ParamPattern[];
  readonly start: number;
  readonly end: number;
}

function isBoolean(parameter: ESTree.ParamPattern): boolean {
  const given = parameter.type === 'TSParameterProperty' ? parameter.parameter : parameter;
  if (given.type !== 'AssignmentPattern')
    return isBooleanType(given.typeAnnotation?.typeAnnotation);
  const { left, right } = given;
  return (
    isBooleanType(left.typeAnnotation?.typeAnnotation) ||
    (right.type === 'Literal' && typeof right.value === 'boolean')
  );
}

/** `boolean`, `true`, `false`, or one of them among others (`boolean | undefined`). */
function isBooleanType(type: ESTree.TSType | null | undefined): boolean {
  if (type?.type === 'TSUnionType') return type.types.some(isBooleanType);
  return (
    type?.type === 'TSBooleanKeyword' ||
    (type?.type === 'TSLiteralType' && isTrueOrFalse(type.literal))
  );
}

function isTrueOrFalse(literal: ESTree.TSLiteral): boolean {
  return literal.type === 'Literal' && typeof literal.value === 'boolean';
}
