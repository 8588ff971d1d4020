/** Finds in the syntax tree of code what would be dangerous with a caller's text: patterns, code from text, random numbers, network. */
import { globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, posix } from 'node:path';
import type * as TypeScript from '../../packages/client/node_modules/typescript/lib/typescript.js';
import { isTestCode } from './arrows.ts';

const root = join(import.meta.dirname, '../..');
// The compiler that checks the types has no syntax trees yet; the one that makes the client's types has.
const ts = createRequire(join(root, 'packages/client/package.json'))('typescript') as typeof TypeScript;

/** Finding: its kind, with its file and line. */
export interface Danger {
  kind: 'pattern' | 'built pattern' | 'code' | 'program' | 'random' | 'network' | 'cryptography';
  what: string;
  path: string;
  line: number;
}

/** Names of network modules that open nothing. */
const harmless = new Set(['isIP', 'isIPv4', 'isIPv6', 'BlockList', 'STATUS_CODES']);
const networkModule = /^(?:node:)?(?:https?|http2|net|tls|dgram|dns|dns\/promises)$|^undici$/;
const networkCall = new Set(['fetch', 'WebSocket', 'EventSource', 'XMLHttpRequest']);
const cryptographic =
  /^(?:createHash|hash|createHmac|createCipheriv|createDecipheriv|createSign|createVerify|sign|verify|hkdfSync|scryptSync|pbkdf2Sync|generateKeyPair(?:Sync)?)$/;

/** Returns all that the packages do, without their tests. */
export function dangersOfHouse(): Danger[] {
  return globSync('packages/*/src/**/*.{ts,tsx}', { cwd: root })
    .map((path) => path.replaceAll('\\', '/'))
    .filter(
      (path) => !isTestCode(path) && !path.split('/').some((part) => ['generated', 'tests'].includes(part)),
    )
    .sort()
    .flatMap((path) => dangersIn(path, readFileSync(join(root, path), 'utf8')));
}

/** Returns all that one file does. */
export function dangersIn(path: string, text: string): Danger[] {
  const kind = posix.extname(path) === '.tsx' ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, false, kind);
  const found: Danger[] = [];
  const add = (kind: Danger['kind'], what: string, node: TypeScript.Node): void => {
    const { line } = file.getLineAndCharacterOfPosition(node.getStart(file));
    found.push({ kind, what, path, line: line + 1 });
  };
  const visit = (node: TypeScript.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) add('pattern', node.text, node);
    if (ts.isImportDeclaration(node)) importsIn(node, add);
    if (ts.isCallExpression(node) || ts.isNewExpression(node)) callIn(node, file, add);
    ts.forEachChild(node, visit);
  };
  visit(file);
  const isCryptographic = /from 'node:crypto'|from 'jose'/.test(text);
  return found.filter(({ kind }) => kind !== 'cryptography' || isCryptographic);
}

type Add = (kind: Danger['kind'], what: string, node: TypeScript.Node) => void;

function importsIn(node: TypeScript.ImportDeclaration, add: Add): void {
  const from = (node.moduleSpecifier as TypeScript.StringLiteral).text;
  const { importClause: clause } = node;
  if (clause?.isTypeOnly) return;
  const bindings = clause?.namedBindings;
  const names =
    bindings && ts.isNamedImports(bindings)
      ? bindings.elements.filter((one) => !one.isTypeOnly).map(({ name }) => name.text)
      : [];
  if (clause?.name || (bindings && !ts.isNamedImports(bindings))) names.push('*');
  const isOpen = names.some((name) => !harmless.has(name));
  if (networkModule.test(from) && isOpen) add('network', from, node);
  if (from === 'node:child_process' && isOpen) add('program', names.sort().join(), node);
  if (from === 'node:vm') add('code', from, node);
}

function callIn(
  node: TypeScript.CallExpression | TypeScript.NewExpression,
  file: TypeScript.SourceFile,
  add: Add,
): void {
  const callee = node.expression.getText(file);
  if (callee === 'RegExp') add('built pattern', node.getText(file), node);
  if (callee === 'eval' || callee === 'Function') add('code', callee, node);
  if (callee === 'Math.random') add('random', callee, node);
  if (networkCall.has(callee)) add('network', callee, node);
  if (callee === 'process.getBuiltinModule' && /\b(?:https?|net|tls)'/.test(node.getText(file)))
    add('network', callee, node);
  const first = node.arguments?.[0];
  if (cryptographic.test(callee) && first) {
    const isText = ts.isStringLiteral(first) || ts.isTemplateExpression(first);
    add(
      'cryptography',
      `${callee} ${
        isText
          ? first
              .getText(file)
              .replaceAll(/['`]/g, '')
              .replaceAll(/\$\{\w+\}/g, '…')
          : '?'
      }`,
      node,
    );
  }
}
