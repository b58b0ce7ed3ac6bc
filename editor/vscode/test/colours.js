// The colours that VS Code's own engine gives to rules by the TextMate grammar.
const assert = require("node:assert");
const fs = require("node:fs");
const path = require("node:path");
const oniguruma = require("vscode-oniguruma");
const textmate = require("vscode-textmate");

const engine = fs.readFileSync(require.resolve("vscode-oniguruma/release/onig.wasm"));
const grammar = path.join(__dirname, "..", "syntaxes", "grog.tmLanguage.json");

async function main() {
  await oniguruma.loadWASM(engine.buffer.slice(engine.byteOffset, engine.byteOffset + engine.byteLength));
  const registry = new textmate.Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async () => textmate.parseRawGrammar(fs.readFileSync(grammar, "utf8"), grammar),
  });
  const rules = await registry.loadGrammar("source.grog");
  const scopes = (line) => {
    const found = {};
    for (const token of rules.tokenizeLine(line, textmate.INITIAL).tokens) {
      const text = line.slice(token.startIndex, token.endIndex).trim();
      found[text] ??= token.scopes.at(-1);
    }
    return found;
  };
  let line = scopes('rule defence(t: Unit, from: Hex) -> 0..40 [7.2] = t.front if in_arc(t, from) else t.rear   # why');
  assert.equal(line["rule"], "keyword.declaration.grog");
  assert.equal(line["defence"], "entity.name.function.grog");
  assert.equal(line["Unit"], "support.type.grog");
  assert.equal(line["[7.2]"], "meta.citation.grog markup.italic.grog".split(" ").at(-1));
  assert.equal(line["front"], "variable.other.property.grog");
  assert.equal(line["in_arc"], "entity.name.function.call.grog");
  assert.equal(line["# why"], "comment.line.number-sign.grog");
  line = scopes('  choose a: Unit where mine(a) and not a.tired "the {a} | attacker"');
  assert.equal(line["choose"], "keyword.control.grog");
  assert.equal(line["not"], "keyword.operator.word.grog");
  assert.equal(line["{a}"], "variable.parameter.inserted.grog");
  line = scopes("  roll fallen: 2d6");
  assert.equal(line["2d6"], "constant.numeric.dice.grog");
  console.log("colours: all as they should be");
}

main().catch((reason) => {
  console.error(reason.message);
  process.exit(1);
});
