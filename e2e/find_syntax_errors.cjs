// find_syntax_errors.cjs DIR FILE...: what a grammar of PowerShell (tools/powershell_grammar.sh, in DIR) does not take.
// Prints file:line:column of each place.
const fs = require("fs");
const path = require("path");

async function main([folder, ...files]) {
  const { Parser, Language } = require(path.resolve(folder, "web-tree-sitter.cjs"));
  await Parser.init();
  const parser = new Parser();
  parser.setLanguage(await Language.load(path.resolve(folder, "tree-sitter-powershell.wasm")));
  for (const file of files) {
    const visit = (node) => {
      const at = node.startPosition;
      if (node.isError || node.isMissing) console.log(`${file}:${at.row + 1}:${at.column + 1}`);
      else node.children.forEach(visit);
    };
    visit(parser.parse(fs.readFileSync(file, "utf8")).rootNode);
  }
}

main(process.argv.slice(2));
