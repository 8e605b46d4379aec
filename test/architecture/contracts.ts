import { type ESTree, Visitor } from 'rolldown/utils';

/** What a file promises by its types, and what it takes from others by name. */
export interface Contracts {
  /** Exported types and interfaces that ask what a function returns. */
  readonly inferredTypes: readonly string[];
  /** Exported functions whose result is not written. */
  readonly inferredResults: readonly string[];
  readonly takenNames: readonly TakenName[];
}

interface TakenName {
  readonly name: string;
  /** As it is written: `../lib/errors.ts`. */
  readonly specifier: string;
}

export function readContracts(program: ESTree.Program, text: string): Contracts {
  const inferredTypes: string[] = [];
  const inferredResults: string[] = [];
  const takenNames: TakenName[] = [];
  new Visitor({
    ExportNamedDeclaration: ({ declaration }) => {
      inferredResults.push(...listInferred(declaration));
      if (!isType(declaration)) return;
      if (asksForResult.test(text.slice(declaration.start, declaration.end)))
        inferredTypes.push(declaration.id.name);
    },
    ImportDeclaration: ({ source, specifiers }) => {
      for (const specifier of specifiers) {
        if (specifier.type !== 'ImportSpecifier') continue;
        const { imported } = specifier;
        const name = imported.type === 'Literal' ? imported.value : imported.name;
        takenNames.push({ name, specifier: source.value });
      }
    },
  }).visit(program);
  return { inferredTypes, inferredResults, takenNames };
}

const asksForResult = /\bReturnType<\s*typeof\b/;

/** The functions of a declaration that say nothing of their result. */
function listInferred(declaration: ESTree.Declaration | null): readonly string[] {
  if (declaration?.type === 'FunctionDeclaration') {
    const { id, returnType } = declaration;
    return id === null || returnType ? [] : [id.name];
  }
  if (declaration?.type !== 'VariableDeclaration') return [];
  return declaration.declarations.flatMap(({ id, init }) => {
    if (id.type !== 'Identifier' || id.typeAnnotation) return [];
    const isFunction = init?.type === 'ArrowFunctionExpression' && !init.returnType;
    return isFunction ? [id.name] : [];
  });
}

function isType(
  declaration: ESTree.Declaration | null,
): declaration is ESTree.TSTypeAliasDeclaration | ESTree.TSInterfaceDeclaration {
  return (
    declaration?.type === 'TSTypeAliasDeclaration' || declaration?.type === 'TSInterfaceDeclaration'
  );
}
